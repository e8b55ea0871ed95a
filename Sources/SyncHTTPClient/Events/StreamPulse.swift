import Foundation

/// Detects a silent stream.
final class StreamPulse: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var beats = 0

    func beat() { lock.withLock { beats += 1 } }

    /// Whether nothing arrived since the last call.
    func wasQuiet() -> Bool {
        lock.withLock {
            defer { beats = 0 }
            return beats == 0
        }
    }
}
