import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncHTTPClient
import SyncSchema
import SyncServerBackend

/// A real server on loopback, for one account: `syncserver` where it was built with its HTTP host, else its request
/// handler behind the least that speaks HTTP.
final class HostedServer {
    let url: ServerURL
    let token: String
    /// What it is, for the note.
    let kind: String
    private let process: Process?
    private let loopback: LoopbackHTTP?
    private let addAccount: (() throws -> String)?

    /// Starts a server for the entities of schemas. Its data lies in a folder of its own.
    static func start(schemas: [SchemaSource], entities: [EntityDescriptor], bench: Bench) async throws
        -> HostedServer
    {
        if let server = try await hosted(schemas: schemas, bench: bench) { return server }
        let world = try World(
            devices: 0,
            entities: entities,
            path: try bench.folder(path: "server"),
            place: .server
        )
        guard let handler = world.server else { throw Unmeasured(reason: "there is no server") }
        handler.clock.set(Timestamp(Date()))
        let loopback = try LoopbackHTTP { request in
            var request = request
            request.url = LoopbackServer.url + request.url
            return try await handler.send(request)
        }
        return try HostedServer(
            port: loopback.port,
            token: World.token,
            kind: "the server's handler in this process",
            loopback: loopback
        )
    }

    /// `syncserver`, or nil where it was not built or has no host.
    static func hosted(schemas: [SchemaSource], bench: Bench) async throws -> HostedServer? {
        guard let program = BuiltProgram("syncserver") else { return nil }
        let folder = try bench.folder(path: "hosted")
        try FileManager.default.createDirectory(
            atPath: "\(folder)/schemas",
            withIntermediateDirectories: true
        )
        for source in schemas {
            try Data(source.bytes).write(to: URL(fileURLWithPath: "\(folder)/schemas/\(source.path)"))
        }
        let data = ["--data", "\(folder)/data"]
        let addAccount = {
            try program.run(arguments: ["account", "add", "bench-\(UUID().uuidString)"] + data, in: folder)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let token = try addAccount()
        let output = URL(fileURLWithPath: "\(folder)/output")
        let process = try program.start(
            arguments: ["--schemas", "\(folder)/schemas", "--port", "0", "--rate", "1000000"] + data,
            output: output
        )
        let prefix = "listening on http://127.0.0.1:"
        while process.isRunning {
            let line = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").first ?? ""
            if line.hasPrefix(prefix), let port = Int(line.dropFirst(prefix.count)) {
                return try HostedServer(
                    port: port,
                    token: token,
                    kind: "syncserver",
                    process: process,
                    addAccount: addAccount
                )
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }

    private init(
        port: Int,
        token: String,
        kind: String,
        process: Process? = nil,
        loopback: LoopbackHTTP? = nil,
        addAccount: (() throws -> String)? = nil
    ) throws {
        url = try ServerURL("http://127.0.0.1:\(port)")
        self.token = token
        self.kind = kind
        self.process = process
        self.loopback = loopback
        self.addAccount = addAccount
    }

    /// The token of one more account. The handler in this process has one only.
    func newToken() throws -> String { try addAccount?() ?? token }

    /// Processor time of `syncserver`; 0 for the handler in this process.
    var processorSeconds: Double { process.map { SystemProcess.seconds(of: $0.processIdentifier) } ?? 0 }

    /// A backend for an account, as an app has it.
    func backend(transport: any HTTPTransport, token: String? = nil) -> HTTPBackend {
        HTTPBackend(
            url: url,
            credentials: FixedToken(text: token ?? self.token),
            environment: HTTPEnvironment(
                clock: SystemClock(),
                random: SystemRandom(),
                sleeper: SystemSleeper(),
                transport: transport
            )
        )
    }

    func stop() {
        loopback?.stop()
        process?.terminate()
        process?.waitUntilExit()
    }
}

/// Passes requests on, and remembers them.
final class WatchedTransport: HTTPTransport, @unchecked Sendable {
    private let transport: any HTTPTransport
    private let lock = NSLock()
    // Guarded by `lock`.
    private var sent: [HTTPRequest] = []

    init(_ transport: any HTTPTransport) { self.transport = transport }

    /// What was sent since the last look.
    func take() -> [HTTPRequest] {
        lock.withLock {
            defer { sent = [] }
            return sent
        }
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        lock.withLock { sent.append(request) }
        return try await transport.send(request)
    }

    func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        try await transport.stream(request)
    }
}
