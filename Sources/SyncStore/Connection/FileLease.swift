import SyncCore
import SyncSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The sync lease of a store: a lock on a file next to it. The system releases the lock when the process ends.
///
/// Closing the lease does not remove the file: otherwise two processes could lock two files of the same name.
final class FileLease: StoreLease {
    private let descriptor: Locked<Int32?>

    /// Takes the lease. Throws `busy` if this or another process has it.
    init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let number = errno
            if [EACCES, EPERM, EROFS].contains(number) {
                throw SyncError.notPermitted(what: "Locking the store")
            }
            throw SyncError.storeFailed(
                detail: "the lock file cannot be opened, the system's error \(number)"
            )
        }
        // `flock` locks belong to this opening of the file; `fcntl` locks belong to the process. So a second lease in
        // one process is refused, too.
        let number = FileLock.take(descriptor)
        guard number == 0 else {
            closeDescriptor(descriptor)
            if number == EWOULDBLOCK { throw SyncError.storeBusy() }
            if [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number) {
                throw SyncError.storeWithoutLocks(detail: "the system's error \(number)")
            }
            throw SyncError.storeFailed(
                detail: "the lock file cannot be locked, the system's error \(number)"
            )
        }
        self.descriptor = Locked(descriptor)
    }

    deinit { close() }

    func close() {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            descriptor = nil
            // Closing releases the lock. There is nothing left to do if it reports an error.
            closeDescriptor(open)
        }
    }
}

/// An exclusive lock on an open file.
package enum FileLock {
    private static let attempts = 10
    private static let microsecondsBetweenAttempts: UInt32 = 5_000

    /// Takes the lock. Returns 0, or the system's error: `EWOULDBLOCK` if another opening of the file has it.
    ///
    /// NB: a child process has copies of this process's descriptors until it executes its program, and with them
    /// locks that were released here. So a taken lock is tried again for a twentieth of a second.
    package static func take(_ descriptor: Int32) -> Int32 {
        for attempt in 1... {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return 0 }
            let number = errno
            if number == EINTR { continue }
            guard number == EWOULDBLOCK, attempt < attempts else { return number }
            usleep(microsecondsBetweenAttempts)
        }
        return EWOULDBLOCK
    }
}

/// The system's `close`, which the method of that name would hide.
private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// The sync lease of a store on its own medium.
final class MediumLease: StoreLease {
    private let lock: any MediumLock

    /// Takes the lease. Throws `busy` if it is taken.
    init(path: String, medium: any DatabaseMedium) throws {
        do {
            guard let lock = try medium.lock(path) else { throw SyncError.storeBusy() }
            self.lock = lock
        } catch let error as MediumError {
            if [EACCES, EPERM, EROFS].contains(error.number) {
                throw SyncError.notPermitted(what: "Locking the store")
            }
            throw SyncError.storeFailed(
                detail: "the lock file cannot be opened, the system's error \(error.number)"
            )
        }
    }

    deinit { close() }

    func close() { lock.close() }
}
