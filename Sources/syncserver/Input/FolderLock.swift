import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Locks a data folder against a second server. The system releases the lock when the process ends in any way.
struct FolderLock {
    private let descriptor: Int32

    /// Locks an existing folder. Throws `busy` if another process has the lock.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - file: The lock's file: `server.lock` for what a server does, `maintenance.lock` for backups and what excludes them.
    init(_ folder: String, file: String = "server.lock") throws {
        descriptor = open("\(folder)/\(file)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SyncError.notPermitted(what: "Locking the data folder") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw SyncError.folderInUse()
        }
        fchmod(descriptor, 0o600)
    }

    /// Releases the lock.
    func release() { close(descriptor) }
}
