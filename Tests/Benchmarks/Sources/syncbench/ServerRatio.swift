import EntitySync
import Foundation
import SyncCore
import SyncHTTPClient
import SyncSchema
import SyncServerBackend
import SyncStore

/// All records from one device through a real server to another one.
enum ServerRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let schemas = [SchemaSource(path: "bookmark.schema.json", bytes: Array(BenchSchema.text.utf8))]
        guard let server = try await HostedServer.hosted(schemas: schemas, bench: bench) else {
            throw Unmeasured(
                reason: "syncserver with its HTTP host was not built: "
                    + "swift build -c release --traits Server --product syncserver"
            )
        }
        defer { server.stop() }
        let pages = RecordPages(count: bench.records)
        let pending = try BenchStore.pending(bench: bench, pages: pages)
        let bound = try ServerBound(pages: pages, bench: bench)
        var (parts, byHand) = (PartTimes(), PartTimes())
        let sides = try await bench.takeTurns(
            ours: Bench.Side<ServerRun>(
                prepare: { try ServerRun(copying: pending, server: server, bench: bench) },
                run: { try await $0.run(pages.count, times: &parts) },
                clear: { try $0.clear(bench) },
                processorSeconds: { _ in ProcessTime.seconds + server.processorSeconds }
            ),
            yardstick: Bench.Side<ServerRun>(
                prepare: {
                    try bound.prepare(bench)
                    return ServerRun.none
                },
                run: { _ in try await bound.run(&byHand) },
                clear: { _ in try bound.clear(bench) }
            )
        )
        return .over(
            sides: sides,
            note: "the Server trait is on; ours: \(parts.text); by hand: \(byHand.text)"
        )
    }
}

/// Two devices of a new account, of which the first has records that nobody else knows.
private struct ServerRun {
    private var folders: [String] = []
    private var devices: [BenchDevice] = []

    /// Nothing.
    static let none = ServerRun()

    private init() {}

    init(copying folder: String, server: HostedServer, bench: Bench) throws {
        let token = try server.newToken()
        folders = [try bench.folder(path: "device"), try bench.folder(path: "device")]
        try FileManager.default.copyItem(
            atPath: BenchStore.path(folder: folder),
            toPath: BenchStore.path(folder: folders[0])
        )
        devices = try folders.map {
            try BenchDevice(folder: $0, backend: server.backend(transport: SystemTransport(), token: token))
        }
    }

    func run(_ count: Int, times: inout PartTimes) async throws {
        try await times.note("push") {
            try await devices[0].sync(pushed: count, pulled: 0)
            devices[0].store.close()
        }
        try await times.note("pull") {
            try await devices[1].sync(pushed: 0, pulled: count)
            devices[1].store.close()
        }
    }

    func clear(_ bench: Bench) throws {
        for folder in folders { try bench.remove(folder) }
    }
}
