import Foundation
import SyncCore

/// The request count, clock skew and retry time of a client.
final class ClientMetrics: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var count = 0
    private var measured: (skew: Double, isExact: Bool)?
    private var asked: Timestamp?

    var requests: Int { lock.withLock { count } }
    var skew: Double? { lock.withLock { measured?.skew } }
    var notBefore: Timestamp? { lock.withLock { asked } }

    func countRequest() { lock.withLock { count += 1 } }

    /// Records the time until which the last answer asks to wait; nil if it does not.
    func note(notBefore: Timestamp?) { lock.withLock { asked = notBefore } }

    /// Records the clock skew. A value measured in whole seconds never replaces an exact one.
    func note(skew: Double, isExact: Bool) {
        lock.withLock {
            if isExact || measured?.isExact != true { measured = (skew, isExact) }
        }
    }
}
