#if Server
    import Foundation
    import SyncCore
    import SyncDynamic
    import SyncSchema
    public import SyncServer
    public import SyncWire

    /// Answers requests about accounts whose records are in a PostgreSQL. Any number of processes may serve one database:
    /// nothing is kept in a process.
    ///
    /// An exchange is one call of `entitysync_exchange` as the role `authenticated`, under the policies of the tables, in
    /// one round trip to the database.
    public final class PostgresHandler: AccountHandler, TombstonePurger {
        let pool: PostgresPool
        /// Before the pool, so that requests of one account that wait for each other hold no connections.
        private let turns: AccountTurns
        private let watcher: PostgresWatcher
        let options: PostgresServerOptions
        let limits = WireLimits()
        private let entities: EntityList
        private let probe: DatabaseProbe
        private let onPush: @Sendable (PushCounts) -> Void
        private let onExchange: @Sendable (ExchangeReport) -> Void

        /// Connects, applies the SQL of the schemas if the database has another one, and begins to look for changes.
        ///
        /// - Parameters:
        ///   - onPush: Called after the commit of a push with its counts.
        ///   - onExchange: Called after each round trip on an account's data.
        ///   - isWanted: Whether somebody still wants to hear of a topic that a request for events asked for.
        ///   - onChange: Called with the topic of such a log that changed, through this process or any other writer.
        ///   - onMissedChanges: Called when changes may have been missed, because there was no connection to look with.
        /// - Throws: `SyncError` if the database cannot be used.
        public init(
            options: PostgresServerOptions,
            onPush: @escaping @Sendable (PushCounts) -> Void = { _ in },
            onExchange: @escaping @Sendable (ExchangeReport) -> Void = { _ in },
            isWanted: @escaping @Sendable (String) -> Bool = { _ in true },
            onChange: @escaping @Sendable (String) -> Void,
            onMissedChanges: @escaping @Sendable () -> Void
        ) async throws {
            self.options = options
            entities = EntityList(EntityDescriptor.descriptors(of: options.schemas))
            self.onPush = onPush
            self.onExchange = onExchange
            var settings = PostgresPool.Settings()
            settings.maxConnections = options.maxConnections
            settings.timeouts.statementSeconds = options.statementSeconds
            settings.timeouts.answerSeconds = options.statementSeconds + 30
            pool = PostgresPool(url: options.url, settings: settings)
            turns = AccountTurns(limits: AccountTurns.Limits(maxRunning: min(2, options.maxConnections - 1)))
            probe = DatabaseProbe(url: options.url)
            try await PostgresInstallation(options: options).apply()
            do {
                watcher = try PostgresWatcher(
                    url: options.url,
                    timeouts: settings.timeouts,
                    events: PostgresWatcher.Events(
                        isWanted: isWanted,
                        onChange: onChange,
                        onMissedChanges: onMissedChanges
                    )
                )
            } catch let error as PostgresError {
                throw SyncError.database(error: error, place: options.url.place)
            }
        }

        /// Stops looking for changes.
        public func stop() { watcher.stop() }

        /// Answers one request of an authenticated account. Throws `WireError`.
        public func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer {
            do {
                let route = try LogRoute(method: request.method, path: request.path)
                switch route {
                case .exchange(let log):
                    return try await exchange(message: request, log: log, account: account)
                case .events(let log):
                    return try await inTurn(of: account) { try await events(log: log, account: account) }
                case .purge(let log):
                    let space = PostgresSpace(account: account, log: log)
                    return try await inTurn(of: account) {
                        let done = try await command(statement: Self.isScratch(space))
                        _ = try await purgeAll(space: space.id)
                        return done
                    }
                case .restart(let log):
                    return try await command(function: "restart_scratch", log: log, account: account)
                case .remove(let log):
                    return try await command(function: "remove_scratch", log: log, account: account)
                }
            } catch {
                throw WireError(database: error, limits: limits)
            }
        }

        /// Why the database stores nothing at present; nil if it can be reached and written to. The answer comes within
        /// a few seconds, and holds for a few.
        public func storageFailure() async -> StorageFailure? { await probe.failure() }
    }

    extension PostgresHandler {
        private func exchange(
            message: ServerRequest,
            log: LogName,
            account: Account
        ) async throws -> ServerAnswer {
            let maxEntities = ExchangePolicy().maxEntities
            let request = try ExchangeRequest(message: message, limits: limits, maxEntities: maxEntities)
            let kind: AccountTurns.Kind = request.changeCount > 0 ? .push : .other
            let (push, result) = try await turns.run(account: account.id, kind: kind) {
                try await perform(request, message: message, log: log, account: account)
            }
            var response = try result.response()
            var report = ExchangeReport(
                account: account.id,
                device: request.device.description,
                counts: result.counts
            )
            if let push {
                onPush(result.counts)
                watcher.lookNow()
                (response.body, report.refused) = try push.completed(response.body)
            }
            if log.isMain { onExchange(report) }
            return .response(response)
        }

        /// Checks the changes of a request and runs it in the database.
        private func perform(
            _ request: ExchangeRequest,
            message: ServerRequest,
            log: LogName,
            account: Account
        ) async throws -> (push: CheckedPush?, result: PostgresExchange.Result) {
            let check = PushCheck(entities: entities, account: account)
            let push =
                try request.changeCount == 0
                ? nil : CheckedPush(request: request, bytes: message.body, check: check)
            let body = push?.body ?? message.body
            let statements = PostgresExchange(body: body, log: log, account: account).statements
            do {
                // NB: a push may run twice. Its batch has a name, so the second run finds what the first one stored.
                let result = try await pool.run(isRepeatable: true) { connection in
                    try PostgresExchange.Result(results: connection.transaction(statements))
                }
                return (push, result)
            } catch let error as PostgresError where error.isTooSlow && request.changeCount > 1 {
                throw WireError.tooMuchWork(limits: limits, cause: error.cause)
            }
        }

        private func events(log: LogName, account: Account) async throws -> ServerAnswer {
            let space = PostgresSpace(account: account, log: log)
            if !log.isMain { _ = try await command(statement: Self.isScratch(space)) }
            let statement = PostgresWatcher.marks(of: [space.id])
            let mark = try await pool.run(isRepeatable: true) { try $0.run(statement).text(column: 1) }
            watcher.watch(space: space.id, mark: mark ?? "")
            return .events(topic: space.id)
        }

        private static func isScratch(_ space: PostgresSpace) -> PostgresStatement {
            PostgresStatement(
                "select exists (select from entitysync.scratch where space = $1::uuid)",
                .text(space.id)
            )
        }

        private func command(function: String, log: LogName, account: Account) async throws -> ServerAnswer {
            let space = PostgresSpace(account: account, log: log)
            let statement = PostgresStatement("select entitysync.\(function)($1::uuid)", .text(space.id))
            return try await inTurn(of: account) { try await command(statement: statement) }
        }

        /// Does what is no push when it is the account's turn.
        private func inTurn(
            of account: Account,
            work: () async throws -> ServerAnswer
        ) async throws -> ServerAnswer {
            try await turns.run(account: account.id, kind: .other, work: work)
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
