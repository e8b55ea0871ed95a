#if Server
    import Foundation
    import ServiceLifecycle
    import SyncChecks
    import SyncCore
    import SyncServer
    import SyncWire
    import Testing

    @testable import syncserver

    /// A real host on a free port with an account handler of the test.
    struct RunningHost: Sendable {
        final class OneAccount: Authenticator, @unchecked Sendable {
            // Guarded by `lock`.
            private var isRemoved = false
            private let lock = NSLock()

            func authenticate(token: String) throws -> Account? {
                let isThere = lock.withLock { !isRemoved }
                return isThere && token == "est_ada" ? Account(id: "id-ada", name: "ada") : nil
            }

            func remove() { lock.withLock { isRemoved = true } }
        }

        /// Answers as the test defines, and records the requests.
        final class Accounts: AccountHandler, @unchecked Sendable {
            // Guarded by `lock`.
            private var requests: [ServerRequest] = []
            private let lock = NSLock()
            private let body: @Sendable (ServerRequest) throws -> ServerAnswer

            init(_ body: @escaping @Sendable (ServerRequest) throws -> ServerAnswer) { self.body = body }

            var seen: [ServerRequest] { lock.withLock { requests } }

            func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer {
                lock.withLock { requests.append(request) }
                return try await onOwnThread { [body] in try body(request) }
            }
        }

        /// The lines of the log.
        final class Log: @unchecked Sendable {
            // Guarded by `lock`.
            private var lines: [String] = []
            private let lock = NSLock()

            func append(_ line: String) { lock.withLock { lines.append(line) } }

            var all: [String] { lock.withLock { lines } }
        }

        let port: Int
        let accounts: Accounts
        let book: OneAccount
        let hub: ChangeHub
        let log: Log
        let handler: RequestHandler
        let group: ServiceGroup

        /// Answers an exchange with `{}`, and opens a stream of the topic "log".
        static let plain: @Sendable (ServerRequest) throws -> ServerAnswer = { request in
            if request.path == WireProtocol.eventsPath { return .events(topic: "log") }
            let type = HTTPHeader(name: "Content-Type", value: "application/json")
            return .response(HTTPResponse(status: 200, headers: [type], body: Array("{}".utf8)))
        }

        /// Starts a host, runs `body`, checks that the server still answers, and stops it.
        static func run(
            _ change: (inout HostSettings) -> Void = { _ in },
            answer: @escaping @Sendable (ServerRequest) throws -> ServerAnswer = plain,
            maintain: @escaping @Sendable () -> Void = {},
            _ body: (RunningHost) async throws -> Void
        ) async throws {
            var settings = HostSettings()
            // The time limits are long unless the test sets them, because a busy machine makes everything slow.
            settings.idleSeconds = maxWaitSeconds
            settings.firstSeconds = maxWaitSeconds
            settings.graceSeconds = maxWaitSeconds
            settings.paceSeconds = maxWaitSeconds
            settings.bodySeconds = maxWaitSeconds
            settings.writeSeconds = maxWaitSeconds
            settings.shutdownSeconds = maxWaitSeconds
            settings.heartbeatSeconds = maxWaitSeconds
            settings.threads = 2
            change(&settings)
            let accounts = Accounts(answer)
            let book = OneAccount()
            let hub = ChangeHub()
            let log = Log()
            let handler = RequestHandler(
                authenticator: book,
                accounts: accounts,
                clock: SystemClock(),
                random: SeededRandom(1),
                limits: WireLimits(requestBytes: 100_000),
                rates: RatePolicy(requestsPerSecond: 1e6, requestBurst: 1e6),
                openAPI: Array("{}".utf8)
            )
            let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
            let host = HTTPHost(
                handler: handler,
                hub: hub,
                settings: settings,
                clock: SystemClock(),
                log: { log.append($0) },
                maintain: maintain,
                onListening: { continuation.yield($0) }
            )
            let group = host.group()
            async let ended: Void = group.run()
            let port = try #require(await ports.first { _ in true })
            let running = RunningHost(
                port: port,
                accounts: accounts,
                book: book,
                hub: hub,
                log: log,
                handler: handler,
                group: group
            )
            do {
                try await body(running)
                if !handler.isDraining { try await running.expectHealth() }
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await ended
        }

        /// Starts a graceful shutdown.
        func stop() async { await group.triggerGracefulShutdown() }

        /// The status of `/health`.
        func health() async throws -> Int {
            try await onOwnThread { [port] in
                let wire = try Wire(port)
                wire.send("GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                return try wire.answer().status
            }
        }

        /// Checks that `/health` answers a client that retries when its connection is closed. A host with
        /// short time limits may close any connection.
        func expectHealth(sourceLocation: SourceLocation = #_sourceLocation) async throws {
            try await eventually(what: "the server answers", sourceLocation: sourceLocation) {
                do {
                    let status = try await health()
                    #expect(status == 200, sourceLocation: sourceLocation)
                    return true
                } catch Wire.ConnectionError.cut {
                    return false
                }
            }
        }

        /// Sends bytes, and returns everything received until the connection ends.
        func exchange(bytes: [UInt8], endsSending: Bool = false) async throws -> String {
            try await onOwnThread { [port] in
                let wire = try Wire(port)
                wire.send(bytes)
                if endsSending { wire.endSending() }
                return wire.readToEnd()
            }
        }

        func exchange(text: String, endsSending: Bool = false) async throws -> String {
            try await exchange(bytes: Array(text.utf8), endsSending: endsSending)
        }
    }

    /// The head of an exchange by the account, with additional fields.
    func exchangeHead(fields: String...) -> String {
        let all =
            [
                "POST /v1/exchange HTTP/1.1", "Host: a", "Authorization: Bearer est_ada",
                "Content-Type: application/json",
            ]
            + fields
        return all.joined(separator: "\r\n") + "\r\n\r\n"
    }
#endif
