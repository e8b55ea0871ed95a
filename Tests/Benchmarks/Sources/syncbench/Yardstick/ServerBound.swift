import SyncCore
import SyncHTTPClient

/// The push by hand, the same bytes over loopback there and back by the same client, and the pull by hand.
final class ServerBound {
    private let plain: [[UInt8]]
    private let pending: String
    private let responder: LoopbackHTTP
    private let transport = SystemTransport()
    private var prepared: (push: RawPush, pull: RawPull)?

    init(pages: RecordPages, bench: Bench) throws {
        let plain = pages.allPlain()
        self.plain = plain
        pending = try RawPull.filled(bench: bench, pages: pages, isPending: true)
        responder = try LoopbackHTTP { request in
            let page = request.method == "GET" ? Int(request.url.dropFirst()) : nil
            return HTTPResponse(status: 200, body: page.map { plain[$0] } ?? [])
        }
    }

    func stop() { responder.stop() }

    func prepare(_ bench: Bench) throws {
        prepared = (
            RawPush(try RawPull.copy(of: pending, bench: bench, synchronous: .full)),
            try RawPull(folder: try bench.folder(path: "bound"))
        )
    }

    func run(_ times: inout PartTimes) async throws {
        guard let prepared else { return }
        try await times.note("push") { try await prepared.push.push() }
        try await times.note("transfer") {
            for number in plain.indices {
                try await send("POST", page: number, body: plain[number], expects: 0)
                try await send("GET", page: number, body: [], expects: plain[number].count)
            }
        }
        try await times.note("pull") { try prepared.pull.run(plain) }
    }

    func clear(_ bench: Bench) throws {
        for folder in [prepared?.push.folder, prepared?.pull.folder] {
            try folder.map { try bench.remove($0) }
        }
        prepared = nil
    }

    private func send(_ method: String, page: Int, body: [UInt8], expects count: Int) async throws {
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
