public import SyncCore
public import SyncRuntime

/// An event for a scheduler.
public enum ScheduleEvent: Sendable, Hashable {
    /// Records of these entities were written here.
    case localWrite(entities: Set<String>)
    /// The app is in the foreground now. The first time is the app's start.
    case appBecameActive
    /// The app is no longer in the foreground.
    case appEnteredBackground
    /// The network came or went.
    case connectivity(isOnline: Bool)
    /// The remote or a push notification reported changes of these entities; nil if it did not say which.
    case hint(entities: Set<String>?)
    /// Somebody waits for a sync; the id comes back in `ScheduleAction.answer`.
    case manual(id: UInt64)
    /// The host's own period has ended. The scheduler has its own period, so no host needs to send this.
    case tick
    /// The system granted background time until an instant.
    case backgroundWindow(deadline: Timestamp)
    /// The system took the background time back.
    case backgroundWindowEnded
    /// The remote asks for no request before an instant; nil if it does not. Comes before `syncFinished`.
    case remoteAsksToWait(until: Timestamp?)
    /// The sync that was started has ended.
    case syncFinished(SyncEnding)
    /// The account may not be used until somebody acts.
    case accountPaused
    /// The account may be used again.
    case accountResumed
    /// The timer with this id fired.
    case timerFired(id: UInt64)
    /// Start nothing more.
    case stop
}

/// How a started sync ended.
public enum SyncEnding: Sendable, Hashable {
    /// Everything covered was exchanged.
    case synced
    /// Everything except what was rejected or skipped. A success for the scheduler: trying again would not help.
    case partial
    /// Everything except edits that the remote could not take now, such as one of a record that another program holds.
    case unfinished
    /// Nothing, or not everything, was exchanged.
    case failed(Setback)
    /// It was cancelled.
    case cancelled
}

/// What a scheduler wants done.
public enum ScheduleAction: Sendable, Hashable {
    /// Start a sync, and report its end with `syncFinished`. No other sync starts before.
    case startSync(SyncProfile, reasons: Set<SyncReason>)
    /// Cancel the running sync.
    case cancelSync
    /// Wait until an instant, then report with `timerFired`. There is one timer: this replaces an earlier one.
    case setTimer(id: UInt64, at: Timestamp)
    /// Cancel the timer.
    case cancelTimer
    /// Answer the callers with these ids.
    case answer(ids: [UInt64], ManualAnswer)
    /// Ask the system for background time.
    case requestBackgroundTime
    /// Give the background time back, and say whether all its work was done.
    case releaseBackgroundTime(success: Bool)
    /// The status has changed.
    case reportStatus(ScheduleSnapshot)
}

/// The answer to a manual request.
public enum ManualAnswer: Sendable, Hashable {
    /// The result of the sync that has just ended.
    case result
    /// There is no network; nothing was started.
    case offline
    /// The scheduler has stopped; nothing was started.
    case stopped
}
