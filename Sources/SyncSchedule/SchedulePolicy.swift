import SyncCore

/// Delays, periods and limits of the scheduler. All values are seconds unless they say otherwise.
public struct SchedulePolicy: Sendable, Hashable {
    /// Quiet time after the last write or hint before a sync starts.
    public var debounceSeconds: Double = 0.5
    /// The longest time that a write or a hint waits for quiet time; at least the quiet time itself.
    public var maxDelaySeconds: Double = 5
    /// An app that becomes active syncs at once, unless a sync began within this time; infinite for never.
    public var activeQuietSeconds: Double = 5
    /// A returning network starts a sync at once, unless a sync began within this time; infinite for never.
    public var connectivityQuietSeconds: Double = 5
    /// Background time starts a sync at once, unless a sync began within this time; infinite for never.
    public var backgroundQuietSeconds: Double = 5
    /// Time between syncs in the foreground if nothing else happens; at least 1, infinite for none.
    public var periodSeconds: Double = 900
    /// The random share that is added to the period, from 0 to 1, so that devices do not sync together.
    public var periodJitter: Double = 0.1
    /// The upper bound of the wait after the first failure. It doubles with each failure; the wait is random, from 0
    /// to the bound.
    public var retryBaseSeconds: Double = 2
    /// The largest bound of a wait after a failure.
    public var retryCapSeconds: Double = 300
    /// The consecutive failures after which nothing is tried again by itself; nil for never giving up. A manual sync
    /// that succeeds, a new account or a new start of the app begins anew; what was written is kept.
    public var maxAttempts: Int?
    /// The shortest wait after a failure.
    public var retryFloorSeconds: Double = 1
    /// The longest wait that a remote can ask for.
    public var maxRetryAfterSeconds: Double = 3600
    /// A returning network, app or account ends the wait early, but not before this time per consecutive failure has
    /// passed: an unstable network must not cause a storm of attempts.
    public var reviveSeconds: Double = 2
    /// The largest value to which `reviveSeconds` grows.
    public var reviveCapSeconds: Double = 30
    /// How long before the end of background time a running sync is cancelled.
    public var windowMarginSeconds: Double = 3
    /// A manual request joins a manual sync that began at most this long before, if nothing was written since: two
    /// pull-to-refresh gestures are one sync. With 0, a new sync starts after every request.
    public var joinSeconds: Double = 0.5

    /// The defaults.
    public init() {}

    /// The bounds of the waits after failures.
    var retries: RetryPolicy {
        var policy = RetryPolicy()
        (policy.baseSeconds, policy.capSeconds) = (retryBaseSeconds, retryCapSeconds)
        (policy.floorSeconds, policy.maxRetryAfterSeconds) = (retryFloorSeconds, maxRetryAfterSeconds)
        return policy
    }

    func reviveWait(attempt: Int) -> Double { min(reviveCapSeconds, reviveSeconds * Double(attempt)) }

    func period(fraction: Double) -> Double { max(1, periodSeconds * (1 + periodJitter * fraction)) }
}
