import SyncCore
import SyncSQLite
import SyncWire

/// Migrates a file of an older format to the present one.
///
/// Format 1 stored entity names and keys as text (see `StoredKey`). Format 2 stored values twice: the members of
/// `EntryHead` also in the entry, the run of each revision also with the record, and `pushed` and `vector` always.
enum LogMigration {
    /// Migrates in one transaction. If it fails or the process ends, the file is unchanged. The pages of the
    /// old table are reused.
    static func run(_ connection: Connection) throws {
        guard try connection.userVersion() < LogFormat.version else { return }
        try connection.transaction(kind: .immediate) {
            // Another process may have migrated it in the meantime.
            let format = try connection.userVersion()
            guard format < LogFormat.version else { return }
            // An index keeps its name when its table is renamed.
            try connection.execute(
                """
                DROP INDEX record_revision;
                DROP INDEX record_tombstone;
                ALTER TABLE record RENAME TO former;

                """ + (format < 2 ? entityTable : "") + LogFormat.recordTable
            )
            try copy(connection, namesEntities: format < 2)
            try keepRuns(connection)
            try connection.execute("DROP TABLE former")
            try connection.setUserVersion(LogFormat.version)
        }
    }

    private static let entityTable = """
        CREATE TABLE entity (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        INSERT INTO entity (name) SELECT DISTINCT entity FROM former ORDER BY entity;

        """

    /// Copies all records. `namesEntities`: whether they have their entities' names instead of their numbers.
    private static func copy(_ connection: Connection, namesEntities: Bool) throws {
        let insert = try connection.prepare(
            "INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        )
        let former = try connection.prepare(
            """
            SELECT former.id, log, entity.id, name, key, revision, mark, pushed, vector, deleted, stored_at, entry
            FROM former JOIN entity ON entity.\(namesEntities ? "name" : "id") = former.entity ORDER BY former.id
            """
        )
        var heads: [Int64: EntryHead] = [:]
        try former.forEachRow { row in
            guard let key = StoredKey(row: row, at: 4) else { throw WireError.damagedLog() }
            let entity = row.int64(at: 2)
            var head = heads.removeValue(forKey: entity) ?? EntryHead(entity: row.string(at: 3))
            let (mark, pushed, vector) = (row.string(at: 6), row.string(at: 7), row.string(at: 8))
            let own = EditTimestamp(mark).map { VersionVector($0).description }
            let seen = vector == own ? nil : vector
            head.write(key: key, mark: mark.utf8, vector: seen)
            for (column, place) in [(0, 1), (1, 2), (2, 3), (5, 5), (9, 9), (10, 10)] {
                try insert.bind(row.int64(at: column), at: place)
            }
            try key.bind(to: insert, at: 4)
            try insert.bind(mark, at: 6)
            try insert.bind(pushed == mark ? nil : pushed, at: 7)
            try insert.bind(seen, at: 8)
            try insert.bindBlob(head.rest(of: row.blob(at: 11)), at: 11)
            try insert.run()
            heads[entity] = head
        }
    }

    /// Makes the table of runs tell the run of each record as its row did, should it ever tell another.
    private static func keepRuns(_ connection: Connection) throws {
        let known = try connection.prepare(
            "SELECT tag FROM run WHERE log = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"
        )
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO run (log, first, tag) VALUES (?1, ?2, ?3)"
        )
        let former = try connection.prepare("SELECT log, revision, run FROM former ORDER BY log, revision")
        try former.forEachRow { row in
            defer { known.reset() }
            try known.bind(row.int64(at: 0), at: 1)
            try known.bind(row.int64(at: 1), at: 2)
            guard try !known.step() || known.string(at: 0) != row.string(at: 2) else { return }
            known.reset()
            try insert.bind(row.int64(at: 0), at: 1)
            try insert.bind(row.int64(at: 1), at: 2)
            try insert.bind(row.string(at: 2), at: 3)
            try insert.run()
        }
    }
}
