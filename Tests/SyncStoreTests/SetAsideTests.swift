import SyncCore
import SyncSQLite
import SyncStore
import Testing

/// A store is opened with a schema that cannot read some of its rows.
@Suite struct SetAsideTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func note(_ fields: FieldDescriptor..., version: Int = 1) -> EntityDescriptor {
        EntityDescriptor(
            name: "note",
            typeName: "Note",
            version: version,
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)] + fields,
            key: ["id"],
            strategy: .lastWriteWins,
            search: fields.contains { $0.name == "title" } ? ["title"] : []
        )
    }

    private static let title = FieldDescriptor(name: "title", type: .string())
    private static let loose = note(title)

    /// What the newer schema asks of the title or of a new field, and which of the records it can read.
    struct Stricter: Sendable, CustomStringConvertible {
        var description: String
        var entity: EntityDescriptor
        var fitting: [String]
        var reason: String
    }

    private static let uuid = "379066e4-6dd5-4050-8470-004e08da28bd"
    private static let records = [
        #"{"id":"a","title":"word"}"#, #"{"id":"b"}"#, #"{"id":"c","title":"\#(uuid)"}"#,
    ]
    private static let nested = FieldType.object([FieldDescriptor(name: "x", type: .string())])
    static let stricter = [
        Stricter(
            description: "a required field without default",
            entity: note(title, FieldDescriptor(name: "rating", type: .integer(), isRequired: true)),
            fitting: [],
            reason: "'rating' is required."
        ),
        Stricter(
            description: "a field made required",
            entity: note(FieldDescriptor(name: "title", type: .string(), isRequired: true)),
            fitting: ["a", "c"],
            reason: "'title' is required."
        ),
        Stricter(
            description: "string to uuid",
            entity: note(FieldDescriptor(name: "title", type: .uuid)),
            fitting: ["b", "c"],
            reason: "'title' must be a UUID such as 379066e4-6dd5-4050-8470-004e08da28bd."
        ),
        Stricter(
            description: "string to uri, which hides nothing",
            entity: note(FieldDescriptor(name: "title", type: .uri())),
            fitting: ["a", "b", "c"],
            reason: ""
        ),
        Stricter(
            description: "a new bound, which hides nothing",
            entity: note(FieldDescriptor(name: "title", type: .string(maxLength: 2))),
            fitting: ["a", "b", "c"],
            reason: ""
        ),
    ]

    private func write(_ wires: [String], with entity: EntityDescriptor) throws {
        let store = try folder.open(entities: [entity])
        defer { store.close() }
        for (key, wire) in zip(["a", "b", "c", "d"], wires) {
            try store.save(wire: wire, key: key, of: entity)
        }
    }

    @Test(arguments: stricter)
    func noListThrowsAndWhatCannotBeReadIsAmongTheRejected(stricter: Stricter) throws {
        try write(Self.records, with: Self.loose)
        let store = try folder.open(entities: [stricter.entity])
        defer { store.close() }
        let adapter = StrictAdapter(stricter.entity)
        #expect(try store.loadAll(with: adapter) == stricter.fitting)
        #expect(try store.load(with: adapter, query: StoreQuery(allowsScan: true)) == stricter.fitting)
        let rejected = try store.read { try $0.standingRejections() }
        let aside = ["a", "b", "c"].filter { !stricter.fitting.contains($0) }
        #expect(rejected.map(\.key.text) == aside)
        #expect(rejected.allSatisfy { $0.isSetAside && $0.reason == stricter.reason })
        let counts = try store.read { try $0.counts(entity: stricter.entity) }
        #expect(counts.records == stricter.fitting.count)
        #expect(counts.rejected == aside.count)
        #expect(counts.deleted == 0)
        let rows = try store.rows(sql: "SELECT id FROM note_live ORDER BY id")
        #expect(rows.map { $0.values[0] } == stricter.fitting.map { .text($0) })
        if let first = aside.first {
            #expect(try store.load(first, of: stricter.entity)?.version.isDeleted == false)
        }
    }

    @Test(arguments: stricter)
    func whatWasSetAsideReturnsWithASchemaThatCanReadIt(stricter: Stricter) throws {
        try write(Self.records, with: Self.loose)
        try folder.open(entities: [stricter.entity]).close()
        let store = try folder.open(entities: [Self.loose])
        defer { store.close() }
        #expect(try store.loadAll(with: StrictAdapter(Self.loose)) == ["a", "b", "c"])
        #expect(try store.read { try $0.standingRejections() }.isEmpty)
        for (key, wire) in zip(["a", "b", "c"], Self.records) {
            let record = try #require(try store.load(key, of: Self.loose)).version.record
            let bytes = RecordEncoder(descriptor: Self.loose, form: .wire).bytes(record)
            #expect(String(decoding: bytes, as: UTF8.self) == wire)
        }
    }

    @Test func aSearchFindsWhatHasReturnedAndNothingThatIsSetAside() throws {
        try write(Self.records, with: Self.loose)
        let strict = Self.stricter[0].entity
        var store = try folder.open(entities: [strict])
        #expect(try store.read { try $0.search(entity: strict, search: StoreSearch(text: .word)) }.isEmpty)
        #expect(try store.hasSoundSearch(strict))
        store.close()
        store = try folder.open(entities: [Self.loose])
        defer { store.close() }
        #expect(
            try store.read { try $0.search(entity: Self.loose, search: StoreSearch(text: .word)) }.count == 1
        )
        #expect(try store.hasSoundSearch(Self.loose))
    }

    @Test func aMemberInsideAnObjectThatIsRequiredNowSetsTheRecordAside() throws {
        let member = FieldDescriptor(name: "x", type: .string())
        let new = FieldDescriptor(name: "y", wirePath: ["why"], type: .string(), isRequired: true)
        let old = Self.note(FieldDescriptor(name: "place", type: .object([member])))
        let strict = Self.note(FieldDescriptor(name: "place", type: .object([member, new])))
        try write([#"{"id":"a","place":{"x":"word"}}"#, #"{"id":"b"}"#], with: old)
        let store = try folder.open(entities: [strict])
        defer { store.close() }
        #expect(try store.loadAll(with: StrictAdapter(strict)) == ["b"])
        #expect(try store.read { try $0.standingRejections() }.map(\.reason) == ["'place.y' is required."])
    }

    @Test func rowsAreCheckedInBatchesAndOnlyOncePerSchema() throws {
        let store = try folder.open(entities: [Self.loose])
        try store.write(.pulled) { transaction in
            for number in 0..<12_000 {
                let wire = #"{"id":"\#(number)"\#(number % 2 == 0 ? #","title":"t""# : "")}"#
                try transaction.save(wire: Array(wire.utf8), key: "\(number)", of: Self.loose)
            }
        }
        store.close()
        let strict = Self.stricter[1].entity
        let opened = try folder.open(entities: [strict])
        #expect(try opened.read { try $0.counts(entity: strict) }.rejected == 6000)
        opened.close()
        let before = try folder.bytes()
        try folder.open(entities: [strict]).close()
        #expect(try folder.bytes() == before)
    }

    @Test func aCheckThatWasInterruptedGoesOn() throws {
        try write(Self.records, with: Self.loose)
        let strict = Self.stricter[1].entity
        let digest = Digest(Array(RecordFit(strict).words.utf8)).description
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        // As if the rows of `a` and of `b` had been checked, and `b` had been found to fit.
        try connection.execute("UPDATE sync_value SET value = '\(digest) 2' WHERE name = 'checked:note'")
        connection.close()
        let store = try folder.open(entities: [strict])
        defer { store.close() }
        #expect(try store.read { try $0.counts(entity: strict) }.records == 3)
        #expect(try store.read { try $0.value(name: "checked:note") } == digest)
    }

    /// Damage of a row that no schema explains.
    static let damages = [
        "UPDATE note SET sync_unknown = '{' WHERE id = 'b'", "UPDATE note SET title = NULL WHERE id = 'b'",
    ]

    @Test(arguments: damages)
    func aRowThatIsDamagedLaterIsLeftOutAndSetAsideByTheFirstReadThatMeetsIt(damage: String) throws {
        let strict = Self.stricter[1].entity
        let wires = ["a", "b", "c"].map { #"{"id":"\#($0)","title":"t"}"# }
        try write(wires, with: strict)
        let store = try folder.open(entities: [strict])
        defer { store.close() }
        let connection = try Connection.open(path: folder.store, flags: .readWrite)
        try connection.addWordTokenizer()
        try connection.execute(damage)
        connection.close()
        #expect(try store.loadAll(with: StrictAdapter(strict)) == ["a", "c"])
        #expect(try store.load(with: StrictAdapter(strict), key: RecordKey("b")) == nil)
        #expect(try store.read { try $0.standingRejections() }.map(\.key.text) == ["b"])
        #expect(try store.read { try $0.counts(entity: strict) }.rejected == 1)
    }
}

extension TextSearch {
    fileprivate static var word: TextSearch { TextSearch("word") }
}

/// Reads the key of a record, and throws as a generated model does where one cannot be made.
private struct StrictAdapter: EntityAdapter {
    let descriptor: EntityDescriptor

    init(_ descriptor: EntityDescriptor) { self.descriptor = descriptor }

    func read(_ row: any RowReader) throws -> String {
        if let error = RecordFit(descriptor).error(in: row) { throw error }
        return row.text(at: 0)
    }

    func bind(_ model: String, to row: any RowBinder) throws { try row.bind(model, at: 0) }
}
