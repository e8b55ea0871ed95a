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

    @Test func whoHasWaitedFindsShortTurnsUntilThePullWasAloneForLong() throws {
        let writer = Thread { [store] in try? store.write(.full) { _ in } }
        try store.write(.pulled) { _ in
            writer.start()
            while !store.isAwaited(after: 32) { Thread.sleep(forTimeInterval: 0.001) }
        }
        for part in 0..<3 {
            try store.write(.pulled) { transaction in
                #expect(!store.isAwaited(after: 255) && store.isAwaited(after: 256) == (part < 2))
                for number in 0..<30_000 { try transaction.setValue("row", value: "\(part) \(number)") }
            }
        }
        try store.write(.pulled) { _ in #expect(!store.isAwaited(after: 1_000)) }
    }

    @Test func theLogIsMovedIntoTheFileInTheTurnsOfOthers() throws {
        let path = folder.store
        func size() throws -> Int {
            // NB: opening and closing the file here would drop the store's locks.
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
        try store.write(.pulled) { transaction in
            for number in 0..<600 {
                let record = Samples.local(record: Samples.full(key: "k\(number)"))
                try transaction.save(entity: Samples.everything, record: record)
            }
        }
        let before = try size()
        // One writes until it is let go, and another is next.
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread { [store] in
            try? store.write(.full) { _ in
                hasBegun.signal()
                mayEnd.wait()
            }
        }.start()
        hasBegun.wait()
        Thread { [store] in try? store.write(.full) { _ in } }.start()
        while !store.isAwaited(after: 1_000) { Thread.sleep(forTimeInterval: 0.001) }
        Thread {
            Thread.sleep(forTimeInterval: 0.5)
            mayEnd.signal()
        }.start()
        #expect(try size() == before)
        try store.write(.pulled) { _ in }
        #expect(try size() > before)
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
