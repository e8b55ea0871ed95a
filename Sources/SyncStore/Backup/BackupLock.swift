import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps a second backup from the same place. The system releases the lock when the process ends in any way; its
/// file goes with the lock.
struct BackupLock {
    private let path: String
    private let descriptor: Int32
    /// How often a file that another backup has just removed is made again.
    private static let maxAttempts = 10

    /// Locks the place of a backup.
    ///
    /// - Throws: `SyncError`: `busy` if another backup is being written there.
    init(path backup: String) throws {
        path = backup + ".partial.lock"
        for _ in 0..<Self.maxAttempts {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw BackupFiles.failure("locking the backup") }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let number = errno
                close(descriptor)
                throw number == EWOULDBLOCK
                    ? SyncError.backupBusy() : BackupFiles.failure("locking the backup", number: number)
            }
            // A backup that ends removes it.
            if BackupFiles.isNamed(descriptor: descriptor, path: path) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
        throw SyncError.backupBusy()
    }

    /// Releases the lock and removes its file. A file that holds something is not of a lock, and stays.
    func release() {
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_size == 0 { unlink(path) }
        close(descriptor)
    }
}
