import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps a second server out of a data folder. The system gives the lock back when the process ends, however it ends.
struct FolderLock {
    private let descriptor: Int32

    /// Locks a folder that exists. Throws `busy` when another server has it.
    init(_ folder: String) throws {
        descriptor = open("\(folder)/server.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SyncError.notPermitted(what: "Locking the data folder") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw SyncError.folderInUse()
        }
        fchmod(descriptor, 0o600)
    }

    /// Gives the lock back.
    func release() { close(descriptor) }
}
