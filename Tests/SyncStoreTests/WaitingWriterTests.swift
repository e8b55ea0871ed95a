import Foundation
import SyncCore
import SyncStore
import Testing

/// A long write knows that another thread waits, and that one gets its turn before the next part.
@Suite struct WaitingWriterTests {
    let folder: TemporaryFolder
    let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try folder.open()
    }

    @Test func nobodyWaitsForAQuietStore() throws {
        #expect(!store.isAwaited(after: 1_000))
        try store.write(.pulled) { _ in #expect(!store.isAwaited(after: 1_000)) }
    }

    @Test func whoWaitsWritesBeforeTheNextPartOfAPull() throws {
        let writer = Thread { [store] in
            try? store.write(.full) { try $0.setValue("order", value: "local") }
        }
        try store.write(.pulled) { transaction in
            writer.start()
            while !store.isAwaited(after: 1_000) { Thread.sleep(forTimeInterval: 0.001) }
            // Little is not worth a transaction of its own.
            #expect(!store.isAwaited(after: 1))
            try transaction.setValue("order", value: "first part")
        }
        let order = try store.write(.pulled) { try $0.value(name: "order") }
        #expect(order == "local")
    }

    @Test(arguments: [Durability.full, .pulled])
    func aWriteWithinAWriteIsRefusedAlsoWhenAnotherWaits(durability: Durability) throws {
        let writer = Thread { [store] in try? store.write(.full) { _ in } }
        try store.write(.pulled) { _ in
            writer.start()
            while !store.isAwaited(after: 1_000) { Thread.sleep(forTimeInterval: 0.001) }
            #expect(throws: SyncError.self) { try store.write(durability) { _ in } }
        }
    }
}
