import SyncCore
import SyncStore
import Testing

/// Stores that show the same have one fingerprint, whatever was written in between, and by whom.
@Suite struct FingerprintTests {
    let folder: TemporaryFolder
    let store: SQLiteStore
    private let entity = Samples.everything

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open()
    }

    /// What a store says after it has looked at all.
    private func fingerprint(_ store: SQLiteStore) throws -> Digest {
        try store.write(.noted) { try $0.refreshFingerprint(entity, atMost: .max) }
        return try #require(try store.read { try $0.fingerprint(entity) })
    }

    /// What a store that never kept a sum says of the same records.
    private func fresh(_ store: SQLiteStore) throws -> Digest {
        let other = try TemporaryFolder()
        let copy = try other.open()
        var records: [LocalRecord] = []
        try store.read { try $0.scan(entity, includeHidden: true) { records.append($0) } }
        // NB: in another order, so that the rows are others.
        try copy.write(.full) { transaction in
            for record in records.reversed() { try transaction.save(entity, record) }
        }
        return try fingerprint(copy)
    }

    private func fill(_ count: Int) throws {
        try store.write(.full) { transaction in
            for number in 0..<count {
                try transaction.save(entity, Samples.local(Samples.bare("k\(number)")))
            }
        }
    }

    private func titled(_ key: String, _ title: String) -> LocalRecord {
        var record = Samples.bare(key)
        record.values[1] = .text(title)
        return Samples.local(record)
    }

    @Test func anEmptyStoreHasOne() throws {
        #expect(try fingerprint(store) == fresh(store))
    }

    @Test func afterOneWriteAmongManyOneRunIsLookedAt() throws {
        try fill(1000)
        #expect(try store.read { try $0.fingerprint(entity) } == nil)
        let before = try fingerprint(store)
        try store.save(titled("k500", "new"))
        #expect(try store.read { try $0.fingerprint(entity) } == nil)
        try store.write(.noted) { try $0.refreshFingerprint(entity, atMost: 256) }
        let after = try store.read { try $0.fingerprint(entity) }
        #expect(try after == fresh(store))
        #expect(after != before)
    }

    @Test func noMoreIsLookedAtThanWasAskedFor() throws {
        try fill(1000)
        for _ in 0..<3 {
            try store.write(.noted) { try $0.refreshFingerprint(entity, atMost: 256) }
            #expect(try store.read { try $0.fingerprint(entity) } == nil)
        }
        try store.write(.noted) { try $0.refreshFingerprint(entity, atMost: 256) }
        #expect(try store.read { try $0.fingerprint(entity) } == fresh(store))
    }

    /// Every way to write, one after the other, few records and many.
    @Test func itIsThatOfTheRecordsAfterEachWayToWrite() throws {
        try fill(700)
        var last = try fingerprint(store)
        func check(_ way: Comment, changes: Bool = true) throws {
            let now = try fingerprint(store)
            #expect(try now == fresh(store), way)
            #expect((now != last) == changes, way)
            last = now
        }
        try store.save(titled("k1", "a"))
        try check("a record that is there")
        try store.save(titled("new", "b"))
        try check("a record that is new")
        try store.save(wire: #"{"id":"k2","title":"c","must":null}"#, "k2")
        try check("what came over the wire")
        try store.write(.pulled) { transaction in
            #expect(try transaction.header(entity, RecordKey("k3")) != nil)
            try write(#"{"id":"k3","title":"d","must":null}"#, "k3", transaction)
        }
        try check("what came over the wire after a look at it")
        try store.write(.pulled) { try insert(#"{"id":"k4","must":null}"#, "k4", $0, isNew: false) }
        try check("a key that is known", changes: false)
        try store.write(.pulled) { try insert(#"{"id":"wire","must":null}"#, "wire", $0, isNew: true) }
        try check("a key that is not known")
        try store.write(.full) { transaction in
            var header = try #require(try transaction.header(entity, RecordKey("k5")))
            header.visibility = .deleted
            try transaction.update(entity, RecordKey("k5"), header)
        }
        try check("a header")
        try store.write(.full) { try $0.remove(entity, RecordKey("k6")) }
        try check("a removal")
        try store.write(.full) { transaction in
            try transaction.remove(entity, RecordKey("wire"))
            try transaction.save(entity, titled("other", "in its row"))
        }
        try check("a removal, and a record in its row")
        try store.save(Samples.local(Samples.bare("k7"), state: .pending))
        try check("a state", changes: false)
        try store.write(.full) { transaction in
            for number in 0..<700 { try transaction.save(entity, titled("k\(number)", "all")) }
        }
        try check("more than is kept of one transaction")
    }

    @Test func whatAnotherProcessWritesCounts() throws {
        try fill(300)
        let before = try fingerprint(store)
        let other = try folder.open()
        try other.save(titled("k9", "elsewhere"))
        #expect(try store.read { try $0.fingerprint(entity) } == nil)
        #expect(try fingerprint(store) == fresh(store))
        #expect(try fingerprint(store) != before)
    }

    @Test func aWriteThatFailsChangesNothing() throws {
        try fill(300)
        let before = try fingerprint(store)
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try store.write(.full) { transaction in
                try transaction.save(entity, titled("k9", "undone"))
                throw Undone()
            }
        }
        #expect(try store.read { try $0.fingerprint(entity) } == before)
    }

    /// A title that is kept for later is content, too; so the schema decides what a record comes to.
    @Test func anotherSchemaComesToAnotherOne() throws {
        try fill(3)
        try store.save(titled("k1", "kept"))
        let before = try fingerprint(store)
        store.close()
        let wider = EntityDescriptor(
            name: entity.name,
            typeName: entity.typeName,
            fields: entity.fields + [FieldDescriptor("later", type: .string())],
            key: entity.key,
            strategy: entity.strategy,
            unique: entity.unique,
            indexes: entity.indexes
        )
        let reopened = try folder.open([wider])
        #expect(try reopened.read { try $0.fingerprint(wider) } == nil)
        reopened.close()
        let back = try folder.open()
        #expect(try fingerprint(back) == before)
    }

    @Test func whoJoinsAnewLooksAtAllAgain() throws {
        try fill(3)
        _ = try fingerprint(store)
        try store.write(.full) { try $0.forgetRevisions(entity) }
        #expect(try store.read { try $0.fingerprint(entity) } == nil)
    }

    private func item(_ key: String, _ body: [UInt8]) -> RemoteItem {
        RemoteItem(
            entity: entity.name,
            key: RecordKey(key),
            kind: .upsert,
            stamp: Samples.stamp(7),
            revision: Revision("9"),
            body: body.indices
        )
    }

    private func write(_ json: String, _ key: String, _ transaction: any StoreTransaction) throws {
        let body = Array(json.utf8)
        try body.withUnsafeBufferPointer {
            try transaction.save(entity, item(key, body), in: PageBytes($0))
        }
    }

    private func insert(_ json: String, _ key: String, _ transaction: any StoreTransaction, isNew: Bool)
        throws
    {
        let body = Array(json.utf8)
        let wasNew = try body.withUnsafeBufferPointer {
            try transaction.insert(entity, item(key, body), in: PageBytes($0))
        }
        #expect(wasNew == isNew)
    }
}
