import SyncCore
import SyncSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The sync lease of one store: a lock on a file beside it, which the system gives back when the process ends.
///
/// The file stays when the lease is closed: removing it would let two processes lock two files of one name.
final class FileLease: StoreLease {
    private let descriptor: Locked<Int32?>

    /// Takes the lease. Throws `busy` when this or another process holds it.
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
        // NB: `flock` belongs to this opening of the file, unlike `fcntl`, whose locks belong to the process: so a
        // second lease in one process is refused, too.
        let number = FileLock.take(descriptor)
        guard number == 0 else {
            closeDescriptor(descriptor)
            if number == EWOULDBLOCK { throw SyncError.storeBusy() }
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
            // Closing is what gives the lock back; nothing is left to do where it reports a problem.
            closeDescriptor(open)
        }
    }
}

/// An exclusive lock on an open file.
package enum FileLock {
    private static let attempts = 10
    private static let microsecondsBetweenAttempts: UInt32 = 5_000

    /// Takes the lock. Returns 0, or the system's error: `EWOULDBLOCK` when another opening of the file holds it.
    ///
    /// NB: a program that this process starts holds copies of its descriptors for a moment, until it has become itself, and
    /// with them locks that were given back here. So a lock that is held is looked at again for a twentieth of a second.
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

/// The system's `close`, under a name that the method of that name does not hide.
private func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// The sync lease of a store that lies on a medium of its own.
final class MediumLease: StoreLease {
    private let lock: any MediumLock

    /// Takes the lease. Throws `busy` when it is held.
    init(path: String, medium: any DatabaseMedium) throws {
        do {
            guard let lock = try medium.lock(path) else { throw SyncError.storeBusy() }
            self.lock = lock
        } catch let problem as MediumError {
            if [EACCES, EPERM, EROFS].contains(problem.number) {
                throw SyncError.notPermitted(what: "Locking the store")
            }
            throw SyncError.storeFailed(
                detail: "the lock file cannot be opened, the system's error \(problem.number)"
            )
        }
    }

    deinit { close() }

    func close() { lock.close() }
}
