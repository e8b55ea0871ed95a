#if Server
    import SyncCore
    import SyncWire

    /// Checks whether a database can be reached and written to. It has a connection of its own that gives up early: the
    /// others wait for an answer as long as a statement may take, and whoever asks for readiness does not.
    final class DatabaseProbe: Sendable {
        /// Seconds until one step of the check must be done.
        private static let stepSeconds = 2
        /// Seconds after which a database that has not answered counts as down, whatever the check waits for.
        private static let maxSeconds = 4.0
        /// Seconds for which a result holds.
        private static let validSeconds = 5.0

        private let pool: PostgresPool
        private let last = Guarded<(failure: StorageFailure?, until: ContinuousClock.Instant)?>(nil)

        /// Makes a probe, which connects when it is first asked.
        init(url: PostgresURL) {
            var settings = PostgresPool.Settings()
            settings.maxConnections = 1
            settings.maxWaitSeconds = Self.maxSeconds
            settings.timeouts.connectSeconds = Self.stepSeconds
            settings.timeouts.statementSeconds = Double(Self.stepSeconds)
            settings.timeouts.answerSeconds = Double(Self.stepSeconds)
            pool = PostgresPool(url: url, settings: settings)
        }

        /// Why the database stored nothing at the last check; nil if it could.
        func failure() async -> StorageFailure? {
            if let last = last.use({ $0 }), ContinuousClock.now < last.until { return last.failure }
            let failure = await check()
            last.use { $0 = (failure, ContinuousClock.now + .seconds(Self.validSeconds)) }
            return failure
        }

        /// Asks the database, and waits no longer than the limit. What comes later is dropped.
        private func check() async -> StorageFailure? {
            let (results, result) = AsyncStream.makeStream(of: StorageFailure?.self)
            let limit = Task {
                try await Task.sleep(for: .seconds(Self.maxSeconds))
                result.yield(.databaseDown)
            }
            Task { result.yield(await self.ask()) }
            defer { limit.cancel() }
            for await failure in results { return failure }
            return .databaseDown
        }

        private func ask() async -> StorageFailure? {
            let statement = PostgresStatement(
                "select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'"
            )
            let isWritable = try? await pool.run(isRepeatable: true) {
                try $0.run(statement).isTrue(column: 0)
            }
            return switch isWritable {
            case true?: nil
            case false?: .readOnly
            case nil: .databaseDown
            }
        }
    }
#endif
