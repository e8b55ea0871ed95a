import Foundation
import SyncCore
import SyncFiles
import SyncServer
import SyncWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Checks whether the log folder is writable by writing a little. The result is cached for a few seconds.
final class StorageProbe: @unchecked Sendable {
    private let path: String
    private let clock: any SyncClock
    private let pause: Int64
    private let lock = NSLock()
    // Both are guarded by `lock`.
    private var last: (failure: StorageFailure?, at: Timestamp)?

    /// Makes a probe of a server's data folder. A result is valid for `seconds`.
    init(data: String, clock: any SyncClock, seconds: Int64 = 5) {
        path = data + "/logs/probe"
        self.clock = clock
        pause = seconds * 1_000_000
    }

    /// Why the folder was not writable at the last check; nil if it was.
    func failure() -> StorageFailure? {
        lock.withLock {
            let now = clock.now()
            if let last, (last.at.microseconds..<last.at.microseconds + pause).contains(now.microseconds) {
                return last.failure
            }
            let failure = write()
            last = (failure, now)
            return failure
        }
    }

    /// Writes as much as a push needs at least. A single page often finds a place on a disk that is full.
    private func write() -> StorageFailure? {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return StorageFailure(number: errno) }
        defer {
            close(descriptor)
            unlink(path)
        }
        let page = [UInt8](repeating: 0x20, count: 64 * 1024)
        for _ in 0..<16 {
            let count = systemWrite(descriptor: descriptor, bytes: page, count: page.count)
            guard count >= 0 else { return StorageFailure(number: errno) }
            guard count == page.count else { return .full }
        }
        let number = DescriptorIO.flush(descriptor)
        return number == 0 ? nil : StorageFailure(number: number)
    }
}

extension StorageFailure {
    /// The failure of a system call.
    fileprivate init(number: Int32) {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EROFS: self = .readOnly
        case EACCES, EPERM: self = .notPermitted
        case ENOENT, ENOTDIR: self = .missing
        default: self = .failed
        }
    }
}

/// The system's `write`, which the method above would otherwise hide.
private func systemWrite(descriptor: Int32, bytes: [UInt8], count: Int) -> Int {
    write(descriptor, bytes, count)
}
