import Foundation

/// The bytes of bodies that may be held at once, over all connections.
final class BodyBudget: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var left: Int

    init(bytes: Int) { left = bytes }

    /// Takes some bytes; false, and nothing taken, where there are not as many left.
    func take(_ bytes: Int) -> Bool {
        lock.withLock {
            guard bytes <= left else { return false }
            left -= bytes
            return true
        }
    }

    /// Gives bytes back.
    func give(_ bytes: Int) { lock.withLock { left += bytes } }
}
