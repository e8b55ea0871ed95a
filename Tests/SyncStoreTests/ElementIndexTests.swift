import SyncChecks
import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// The index of a list's elements takes every list that a record may have.
@Suite struct ElementIndexTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let entity = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "marks", type: .array(element: .number())),
        ],
        key: ["id"],
        strategy: .lastWriteWins,
        indexes: [["marks"]]
    )

    private func save(marks: String, in store: SQLiteStore) throws {
        let record = Record(values: [.text("a"), .json(marks)])
        try store.save(Samples.local(record: record, of: Self.entity), of: Self.entity)
    }

    private func finds(mark: Double, in store: SQLiteStore) throws -> Bool {
        let test = StoreQuery.Condition(field: "marks", test: .hasAnyElement([.number(mark)]))
        let query = StoreQuery(filters: [.test(test)])
        return try store.read { try $0.query(entity: Self.entity, query: query).count == 1 }
    }

    private func triggers(_ body: (Connection) throws -> Void) throws {
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        defer { connection.close() }
        try body(connection)
    }

    @Test(arguments: ["[1,1]", "[2,1,2.0]", "[]"])
    func aListMayBeginToHoldAnElementTwice(marks: String) throws {
        let store = try folder.open(entities: [Self.entity])
        defer { store.close() }
        try save(marks: "[7]", in: store)
        try save(marks: marks, in: store)
        #expect(try finds(mark: 1, in: store) == marks.contains("1"))
        #expect(try finds(mark: 2, in: store) == marks.contains("2"))
        #expect(try !finds(mark: 7, in: store))
    }

    @Test func aStoreWithTriggersThatRefusedSuchListsGetsNewOnes() throws {
        try folder.open(entities: [Self.entity]).close()
        let element = try ElementTable(descriptor: Self.entity, field: "marks")
        try triggers { connection in
            for trigger in try element.triggers {
                try connection.execute("DROP TRIGGER \(try SQL.identifier(name: trigger.name))")
                try connection.execute(
                    trigger.sql.replacing("INSERT INTO", with: "INSERT OR IGNORE INTO")
                        .replacing("SELECT DISTINCT", with: "SELECT")
                )
            }
        }
        let store = try folder.open(entities: [Self.entity])
        defer { store.close() }
        try save(marks: "[7]", in: store)
        try save(marks: "[1,1]", in: store)
        #expect(try finds(mark: 1, in: store))
    }
}
