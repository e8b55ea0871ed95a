#if Server
    public import SyncSchema

    /// What a server over PostgreSQL needs.
    public struct PostgresServerOptions: Sendable {
        /// The database. Its user may make tables and roles, or they are there already.
        public var url: PostgresURL
        /// The entities, as a checked set.
        public var schemas: [Schema]
        /// The most connections of this process, beside one that looks for changes and one that checks.
        public var maxConnections: Int
        /// Days that a tombstone is kept if its schema does not say.
        public var tombstoneDays: Int
        /// Seconds after which the database ends a statement.
        public var statementSeconds: Double

        /// Makes options.
        public init(
            url: PostgresURL,
            schemas: [Schema],
            maxConnections: Int = 8,
            tombstoneDays: Int = 180,
            statementSeconds: Double = 30
        ) {
            self.url = url
            self.schemas = schemas
            self.maxConnections = maxConnections
            self.tombstoneDays = tombstoneDays
            self.statementSeconds = statementSeconds
        }
    }
#endif
