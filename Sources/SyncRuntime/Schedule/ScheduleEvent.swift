public import SyncCore

/// What a scheduler is told.
public enum ScheduleEvent: Sendable, Hashable {
    /// Records of these entities were written here.
    case localWrite(entities: Set<String>)
    /// The app is in the foreground now. The first time is the app's start.
    case appBecameActive
    /// The app is not in the foreground any more.
    case appEnteredBackground
    /// The network came or went.
    case connectivity(isOnline: Bool)
    /// The remote or a push notification told that these entities changed; nil where it did not say which.
    case hint(entities: Set<String>?)
    /// Somebody waits for a sync; the id comes back in `ScheduleAction.answer`.
    case manual(id: UInt64)
    /// The host's own period is over. The scheduler has a period of its own, so no host needs to send this.
    case tick
    /// The system granted background time until an instant.
    case backgroundWindow(deadline: Timestamp)
    /// The system took the granted time back.
    case backgroundWindowEnded
    /// The sync that was started has ended.
    case syncFinished(SyncEnding)
    /// The account may not be used until somebody acts.
    case accountPaused
    /// The account may be used again.
    case accountResumed
    /// The timer with this id is over.
    case timerFired(id: UInt64)
    /// Nothing is to be started any more.
    case stop
}

/// How a started sync ended.
public enum SyncEnding: Sendable, Hashable {
    /// All that was covered was exchanged.
    case synced
    /// All but what was rejected or skipped. For the scheduler this is a success: trying again would not help.
    case partial
    /// Nothing, or not all.
    case failed(SyncFailure)
    /// It was cancelled.
    case cancelled
}

/// What the scheduler needs to know of an error.
public struct SyncFailure: Sendable, Hashable {
    /// Whether trying again can help.
    public var retry: RetryAdvice
    /// Seconds that the remote asked to wait.
    public var retryAfterSeconds: Double?
    /// The error, where it is one of ours; for status only.
    public var error: SyncError?

    /// Makes a failure.
    public init(retry: RetryAdvice, retryAfterSeconds: Double? = nil, error: SyncError? = nil) {
        self.retry = retry
        self.retryAfterSeconds = retryAfterSeconds
        self.error = error
    }

    /// What is known of any error: a `SyncError` gives its own advice, any other may help later.
    public init(_ error: any Error) {
        let known = error as? SyncError
        self.init(retry: known?.retry ?? .later, retryAfterSeconds: known?.retryAfterSeconds, error: known)
    }
}

/// What a scheduler wants done.
public enum ScheduleAction: Sendable, Hashable {
    /// Start a sync. It is told with `syncFinished`; no other is started before.
    case startSync(SyncProfile, reasons: Set<SyncReason>)
    /// Cancel the running sync.
    case cancelSync
    /// Wait until an instant, then tell with `timerFired`. There is one timer: it replaces an earlier one.
    case setTimer(id: UInt64, at: Timestamp)
    /// Forget the timer.
    case cancelTimer
    /// Tell those who wait under these ids.
    case answer(ids: [UInt64], ManualAnswer)
    /// Ask the system for background time.
    case requestBackgroundTime
    /// Give the granted background time back, and say whether all was done that was to be done in it.
    case releaseBackgroundTime(success: Bool)
    /// The status is another one now.
    case reportStatus(ScheduleSnapshot)
}

/// What somebody who waits for a sync is told.
public enum ManualAnswer: Sendable, Hashable {
    /// The result of the sync that has just ended.
    case result
    /// There is no network; nothing was started.
    case offline
    /// The scheduler has stopped; nothing was started.
    case stopped
}
