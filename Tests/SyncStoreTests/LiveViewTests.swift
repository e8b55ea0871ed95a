import SyncCore
import SyncSQLite
import SyncStore
import Testing

/// The views of live records follow every schema.
@Suite struct LiveViewTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let parent = entity(name: "parent", fields: [])
    private static let child = entity(
        name: "child",
        fields: [FieldDescriptor(name: "parentId", type: .string())],
        references: [ReferenceDescriptor(field: "parentId", entity: "parent", onDelete: .nullify)]
    )

    private static func entity(
        name: String,
        version: Int = 1,
        fields: [FieldDescriptor],
        references: [ReferenceDescriptor] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: name,
            version: version,
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)] + fields,
            key: ["id"],
            strategy: .lastWriteWins,
            references: references
        )
    }

    private func save(_ values: FieldValue..., of entity: EntityDescriptor, in store: SQLiteStore) throws {
        try store.save(Samples.local(record: Record(values: values), of: entity), of: entity)
    }

    private func sqlite<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        defer { connection.close() }
        return try body(connection)
    }

    @Test func aStoreWithoutViewsGetsThemAtTheNextOpening() throws {
        var store = try folder.open(entities: [Self.parent])
        try save(.text("a"), of: Self.parent, in: store)
        store.close()
        try sqlite { try $0.execute("DROP VIEW parent_live") }
        store = try folder.open(entities: [Self.parent])
        #expect(try store.rows(sql: "SELECT id FROM parent_live").map { $0["id"] } == [.text("a")])
    }

    @Test func openingAgainWritesNothing() throws {
        try folder.open(entities: [Self.parent, Self.child]).close()
        let before = try sqlite { try $0.integer(sql: "PRAGMA schema_version") }
        try folder.open(entities: [Self.parent, Self.child]).close()
        // A process that has fewer entities knows less about references, and leaves the view as it is.
        try folder.open(entities: [Self.child]).close()
        #expect(try sqlite { try $0.integer(sql: "PRAGMA schema_version") } == before)
    }

    @Test func aViewFollowsRenamedAddedAndDroppedFields() throws {
        let first = FieldDescriptor(name: "first", type: .string())
        let gone = FieldDescriptor(name: "gone", type: .string())
        let old = Self.entity(name: "note", fields: [first, gone])
        var store = try folder.open(entities: [old])
        try save(.text("a"), .text("x"), .text("y"), of: old, in: store)
        store.close()
        let fields = [
            FieldDescriptor(name: "renamed", type: .string(), renamedFrom: "first"),
            FieldDescriptor(name: "added", type: .integer()),
        ]
        let new = Self.entity(name: "note", version: 2, fields: fields)
        store = try folder.open(entities: [new])
        let row = try #require(try store.rows(sql: "SELECT * FROM note_live").first)
        #expect(
            row.columns == [
                "id", "renamed", "added", "sync_unknown", "sync_nulls", "sync_slots", "sync_store",
            ]
        )
        // A field keeps its bit: the dropped one's stays unused.
        #expect(row["sync_slots"] == .text(#"["id","renamed","","added"]"#))
        #expect(row["renamed"] == .text("x"))
        #expect(row["sync_unknown"] == .text(#"{"gone":"y"}"#))
    }

    @Test func aReferenceLeadsToTheRecordThatItsTargetWasMergedInto() throws {
        let store = try folder.open(entities: [Self.parent, Self.child])
        for key in ["a", "b", "c"] { try save(.text(key), of: Self.parent, in: store) }
        for (key, parent) in [("1", "a"), ("2", "c"), ("3", "z")] {
            try save(.text(key), .text(parent), of: Self.child, in: store)
        }
        try sqlite {
            try $0.execute("UPDATE parent SET sync_visibility = 1, sync_merged = 'b' WHERE id = 'c'")
            try $0.execute("UPDATE parent SET sync_visibility = 1, sync_merged = 'a' WHERE id = 'b'")
        }
        let rows = try store.rows(sql: "SELECT parentId FROM child_live ORDER BY id")
        #expect(rows.map { $0["parentId"] } == [.text("a"), .text("a"), .text("z")])
    }

    @Test func aViewTellsWhichBitEachFieldHas() throws {
        let fields = (1...70).map { FieldDescriptor(name: "f\($0)", type: .string(), isNullable: true) }
        let wide = Self.entity(name: "wide", fields: fields)
        let store = try folder.open(entities: [wide])
        var values: [FieldValue?] = Array(repeating: nil, count: 71)
        (values[0], values[62], values[63], values[70]) = (.text("a"), .null, .null, .null)
        try store.save(Samples.local(record: Record(values: values), of: wide), of: wide)
        let row = try #require(try store.rows(sql: "SELECT * FROM wide_live").first)
        let places = try NullBits.places(text: row["sync_slots"]?.text ?? "")
        #expect(places.count == 71)
        for number in 1...70 {
            let place = try #require(places["f\(number)"])
            let bits = try #require(row[place.column]?.integer)
            #expect(bits >> place.bit & 1 == ([62, 63, 70].contains(number) ? 1 : 0), "f\(number)")
        }
        #expect(throws: JSONError.self) { try NullBits.places(text: "{") }
    }

    @Test func anEntityMayHaveTheNameOfAView() throws {
        let other = Self.entity(name: "parent-live", fields: [FieldDescriptor(name: "own", type: .string())])
        try folder.open(entities: [Self.parent]).close()
        let store = try folder.open(entities: [Self.parent, other])
        try save(.text("a"), .text("x"), of: other, in: store)
        #expect(try store.rows(sql: "SELECT own FROM parent_live").map { $0["own"] } == [.text("x")])
        store.close()
        try folder.open(entities: [Self.parent, other]).close()
    }

    @Test func theEntitiesThatAStatementReadsAreKnown() throws {
        let store = try folder.open(entities: [Self.parent, Self.child])
        #expect(try store.entities(readBy: "SELECT count(*) FROM parent_live") == ["parent"])
        // A reference is resolved with the parents' table.
        #expect(try store.entities(readBy: "SELECT parentId FROM child_live") == ["child", "parent"])
        #expect(try store.entities(readBy: "SELECT value FROM json_each('[1]'), parent_live") == ["parent"])
        #expect(try store.entities(readBy: "SELECT 1") == [])
        #expect(try store.entities(readBy: "SELECT * FROM sync_value") == nil)
    }
}
