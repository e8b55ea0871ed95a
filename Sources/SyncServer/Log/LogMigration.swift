import SyncCore
import SyncSQLite

/// Migrates a file of an older format to the present one.
///
/// Format 1 stored entity names and keys as text (see `StoredKey`).
enum LogMigration {
    /// Migrates in one transaction. If it fails or the process ends, the file is unchanged. The pages of the
    /// old table are reused.
    static func run(_ connection: Connection) throws {
        guard try connection.userVersion() < LogFormat.version else { return }
        try connection.transaction(kind: .immediate) {
            // Another process may have migrated it in the meantime.
            guard try connection.userVersion() < LogFormat.version else { return }
            // An index keeps its name when its table is renamed.
            try connection.execute(
                """
                DROP INDEX record_revision;
                DROP INDEX record_tombstone;
                ALTER TABLE record RENAME TO spelled;
                CREATE TABLE entity (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
                INSERT INTO entity (name) SELECT DISTINCT entity FROM spelled ORDER BY entity;
                """ + LogFormat.recordTable
            )
            try copy(connection)
            try connection.execute("DROP TABLE spelled")
            try connection.setUserVersion(LogFormat.version)
        }
    }

    private static func copy(_ connection: Connection) throws {
        let insert = try connection.prepare(
            """
            INSERT INTO record
            SELECT spelled.id, log, entity.id, ?2, revision, run, mark, pushed, vector, deleted, stored_at, entry
            FROM spelled JOIN entity ON entity.name = spelled.entity WHERE spelled.id = ?1
            """
        )
        try connection.prepare("SELECT id, key FROM spelled ORDER BY id").forEachRow { row in
            try insert.bind(row.int64(at: 0), at: 1)
            try StoredKey(RecordKey(row.string(at: 1))).bind(to: insert, at: 2)
            try insert.run()
        }
    }
}
