import Foundation

/// What a client counts and measures while it works.
final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var count = 0
    private var measured: (skew: Double, isExact: Bool)?

    var requests: Int { lock.withLock { count } }
    var skew: Double? { lock.withLock { measured?.skew } }

    func countRequest() { lock.withLock { count += 1 } }

    /// Notes the difference of clocks; one measured in whole seconds never replaces an exact one.
    func note(skew: Double, isExact: Bool) {
        lock.withLock {
            if isExact || measured?.isExact != true { measured = (skew, isExact) }
        }
    }
}
