import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import SyncStore

/// A device: a real store in a folder, and the engine that syncs it with some remote.
struct BenchDevice: Sendable {
    let store: SQLiteStore
    /// Local writes.
    let writer: LocalWriter
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
        let parts = EngineParts(store: store, clock: SystemClock(), random: SystemRandom())
        writer = parts.writer
        engine = parts.engine(backend: backend, label: "bench", watch: watches)
    }

    /// Writes the first so many bookmarks of the input, a page in a transaction.
    func write(_ pages: RecordPages) throws {
        for page in 0..<pages.pageCount {
            try writer.batch { session in
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
