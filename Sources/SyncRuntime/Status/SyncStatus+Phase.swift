public import SyncCore

extension SyncStatus {
    /// What syncing is about at one moment.
    public enum Phase: Sendable, Hashable {
        /// Nothing waits and nothing runs.
        case idle
        /// Something waits to be synced: until an instant where one is planned, else until the next sync that is asked for.
        case waiting(until: Timestamp?)
        /// A sync runs, from the start of the attempt on, whether or not the remote answers.
        case syncing(SyncProgress)
        /// There is no network.
        case offline
        /// After a failure, the next attempt is made at an instant.
        case backingOff(until: Timestamp)
        /// Trying again does not help until somebody acts, as the advice says.
        case halted(RetryAdvice)
        /// The remote does not let the account in until a person acts.
        case paused
    }

    /// What syncing is about now.
    public var phase: Phase {
        if let progress = outside.progress { return .syncing(progress) }
        if outside.account == .paused { return .paused }
        switch outside.schedule {
        case .offline: return .offline
        case .paused: return .paused
        case .backingOff(let until, _): return .backingOff(until: until)
        case .halted(let advice): return .halted(advice)
        case .waiting(let until, _): return .waiting(until: until)
        // NB: a sync is shown from its own progress, which ends before the scheduler hears of it.
        case .idle, .syncing, .suspended, .stopped, nil:
            return pending > 0 && outside.account != .guest ? .waiting(until: nil) : .idle
        }
    }
}

extension SyncStatus.Failure {
    /// The later of what this process saw fail and what the store remembers, unless a success followed.
    static func last(seen: Self?, stored: PastSync?) -> Self? {
        guard let stored else { return seen }
        if let seen, seen.at >= stored.ended { return seen }
        return stored.error.map { Self(at: stored.ended, error: $0) }
    }
}
