import SyncCore
import SyncSQLite
import SyncStore
import Testing

/// While a remote tells its full state, a store knows which of its records were told.
@Suite struct SnapshotRowsTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open()
        for key in ["a", "b", "c", "d"] { try store.save(Samples.local(record: Samples.bare(key: key))) }
    }

    private func missing(store: SQLiteStore) throws -> [String] {
        try store.write(.full) { transaction in
            try transaction.keysMissingFromSnapshot(
                entity: Samples.everything,
                includingUnknown: true,
                after: nil,
                limit: 9
            ).map(
                \.text
            )
        }
    }

    private func insert(_ key: String, transaction: any StoreTransaction) throws -> Bool {
        let body = Array(#"{"id":"\#(key)","must":null}"#.utf8)
        let change = Change(
            Change.Header(
                entity: Samples.everything.name,
                key: RecordKey(key),
                kind: .upsert,
                metadata: Samples.local(record: Samples.bare(key: key)).version.metadata,
                revision: Revision("9")
            ),
            body: body
        )
        return try transaction.insert(
            entity: Samples.everything,
            change: change,
            metadata: change.writtenMetadata
        )
    }

    @Test func whatWasNotToldIsFoundAndNothingElse() throws {
        try store.write(.full) { transaction in
            // A revision of before does not count.
            try transaction.setRevision(
                entity: Samples.everything,
                key: RecordKey("d"),
                revision: Revision("1")
            )
            try transaction.beginSnapshot(Samples.everything)
            try transaction.setRevision(
                entity: Samples.everything,
                key: RecordKey("a"),
                revision: Revision("2")
            )
            try transaction.noteInSnapshot(entity: Samples.everything, key: RecordKey("b"))
            let isNew = try insert("e", transaction: transaction)
            #expect(isNew)
        }
        #expect(try missing(store: store) == ["c", "d"])
        let later = try store.write(.full) {
            try $0.keysMissingFromSnapshot(
                entity: Samples.everything,
                includingUnknown: true,
                after: RecordKey("c"),
                limit: 1
            )
        }
        #expect(later == [RecordKey("d")])
    }

    @Test func itLastsOverTransactionsAndOpenings() throws {
        try store.write(.pulled) { transaction in
            try transaction.beginSnapshot(Samples.everything)
            try transaction.noteInSnapshot(entity: Samples.everything, key: RecordKey("a"))
        }
        store.close()
        let again = try folder.open()
        try again.write(.pulled) { try $0.noteInSnapshot(entity: Samples.everything, key: RecordKey("c")) }
        #expect(try missing(store: again) == ["b", "d"])
        again.close()
    }

    @Test func whatIsRolledBackWasNotTold() throws {
        struct Stop: Error {}
        try store.write(.full) { try $0.beginSnapshot(Samples.everything) }
        #expect(throws: Stop.self) {
            try store.write(.full) { transaction in
                try transaction.noteInSnapshot(entity: Samples.everything, key: RecordKey("a"))
                throw Stop()
            }
        }
        #expect(try missing(store: store) == ["a", "b", "c", "d"])
    }

    @Test func aRowThatGetsTheNumberOfARemovedOneWasNotTold() throws {
        try store.write(.full) { transaction in
            try transaction.beginSnapshot(Samples.everything)
            for key in ["a", "b", "c", "d"] {
                try transaction.noteInSnapshot(entity: Samples.everything, key: RecordKey(key))
            }
            try transaction.remove(entity: Samples.everything, key: RecordKey("d"))
            try transaction.save(
                entity: Samples.everything,
                record: Samples.local(record: Samples.bare(key: "new"))
            )
        }
        #expect(try missing(store: store) == ["new"])
    }

    @Test func toBeginAnewForgetsWhatWasTold() throws {
        try store.write(.full) { transaction in
            try transaction.beginSnapshot(Samples.everything)
            try transaction.noteInSnapshot(entity: Samples.everything, key: RecordKey("a"))
            try transaction.beginSnapshot(Samples.everything)
            try transaction.noteInSnapshot(entity: Samples.everything, key: RecordKey("b"))
        }
        #expect(try missing(store: store) == ["a", "c", "d"])
    }

    @Test func aStateThatWasBegunByAnOlderFormatGoesByTheRevisions() throws {
        try store.write(.full) {
            try $0.setRevision(entity: Samples.everything, key: RecordKey("a"), revision: Revision("1"))
        }
        #expect(try missing(store: store) == ["b", "c", "d"])
    }

    @Test func notesThatCannotBeReadStopTheStateAndRemoveNothing() throws {
        try store.write(.full) { transaction in
            try transaction.beginSnapshot(Samples.everything)
            try transaction.noteInSnapshot(entity: Samples.everything, key: RecordKey("a"))
        }
        let other = try Connection.open(path: folder.store, flags: .readWrite)
        try other.execute("UPDATE sync_held SET bits = x'00' WHERE chunk >= 0")
        other.close()
        #expect(throws: SyncError.self) { _ = try missing(store: store) }
        #expect(try store.load("a") != nil)
    }

    @Test func whatIsKnownIsNotInserted() throws {
        try store.save(Samples.local(record: Samples.full(key: "a")))
        let isNew = try store.write(.full) { try insert("a", transaction: $0) }
        #expect(!isNew)
        #expect(try store.load("a") == Samples.local(record: Samples.full(key: "a")))
        #expect(try store.read { try $0.revision(entity: Samples.everything, key: RecordKey("a")) } == nil)
    }
}
