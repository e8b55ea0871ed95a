import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// Joins along lists of keys and along keys of several fields are found by indexes: no plan walks a table.
@Suite struct RelationPlanTests {
    private let folder: TemporaryFolder
    private let connection: Connection
    private let tables: [String: EntityTable]

    init() throws {
        folder = try TemporaryFolder()
        let entities = [Self.member, Self.meeting, Self.club]
        try folder.open(entities: entities).close()
        connection = try Connection.open(path: folder.store, flags: .readOnly)
        try connection.addQueryFunctions()
        tables = try Dictionary(
            uniqueKeysWithValues: entities.map {
                ($0.name, try EntityTable(descriptor: $0, shape: TableShape($0)))
            }
        )
    }

    private static func text(_ name: String) -> FieldDescriptor {
        FieldDescriptor(name: name, type: .string(), isRequired: true)
    }

    private static let member = EntityDescriptor(
        name: "member",
        typeName: "Member",
        fields: [text("id"), text("name")],
        key: ["id"],
        strategy: .lastWriteWins,
        indexes: [["name"]]
    )
    private static let meeting = EntityDescriptor(
        name: "meeting",
        typeName: "Meeting",
        fields: [text("hall"), text("hour"), text("topic")],
        key: ["hall", "hour"],
        strategy: .lastWriteWins,
        indexes: [["topic"]]
    )
    private static let club = EntityDescriptor(
        name: "club",
        typeName: "Club",
        fields: [
            text("id"), text("motto"), FieldDescriptor(name: "hall", type: .string(), isNullable: true),
            FieldDescriptor(name: "hour", type: .string(), isNullable: true),
            FieldDescriptor(name: "members", type: .array(element: .string(), isSet: true)),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        indexes: [["motto"]],
        references: [
            ReferenceDescriptor(field: "members", entity: "member", onDelete: .nullify),
            ReferenceDescriptor(
                field: "hall",
                entity: "meeting",
                onDelete: .nullify,
                fields: ["hall", "hour"]
            ),
        ]
    )

    private func expectIndexes(
        _ filter: StoreQuery.Filter,
        of entity: String,
        by indexes: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let table = try #require(tables[entity])
        var query = StoreQuery()
        query.require(filter)
        let sql = try QuerySQL(table: table, query: query, lookup: { try #require(tables[$0]) })
        let plan = try connection.queryPlan(sql: table.sql.selectRecord + sql.text)
        // An element of a list is read by a table that is none.
        let walks = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("VIRTUAL TABLE") }
        #expect(walks.isEmpty, "\(plan)", sourceLocation: sourceLocation)
        for index in indexes {
            #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)", sourceLocation: sourceLocation)
        }
    }

    private func equals(_ field: String) -> StoreQuery.Filter {
        .test(StoreQuery.Condition(field: field, test: .equals(.text("x"))))
    }

    @Test func aListIsFoundByTheNameOfWhatItHolds() throws {
        try expectIndexes(
            .refers(field: "members", entity: "member", equals("name")),
            of: "club",
            by: ["sync:member:by:name (name=?)", "sync:club:elements:members USING PRIMARY KEY (value=?)"]
        )
    }

    @Test func whatAListHoldsIsFoundByTheRecordWithTheList() throws {
        try expectIndexes(
            .isReferred(entity: "club", field: "members", equals("motto")),
            of: "member",
            by: ["sync:club:by:motto (motto=?)", "sync:member:key (id=?)"]
        )
    }

    @Test func severalFieldsAreFoundByTheRecordThatTheyName() throws {
        try expectIndexes(
            .refers(field: "hall", entity: "meeting", equals("topic")),
            of: "club",
            by: ["sync:meeting:by:topic (topic=?)", "(hall=? AND hour=?)"]
        )
    }

    @Test func aRecordIsFoundByTheSeveralFieldsOfAnother() throws {
        try expectIndexes(
            .isReferred(entity: "club", field: "hall", equals("motto")),
            of: "meeting",
            by: ["sync:club:by:motto (motto=?)", "SEARCH meeting USING INDEX sync:meeting:key"]
        )
    }
}
