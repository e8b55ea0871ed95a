import SyncCore
import SyncHTTPClient

/// The push by hand, the same bytes over loopback by the same client to a server by hand, which stores them and reads them
/// again, and the pull by hand.
final class ServerBound {
    private let plain: [[UInt8]]
    private let pending: String
    private let transport = SystemTransport()
    private var prepared: Prepared?

    /// What one round needs.
    private struct Prepared {
        let push: RawPush
        let pull: RawPull
        let server: RawServerStore
        let responder: LoopbackHTTP
        let folders: [String]
    }

    init(pages: RecordPages, bench: Bench) throws {
        plain = pages.allPlain()
        pending = try RawPull.filled(bench: bench, pages: pages, isPending: true)
    }

    func prepare(_ bench: Bench) throws {
        let push = RawPush(try RawPull.copy(of: pending, bench: bench, synchronous: .full))
        let pull = try RawPull(folder: try bench.folder(path: "bound"))
        let folder = try bench.folder(path: "server")
        let server = try RawServerStore(folder: folder)
        let responder = try LoopbackHTTP { request in
            let body = try server.answer(method: request.method, url: request.url, body: request.body)
            return HTTPResponse(status: 200, body: body)
        }
        prepared = Prepared(
            push: push,
            pull: pull,
            server: server,
            responder: responder,
            folders: [push.folder, pull.folder, folder]
        )
    }

    func run(_ times: inout PartTimes) async throws {
        guard let prepared else { return }
        let port = prepared.responder.port
        try await times.note("push") {
            try await prepared.push.push()
            for number in plain.indices {
                try await send("POST", page: number, body: plain[number], expects: 0, port: port)
            }
        }
        try await times.note("pull") {
            for number in plain.indices {
                try await send("GET", page: number, body: [], expects: plain[number].count, port: port)
            }
            try prepared.pull.run(plain)
        }
    }

    func clear(_ bench: Bench) throws {
        guard let prepared else { return }
        prepared.responder.stop()
        prepared.server.close()
        for folder in prepared.folders { try bench.remove(folder) }
        self.prepared = nil
    }

    private func send(_ method: String, page: Int, body: [UInt8], expects count: Int, port: Int) async throws
    {
        let response = try await transport.send(
            HTTPRequest(
                method: method,
                url: "http://127.0.0.1:\(port)/\(page)",
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

/// What the parts of a measurement took, in seconds.
struct PartTimes {
    private var parts: [(name: String, seconds: [Double])] = []

    /// Measures a part and notes it.
    mutating func note(_ name: String, body: () async throws -> Void) async rethrows {
        let clock = ContinuousClock()
        let start = clock.now
        try await body()
        let seconds = (clock.now - start).seconds
        if let index = parts.firstIndex(where: { $0.name == name }) {
            parts[index].seconds.append(seconds)
        } else {
            parts.append((name, [seconds]))
        }
    }

    /// Medians, such as `push 1.2 s, pull 0.9 s`.
    var text: String {
        parts.map { "\($0.name) \(Figure.text(seconds: $0.seconds.median)) s" }.joined(separator: ", ")
    }
}
