import Foundation
import SyncCore
import SyncSQLite
import SyncStore
import Testing

@Suite struct TransactionTests {
    struct Stop: Error {}

    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open()
    }

    @Test func aThrowUndoesEverything() throws {
        try store.save(Samples.local(record: Samples.bare(key: "kept")))
        #expect(throws: Stop.self) {
            try store.write(.full) { transaction in
                try transaction.save(
                    entity: Samples.everything,
                    record: Samples.local(record: Samples.full(key: "kept"))
                )
                try transaction.save(
                    entity: Samples.everything,
                    record: Samples.local(record: Samples.full(key: "new"))
                )
                try transaction.remove(entity: Samples.everything, key: RecordKey("kept"))
                try transaction.setValue("cursor", value: "1")
                try transaction.setHeads(
                    entity: Samples.everything,
                    key: RecordKey("kept"),
                    heads: [Samples.local(record: Samples.full()).version]
                )
                throw Stop()
            }
        }
        #expect(try store.load("kept") == Samples.local(record: Samples.bare(key: "kept")))
        #expect(try store.load("new") == nil)
        #expect(try store.read { try $0.value(name: "cursor") } == nil)
    }

    @Test func sequencesAreNeverHandedOutTwice() throws {
        var seen: [Int64] = []
        for durability in [Durability.full, .pulled] {
            let store = try folder.open()
            for _ in 0..<3 { seen.append(try store.write(durability) { try $0.nextSequence() }) }
            store.close()
        }
        #expect(seen == [1, 2, 3, 4, 5, 6])
    }

    @Test func readersSeeTheStateBeforeAnOpenWrite() throws {
        try store.write(.full) { transaction in
            try transaction.save(entity: Samples.everything, record: Samples.local(record: Samples.full()))
            #expect(try transaction.load(entity: Samples.everything, key: RecordKey("a")) != nil)
            #expect(try store.load("a") == nil)
        }
        #expect(try store.load("a") != nil)
    }

    @Test func aSnapshotDoesNotMove() throws {
        try store.read { snapshot throws in
            #expect(try snapshot.load(entity: Samples.everything, key: RecordKey("a")) == nil)
            try store.save(Samples.local(record: Samples.full()))
            #expect(try snapshot.load(entity: Samples.everything, key: RecordKey("a")) == nil)
            #expect(try store.load("a") != nil)
        }
    }

    @Test func walksMayNestInEachOther() throws {
        for key in ["a", "b", "c"] { try store.save(Samples.local(record: Samples.bare(key: key))) }
        var pairs: [String] = []
        try store.read { snapshot in
            try snapshot.scan(entity: Samples.everything, includeHidden: false) { outer in
                try snapshot.scan(entity: Samples.everything, includeHidden: false) { inner in
                    pairs.append(outer.version.key.text + inner.version.key.text)
                }
            }
        }
        #expect(pairs == ["aa", "ab", "ac", "ba", "bb", "bc", "ca", "cb", "cc"])
    }

    @Test func aWriteInsideAWriteIsRefused() throws {
        let error = #expect(throws: SyncError.self) {
            try store.write(.full) { _ in try store.save(Samples.local(record: Samples.full())) }
        }
        #expect(error?.kind == .usage)
        try store.save(Samples.local(record: Samples.full()))
    }

    @Test func aTransactionIsOfNoUseAfterItsEnd() throws {
        var escaped: (any StoreTransaction)?
        try store.write(.full) { escaped = $0 }
        #expect(throws: SyncError.self) {
            try escaped?.save(entity: Samples.everything, record: Samples.local(record: Samples.full()))
        }
        #expect(throws: SyncError.self) { try escaped?.setValue("a", value: "b") }
        #expect(throws: SyncError.self) {
            _ = try escaped?.load(entity: Samples.everything, key: RecordKey("a"))
        }
        #expect(try store.load("a") == nil)
    }

    @Test func anEntityThatTheStoreDoesNotHoldIsRefused() throws {
        #expect(throws: SyncError.unknownEntity(name: "page", known: ["every-thing"])) {
            _ = try store.load("1", of: Samples.page)
        }
        let other = EntityDescriptor(
            name: "every-thing",
            typeName: "Other",
            fields: [FieldDescriptor(name: "id", type: .string())],
            key: ["id"],
            strategy: .lastWriteWins
        )
        #expect(throws: SyncError.self) { _ = try store.load("1", of: other) }
    }

    @Test func twoStoresOnOneFileSeeEachOther() throws {
        let other = try folder.open()
        try store.save(Samples.local(record: Samples.full(key: "a")))
        try other.save(Samples.local(record: Samples.full(key: "b")))
        #expect(try other.load("a") != nil)
        #expect(try store.load("b") != nil)
        #expect(
            try store.read { try $0.value(name: "device") } == other.read { try $0.value(name: "device") }
        )
    }

    @Test func writesFromManyThreadsAndTwoStoresAllArrive() async throws {
        let stores = [
            store,
            try SQLiteStore.open(path: folder.store, entities: [Samples.everything], random: Counting()),
        ]
        let sequences = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for worker in 0..<4 {
                group.addTask {
                    try (0..<25).map { number in
                        try stores[worker % 2].write(worker < 2 ? .full : .pulled) { transaction in
                            let key = "\(worker)-\(number)"
                            try transaction.save(
                                entity: Samples.everything,
                                record: Samples.local(record: Samples.bare(key: key))
                            )
                            return try transaction.nextSequence()
                        }
                    }
                }
            }
            return try await group.reduce(into: [Int64]()) { $0 += $1 }
        }
        #expect(sequences.sorted() == Array(1...100))
        #expect(try store.read { try $0.counts(entity: Samples.everything) }.records == 100)
    }

    @Test func aLockThatIsHeldTooLongIsReportedAsBusy() throws {
        let other = try Connection.open(path: folder.store, flags: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        let error = #expect(throws: SyncError.self) { try store.save(Samples.local(record: Samples.full())) }
        #expect(error?.kind == .busy)
        #expect(error?.retry == .later)
        try other.execute("ROLLBACK")
        try store.save(Samples.local(record: Samples.full()))
    }

    @Test func theLeaseHasOneHolder() throws {
        let other = try folder.open()
        let lease = try store.lease()
        #expect(throws: SyncError.storeBusy()) { _ = try store.lease() }
        #expect(throws: SyncError.storeBusy()) { _ = try other.lease() }
        try other.save(Samples.local(record: Samples.full()))
        lease.close()
        lease.close()
        let second = try other.lease()
        #expect(throws: SyncError.storeBusy()) { _ = try store.lease() }
        withExtendedLifetime(second) {}
    }

    @Test func aForgottenLeaseIsGivenBack() throws {
        do { _ = try store.lease() }
        try store.lease().close()
    }
}
