#if Server
    import Foundation
    import SyncCore
    import SyncSchema
    public import SyncServer
    import SyncWire

    /// Answers requests about accounts whose records are in a PostgreSQL. Any number of processes may serve one database:
    /// nothing is kept in a process.
    ///
    /// ```swift
    /// let handler = try await PostgresHandler(
    ///     options: options,
    ///     onChange: { hub.publish($0) },
    ///     onMissedChanges: { hub.publishToAll() }
    /// )
    /// ```
    ///
    /// An exchange is one call of `entitysync_exchange` as the role `authenticated`, under the policies of the tables, in
    /// one round trip to the database.
    public final class PostgresHandler: AccountHandler, TombstonePurger {
        private let pool: PostgresPool
        private let listener: PostgresListener
        private let options: PostgresServerOptions
        private let limits = WireLimits()
        private let probe = Guarded<(isStoring: Bool, until: ContinuousClock.Instant)?>(nil)
        private let onPush: @Sendable (PushCounts) -> Void

        /// Connects, applies the SQL of the schemas if the database has another one, and listens for changes.
        ///
        /// - Parameters:
        ///   - onPush: Called after the commit of a push with its counts.
        ///   - onChange: Called with the topic of a log that changed, through this process or any other writer.
        ///   - onMissedChanges: Called when changes may have been missed, because there was no connection to listen on.
        /// - Throws: `SyncError` if the database cannot be used.
        public init(
            options: PostgresServerOptions,
            onPush: @escaping @Sendable (PushCounts) -> Void = { _ in },
            onChange: @escaping @Sendable (String) -> Void,
            onMissedChanges: @escaping @Sendable () -> Void
        ) async throws {
            self.options = options
            self.onPush = onPush
            var settings = PostgresPool.Settings()
            settings.maxConnections = options.maxConnections
            settings.timeouts.statementSeconds = options.statementSeconds
            settings.timeouts.answerSeconds = options.statementSeconds + 30
            pool = PostgresPool(url: options.url, settings: settings)
            try await PostgresInstallation(options: options).apply()
            do {
                listener = try PostgresListener(
                    url: options.url,
                    channel: "entitysync",
                    timeouts: settings.timeouts,
                    onReconnect: onMissedChanges,
                    onNotice: onChange
                )
            } catch let error as PostgresError {
                throw SyncError.database(error: error, place: options.url.place)
            }
        }

        /// Stops listening for changes.
        public func stop() { listener.stop() }

        /// Answers one request of an authenticated account. Throws `WireError`.
        public func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer {
            do {
                let route = try LogRoute(method: request.method, path: request.path)
                switch route {
                case .exchange(let log):
                    return try await exchange(message: request, log: log, account: account)
                case .events(let log): return try await events(log: log, account: account)
                case .purge(let log):
                    let space = PostgresSpace(account: account, log: log)
                    return try await command(
                        statement: PostgresStatement(
                            """
                            select exists (select from entitysync.scratch where space = $1::uuid),
                              entitysync.purge_older('{}', 0, $1::uuid)
                            """,
                            .text(space.id)
                        )
                    )
                case .restart(let log):
                    return try await command(function: "restart_scratch", log: log, account: account)
                case .remove(let log):
                    return try await command(function: "remove_scratch", log: log, account: account)
                }
            } catch {
                throw WireError(database: error, limits: limits)
            }
        }

        /// Removes expired tombstones of one account, or of all (nil). Cursors from before them expire. Returns the number
        /// of tombstones removed. Scratch logs are not touched. Throws `WireError`.
        ///
        /// - Parameter olderThanDays: The age in days by the database's clock; nil for the rules of schemas and options.
        public func purgeTombstones(account: String? = nil, olderThanDays: Int? = nil) async throws -> Int {
            var days = "{}"
            if olderThanDays == nil {
                let own = options.schemas.compactMap { schema in
                    schema.tombstoneDays.map { (schema.name, $0) }
                }
                days = Self.json(days: own)
            }
            let statement = PostgresStatement(
                "select entitysync.purge_older($1::jsonb, $2::integer, $3::uuid)",
                .text(days),
                .text("\(olderThanDays ?? options.tombstoneDays)"),
                .text(account.map { PostgresSpace(accountID: $0).id })
            )
            do {
                let count = try await pool.run(isRepeatable: true) { connection in
                    try connection.transaction([statement])[0].text(column: 0)
                }
                return count.flatMap { Int($0) } ?? 0
            } catch {
                throw WireError(database: error, limits: limits)
            }
        }

        /// Whether the database can be reached and written to. The answer holds for a few seconds.
        public func isStoring() async -> Bool {
            let last = probe.use { $0 }
            if let last, ContinuousClock.now < last.until { return last.isStoring }
            let statement = PostgresStatement(
                "select not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'"
            )
            let found = try? await pool.run(isRepeatable: true) { try $0.run(statement).isTrue(column: 0) }
            let isStoring = found ?? false
            probe.use { $0 = (isStoring, ContinuousClock.now + .seconds(5)) }
            return isStoring
        }

        private static func json(days: [(String, Int)]) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            for (name, days) in days {
                writer.name(name)
                writer.integer(Int64(days))
            }
            writer.endObject()
            return writer.text
        }
    }

    extension PostgresHandler {
        private func exchange(
            message: ServerRequest,
            log: LogName,
            account: Account
        ) async throws -> ServerAnswer {
            let maxEntities = ExchangePolicy().maxEntities
            let request = try ExchangeRequest(message: message, limits: limits, maxEntities: maxEntities)
            let statements = PostgresExchange(body: message.body, log: log, account: account).statements
            // NB: a push may run twice. Its batch has a name, so the second run finds what the first one stored.
            let result = try await pool.run(isRepeatable: true) { connection in
                try PostgresExchange.Result(results: connection.transaction(statements))
            }
            if request.changeCount > 0 { onPush(result.counts) }
            return try .response(result.response())
        }

        private func events(log: LogName, account: Account) async throws -> ServerAnswer {
            let space = PostgresSpace(account: account, log: log)
            if !log.isMain {
                let statement = PostgresStatement(
                    "select exists (select from entitysync.scratch where space = $1::uuid)",
                    .text(space.id)
                )
                _ = try await command(statement: statement)
            }
            return .events(topic: space.id)
        }

        private func command(function: String, log: LogName, account: Account) async throws -> ServerAnswer {
            let space = PostgresSpace(account: account, log: log)
            return try await command(
                statement: PostgresStatement("select entitysync.\(function)($1::uuid)", .text(space.id))
            )
        }

        /// Runs a statement that returns whether the log was there.
        private func command(statement: PostgresStatement) async throws -> ServerAnswer {
            let isThere = try await pool.run(isRepeatable: true) { connection in
                try connection.transaction([statement])[0].isTrue(column: 0)
            }
            guard isThere else { throw WireError.noScratchLog() }
            return .response(HTTPResponse(status: 204))
        }
    }
#endif
