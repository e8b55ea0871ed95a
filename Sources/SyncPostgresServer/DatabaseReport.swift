#if Server
    import SyncCore
    import SyncPostgres
    public import SyncSchema

    /// What is not as it should be in a database, compared with schemas.
    public struct DatabaseReport: Sendable, Equatable {
        /// The findings, in the order of the entities; empty if there are none.
        public var findings: [Finding]

        /// One finding.
        public struct Finding: Sendable, Equatable {
            /// Whether records are not synced or not protected. Otherwise something may surprise.
            public var isError: Bool
            /// The entity; nil for the database as a whole.
            public var entity: String?
            /// What was found, as one sentence.
            public var text: String
            /// What to do, as one sentence or statement.
            public var help: String
        }

        /// Reads a database, with every row that it keeps in sync. Throws `SyncError` if it cannot be reached or asked.
        public static func read(url: PostgresURL, schemas: [Schema]) throws -> DatabaseReport {
            do {
                let connection = try PostgresConnection(
                    url: url,
                    timeouts: PostgresConnection.Timeouts(statementSeconds: 600, answerSeconds: 660)
                )
                return try read(connection: connection, schemas: schemas)
            } catch let error as PostgresError {
                throw SyncError.database(error: error, place: url.place)
            }
        }

        private static func read(connection: PostgresConnection, schemas: [Schema]) throws -> DatabaseReport {
            let again = "Apply the SQL that 'synccheck generate --sql postgres' writes."
            func alone(_ text: String, help: String = again) -> DatabaseReport {
                DatabaseReport(findings: [Finding(isError: true, entity: nil, text: text, help: help)])
            }
            let isThere = "select to_regprocedure('entitysync.doctor()') is not null"
            guard try connection.run(PostgresStatement(isThere)).isTrue(column: 0) else {
                let hasOlder = try connection.run(
                    PostgresStatement("select to_regclass('entitysync.installation') is not null")
                )
                return alone(
                    hasOlder.isTrue(column: 0)
                        ? "The database has an older SQL of EntitySync."
                        : "The database has no SQL of EntitySync."
                )
            }
            let version = try connection.run(
                PostgresStatement(
                    "select sql_version, entitysync.expected()::text from entitysync.installation"
                )
            )
            let number = version.text(column: 0).flatMap { Int($0) } ?? 0
            guard number == PostgresGenerator.sqlVersion else {
                let text =
                    "The database has version \(number) of the SQL; this program knows \(PostgresGenerator.sqlVersion)."
                return alone(
                    text,
                    help: number > PostgresGenerator.sqlVersion ? "Use a newer program." : again
                )
            }
            var report = DatabaseReport(findings: [])
            let expected = [PostgresOptions.Owner.user, .none].map {
                PostgresGenerator.expected(of: schemas, options: PostgresOptions(owner: $0))
            }
            if !expected.contains(version.text(column: 1) ?? "") {
                report = alone(
                    "The SQL of the database was generated from other schemas.",
                    help: "Generate it again, with '--from' and the baseline of the release that it is from."
                )
            }
            let rows = try connection.run(
                PostgresStatement("select severity, entity, finding, help from entitysync.doctor()")
            )
            for row in 0..<rows.rowCount {
                report.findings.append(
                    Finding(
                        isError: rows.text(row: row, column: 0) == "error",
                        entity: rows.text(row: row, column: 1),
                        text: rows.text(row: row, column: 2) ?? "",
                        help: rows.text(row: row, column: 3) ?? ""
                    )
                )
            }
            return report
        }
    }
#endif
