import SyncCore
import SyncSQLite

/// Copies one of the server's databases into a single file.
struct DatabaseCopy {
    /// The database. A server may be writing to it.
    let source: String
    /// The new file; an older one of that name is replaced.
    let target: String
    /// The application id that the database must have.
    let applicationID: Int32

    /// Copies one state of the database and waits until the disk has it. Throws `SyncError`.
    ///
    /// - Parameter prepare: Changes the copy before it is closed.
    func run(prepare: (Connection) throws -> Void = { _ in }) throws {
        try AccountFile.withMaintenanceErrors {
            try DurableFiles.removeDatabase(path: target)
            let reader = try look()
            defer { reader.close() }
            guard try reader.applicationID() == applicationID else { throw SyncError.foreignDatabase() }
            FilePermissions.makeFile(target)
            let copy = try Connection.open(path: target, flags: .readWriteCreate)
            defer { copy.close() }
            try reader.copy(into: copy) { _ in }
            try copy.useSingleFile()
            guard try copy.integrityCheck(includingIndexes: false, limit: 1).isEmpty else {
                throw SyncError.damagedBackup()
            }
            try prepare(copy)
        }
        try DurableFiles.flush(path: target)
    }

    /// Opens the source for reading. After a crash while it was created, only a writer can roll back its journal.
    private func look() throws(SQLiteError) -> Connection {
        let reader = try Connection.open(path: source, flags: .readOnly)
        do {
            _ = try reader.applicationID()
            return reader
        } catch {
            reader.close()
            guard error.needsRollback else { throw error }
            return try Connection.open(path: source, flags: .readWrite)
        }
    }
}

extension AccountFile {
    /// Runs `body` and converts SQLite errors to `SyncError`, for any of the server's databases.
    static func withMaintenanceErrors<Result>(body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError {
            if error.isNotPermitted { throw SyncError.notPermitted(what: "Using a database of the server") }
            if error.isCorrupt || error.isNotADatabase { throw SyncError.damagedBackup() }
            if error.isBusy { throw SyncError.databaseBusy() }
            throw SyncError.maintenanceFailed(detail: "SQLite reported \(error.extendedCode)")
        }
    }
}
