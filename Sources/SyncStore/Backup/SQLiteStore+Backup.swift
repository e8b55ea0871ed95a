public import SyncCore
import SyncSQLite

extension SQLiteStore {
    /// Copies the store as it is now into a file, while it is in use. See `LocalStore.backup`.
    public func backup(to path: String, at time: Timestamp, progress: (_ part: Double) throws -> Void) throws
    {
        try writer.use { try Self.flush($0.connection) }
        try readers.use {
            try Self.backup($0.connection, of: self.path, to: path, at: time, progress: progress)
        }
    }

    /// Copies a store into a file as `backup` does, without opening it: with other schemas than the file's, it stays as it
    /// is, and so does its copy.
    package static func backup(
        path: String,
        to backup: String,
        at time: Timestamp,
        progress: (_ part: Double) throws -> Void
    ) throws {
        try withStoreErrors {
            guard try StoreFile.inspect(path) == .store else { throw SyncError.foreignStore() }
            // A connection that may not write would leave the files of its log behind.
            let source = try Connection.open(path: path, flags: .readWrite)
            defer { source.close() }
            try BackupFiles.flushLog(ofStore: path)
            try Self.backup(source, of: path, to: backup, at: time, progress: progress)
        }
    }

    /// Puts on the disk what the copy will hold. A disk that takes no more keeps nobody from making a copy.
    private static func flush(_ connection: Connection) throws {
        try withStoreErrors {
            do { try connection.flushCommits() } catch let error as SQLiteError
                where error.isDiskFull || error.isReadOnly
            {}
        }
    }

    private static func backup(
        _ source: Connection,
        of store: String,
        to path: String,
        at time: Timestamp,
        progress: (_ part: Double) throws -> Void
    ) throws {
        try withStoreErrors {
            let lock = try BackupLock(path: path)
            defer { lock.release() }
            try refuseOtherFile(at: path, of: store)
            let partial = path + ".partial"
            BackupFiles.remove(path: partial)
            defer { BackupFiles.remove(path: partial) }
            let target = try Connection.open(path: partial, flags: .readWriteCreate)
            defer { target.close() }
            try source.copy(into: target, progress: progress)
            try target.useSingleFile()
            let note = try target.cached(
                sql: "INSERT OR REPLACE INTO sync_value (name, value) VALUES (?1, ?2)"
            )
            try note.bind(StoreBackup.madeAt, at: 1)
            try note.bind(time.description, at: 2)
            try note.run()
            // A copy of a damaged file would take the place of an earlier one that is whole.
            if let damage = try target.integrityCheck(includingIndexes: false, limit: 1).first {
                throw SyncError.damagedStore(detail: damage)
            }
            target.close()
            // The last moment to stop.
            try progress(1)
            try BackupFiles.replace(path: path, by: partial)
        }
    }

    /// Only an earlier backup may be replaced.
    private static func refuseOtherFile(at path: String, of store: String) throws {
        guard let identity = StoreFile.identity(path: path) else { return }
        if identity == StoreFile.identity(path: store) || OpenFiles.isOpen(path: path) {
            throw SyncError.backupOverStore()
        }
        guard (try? StoreFile.inspect(path)) == .store else { throw SyncError.backupOverFile() }
        let found = try Connection.open(path: path, flags: .readOnly)
        defer { found.close() }
        let note = try found.cached(sql: "SELECT 1 FROM sync_value WHERE name = ?1")
        try note.bind(StoreBackup.madeAt, at: 1)
        defer { note.reset() }
        guard try note.step() else { throw SyncError.backupOverStore() }
    }
}

/// Names of values in a backup.
public enum StoreBackup {
    /// When it was made. A store in use does not have it.
    public static let madeAt = "backup-made"
}
