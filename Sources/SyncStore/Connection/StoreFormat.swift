import SyncSQLite

/// The format of a store's database file, and the tables that every store has in addition to those of its entities.
enum StoreFormat {
    /// The application id in the header of each store: `ESYN`.
    static let applicationID: Int32 = 0x4553_594e
    /// The format version. It rises with each change that an older program could not read.
    static let version: Int32 = 7
    /// The prefix of the store's own tables and columns.
    static let prefix = "sync_"
    /// The most history entries of a record; the oldest are dropped first.
    static let maxHistoryEntries = 100

    /// Upgrade steps from one format to the next. The format reached is the step's position plus two.
    static let steps: [@Sendable (Connection) throws -> Void] = [
        addRevisions, addSnapshotRows, orderWaiting, addSums, allowSetAside,
        showMerged,
    ]

    /// Format 2 keeps the remote's name for the state of each record.
    private static func addRevisions(_ connection: Connection) throws {
        for table in try entityTables(connection) {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN sync_revision TEXT")
        }
    }

    /// The quoted names of the tables of entities.
    private static func entityTables(_ connection: Connection) throws -> [String] {
        let sql = """
            SELECT name FROM sqlite_schema AS t WHERE type = 'table' AND EXISTS \
            (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'sync_visibility')
            """
        var tables: [String] = []
        try connection.cached(sql: sql).forEachRow { tables.append($0.string(at: 0)) }
        return try tables.map { try SQL.identifier(name: $0) }
    }

    /// Format 3 notes which records the remote's full state contains.
    private static func addSnapshotRows(_ connection: Connection) throws {
        try connection.execute(held)
    }

    /// Format 4 orders records that are not clean by their rows.
    private static func orderWaiting(_ connection: Connection) throws {
        let sql =
            "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND name = 'sync:' || tbl_name || ':unclean'"
        var tables: [String] = []
        try connection.cached(sql: sql).forEachRow { tables.append($0.string(at: 0)) }
        for table in tables {
            let (old, new) = ("sync:\(table):unclean", "sync:\(table):\(TableDDL.waiting)")
            try connection.execute("DROP INDEX \(try SQL.identifier(name: old))")
            try connection.execute(
                "CREATE INDEX \(try SQL.identifier(name: new)) ON \(try SQL.identifier(name: table)) (sync_state) "
                    + "WHERE sync_state <> 0"
            )
        }
    }

    /// Format 5 keeps sums of the fingerprints of records, for comparison with other devices.
    private static func addSums(_ connection: Connection) throws {
        try connection.execute(sums)
    }

    /// Format 6 has records that are set aside, a visibility that older programs do not know.
    private static func allowSetAside(_ connection: Connection) {}

    /// Format 7 hides no record behind a duplicate of it: it is shown until the next sync has merged them.
    private static func showMerged(_ connection: Connection) throws {
        let before = connection.totalChanges
        for table in try entityTables(connection) {
            try connection.execute(
                "UPDATE \(table) SET sync_visibility = 0, sync_merged = NULL WHERE sync_visibility = 2"
            )
        }
        guard connection.totalChanges > before else { return }
        try connection.execute(
            "DELETE FROM sync_sum; INSERT OR REPLACE INTO sync_value (name, value) VALUES ('unlooked', '')"
        )
    }

    private static let sums = """
        CREATE TABLE sync_sum (
            id INTEGER PRIMARY KEY, entity TEXT NOT NULL, run INTEGER NOT NULL, schema TEXT NOT NULL,
            high INTEGER NOT NULL, low INTEGER NOT NULL, UNIQUE (entity, run)
        ) STRICT;
        """

    private static let held = """
        CREATE TABLE sync_held (
            id INTEGER PRIMARY KEY, entity TEXT NOT NULL, chunk INTEGER NOT NULL, bits BLOB NOT NULL,
            UNIQUE (entity, chunk)
        ) STRICT;
        """

    /// Versions are `EntryCodec` bytes, which any later schema of the entity can read.
    static let tables = """
        CREATE TABLE sync_value (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
        CREATE TABLE sync_sequence (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
        INSERT INTO sync_sequence (id, last) VALUES (1, 0);
        CREATE TABLE sync_entity (
            name TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, shape TEXT NOT NULL
        ) STRICT;
        CREATE TABLE sync_side (
            id INTEGER PRIMARY KEY, entity TEXT NOT NULL, key TEXT NOT NULL, kind INTEGER NOT NULL,
            version BLOB NOT NULL, UNIQUE (entity, key, kind)
        ) STRICT;
        CREATE TABLE sync_head (
            id INTEGER PRIMARY KEY, entity TEXT NOT NULL, key TEXT NOT NULL, version BLOB NOT NULL
        ) STRICT;
        CREATE INDEX sync_head_record ON sync_head (entity, key);
        CREATE TABLE sync_journal (
            number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, entity TEXT NOT NULL,
            key TEXT NOT NULL, rule TEXT NOT NULL, kept BLOB NOT NULL, lost BLOB NOT NULL
        ) STRICT;
        CREATE TABLE sync_rejection (
            id INTEGER PRIMARY KEY, entity TEXT NOT NULL, key TEXT NOT NULL, reason TEXT NOT NULL,
            attempts INTEGER NOT NULL, raw BLOB, since INTEGER NOT NULL, UNIQUE (entity, key)
        ) STRICT;
        CREATE TABLE sync_history (
            id INTEGER PRIMARY KEY, entity TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,
            event TEXT NOT NULL, detail TEXT NOT NULL
        ) STRICT;
        CREATE INDEX sync_history_record ON sync_history (entity, key);
        \(held)
        \(sums)
        """
}
