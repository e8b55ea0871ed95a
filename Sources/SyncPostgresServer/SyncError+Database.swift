#if Server
    public import SyncCore
    import SyncPostgres

    /// All errors of a start with a database, with their wording. They never contain a password.
    extension SyncError {
        /// The text is no database URL.
        public static let badDatabaseURL = SyncError(
            kind: .usage,
            message: "The URL of the database cannot be read.",
            help:
                "Write it as 'postgres://USER:PASSWORD@HOST:5432/NAME'; encode '@', ':' and '/' in a password as in URLs."
        )

        /// The database could not be used.
        static func database(error: PostgresError, place: String) -> SyncError {
            switch error.kind {
            case .unreachable:
                SyncError(
                    kind: .unreachable,
                    message: "The database at '\(place)' cannot be reached: \(error.reason)",
                    help: "Start it, or correct host, port, user, password and database in the URL.",
                    retry: .later
                )
            case .lost, .timedOut, .busy:
                SyncError(
                    kind: .unreachable,
                    message: "The database at '\(place)' did not answer (\(error.cause)).",
                    help: "Look at its log, and start the server again.",
                    retry: .later
                )
            case .failed where error.sqlstate == "42501":
                SyncError(
                    kind: .notPermitted,
                    message:
                        "The user of the database may not do what EntitySync's SQL needs (PostgreSQL 42501).",
                    help:
                        "Let its owner apply the SQL of 'synccheck generate --sql postgres', or name another user.",
                    retry: .afterAction
                )
            case .failed where error.sqlstate == "25006":
                SyncError(
                    kind: .inputOutput,
                    message:
                        "The database is read-only, and has not the SQL of these schemas; nothing was changed.",
                    help:
                        "Set 'default_transaction_read_only' to off, or name the primary; then start the server again.",
                    retry: .afterAction
                )
            case .failed:
                SyncError(
                    kind: .inputOutput,
                    message:
                        "EntitySync's SQL could not be applied (PostgreSQL \(error.sqlstate)); nothing was changed by it.",
                    help: "The database's log says which statement failed.",
                    retry: .afterAction
                )
            }
        }

        /// A database has no function that removes the rows of one account.
        static func noErasure(place: String) -> SyncError {
            SyncError(
                kind: .usage,
                message:
                    "The database at '\(place)' cannot tell the rows of one account from those of others.",
                help: "Check that it is the server's database. Rows that all users share are deleted by hand."
            )
        }

        /// The database has the SQL of an earlier version, which cannot do what the command needs.
        static func earlierSQL(place: String) -> SyncError {
            SyncError(
                kind: .usage,
                message: "The database at '\(place)' has the SQL of an earlier version.",
                help: "Start 'syncserver serve' of this version once: it brings the database up to date."
            )
        }

        /// A command on an account failed. The database changed nothing.
        static func accountFailed(error: PostgresError, place: String) -> SyncError {
            guard error.kind == .failed, error.sqlstate != "42501" else {
                return .database(error: error, place: place)
            }
            return SyncError(
                kind: .inputOutput,
                message: "The database could not do it (PostgreSQL \(error.sqlstate)), and changed nothing.",
                help: "Check that it is the server's database; its log says which statement failed.",
                retry: .afterAction
            )
        }

        /// The database has SQL of a newer version.
        static func newerSQL(found: Int, known: Int) -> SyncError {
            SyncError(
                kind: .unreadableStore,
                message:
                    "The database has EntitySync's SQL of version \(found); this server knows version \(known).",
                help: "Start a newer syncserver; nothing was changed."
            )
        }

        /// Another server put entities or columns into the database that these schemas lack or declare otherwise.
        static func otherSchemas(names: [String]) -> SyncError {
            let shown = names.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
            let rest = names.count > 5 ? " and \(names.count - 5) more" : ""
            return SyncError(
                kind: .invalidInput,
                message:
                    "The database has \(shown)\(rest) of another server, which these schemas lack or declare otherwise.",
                help:
                    "Start with the newest schemas. To give something up, migrate its table, and then run "
                    + "'update entitysync.installation set entities = null'; nothing was changed."
            )
        }

        /// A name of a schema cannot be a name in PostgreSQL.
        static func badSQLName(error: SQLNameError) -> SyncError {
            let reason =
                switch error.reason {
                case .tooLong: "is longer than the 63 bytes that PostgreSQL keeps"
                case .taken: "is there twice"
                case .reserved: "is that of a column of PostgreSQL itself"
                }
            return SyncError(
                kind: .invalidInput,
                message: "The name '\(error.name)' of the entity '\(error.entity)' \(reason).",
                help: "Rename the field or the entity's 'remote'; nothing was changed."
            )
        }

        /// The server is too old.
        static func oldServer() -> SyncError {
            SyncError(
                kind: .unreadableStore,
                message: "The database is older than PostgreSQL 14.",
                help: "Upgrade it, or choose another one; nothing was changed."
            )
        }

        /// The database's user cannot act as an account.
        static func mayNotAct() -> SyncError {
            SyncError(
                kind: .notPermitted,
                message: "The user of the database may not act as the role 'authenticated'.",
                help: "Run 'grant authenticated to USER' as its administrator.",
                retry: .afterAction
            )
        }
    }
#endif
