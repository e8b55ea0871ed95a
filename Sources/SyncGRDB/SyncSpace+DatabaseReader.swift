#if GRDB
    public import EntitySync
    public import GRDB
    import SyncCore

    extension SyncSpace {
        /// A reader of GRDB on the store's file: snapshots, requests, associations and `ValueObservation` over the
        /// views of live records.
        ///
        /// ```swift
        /// let reader = try space.databaseReader()
        /// let observation = ValueObservation.tracking { db in try Bookmark.fetchCount(db) }
        /// for try await count in observation.values(in: reader) { show(count) }
        /// ```
        ///
        /// Reads run beside the space's own reads and writes, each on one snapshot. Observations wake after each commit
        /// to an entity that they read, by this process at once and by others within a quarter of a second. Nothing can
        /// be written: an attempt throws GRDB's `DatabaseError`, or a `SyncError` of the kind `usage`.
        ///
        /// Keep one reader beside the space, and release both together. The reader ends when the last reference to it
        /// and its observations is released. Once the space is closed or its account is left, observations wake no
        /// more, though reads go on as long as there is a file; until then no backup replaces it.
        ///
        /// - Parameters:
        ///   - label: What GRDB calls its connections and queues.
        ///   - prepare: Prepares each connection, for example with functions or collations.
        /// - Throws: `SyncError` of the kind `usage` if the space is closed or inside a write; `busy` if another
        ///   process writes for too long; GRDB's `DatabaseError` if the file cannot be opened.
        public func databaseReader(
            label: String? = nil,
            prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
        ) throws -> any DatabaseReader {
            let link = ReaderLink(file: try sharedFile())
            let pool = try DatabasePool(
                path: link.path,
                configuration: Self.configuration(label: label, keys: keys, link: link, prepare: prepare)
            )
            let refusal = CommitRefusal()
            pool.add(transactionObserver: refusal, extent: .databaseLifetime)
            link.follow(
                versions: versions(),
                notifier: CommitNotifier(tables: tables, refusal: refusal),
                pool: pool
            )
            // The pool itself is a writer, too.
            return AnyDatabaseReader(pool)
        }

        /// The keys of the views.
        private var keys: ViewKeys {
            ViewKeys(columns: Dictionary(entities.map { ($0.liveView, $0.key) }) { first, _ in first })
        }

        /// The tables behind the views, by entity.
        private var tables: [String: String] {
            Dictionary(entities.map { ($0.name, $0.table) }) { first, _ in first }
        }

        /// As long as the store's own connections wait.
        private static var busyTimeoutSeconds: Double { 5 }

        private static func configuration(
            label: String?,
            keys: ViewKeys,
            link: ReaderLink,
            prepare: @escaping @Sendable (Database) throws -> Void
        ) -> Configuration {
            var configuration = Configuration()
            configuration.label = label
            configuration.foreignKeysEnabled = false
            // A read waits for a moment while another connection begins the log anew or closes the file.
            configuration.busyMode = .timeout(busyTimeoutSeconds)
            configuration.schemaSource = keys
            configuration.prepareDatabase { [link] db in
                // Each connection has its configuration, and with it the link, until after it is closed.
                withExtendedLifetime(link) {}
                try db.execute(sql: "PRAGMA query_only = 1")
                try prepare(db)
            }
            return configuration
        }
    }

    /// Tells GRDB the keys of the views, so that records are found by them.
    private struct ViewKeys: DatabaseSchemaSource {
        /// The key fields, by view.
        let columns: [String: [String]]

        func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
            columns[view.name]
        }
    }
#endif
