#if Server
    import SyncCore

    /// A few connections for many tasks. A connection that broke is replaced at the next use.
    final class PostgresPool: Sendable {
        private let url: PostgresURL
        private let settings: Settings
        /// As many threads as connections, so that work that has a thread has a connection.
        private let queue: BlockingQueue
        private let state = Guarded(State())

        /// Size and longest wait.
        struct Settings: Sendable {
            /// The most connections.
            var maxConnections = 8
            /// The most tasks that wait for a connection; a further one is told to come back.
            var maxWaiting = 256
            /// The most seconds that a task waits for a connection.
            var maxWaitSeconds = 20.0
            /// How long the steps of a connection may take.
            var timeouts = PostgresConnection.Timeouts()
        }

        private struct State {
            var idle: [PostgresConnection] = []
            /// Tasks with a connection, and those that wait for one.
            var tasks = 0
        }

        init(url: PostgresURL, settings: Settings) {
            self.url = url
            self.settings = settings
            queue = BlockingQueue(maxThreads: settings.maxConnections)
        }

        /// Runs work with a connection, away from the cooperative threads. Throws `PostgresError`.
        ///
        /// - Parameter isRepeatable: Whether running the work twice has the same effect as once. Then it is run once more
        ///   on a new connection if the first one was lost, which is what all connections are after a restart of the
        ///   database.
        func run<Value: Sendable>(
            isRepeatable: Bool,
            _ work: @escaping @Sendable (PostgresConnection) throws -> Value
        ) async throws -> Value {
            let isAdmitted = state.use { state in
                guard state.tasks < settings.maxConnections + settings.maxWaiting else { return false }
                state.tasks += 1
                return true
            }
            guard isAdmitted else { throw PostgresError(kind: .busy) }
            defer { state.use { $0.tasks -= 1 } }
            let deadline = ContinuousClock.now + .seconds(settings.maxWaitSeconds)
            return try await queue.run { [self] in
                guard ContinuousClock.now < deadline else { throw PostgresError(kind: .busy) }
                do {
                    return try attempt(on: idle(), work)
                } catch let error as PostgresError where isRepeatable && error.mayHelpToRepeat {
                    return try attempt(on: error.isLoss ? nil : idle(), work)
                }
            }
        }

        /// An unused connection; nil if there is none.
        private func idle() -> PostgresConnection? { state.use { $0.idle.popLast() } }

        private func attempt<Value>(
            on kept: PostgresConnection?,
            _ work: (PostgresConnection) throws -> Value
        ) throws -> Value {
            let connection = try kept ?? PostgresConnection(url: url, timeouts: settings.timeouts)
            defer {
                if connection.isUsable { state.use { $0.idle.append(connection) } }
            }
            do {
                return try work(connection)
            } catch let error as PostgresError {
                // What one connection lost, the others have lost, too, or make anew.
                if error.isLoss { state.use { $0.idle = [] } }
                throw error
            }
        }

        /// The number of connections that wait for work.
        var idleCount: Int { state.use { $0.idle.count } }
    }
#endif
