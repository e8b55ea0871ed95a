#if Server
    import SyncCore
    import SyncServer

    /// What accounts have in a PostgreSQL, for commands. Its calls block.
    package struct PostgresAccounts: AccountRecords {
        private let url: PostgresURL

        /// The accounts in a database.
        package init(url: PostgresURL) { self.url = url }

        /// Throws `SyncError` if the database cannot be reached, or cannot erase an account.
        package func checkErasure() throws {
            try withConnection { connection in
                let found = try connection.run(
                    PostgresStatement(
                        """
                        select to_regprocedure('entitysync.empty(uuid)') is not null,
                          to_regprocedure('entitysync.erase_account(uuid)') is not null
                        """
                    )
                )
                guard found.isTrue(column: 0) else { throw SyncError.noErasure(place: url.place) }
                guard found.isTrue(column: 1) else { throw SyncError.earlierSQL(place: url.place) }
            }
        }

        /// Removes everything of an account in one transaction: rows, states, tombstones, devices and scratch logs. An
        /// account that is not there is no error. A server may run: requests that it let in before store nothing
        /// afterwards. Throws `SyncError`.
        package func erase(account: String) throws {
            try withConnection { connection in
                _ = try connection.transaction([
                    PostgresStatement(
                        "select entitysync.erase_account($1::uuid)",
                        .text(PostgresSpace(accountID: account).id)
                    )
                ])
            }
        }

        package func read(
            account: String,
            visit: (_ entity: String, _ entry: [UInt8]) throws -> Void
        ) throws -> [String] {
            let space = PostgresSpace(accountID: account)
            return try withConnection { connection in
                _ = try connection.run(PostgresStatement("begin isolation level repeatable read read only"))
                let devices = try connection.run(
                    PostgresStatement(
                        "select device from entitysync.device where space = $1::uuid order by device",
                        .text(space.id)
                    )
                )
                _ = try connection.run(
                    PostgresExchange.becoming(space: space, entities: nil, role: "entitysync")
                )
                _ = try connection.run(Self.cursor)
                while true {
                    let page = try connection.run(Self.fetch)
                    for row in 0..<page.rowCount {
                        guard let entity = page.text(row: row, column: 0),
                            let entry = page.bytes(row: row, column: 1)
                        else { throw PostgresError(kind: .lost) }
                        try visit(entity, entry)
                    }
                    if page.rowCount < Self.pageRows { break }
                }
                _ = try connection.run(PostgresStatement("commit"))
                return (0..<devices.rowCount).compactMap { devices.text(row: $0, column: 0) }
            }
        }

        private static let pageRows = 500

        /// All records of the space of the caller. The columns of their names are ordered by bytes.
        private static let cursor = PostgresStatement(
            """
            declare records no scroll cursor for
            select s.entity, e.entry
            from entitysync.state as s cross join lateral entitysync.entries(array[s]) as e
            where s.space = entitysync.my_space() and e.entry is not null order by s.entity, s.key
            """
        )
        private static let fetch = PostgresStatement("fetch \(pageRows) from records")

        /// Runs a body with a connection whose statements may take an hour.
        private func withConnection<Result>(body: (PostgresConnection) throws -> Result) throws -> Result {
            var timeouts = PostgresConnection.Timeouts()
            timeouts.statementSeconds = 3600
            timeouts.answerSeconds = 3630
            do {
                return try body(PostgresConnection(url: url, timeouts: timeouts))
            } catch let error as PostgresError {
                throw SyncError.accountFailed(error: error, place: url.place)
            }
        }
    }
#endif
