import EntitySync
import Foundation
import SyncCore
import SyncRuntime
import SyncStore

/// A device: a real store in a folder, and the engine that syncs it with some remote.
struct BenchDevice: Sendable {
    let store: SQLiteStore
    private let engine: SyncEngine

    /// Opens the store in a folder, and makes it when there is none. `watches` looks at what the engine asks of it.
    init(
        folder: String,
        backend: any RemoteBackend,
        entities: [EntityDescriptor] = [Bookmark.adapter.descriptor],
        watches: StoreWatch? = nil
    ) throws {
        let store = try SQLiteStore.open(
            path: BenchStore.path(folder: folder),
            entities: entities,
            random: SystemRandom()
        )
        self.store = store
        engine = SyncEngine(
            store: watches.map { WatchedStore(store: store, watch: $0) } ?? store,
            backend: backend,
            environment: SyncEnvironment(clock: SystemClock(), random: SystemRandom(), label: "bench")
        )
    }

    /// Local writes.
    var writer: LocalWriter { LocalWriter(store: store, clock: SystemClock(), random: SystemRandom()) }

    /// Writes the first so many bookmarks of the input, a page in a transaction.
    func write(_ pages: RecordPages) throws {
        for page in 0..<pages.pageCount {
            try writer.write { session in
                for index in pages.range(page: page) {
                    try session.save(Bookmark(pages.records.record(index: index)))
                }
            }
        }
    }

    /// Syncs, and expects to have pushed and pulled so many. Returns how many requests that took.
    @discardableResult
    func sync(pushed: Int, pulled: Int) async throws -> Int {
        let report = try await engine.sync()
        let found = report.entities.reduce(into: (0, 0)) { $0 = ($0.0 + $1.pushed, $0.1 + $1.pulled) }
        guard report.outcome == .synced, found == (pushed, pulled) else {
            throw Unmeasured(
                reason: "the sync was \(report.outcome) with \(found.0) pushed and \(found.1) pulled"
            )
        }
        return report.requests
    }
}

/// Adds up the time that an engine spends in a store.
final class StoreWatch: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var total = 0.0

    /// Seconds until now.
    var seconds: Double { lock.withLock { total } }

    fileprivate func time<Result>(body: () throws -> Result) rethrows -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        defer { lock.withLock { total += (clock.now - start).seconds } }
        return try body()
    }
}

/// A store whose transactions are timed.
private struct WatchedStore: LocalStore {
    let store: SQLiteStore
    let watch: StoreWatch

    var entities: [EntityDescriptor] { store.entities }

    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    { try watch.time { try store.write(durability, body: body) } }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try watch.time { try store.read(body) }
    }

    func lease() throws -> any StoreLease { try store.lease() }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        store.changes(notify)
    }
}
