package import SyncCore

/// What a record has become by an event.
package struct Reconciliation: Sendable, Equatable {
    /// The state as it shall be. No local version: the record goes.
    package var state: RecordState
    /// The row of the strategy table that fired.
    package var outcome: ReconcileOutcome
    /// Values that did not survive by the entity's strategy.
    package var losses: [Loss] = []
    /// What else is to be done.
    package var effects: [RecordEffect] = []

    init(_ state: RecordState, outcome: ReconcileOutcome) {
        self.state = state
        self.outcome = outcome
    }
}

/// The row of the strategy table that fired.
package enum ReconcileOutcome: String, Sendable, Hashable {
    /// The event says nothing new.
    case known
    /// A clean record took the remote's version.
    case taken
    /// The remote holds this device's own edit.
    case acknowledged
    /// Both sides say the same.
    case agreed
    /// The strategy made one version of two.
    case merged
    /// A person must decide.
    case conflict
    /// The record waits to be sent.
    case waiting
    /// The remote has refused the edit.
    case rejected
    /// The record is not here any more.
    case removed
}

/// What is to be done beside writing a record's state.
package enum RecordEffect: Sendable, Equatable {
    /// Keep a value that a rule has taken away, other than the entity's strategy.
    case journal(Loss, rule: String)
    /// Forget that the remote refused the record. What could not be taken in stays.
    case forgetRejection
    /// Forget that the record was rejected, by whom ever.
    case removeRejection
    /// Remember that a refused record is sent again.
    case tryAgain
    /// Forget the remote's name for the record's state: what waits is a create.
    case forgetRevision
    /// Keep what was written here until the record that it was merged into arrives.
    case displace(SyncRecord)
}

/// A value that did not survive an automatic decision.
package struct Loss: Sendable, Hashable {
    package var kept: SyncRecord
    /// The version with the value. Of a tombstone that a merge of two records left, it is the value that was merged.
    package var lost: SyncRecord

    package init(kept: SyncRecord, lost: SyncRecord) {
        self.kept = kept
        self.lost = lost.isMergeTombstone ? lost.beforeMerge : lost
    }
}
