public import SyncCore

/// What the scheduler is about, as a value to show.
public struct ScheduleSnapshot: Sendable, Hashable {
    /// What it does now.
    public var phase: Phase = .idle
    /// When it starts the next sync if nothing else happens; nil where it waits for something other than time.
    public var nextStart: Timestamp?
    /// When the last sync ended well or in part, whatever it covered.
    public var lastSuccess: Timestamp?
    /// The last failure, until a success.
    public var lastFailure: Failure?

    /// Whether the account may not be used until somebody acts.
    public var isAccountPaused = false

    /// A scheduler that has not done anything.
    public init() {}

    /// When it tries again after a failure.
    public var nextRetry: Timestamp? {
        if case .backingOff(let until, _) = phase { return until }
        return nil
    }

    /// What a scheduler does.
    public enum Phase: Sendable, Hashable {
        /// Nothing is to be done but the next periodic sync.
        case idle
        /// A sync is due at an instant.
        case waiting(until: Timestamp, why: Set<SyncReason>)
        /// A sync runs.
        case syncing(SyncProfile, why: Set<SyncReason>)
        /// There is no network.
        case offline
        /// The account may not be used until somebody acts.
        case paused
        /// After so many failures in a row, it tries again at an instant.
        case backingOff(until: Timestamp, attempt: Int)
        /// Trying again does not help, until something is written, the account changes, or somebody asks.
        case halted(RetryAdvice)
        /// The granted background time is over; it goes on with the next write, hint, grant, or in the foreground.
        case suspended
        /// It starts nothing any more.
        case stopped
    }

    /// A sync that failed.
    public struct Failure: Sendable, Hashable {
        /// When it ended.
        public var time: Timestamp
        /// What is known of it.
        public var failure: SyncFailure
    }
}
