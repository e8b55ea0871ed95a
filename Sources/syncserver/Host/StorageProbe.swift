import Foundation
import SyncCore

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
    private var last: (result: Bool, at: Timestamp)?

    /// Makes a probe of a server's data folder. A result is valid for `seconds`.
    init(data: String, clock: any SyncClock, seconds: Int64 = 5) {
        path = data + "/logs/probe"
        self.clock = clock
        pause = seconds * 1_000_000
    }

    /// Whether the folder was writable at the last check.
    func isStoring() -> Bool {
        lock.withLock {
            let now = clock.now()
            if let last, (last.at.microseconds..<last.at.microseconds + pause).contains(now.microseconds) {
                return last.result
            }
            let result = write()
            last = (result, now)
            return result
        }
    }

    private func write() -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer {
            close(descriptor)
            unlink(path)
        }
        let page = [UInt8](repeating: 0x20, count: 4096)
        return systemWrite(descriptor: descriptor, bytes: page, count: page.count) == page.count
            && fsync(descriptor) == 0
    }
}

/// The system's `write`, which the method above would otherwise hide.
private func systemWrite(descriptor: Int32, bytes: [UInt8], count: Int) -> Int {
    write(descriptor, bytes, count)
}
