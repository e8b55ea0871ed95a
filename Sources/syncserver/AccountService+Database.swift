#if Server
    import SyncPostgresServer
    import SyncSchema
    import SyncServer

    extension AccountService {
        /// Makes the account handler of a server whose records are in a PostgreSQL. Throws `SyncError` if the database cannot
        /// be used.
        ///
        /// - Parameter onMissedChanges: Called when changes may have been missed.
        static func database(
            options: AccountServiceOptions,
            url: PostgresURL,
            schemas: [Schema],
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
