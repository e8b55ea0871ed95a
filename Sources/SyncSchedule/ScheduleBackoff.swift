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
    /// The earliest time of the next request by the remote's last answer, which may have been a success. Only its next
    /// answer, or another account, changes it.
    private var wished: Timestamp?
    /// Whether the last attempt of the policy has failed. Only a success or another account ends it.
    private(set) var isExhausted = false

    /// The earliest time of the next automatic sync.
    var gate: Timestamp? { [notBefore, asked, wished].compactMap { $0 }.max() }

    mutating func fail(
        _ setback: Setback,
        isManual: Bool,
        now: Timestamp,
        fraction: Double,
        policy: SchedulePolicy
    ) {
        // Repeated manual attempts must not delay the next automatic one.
        attempt = isManual ? max(1, attempt) : attempt + 1
        notBefore = now.after(seconds: policy.retries.wait(after: attempt, fraction: fraction))
        failedAt = now
        halted = setback.retry == .later ? nil : setback.retry
        if let last = policy.maxAttempts, attempt >= max(1, last) { isExhausted = true }
        if let seconds = setback.retryAfterSeconds, seconds > 0 {
            asked = now.after(seconds: policy.retries.asked(seconds: seconds, fraction: fraction))
        }
    }

    /// The remote asks to be left alone until an instant, or no longer does.
    mutating func wait(until time: Timestamp?, now: Timestamp, fraction: Double, policy: SchedulePolicy) {
        let seconds = time.map { policy.retries.asked(seconds: $0.seconds(since: now), fraction: fraction) }
        wished = (time ?? now) > now ? seconds.map { now.after(seconds: $0) } : nil
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
        (asked, wished) = (nil, nil)
        if isExhausted { (isExhausted, attempt) = (false, 0) }
        liftHalt()
        revive(policy)
    }

    mutating func succeed() {
        var next = ScheduleBackoff()
        next.wished = wished
        self = next
    }

    mutating func shift(by microseconds: Int64) {
        notBefore?.microseconds += microseconds
        asked?.microseconds += microseconds
        wished?.microseconds += microseconds
        failedAt?.microseconds += microseconds
    }
}
