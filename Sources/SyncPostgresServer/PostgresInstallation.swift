#if Server
    import SyncCore
    import SyncPostgres
    import SyncServer

    /// Puts the SQL of the schemas into a database, once for each text. Several processes may do it at once.
    package struct PostgresInstallation {
        private let options: PostgresServerOptions

        /// Makes what `apply` does for a server.
        package init(options: PostgresServerOptions) {
            self.options = options
        }

        /// The most seconds that another process may take to apply its SQL.
        private static let maxSeconds = 3600.0
        /// The least version of PostgreSQL, in its own numbers.
        private static let oldestServer = 140_000

        /// Applies the SQL if the database has another one. Entities and columns are added, never taken away: throws
        /// `SyncError` if the database has some that the schemas lack or declare otherwise.
        package func apply() async throws {
            do {
                try await BlockingQueue(maxThreads: 1).run {
                    var timeouts = PostgresConnection.Timeouts()
                    (timeouts.statementSeconds, timeouts.answerSeconds) = (0, Self.maxSeconds)
                    try apply(on: PostgresConnection(url: options.url, timeouts: timeouts))
                }
            } catch let error as SQLNameError {
                throw SyncError.badSQLName(error: error)
            } catch let error as PostgresError {
                throw SyncError.database(error: error, place: options.url.place)
            }
        }

        private func apply(on connection: PostgresConnection) throws {
            guard connection.serverVersion >= Self.oldestServer else { throw SyncError.oldServer() }
            let files = try PostgresGenerator.files(
                for: options.schemas,
                options: PostgresOptions(isStandAlone: true)
            )
            let digest = Self.digest(files: files)
            if try !isInstalled(digest: digest, on: connection) {
                // Held until the connection ends.
                _ = try connection.run(PostgresStatement("select pg_advisory_lock(7316, 2)"))
                if try !isInstalled(digest: digest, on: connection) {
                    let entities = InstalledEntities(options.schemas)
                    try check(entities, on: connection)
                    let needsRoles = try needsRoles(on: connection)
                    for file in files where needsRoles || file.name != PostgresGenerator.rolesFile {
                        if file.name == PostgresGenerator.entitiesFile {
                            try connection.script(PostgresGenerator.addedColumns(for: options.schemas))
                        }
                        try connection.script(file.contents)
                    }
                    try connection.script("call entitysync.adopt();")
                    _ = try connection.run(
                        PostgresStatement(
                            "update entitysync.installation set digest = $1, entities = $2::jsonb",
                            .text(digest),
                            .text(entities.json)
                        )
                    )
                }
            }
            let mayAct = PostgresStatement("select pg_has_role(current_user, 'authenticated', 'member')")
            guard try connection.run(mayAct).isTrue(column: 0) else { throw SyncError.mayNotAct() }
        }

        /// Whether the database has the SQL with this digest. Throws if it has SQL of a newer version.
        private func isInstalled(digest: String, on connection: PostgresConnection) throws -> Bool {
            let exists = PostgresStatement("select to_regclass('entitysync.installation') is not null")
            guard try connection.run(exists).isTrue(column: 0) else { return false }
            let statement = PostgresStatement(
                "select sql_version, to_jsonb(i) ->> 'digest' from entitysync.installation as i"
            )
            let found = try connection.run(statement)
            let version = found.text(column: 0).flatMap { Int($0) } ?? 0
            guard version <= PostgresGenerator.sqlVersion else {
                throw SyncError.newerSQL(found: version, known: PostgresGenerator.sqlVersion)
            }
            return found.text(column: 1) == digest
        }

        /// Throws if the database has entities or columns that another server put there and that these lack.
        private func check(_ entities: InstalledEntities, on connection: PostgresConnection) throws {
            let exists = PostgresStatement("select to_regclass('entitysync.installation') is not null")
            guard try connection.run(exists).isTrue(column: 0) else { return }
            let statement = PostgresStatement(
                "select to_jsonb(i) ->> 'entities' from entitysync.installation as i"
            )
            guard let json = try connection.run(statement).text(column: 0),
                let installed = InstalledEntities(json: json)
            else { return }
            let conflicts = entities.conflicts(with: installed)
            guard conflicts.isEmpty else { throw SyncError.otherSchemas(names: conflicts) }
        }

        /// Whether roles and the schema `auth` are ours to make, and not those of Supabase.
        private func needsRoles(on connection: PostgresConnection) throws -> Bool {
            let statement = PostgresStatement(
                """
                select to_regprocedure('auth.uid()') is null
                  or coalesce(obj_description(to_regprocedure('auth.uid()'), 'pg_proc') like 'EntitySync:%', false)
                """
            )
            return try connection.run(statement).isTrue(column: 0)
        }

        private static func digest(files: [SQLFile]) -> String {
            let text = files.map { "\($0.name)\n\($0.contents)" }.joined()
            return SHA256.digest(bytes: Array(text.utf8)).hexadecimal
        }
    }
#endif
