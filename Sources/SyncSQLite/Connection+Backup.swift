import CSQLite

extension Connection {
    /// Pages that a backup copies between two reports of its progress: 4 MB.
    private static let pagesPerStep: Int32 = 1024

    /// Copies the database as it is now into another one, whose content is replaced. Others may write meanwhile; the copy
    /// is of one state (sqlite.org/backup.html).
    ///
    /// - Parameter progress: Called with the part that is copied, from 0 to 1. If it throws, the copy is given up.
    /// - Throws: `SQLiteError`, or the error of `progress`.
    package func copy(into target: Connection, progress: (_ part: Double) throws -> Void) throws {
        // In one transaction all steps see one state. Otherwise each commit would let the copy begin anew.
        try transaction(kind: .deferred) {
            _ = try integer(sql: "SELECT count(*) FROM sqlite_schema")
            guard let backup = sqlite3_backup_init(target.database, "main", database, "main") else {
                throw SQLiteError(
                    resultCode: sqlite3_errcode(target.database),
                    on: target.database,
                    operation: "copy"
                )
            }
            var isFinished = false
            defer { if !isFinished { sqlite3_backup_finish(backup) } }
            var resultCode = SQLITE_OK
            while resultCode == SQLITE_OK {
                resultCode = sqlite3_backup_step(backup, Self.pagesPerStep)
                let (total, left) = (sqlite3_backup_pagecount(backup), sqlite3_backup_remaining(backup))
                if resultCode == SQLITE_OK || resultCode == SQLITE_DONE, total > 0 {
                    try progress(Double(total - left) / Double(total))
                }
            }
            isFinished = true
            let finished = sqlite3_backup_finish(backup)
            guard resultCode == SQLITE_DONE, finished == SQLITE_OK else {
                throw SQLiteError(
                    resultCode: finished == SQLITE_OK ? resultCode : finished,
                    on: target.database,
                    operation: "copy"
                )
            }
        }
    }

    /// Turns the write-ahead log off, so that one file holds everything. Throws `isBusy` if others use the file.
    package func useSingleFile() throws(SQLiteError) {
        try execute("PRAGMA locking_mode = EXCLUSIVE")
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
        guard try texts(sql: "PRAGMA journal_mode = DELETE").first == "delete" else {
            throw SQLiteError(
                extendedCode: SQLITE_BUSY,
                message: "the file is in use",
                operation: "close the log"
            )
        }
    }
}
