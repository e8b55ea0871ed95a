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
    private func fingerprint(store: SQLiteStore) throws -> Digest {
        _ = try store.write(.noted) { try $0.refreshFingerprint(entity: entity, atMost: .max) }
        return try #require(try store.read { try $0.fingerprint(entity: entity) })
    }

    /// What a store that never kept a sum says of the same records.
    private func fresh(store: SQLiteStore) throws -> Digest {
        let other = try TemporaryFolder()
        let copy = try other.open()
        var records: [LocalRecord] = []
        try store.read { try $0.scan(entity: entity, includeHidden: true) { records.append($0) } }
        // NB: in another order, so that the rows are others.
        try copy.write(.full) { transaction in
            for record in records.reversed() { try transaction.save(entity: entity, record: record) }
        }
        return try fingerprint(store: copy)
    }

    private func fill(_ count: Int) throws {
        try store.write(.full) { transaction in
            for number in 0..<count {
                try transaction.save(
                    entity: entity,
                    record: Samples.local(record: Samples.bare(key: "k\(number)"))
                )
            }
        }
    }

    private func titled(key: String, title: String) -> LocalRecord {
        var record = Samples.bare(key: key)
        record.values[1] = .text(title)
        return Samples.local(record: record)
    }

    @Test func anEmptyStoreHasOne() throws {
        #expect(try fingerprint(store: store) == fresh(store: store))
    }

    @Test func afterOneWriteAmongManyOneRunIsLookedAt() throws {
        try fill(1000)
        #expect(try store.read { try $0.fingerprint(entity: entity) } == nil)
        let before = try fingerprint(store: store)
        try store.save(titled(key: "k500", title: "new"))
        #expect(try store.read { try $0.fingerprint(entity: entity) } == nil)
        _ = try store.write(.noted) { try $0.refreshFingerprint(entity: entity, atMost: 256) }
        let after = try store.read { try $0.fingerprint(entity: entity) }
        #expect(try after == fresh(store: store))
        #expect(after != before)
    }

    @Test func noMoreIsLookedAtThanWasAskedFor() throws {
        try fill(1000)
        for _ in 0..<3 {
            _ = try store.write(.noted) { try $0.refreshFingerprint(entity: entity, atMost: 256) }
            #expect(try store.read { try $0.fingerprint(entity: entity) } == nil)
        }
        _ = try store.write(.noted) { try $0.refreshFingerprint(entity: entity, atMost: 256) }
        #expect(try store.read { try $0.fingerprint(entity: entity) } == fresh(store: store))
    }

    /// Every way to write, one after the other, few records and many.
    @Test func itIsThatOfTheRecordsAfterEachWayToWrite() throws {
        try fill(700)
        var last = try fingerprint(store: store)
        func check(_ way: Comment, changes: Bool = true) throws {
            let now = try fingerprint(store: store)
            #expect(try now == fresh(store: store), way)
            #expect((now != last) == changes, way)
            last = now
        }
        try store.save(titled(key: "k1", title: "a"))
        try check("a record that is there")
        try store.save(titled(key: "new", title: "b"))
        try check("a record that is new")
        try store.save(wire: #"{"id":"k2","title":"c","must":null}"#, key: "k2")
        try check("what came over the wire")
        try store.write(.pulled) { transaction in
            #expect(try transaction.header(entity: entity, key: RecordKey("k3")) != nil)
            try write(#"{"id":"k3","title":"d","must":null}"#, key: "k3", transaction: transaction)
        }
        try check("what came over the wire after a look at it")
        try store.write(.pulled) {
            try insert(#"{"id":"k4","must":null}"#, key: "k4", transaction: $0, isNew: false)
        }
        try check("a key that is known", changes: false)
        try store.write(.pulled) {
            try insert(#"{"id":"wire","must":null}"#, key: "wire", transaction: $0, isNew: true)
        }
        try check("a key that is not known")
        try store.write(.full) { transaction in
            var header = try #require(try transaction.header(entity: entity, key: RecordKey("k5")))
            header.visibility = .deleted
            try transaction.update(entity: entity, key: RecordKey("k5"), header: header)
        }
        try check("a header")
        try store.write(.full) { try $0.remove(entity: entity, key: RecordKey("k6")) }
        try check("a removal")
        try store.write(.full) { transaction in
            try transaction.remove(entity: entity, key: RecordKey("wire"))
            try transaction.save(entity: entity, record: titled(key: "other", title: "in its row"))
        }
        try check("a removal, and a record in its row")
        try store.save(Samples.local(record: Samples.bare(key: "k7"), state: .pending))
        try check("a state", changes: false)
        try store.write(.full) { transaction in
            for number in 0..<700 {
                try transaction.save(entity: entity, record: titled(key: "k\(number)", title: "all"))
            }
        }
        try check("more than is kept of one transaction")
    }

    @Test func whatAnotherProcessWritesCounts() throws {
        try fill(300)
        let before = try fingerprint(store: store)
        let other = try folder.open()
        try other.save(titled(key: "k9", title: "elsewhere"))
        #expect(try store.read { try $0.fingerprint(entity: entity) } == nil)
        #expect(try fingerprint(store: store) == fresh(store: store))
        #expect(try fingerprint(store: store) != before)
    }

    @Test func aWriteThatFailsChangesNothing() throws {
        try fill(300)
        let before = try fingerprint(store: store)
        struct Undone: Error {}
        #expect(throws: Undone.self) {
            try store.write(.full) { transaction in
                try transaction.save(entity: entity, record: titled(key: "k9", title: "undone"))
                throw Undone()
            }
        }
        #expect(try store.read { try $0.fingerprint(entity: entity) } == before)
    }

    /// A title that is kept for later is content, too; so the schema decides what a record comes to.
    @Test func anotherSchemaComesToAnotherOne() throws {
        try fill(3)
        try store.save(titled(key: "k1", title: "kept"))
        let before = try fingerprint(store: store)
        store.close()
        let wider = EntityDescriptor(
            name: entity.name,
            typeName: entity.typeName,
            fields: entity.fields + [FieldDescriptor(name: "later", type: .string())],
            key: entity.key,
            strategy: entity.strategy,
            unique: entity.unique,
            indexes: entity.indexes
        )
        let reopened = try folder.open(entities: [wider])
        #expect(try reopened.read { try $0.fingerprint(entity: wider) } == nil)
        reopened.close()
        let back = try folder.open()
        #expect(try fingerprint(store: back) == before)
    }

    @Test func whoJoinsAnewLooksAtAllAgain() throws {
        try fill(3)
        _ = try fingerprint(store: store)
        try store.write(.full) { try $0.forgetRevisions(entity) }
        #expect(try store.read { try $0.fingerprint(entity: entity) } == nil)
    }

    private func change(key: String, body: String) -> Change {
        Change(
            Change.Header(
                entity: entity.name,
                key: RecordKey(key),
                kind: .upsert,
                metadata: Samples.metadata(sequence: 7),
                revision: Revision("9")
            ),
            body: Array(body.utf8)
        )
    }

    private func write(_ json: String, key: String, transaction: any StoreTransaction) throws {
        let change = change(key: key, body: json)
        try transaction.save(entity: entity, change: change, metadata: change.writtenMetadata)
    }

    private func insert(_ json: String, key: String, transaction: any StoreTransaction, isNew: Bool)
        throws
    {
        let change = change(key: key, body: json)
        let wasNew = try transaction.insert(
            entity: entity,
            change: change,
            metadata: change.writtenMetadata
        )
        #expect(wasNew == isNew)
    }
}
