#if Server
    import SyncPostgresServer
    import SyncSchema
    import SyncServer

    extension AccountService {
        /// Makes the account handler of a server whose records are in a PostgreSQL. Throws `SyncError` if the
        /// database cannot be used.
        ///
        /// - Parameters:
        ///   - isWanted: Whether a topic has a stream.
        ///   - onMissedChanges: Called when changes may have been missed.
        static func database(
            options: AccountServiceOptions,
            url: PostgresURL,
            schemas: [Schema],
            isWanted: @escaping @Sendable (String) -> Bool,
            onMissedChanges: @escaping @Sendable () -> Void
        ) async throws -> AccountService {
            var database = PostgresServerOptions(url: url, schemas: schemas)
            if let days = options.tombstoneDays { database.tombstoneDays = days }
            let handler = try await PostgresHandler(
                options: database,
                onPush: { [metrics = options.metrics] counts in
                    metrics.countChanges(
                        accepted: counts.accepted,
                        conflicts: counts.conflicts,
                        refused: counts.refused
                    )
                },
                onExchange: options.onExchange,
                isWanted: isWanted,
                onChange: options.onChange,
                onMissedChanges: onMissedChanges
            )
            return AccountService(
                handler: handler,
                purge: { try await handler.purgeTombstones(olderThanDays: $0) },
                storageFailure: { await handler.storageFailure() },
                sizes: { [:] },
                openAPI: OpenAPIDocument.bytes
            )
        }
    }
#endif

#if Server
    extension DatabaseOptions {
        /// The accounts in the database; nil if records are in files. Throws `SyncError` if the URL cannot be read.
        func accounts() throws -> PostgresAccounts? { try url().map { PostgresAccounts(url: $0) } }
    }
#else
    import SyncServer

    /// Accounts in a database, which this build does not know: there is no value of this type.
    enum PostgresAccounts: AccountRecords {
        func read(account: String, visit: (String, [UInt8]) throws -> Void) throws -> [String] {
            switch self {}
        }

        func checkErasure() throws {}

        func erase(account: String) throws {}
    }

    extension DatabaseOptions {
        /// Nil: records are in files. Throws `SyncError` if a database is named.
        func accounts() throws -> PostgresAccounts? {
            _ = try isGiven
            return nil
        }
    }
#endif
