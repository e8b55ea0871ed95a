public import SyncCore

extension SyncStatus {
    /// The phase of syncing.
    public enum Phase: Sendable, Hashable {
        /// Nothing is pending, except of excluded entities (`SyncStatus.Outside.excluded`), and no sync runs.
        case idle
        /// Changes are pending, until the planned sync or, without one, until the next request.
        case waiting(until: Timestamp?)
        /// A sync runs, from the start of the attempt, even if the remote does not answer.
        case syncing(SyncProgress)
        /// There is no network.
        case offline
        /// After a failure, the next attempt is made at an instant.
        case backingOff(until: Timestamp)
        /// Trying again does not help until somebody acts on the advice.
        case halted(RetryAdvice)
        /// The last attempt that the policy allows has failed. Nothing starts by itself until a sync that somebody asks
        /// for succeeds.
        case gaveUp(attempts: Int)
        /// The remote refuses the account until a person acts.
        case paused
    }

    /// The present phase.
    public var phase: Phase {
        if let progress = outside.progress { return .syncing(progress) }
        if outside.account == .paused { return .paused }
        switch outside.schedule {
        case .offline: return .offline
        case .paused: return .paused
        case .backingOff(let until, _): return .backingOff(until: until)
        case .halted(let advice): return .halted(advice)
        case .gaveUp(let attempts): return .gaveUp(attempts: attempts)
        case .waiting(let until, _): return .waiting(until: until)
        // A sync is shown by its own progress, which ends before the scheduler is notified.
        case .idle, .syncing, .suspended, .stopped, nil:
            let waits = entities.contains { $0.counts.pending > 0 && !outside.excluded.contains($0.name) }
            return waits && outside.account != .guest ? .waiting(until: nil) : .idle
        }
    }
}

extension SyncStatus.Failure {
    /// The later failure of this process's and the stored one, unless a success followed.
    static func last(seen: Self?, stored: PastSync?) -> Self? {
        guard let stored else { return seen }
        if let seen, seen.at >= stored.ended { return seen }
        return stored.error.map { Self(at: stored.ended, error: $0) }
    }
}
