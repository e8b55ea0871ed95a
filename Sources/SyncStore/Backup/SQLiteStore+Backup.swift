public import SyncCore
import SyncSQLite

extension SQLiteStore {
    /// Copies the store as it is now into a file, while it is in use. See `LocalStore.backup`.
    public func backup(to path: String, at time: Timestamp, progress: (_ part: Double) throws -> Void) throws
    {
        try withStoreErrors {
            let lock = try BackupLock(path: path)
            defer { lock.release() }
            try refuseOtherFile(at: path)
            let partial = path + ".partial"
            BackupFiles.remove(path: partial)
            defer { BackupFiles.remove(path: partial) }
            let target = try Connection.open(path: partial, flags: .readWriteCreate)
            defer { target.close() }
            try readers.use { try $0.connection.copy(into: target, progress: progress) }
            try target.useSingleFile()
            let note = try target.cached(
                sql: "INSERT OR REPLACE INTO sync_value (name, value) VALUES (?1, ?2)"
            )
            try note.bind(StoreBackup.madeAt, at: 1)
            try note.bind(time.description, at: 2)
            try note.run()
            target.close()
            // The last moment to stop.
            try progress(1)
            try BackupFiles.replace(path: path, by: partial)
        }
    }

    /// Only an earlier backup may be replaced.
    private func refuseOtherFile(at path: String) throws {
        guard let identity = StoreFile.identity(path: path) else { return }
        if identity == StoreFile.identity(path: self.path) || OpenFiles.isOpen(path: path) {
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
