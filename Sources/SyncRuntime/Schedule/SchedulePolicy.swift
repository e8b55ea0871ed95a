/// How patient and how eager the scheduler is. All values are seconds unless they say otherwise.
public struct SchedulePolicy: Sendable, Hashable {
    /// Quiet time after the last write, or after the last hint, before it is synced.
    public var debounceSeconds: Double = 0.5
    /// The longest that a write or a hint waits for quiet time; never less than the quiet time itself.
    public var maxDelaySeconds: Double = 5
    /// The app that becomes active syncs at once, unless a sync began so long before; infinite for never.
    public var activeQuietSeconds: Double = 5
    /// The network that returns starts a sync at once, unless a sync began so long before; infinite for never.
    public var connectivityQuietSeconds: Double = 5
    /// Granted background time starts a sync at once, unless a sync began so long before; infinite for never.
    public var backgroundQuietSeconds: Double = 5
    /// Time between syncs while the app is in the foreground and nothing else happens; at least 1, infinite for none.
    public var periodSeconds: Double = 900
    /// The share of the period that is added at random, from 0 to 1, so that many devices do not come together.
    public var periodJitter: Double = 0.1
    /// The bound of the wait after the first failure. It doubles with each failure; the wait is drawn from zero to it.
    public var retryBaseSeconds: Double = 2
    /// The greatest bound of a wait after a failure.
    public var retryCapSeconds: Double = 300
    /// The shortest wait after a failure, however the draw falls.
    public var retryFloorSeconds: Double = 1
    /// The longest that a remote's wish to wait is respected.
    public var maxRetryAfterSeconds: Double = 3600
    /// A returning network, app or account ends the wait early, but not before the last failure is so long ago for each
    /// failure in a row: a network that comes and goes must not become a storm of attempts.
    public var reviveSeconds: Double = 2
    /// The greatest wait that `reviveSeconds` grows to.
    public var reviveCapSeconds: Double = 30
    /// A sync in granted background time is cancelled so long before the time ends.
    public var windowMarginSeconds: Double = 3
    /// A manual request joins a manual sync that began at most so long before it, if nothing was written since: two
    /// pulls to refresh are one sync. With 0 every request is followed by a sync of its own start.
    public var joinSeconds: Double = 0.5

    /// The defaults.
    public init() {}

    /// The wait after so many failures in a row (from 1). `fraction` is random, from 0 up to 1.
    func retryWait(attempt: Int, fraction: Double) -> Double {
        // 2^64 times any base is beyond any cap.
        let doublings = min(max(attempt - 1, 0), 64)
        let bound = retryBaseSeconds * Double(sign: .plus, exponent: doublings, significand: 1)
        return max(retryFloorSeconds, fraction * min(retryCapSeconds, bound))
    }

    func reviveWait(attempt: Int) -> Double { min(reviveCapSeconds, reviveSeconds * Double(attempt)) }

    func period(fraction: Double) -> Double { max(1, periodSeconds * (1 + periodJitter * fraction)) }
}
