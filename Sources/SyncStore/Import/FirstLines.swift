package import SyncCore
import SyncSQLite

/// The first line of each key in a file. The file may be of any size, so the lines are kept in a temporary
/// database, which uses the disk beyond some megabytes.
///
/// NB: it stores fingerprints of keys, so that no user data is written to a second place.
package final class FirstLines {
    private let connection: Connection
    private let insert: Statement
    private let query: Statement

    /// Makes an empty table.
    package init() throws {
        do {
            connection = try Connection.temporary()
            try connection.execute(
                """
                PRAGMA journal_mode = OFF; PRAGMA cache_size = -8192;
                CREATE TABLE first (high INTEGER, low INTEGER, line INTEGER NOT NULL, PRIMARY KEY (high, low))
                WITHOUT ROWID;
                BEGIN
                """
            )
            insert = try connection.prepare("INSERT OR IGNORE INTO first VALUES (?1, ?2, ?3) RETURNING line")
            query = try connection.prepare("SELECT line FROM first WHERE high = ?1 AND low = ?2")
        } catch {
            throw SyncError.cannotCompareKeys(reason: error.message)
        }
    }

    /// Records the line of a key. Returns the earlier line of the same key; nil if the key is new.
    package func note(key: RecordKey, line: Int) throws -> Int? {
        let digest = Digest(Array(key.text.utf8))
        do {
            try bind(insert, digest: digest)
            try insert.bind(Int64(line), at: 3)
            if try insert.step() {
                insert.reset()
                return nil
            }
            try bind(query, digest: digest)
            defer { query.reset() }
            return try query.step() ? Int(query.int64(at: 0)) : nil
        } catch {
            throw SyncError.cannotCompareKeys(reason: error.message)
        }
    }

    private func bind(_ statement: Statement, digest: Digest) throws(SQLiteError) {
        try statement.bind(Int64(bitPattern: digest.high), at: 1)
        try statement.bind(Int64(bitPattern: digest.low), at: 2)
    }
}

extension SyncError {
    /// The temporary database of keys cannot be written.
    static func cannotCompareKeys(reason: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The keys of the file could not be compared (\(reason)).",
            help: "Make room in the folder for temporary files and try again; nothing was written.",
            retry: .later
        )
    }
}
