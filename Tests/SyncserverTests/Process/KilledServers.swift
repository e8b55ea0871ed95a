#if Server
    import Foundation
    import PostgresCluster
    import ProgramRuns
    import SyncChecks
    import SyncCore
    import SyncHTTPClient

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Server processes over one database, killed with SIGKILL in the middle of requests. Simulated devices reach
    /// them by this transport.
    ///
    /// The seed decides in which request something is killed, when, and for how many steps of the story it is gone.
    /// Only the race between the kill and the request is the machine's.
    final class KilledServers: HTTPTransport, @unchecked Sendable {
        // A world sends one request at a time, so nothing here is used concurrently.
        private let stage: Stage
        private let cluster: PostgresCluster
        let database: String
        private let token: String
        private let target: Target
        private let moments: Moments
        private let system = SystemTransport()
        private var draw: Seed
        /// The servers; nil for one that is gone.
        private var servers: [RunningServer?]
        /// The steps until what was killed is started anew; nil if nothing is gone.
        private var stepsGone: Int?
        /// The next kill.
        private var strike: Strike?
        private var events: [String] = []
        /// The number of kills so far.
        private(set) var kills = 0
        /// The number of answers that were lost by them.
        private(set) var lostAnswers = 0

        /// What is killed.
        enum Target: Sendable {
            /// The process of a server.
            case server
            /// PostgreSQL itself.
            case database
            /// Nothing.
            case none
        }

        /// When something is killed. After an answer, which is lost, nothing is left to the machine.
        enum Moments: Sendable {
            case anywhere, afterAnswers
        }

        /// A kill in the middle of a request.
        private struct Strike {
            /// Whether it waits for a request with changes.
            var isPush: Bool
            /// The time after the request was sent; nil for after its answer, which is lost.
            var milliseconds: Int?
        }

        /// Starts servers on a database, for an account with a token.
        init(
            count: Int,
            stage: Stage,
            cluster: PostgresCluster,
            database: String,
            token: String,
            target: Target,
            moments: Moments,
            seed: UInt64
        ) async throws {
            (self.stage, self.cluster, self.database) = (stage, cluster, database)
            (self.token, self.target, self.moments) = (token, target, moments)
            draw = Seed(seed)
            servers = []
            for _ in 0..<count { servers.append(try await start()) }
        }

        private func start() async throws -> RunningServer {
            let arguments = [
                "--schemas", "Shipped", "--data", "data", "--port", "0", "--rate", "1000000",
            ]
            return try await stage.listening(
                child: stage.start(
                    program: .syncserver,
                    arguments: arguments,
                    database: cluster.url(database: database)
                )
            )
        }

        /// Prepares a step: starts anew what has been gone long enough, and decides what is killed in the step. Before
        /// rest (nil) everything is started. Returns what happened in the step before.
        func prepare(step: Int?) async throws -> [String] {
            defer { events = [] }
            if let gone = stepsGone {
                stepsGone = gone - 1
                if step == nil || gone <= 1 { try await startAnew() }
            }
            guard step != nil else {
                strike = nil
                return events
            }
            guard target != .none, stepsGone == nil, strike == nil, Int.random(in: 0..<3, using: &draw) == 0
            else { return events }
            let isBeforeAnswer = Int.random(in: 0..<3, using: &draw) > 0 && moments == .anywhere
            strike = Strike(
                isPush: Int.random(in: 0..<4, using: &draw) > (moments == .afterAnswers ? 1 : 0),
                milliseconds: isBeforeAnswer ? Int.random(in: 0..<25, using: &draw) : nil
            )
            return events
        }

        private func startAnew() async throws {
            stepsGone = nil
            if target == .database { try await cluster.restart() }
            for index in servers.indices where servers[index] == nil { servers[index] = try await start() }
            events.append("what was killed is started anew")
        }

        /// Sends a request to any of the servers, and kills what the step says.
        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            let index = Int.random(in: servers.indices, using: &draw)
            guard let server = servers[index] else { throw TransportError.unreachable }
            var request = request
            let isPush = String(decoding: request.body, as: UTF8.self).contains(#""changes":[{"#)
            request.url = server.url + request.url.dropFirst(LoopbackServer.url.count)
            request.headers.removeAll { $0.name.lowercased() == "authorization" }
            request.headers.append(HTTPHeader(name: "Authorization", value: "Bearer \(token)"))
            guard let strike, isPush || !strike.isPush else { return try await system.send(request) }
            self.strike = nil
            return try await send(request, to: index, strike: strike)
        }

        /// Sends a request, in the middle of which the strike happens.
        private func send(_ request: HTTPRequest, to index: Int, strike: Strike) async throws -> HTTPResponse
        {
            let system = system
            let word = strike.isPush ? "push" : "request"
            async let sent = system.send(request)
            guard let milliseconds = strike.milliseconds else {
                let hasAnswer = (try? await sent) != nil
                try await kill(server: index, moment: "after its answer to a \(word)")
                if hasAnswer { lostAnswers += 1 }
                throw TransportError.interrupted
            }
            try await pause(seconds: Double(milliseconds) / 1000)
            try await kill(server: index, moment: "\(milliseconds) ms into a \(word)")
            do { return try await sent } catch {
                lostAnswers += 1
                throw error
            }
        }

        private func kill(server index: Int, moment: String) async throws {
            kills += 1
            stepsGone = Int.random(in: 1...3, using: &draw)
            if target == .database {
                let sparesBackends = Bool.random(using: &draw) && moments == .anywhere
                cluster.crash(sparesBackends: sparesBackends)
                events.append("\(sparesBackends ? "the postmaster" : "PostgreSQL") is killed \(moment)")
            } else {
                try await servers[index]?.crash()
                servers[index] = nil
                events.append("the server is killed \(moment)")
            }
        }

        func stream(_ request: HTTPRequest) async throws -> HTTPStream { throw TransportError.unreachable }

        /// Purges tombstones by the command line.
        func purge(days: Int) async throws {
            let arguments = ["purge", "--schemas", "Shipped", "--older-than-days", "\(days)"]
            _ = try await stage.start(
                program: .syncserver,
                arguments: arguments,
                database: cluster.url(database: database)
            ).end()
        }
    }
#endif
