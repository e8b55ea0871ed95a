import Foundation

/// Counts from any thread.
package final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var count = 0

    package init() {}

    package var value: Int { lock.withLock { count } }

    @discardableResult
    package func increment() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}
