import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// A query runs on an index or not at all.
@Suite struct StoreQueryTests {
    let folder: TemporaryFolder
    let connection: Connection
    let table: EntityTable

    init() throws {
        folder = try TemporaryFolder()
        try folder.open(entities: [Self.entity]).close()
        connection = try Connection.open(path: folder.store, flags: .readOnly)
        table = try EntityTable(descriptor: Self.entity, shape: TableShape(Self.entity))
    }

    static let entity = EntityDescriptor(
        name: "a-note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "owner", type: .string(), isRequired: true),
            FieldDescriptor(name: "number", type: .integer(), isRequired: true),
            FieldDescriptor(name: "at", type: .dateTime, isRequired: true),
            FieldDescriptor(name: "due", type: .dateTime, isNullable: true),
            FieldDescriptor(name: "text", type: .string()),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        unique: [["owner", "number"]],
        indexes: [["at"], ["due"]]
    )

    private func plan(query: StoreQuery) throws -> [String] {
        let sql = try QuerySQL(table: table, query: query, lookup: { [table] _ in table })
        return try connection.queryPlan(sql: table.sql.selectRecord + sql.text)
    }

    private static let blockSort = "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"
    private static let lastSort = "USE TEMP B-TREE FOR LAST TERM OF ORDER BY"

    /// Whether nothing but records that are alike in the order is sorted apart from the index.
    private func isSortedByIndex(_ plan: [String]) -> Bool {
        plan.dropFirst().allSatisfy { $0 == Self.blockSort || $0 == Self.lastSort }
    }

    @Test func allRecordsAndPagesOfThemFollowTheKeysIndex() throws {
        #expect(try plan(query: StoreQuery()) == ["SCAN a_note USING INDEX sync:a_note:key"])
        let after = StoreQuery.Position(values: [], key: RecordKey("k"))
        #expect(
            try plan(query: StoreQuery(after: after)) == ["SEARCH a_note USING INDEX sync:a_note:key (id>?)"]
        )
        let keys = StoreQuery(conditions: [.init(field: "id", test: .oneOf([.text("a"), .text("b")]))])
        #expect(try plan(query: keys) == ["SEARCH a_note USING INDEX sync:a_note:key (id=?)"])
    }

    @Test func equalFieldsAndARangeAreSoughtInOneIndex() throws {
        let query = StoreQuery(
            conditions: [
                .init(field: "owner", test: .equals(.text("o"))),
                .init(
                    field: "number",
                    test: .range(lower: .init(value: .integer(1), isIncluded: true), upper: nil)
                ),
            ],
            sort: [.init(field: "number", isDescending: true)]
        )
        let plan = try plan(query: query)
        #expect(plan[0] == "SEARCH a_note USING INDEX sync:a_note:by:owner,number (owner=? AND number>?)")
        #expect(isSortedByIndex(plan))
    }

    @Test(arguments: [true, false])
    func anOrderFollowsItsIndexAndAPageBeginsWhereTheLastOneEnded(isDescending: Bool) throws {
        let sort = [StoreQuery.Sort(field: "at", isDescending: isDescending)]
        let first = try plan(query: StoreQuery(sort: sort, limit: 20))
        #expect(first[0] == "SCAN a_note USING INDEX sync:a_note:by:at")
        #expect(isSortedByIndex(first))
        let position = StoreQuery.Position(
            values: [.timestamp(Timestamp(microseconds: 5))],
            key: RecordKey("k")
        )
        let next = try plan(query: StoreQuery(sort: sort, limit: 20, after: position))
        #expect(next[0] == "SEARCH a_note USING INDEX sync:a_note:by:at (at\(isDescending ? "<" : ">")?)")
        #expect(isSortedByIndex(next))
    }

    @Test(arguments: [
        StoreQuery.Test.equals(.null), .range(lower: nil, upper: nil),
        .range(lower: nil, upper: .init(value: .timestamp(Timestamp(microseconds: 1)), isIncluded: true)),
    ])
    func nullsAndOpenRangesAreSought(test: StoreQuery.Test) throws {
        let plan = try plan(query: StoreQuery(conditions: [.init(field: "due", test: test)]))
        #expect(plan[0].hasPrefix("SEARCH a_note USING INDEX sync:a_note:by:due (due"))
    }

    @Test func aListWithNullIsSoughtTwice() throws {
        let list = StoreQuery.Test.oneOf([.null, .timestamp(Timestamp(microseconds: 1))])
        let plan = try plan(query: StoreQuery(conditions: [.init(field: "due", test: list)]))
        #expect(plan.contains("MULTI-INDEX OR"))
        #expect(!plan.contains { $0.hasPrefix("SCAN") })
    }

    @Test func fieldsThatNoIndexServesAreRefusedByName() throws {
        func message(query: StoreQuery) throws -> String {
            try #require(throws: SyncError.self) { try plan(query: query) }.message
        }
        #expect(
            try message(query: StoreQuery(sort: [.init(field: "text")])).contains(
                "'text', which has no index"
            )
        )
        let second = StoreQuery(
            conditions: [.init(field: "number", test: .equals(.integer(1)))],
            sort: [.init(field: "at")]
        )
        #expect(
            try message(query: second).contains("'number', which no index that fits the query begins with")
        )
        #expect(
            try message(query: StoreQuery(sort: [.init(field: "nothing")])).contains(
                "which the schema does not have"
            )
        )
    }

    @Test func theOldestWaitingEditIsFoundAmongThoseThatWait() throws {
        let plan = try connection.queryPlan(sql: table.sql.oldestPending)
        #expect(plan == ["SEARCH a_note USING INDEX sync:a_note:state (sync_state=?)"])
    }
}
