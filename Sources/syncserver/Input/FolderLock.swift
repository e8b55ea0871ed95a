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

    /// Locks an existing folder. Throws `busy` if another server has it.
    init(_ folder: String) throws {
        descriptor = open("\(folder)/server.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
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
