public import SyncCore

/// The state of the scheduler, for display.
public struct ScheduleSnapshot: Sendable, Hashable {
    /// What it is doing.
    public var phase: Phase = .idle
    /// When the next sync starts if nothing else happens; nil if that does not depend on time.
    public var nextStart: Timestamp?
    /// When the last sync succeeded, fully or partially, whatever it covered.
    public var lastSuccess: Timestamp?
    /// The last failure; nil after a success.
    public var lastFailure: Failure?

    /// Whether the account may not be used until somebody acts.
    public var isAccountPaused = false

    /// The state of a scheduler that has not done anything.
    public init() {}

    /// When it tries again after a failure.
    public var nextRetry: Timestamp? {
        if case .backingOff(let until, _) = phase { return until }
        return nil
    }

    /// What a scheduler is doing.
    public enum Phase: Sendable, Hashable {
        /// Nothing to do except the next periodic sync.
        case idle
        /// A sync is due at an instant.
        case waiting(until: Timestamp, why: Set<SyncReason>)
        /// A sync runs.
        case syncing(SyncProfile, why: Set<SyncReason>)
        /// There is no network.
        case offline
        /// The account may not be used until somebody acts.
        case paused
        /// Failures in a row; it tries again at an instant.
        case backingOff(until: Timestamp, attempt: Int)
        /// Trying again does not help until something is written, the account changes, or somebody asks.
        case halted(RetryAdvice)
        /// The last attempt that the policy allows has failed. Nothing starts by itself until a manual sync succeeds or
        /// the account changes.
        case gaveUp(attempts: Int)
        /// The background time is over; it continues with the next write, hint or grant, or in the foreground.
        case suspended
        /// It starts nothing more.
        case stopped
    }

    /// A sync that failed.
    public struct Failure: Sendable, Hashable {
        /// When it ended.
        public var time: Timestamp
        /// What is known about it.
        public var setback: Setback

        package init(time: Timestamp, setback: Setback) { (self.time, self.setback) = (time, setback) }
    }
}
