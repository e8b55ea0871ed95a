import SyncCore

/// How long to wait after failures.
struct ScheduleBackoff: Sendable, Hashable {
    /// Failures in a row.
    private(set) var attempt = 0
    /// Set while trying again does not help.
    private(set) var halted: RetryAdvice?
    private var notBefore: Timestamp?
    /// The wait that the remote asked for. Only a success or another account ends it early.
    private var asked: Timestamp?
    private var failedAt: Timestamp?

    /// The earliest time of the next automatic sync.
    var gate: Timestamp? { [notBefore, asked].compactMap { $0 }.max() }

    mutating func fail(
        _ failure: SyncFailure,
        isManual: Bool,
        now: Timestamp,
        fraction: Double,
        policy: SchedulePolicy
    ) {
        // Repeated manual attempts must not delay the next automatic one.
        attempt = isManual ? max(1, attempt) : attempt + 1
        notBefore = now.after(seconds: policy.retryWait(attempt: attempt, fraction: fraction))
        failedAt = now
        halted = failure.retry == .later ? nil : failure.retry
        if let seconds = failure.retryAfterSeconds, seconds > 0 {
            // Adds jitter to `Retry-After`, so that clients told the same time do not return together.
            let wait = min(seconds, policy.maxRetryAfterSeconds) + fraction * policy.retryBaseSeconds
            asked = now.after(seconds: wait)
        }
    }

    /// Something changed that may make the next attempt succeed: shortens the wait, but not to zero.
    mutating func revive(_ policy: SchedulePolicy) {
        guard let failedAt, let wait = notBefore else { return }
        notBefore = min(wait, failedAt.after(seconds: policy.reviveWait(attempt: attempt)))
    }

    /// Something changed that may end a halt. The wait for the next attempt stays.
    mutating func liftHalt() { halted = nil }

    /// Another account, or the same with new rights: waits of the old one no longer apply.
    mutating func changeAccount(_ policy: SchedulePolicy) {
        asked = nil
        liftHalt()
        revive(policy)
    }

    mutating func succeed() { self = ScheduleBackoff() }

    mutating func shift(by microseconds: Int64) {
        notBefore?.microseconds += microseconds
        asked?.microseconds += microseconds
        failedAt?.microseconds += microseconds
    }
}
