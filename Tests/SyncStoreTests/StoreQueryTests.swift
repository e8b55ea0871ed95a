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
        try folder.open([Self.entity]).close()
        connection = try Connection.open(path: folder.store, flags: .readOnly)
        table = try EntityTable(Self.entity, TableShape(Self.entity))
    }

    static let entity = EntityDescriptor(
        name: "a-note",
        typeName: "Note",
        fields: [
            FieldDescriptor("id", type: .string(), isRequired: true),
            FieldDescriptor("owner", type: .string(), isRequired: true),
            FieldDescriptor("number", type: .integer(), isRequired: true),
            FieldDescriptor("at", type: .dateTime, isRequired: true),
            FieldDescriptor("due", type: .dateTime, isNullable: true),
            FieldDescriptor("text", type: .string()),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        unique: [["owner", "number"]],
        indexes: [["at"], ["due"]]
    )

    private func plan(_ query: StoreQuery) throws -> [String] {
        try connection.queryPlan(table.sql.selectRecord + QuerySQL(table, query).text)
    }

    private static let blockSort = "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"
    private static let lastSort = "USE TEMP B-TREE FOR LAST TERM OF ORDER BY"

    /// Whether nothing but records that are alike in the order is sorted apart from the index.
    private func isSortedByIndex(_ plan: [String]) -> Bool {
        plan.dropFirst().allSatisfy { $0 == Self.blockSort || $0 == Self.lastSort }
    }

    @Test func allRecordsAndPagesOfThemFollowTheKeysIndex() throws {
        #expect(try plan(StoreQuery()) == ["SCAN a_note USING INDEX sync:a_note:key"])
        let after = StoreQuery.Position(values: [], key: RecordKey("k"))
        #expect(try plan(StoreQuery(after: after)) == ["SEARCH a_note USING INDEX sync:a_note:key (id>?)"])
        let keys = StoreQuery(conditions: [.init("id", .oneOf([.text("a"), .text("b")]))])
        #expect(try plan(keys) == ["SEARCH a_note USING INDEX sync:a_note:key (id=?)"])
    }

    @Test func equalFieldsAndARangeAreSoughtInOneIndex() throws {
        let query = StoreQuery(
            conditions: [
                .init("owner", .equals(.text("o"))),
                .init("number", .range(lower: .init(.integer(1), isIncluded: true), upper: nil)),
            ],
            sort: [.init("number", isDescending: true)]
        )
        let plan = try plan(query)
        #expect(plan[0] == "SEARCH a_note USING INDEX sync:a_note:by:owner,number (owner=? AND number>?)")
        #expect(isSortedByIndex(plan))
    }

    @Test(arguments: [true, false])
    func anOrderFollowsItsIndexAndAPageBeginsWhereTheLastOneEnded(_ isDescending: Bool) throws {
        let sort = [StoreQuery.Sort("at", isDescending: isDescending)]
        let first = try plan(StoreQuery(sort: sort, limit: 20))
        #expect(first[0] == "SCAN a_note USING INDEX sync:a_note:by:at")
        #expect(isSortedByIndex(first))
        let position = StoreQuery.Position(
            values: [.timestamp(Timestamp(microseconds: 5))],
            key: RecordKey("k")
        )
        let next = try plan(StoreQuery(sort: sort, limit: 20, after: position))
        #expect(next[0] == "SEARCH a_note USING INDEX sync:a_note:by:at (at\(isDescending ? "<" : ">")?)")
        #expect(isSortedByIndex(next))
    }

    @Test(arguments: [
        StoreQuery.Test.equals(.null), .range(lower: nil, upper: nil),
        .range(lower: nil, upper: .init(.timestamp(Timestamp(microseconds: 1)), isIncluded: true)),
    ])
    func nullsAndOpenRangesAreSought(_ test: StoreQuery.Test) throws {
        let plan = try plan(StoreQuery(conditions: [.init("due", test)]))
        #expect(plan[0].hasPrefix("SEARCH a_note USING INDEX sync:a_note:by:due (due"))
    }

    @Test func aListWithNullIsSoughtTwice() throws {
        let list = StoreQuery.Test.oneOf([.null, .timestamp(Timestamp(microseconds: 1))])
        let plan = try plan(StoreQuery(conditions: [.init("due", list)]))
        #expect(plan.contains("MULTI-INDEX OR"))
        #expect(!plan.contains { $0.hasPrefix("SCAN") })
    }

    @Test func fieldsThatNoIndexServesAreRefusedByName() throws {
        func message(_ query: StoreQuery) throws -> String {
            try #require(throws: SyncError.self) { try plan(query) }.message
        }
        #expect(try message(StoreQuery(sort: [.init("text")])).contains("'text', which has no index"))
        let second = StoreQuery(conditions: [.init("number", .equals(.integer(1)))], sort: [.init("at")])
        #expect(try message(second).contains("'number', which no index that fits the query begins with"))
        #expect(try message(StoreQuery(sort: [.init("nothing")])).contains("which the schema does not have"))
    }

    @Test func theOldestWaitingEditIsFoundAmongThoseThatWait() throws {
        let plan = try connection.queryPlan(table.sql.oldestPending)
        #expect(plan == ["SEARCH a_note USING INDEX sync:a_note:state (sync_state=?)"])
    }
}
