import EntitySync
import SyncCore
import SyncRuntime
import SyncStore

/// A device: a real store and the engine that syncs it.
struct BenchDevice: Sendable {
    let store: SQLiteStore
    let engine: SyncEngine

    init(_ path: String, _ entities: [EntityDescriptor], _ backend: any RemoteBackend) throws {
        store = try SQLiteStore.open(path: path, entities: entities, random: SystemRandom())
        engine = SyncEngine(
            store: store,
            backend: backend,
            surroundings: SyncSurroundings(clock: SystemClock(), random: SystemRandom(), label: "bench")
        )
    }

    var writer: LocalWriter { LocalWriter(store: store, clock: SystemClock(), random: SystemRandom()) }

    /// Writes records, a few thousand in a transaction.
    func write(_ records: Range<Int>, of entity: EntityDescriptor, _ record: (Int) throws -> Record) throws {
        for start in stride(from: records.lowerBound, to: records.upperBound, by: 5000) {
            try writer.write { session in
                for number in start..<min(start + 5000, records.upperBound) {
                    _ = try session.replace(entity, try record(number))
                }
            }
        }
    }

    /// Syncs, and expects to have pushed and pulled so many.
    func sync(pushed: Int, pulled: Int) async throws {
        let report = try await engine.sync()
        let found = report.entities.reduce(into: (0, 0)) { $0 = ($0.0 + $1.pushed, $0.1 + $1.pulled) }
        guard report.outcome == .synced, found == (pushed, pulled) else {
            throw Unmeasured(
                reason: "the sync was \(report.outcome) with \(found.0) pushed and \(found.1) pulled"
            )
        }
    }
}
