import SyncCore

/// How long to hold back after failures.
struct ScheduleBackoff: Sendable, Hashable {
    /// Failures in a row.
    private(set) var attempt = 0
    /// Set while trying again does not help.
    private(set) var halted: RetryAdvice?
    private var notBefore: Timestamp?
    /// What the remote asked for, which nothing but a success or another account ends early.
    private var asked: Timestamp?
    private var failedAt: Timestamp?

    /// No automatic sync starts before it.
    var gate: Timestamp? { [notBefore, asked].compactMap { $0 }.max() }

    mutating func fail(
        _ failure: SyncFailure,
        isManual: Bool,
        now: Timestamp,
        fraction: Double,
        policy: SchedulePolicy
    ) {
        // NB: somebody who tries again and again must not push the next automatic attempt away.
        attempt = isManual ? max(1, attempt) : attempt + 1
        notBefore = now.after(seconds: policy.retryWait(attempt: attempt, fraction: fraction))
        failedAt = now
        halted = failure.retry == .later ? nil : failure.retry
        if let seconds = failure.retryAfterSeconds, seconds > 0 {
            // Spread also those whom the remote told the same time.
            let wait = min(seconds, policy.maxRetryAfterSeconds) + fraction * policy.retryBaseSeconds
            asked = now.after(seconds: wait)
        }
    }

    /// Something changed that may make the next attempt succeed: the wait is cut short, though not to nothing.
    mutating func revive(_ policy: SchedulePolicy) {
        guard let failedAt, let wait = notBefore else { return }
        notBefore = min(wait, failedAt.after(seconds: policy.reviveWait(attempt: attempt)))
    }

    /// Something changed without which trying again did not help. The wait for the next attempt stays.
    mutating func liftHalt() { halted = nil }

    /// Another account, or the same with new rights: what was asked of the old one does not hold.
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
