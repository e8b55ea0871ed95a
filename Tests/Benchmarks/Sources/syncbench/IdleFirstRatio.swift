import EntitySync
import Foundation
import SyncHTTPClient
import SyncSchema
import SyncStore

/// The first sync with nothing to do after all records came, against one of those that follow it.
enum IdleFirstRatio {
    /// Later syncs of a round: one is short.
    private static let repeats = 50

    static func measure(_ bench: Bench) async throws -> Measurement {
        let schemas = [SchemaSource(path: "bookmark.schema.json", bytes: Array(BenchSchema.text.utf8))]
        let server = try await HostedServer.start(
            schemas: schemas,
            entities: [Bookmark.adapter.descriptor],
            bench: bench
        )
        defer { server.stop() }
        let pages = RecordPages(count: bench.records)
        let writer = try device(of: server, bench: bench)
        try writer.device.write(pages)
        try await writer.device.sync(pushed: pages.count, pulled: 0)
        var (first, later) = (Times(), Times())
        for round in 0...bench.rounds {
            let reader = try device(of: server, bench: bench)
            try await reader.device.sync(pushed: 0, pulled: pages.count)
            let one = try await measured(reader.device, times: 1)
            let others = try await measured(reader.device, times: repeats)
            reader.device.store.close()
            try bench.remove(reader.folder)
            // The first round only warms up.
            guard round > 0 else { continue }
            first.elapsed.append(one.elapsed)
            first.worked.append(one.worked)
            later.elapsed.append(others.elapsed / Double(repeats))
            later.worked.append(others.worked / Double(repeats))
        }
        writer.device.store.close()
        return .over(
            sides: Sides(ours: first, yardstick: later),
            note: "after \(pages.count) pulled records, \(server.kind), means of \(repeats) later ones"
        )
    }

    private static func device(of server: HostedServer, bench: Bench) throws -> (
        folder: String, device: BenchDevice
    ) {
        let folder = try bench.folder(path: "device")
        return (
            folder, try BenchDevice(folder: folder, backend: server.backend(transport: SystemTransport()))
        )
    }

    private static func measured(_ device: BenchDevice, times: Int) async throws -> (
        elapsed: Double, worked: Double
    ) {
        let clock = ContinuousClock()
        let (start, before) = (clock.now, ProcessTime.seconds)
        for _ in 0..<times { try await device.sync(pushed: 0, pulled: 0) }
        return ((clock.now - start).seconds, ProcessTime.seconds - before)
    }
}
