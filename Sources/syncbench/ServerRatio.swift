import EntitySync
import Foundation
import SyncCore
import SyncEntities
import SyncHTTPBackend
import SyncSchema
import SyncStore

/// All records from one device through a real server to another one.
enum ServerRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let schemas = [SchemaSource(path: "bookmark.schema.json", bytes: Array(BenchSchema.text.utf8))]
        guard let server = try await HostedServer.hosted(schemas, bench) else {
            throw Unmeasured(
                reason: "syncserver with its HTTP host is not beside this program: "
                    + "swift build -c release --traits Server --product syncserver"
            )
        }
        defer { server.stop() }
        let pages = RecordPages(count: bench.records)
        let pending = try BenchStore.pending(bench, pages)
        let bound = try ServerBound(pages, bench)
        defer { bound.stop() }
        var times = ServerTimes()
        let sides = try await bench.takeTurns(
            ours: Bench.Side<ServerRun>(
                prepare: { try ServerRun(copying: pending, server, bench) },
                run: { try await $0.run(pages.count, &times.ours) },
                clear: { try $0.clear(bench) }
            ),
            yardstick: Bench.Side<ServerRun>(
                prepare: {
                    try bound.prepare(bench)
                    return ServerRun.none
                },
                run: { _ in try await bound.run(&times.yardstick) },
                clear: { _ in try bound.clear(bench) }
            )
        )
        return .over(sides, note: "the Server trait is on; \(times.text)")
    }
}

/// What the parts took, in seconds.
private struct ServerTimes {
    var ours: [String: [Double]] = [:]
    var yardstick: [String: [Double]] = [:]

    var text: String {
        func words(_ parts: [String: [Double]]) -> String {
            parts.sorted { $0.key < $1.key }.map { "\($0.key) \(Figure.text($0.value.median)) s" }
                .joined(separator: ", ")
        }
        return "ours: \(words(ours)); yardstick: \(words(yardstick))"
    }
}

/// Measures a part and notes it.
private func note(
    _ name: String,
    _ times: inout [String: [Double]],
    _ body: () async throws -> Void
) async rethrows {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    times[name, default: []].append((clock.now - start).seconds)
}

/// Two devices of a new account, of which the first has records that nobody else knows.
private struct ServerRun {
    private var folders: [String] = []
    private var devices: [BenchDevice] = []

    /// Nothing.
    static let none = ServerRun()

    private init() {}

    init(copying folder: String, _ server: HostedServer, _ bench: Bench) throws {
        let token = try server.newToken()
        folders = [try bench.folder("device"), try bench.folder("device")]
        try FileManager.default.copyItem(
            atPath: BenchStore.path(folder),
            toPath: BenchStore.path(folders[0])
        )
        devices = try folders.map { try BenchDevice($0, server.backend(URLSessionTransport(), token: token)) }
    }

    func run(_ count: Int, _ times: inout [String: [Double]]) async throws {
        try await note("push", &times) {
            try await devices[0].sync(pushed: count, pulled: 0)
            devices[0].store.close()
        }
        try await note("pull", &times) {
            try await devices[1].sync(pushed: 0, pulled: count)
            devices[1].store.close()
        }
    }

    func clear(_ bench: Bench) throws {
        for folder in folders { try bench.remove(folder) }
    }
}

/// The push by hand, the same bytes over loopback there and back by the same client, and the pull by hand.
private final class ServerBound {
    private let plain: [[UInt8]]
    private let pending: String
    private let responder: LoopbackHTTP
    private let transport = URLSessionTransport()
    private var prepared: (push: RawPush, pull: RawPull)?

    init(_ pages: RecordPages, _ bench: Bench) throws {
        let plain = pages.allPlain()
        self.plain = plain
        pending = try RawPull.filled(bench, pages, isPending: true)
        responder = try LoopbackHTTP { request in
            let page = request.method == "GET" ? Int(request.url.dropFirst()) : nil
            return HTTPResponse(status: 200, body: page.map { plain[$0] } ?? [])
        }
    }

    func stop() { responder.stop() }

    func prepare(_ bench: Bench) throws {
        prepared = (
            RawPush(try RawPull.copy(of: pending, bench, .full)), try RawPull(try bench.folder("bound"))
        )
    }

    func run(_ times: inout [String: [Double]]) async throws {
        guard let prepared else { return }
        try await note("push", &times) { try await prepared.push.push() }
        try await note("transfer", &times) {
            for number in plain.indices {
                try await send("POST", number, plain[number], expects: 0)
                try await send("GET", number, [], expects: plain[number].count)
            }
        }
        try await note("pull", &times) { try prepared.pull.run(plain) }
    }

    func clear(_ bench: Bench) throws {
        for folder in [prepared?.push.folder, prepared?.pull.folder] {
            try folder.map { try bench.remove($0) }
        }
        prepared = nil
    }

    private func send(_ method: String, _ page: Int, _ body: [UInt8], expects count: Int) async throws {
        let response = try await transport.send(
            HTTPRequest(
                method: method,
                url: "http://127.0.0.1:\(responder.port)/\(page)",
                body: body,
                maxResponseBytes: 32 << 20,
                timeoutSeconds: 60
            )
        )
        guard response.status == 200, response.body.count == count else {
            throw Unmeasured(reason: "the transfer of the yardstick failed")
        }
    }
}
