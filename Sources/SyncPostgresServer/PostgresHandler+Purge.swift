#if Server
    import SyncCore
    import SyncSchema
    import SyncServer
    import SyncWire

    /// Removing tombstones: account by account, in batches with a transaction each, so that neither many accounts nor
    /// many tombstones run into the time limit of a statement.
    extension PostgresHandler {
        /// The most tombstones that one transaction removes.
        private static let maxBatch = 5000

        /// Removes expired tombstones of one account, or of all (nil). Cursors that had not seen them expire. Returns the
        /// number of tombstones removed. Scratch logs are not touched.
        ///
        /// - Parameter olderThanDays: The age in days by the database's clock; nil for the rules of schemas and options.
        /// - Throws: `PurgeError` after all other accounts are done; `WireError` if they cannot be listed.
        public func purgeTombstones(account: String? = nil, olderThanDays: Int? = nil) async throws -> Int {
            let retention = Retention(options: options, days: olderThanDays)
            if let account {
                do {
                    return try await purge(space: PostgresSpace(accountID: account).id, retention: retention)
                } catch { throw WireError(database: error, limits: limits) }
            }
            var count = 0
            var failures: [PurgeError.FailedAccount] = []
            var last: String?
            while let space = try await nextSpace(after: last, of: "fold_next") {
                try Task.checkCancellation()
                last = space
            }
            last = nil
            while let space = try await nextSpace(after: last, of: "next_with_tombstones") {
                do {
                    count += try await purge(space: space, retention: retention)
                } catch let error as CancellationError {
                    throw error
                } catch {
                    let error = WireError(database: error, limits: limits)
                    failures.append(
                        PurgeError.FailedAccount(account: space, cause: error.cause ?? error.detail)
                    )
                }
                last = space
            }
            guard failures.isEmpty else { throw PurgeError(accounts: failures, removed: count) }
            return count
        }

        /// Removes all tombstones of a space. Returns their number.
        func purgeAll(space: String) async throws -> Int {
            try await purge(space: space, retention: Retention(entities: "{}", otherDays: 0))
        }

        private func purge(space: String, retention: Retention) async throws -> Int {
            let statement = PostgresStatement(
                "select entitysync.purge_older($1::jsonb, $2::integer, $3::uuid, \(Self.maxBatch))",
                .text(retention.entities),
                .text("\(retention.otherDays)"),
                .text(space)
            )
            var total = 0
            while true {
                try Task.checkCancellation()
                let text = try await pool.run(isRepeatable: true) { connection in
                    try connection.transaction([statement])[0].text(column: 0)
                }
                let count = text.flatMap { Int($0) } ?? 0
                total += count
                // Fewer than asked for, because a tombstone was revived meanwhile, are no reason to go on for ever.
                if count < Self.maxBatch { return total }
            }
        }

        /// The next space, as a function gives it: one that has tombstones, or one whose log it folded; nil after the last
        /// one.
        private func nextSpace(after last: String?, of function: String) async throws -> String? {
            let statement = PostgresStatement("select entitysync.\(function)($1::uuid)", .text(last))
            do {
                return try await pool.run(isRepeatable: true) { connection in
                    try connection.transaction([statement])[0].text(column: 0)
                }
            } catch { throw WireError(database: error, limits: limits) }
        }
    }

    /// How long tombstones are kept.
    private struct Retention {
        /// Days by entity as JSON.
        var entities: String
        /// Days of all other entities.
        var otherDays: Int
    }

    extension Retention {
        /// The rules of schemas and options, or the same age for all entities.
        init(options: PostgresServerOptions, days: Int?) {
            var writer = JSONWriter()
            writer.beginObject()
            for schema in options.schemas where days == nil {
                guard let own = schema.tombstoneDays else { continue }
                writer.name(schema.name)
                writer.integer(Int64(own))
            }
            writer.endObject()
            self.init(entities: writer.text, otherDays: days ?? options.tombstoneDays)
        }
    }
#endif
