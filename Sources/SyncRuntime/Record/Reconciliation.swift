package import SyncCore

/// The result of reconciling a record with an event.
package struct Reconciliation: Sendable, Equatable {
    /// The new state. Without a local version, the record is removed.
    package var state: RecordState
    /// The row of the strategy table that applied.
    package var outcome: ReconcileOutcome
    /// Values that lost by the entity's strategy.
    package var losses: [Loss] = []
    /// Further effects.
    package var effects: [RecordEffect] = []

    init(_ state: RecordState, outcome: ReconcileOutcome) {
        self.state = state
        self.outcome = outcome
    }
}

/// The row of the strategy table that applied.
package enum ReconcileOutcome: String, Sendable, Hashable {
    /// The event brings nothing new.
    case known
    /// A clean record took the remote's version.
    case taken
    /// The remote holds this device's own edit.
    case acknowledged
    /// Both sides have the same content.
    case agreed
    /// The strategy merged two versions.
    case merged
    /// A person must decide.
    case conflict
    /// The record waits to be sent.
    case waiting
    /// The remote has rejected the edit.
    case rejected
    /// The record was removed from this device.
    case removed
}

/// What is to be done in addition to writing a record's state.
package enum RecordEffect: Sendable, Equatable {
    /// Put a value in the journal that a rule other than the entity's strategy took away.
    case journal(Loss, rule: String)
    /// Forget that the remote rejected the record. Bytes that could not be taken in stay.
    case forgetRejection
    /// Forget that the record was rejected, by either side. Versions that the record has not seen stay.
    case removeRejection
    /// Note that a rejected record is sent again.
    case tryAgain
    /// Forget the remote's revision of the record: the pending change is a create.
    case forgetRevision
    /// Keep a local edit until the record into which its own was merged arrives. Nil: keep none any more.
    case displace(SyncRecord?)
}

/// A value that lost in an automatic decision.
package struct Loss: Sendable, Hashable {
    package var kept: SyncRecord
    /// The version with the value. For a tombstone of a merged record, the value before the merge.
    package var lost: SyncRecord
    /// What decided; nil for the strategy by which this device merges.
    package var rule: String?

    package init(kept: SyncRecord, lost: SyncRecord, rule: String? = nil) {
        self.kept = kept
        self.rule = rule
        self.lost = lost.isMergeTombstone ? lost.beforeMerge : lost
    }
}

extension Reconciliation {
    /// Whether an edit of this device waits for the record into which its own was merged.
    var displaces: Bool {
        effects.contains { if case .displace(.some) = $0 { true } else { false } }
    }

    /// What a person kept to this device, if it goes with its record although nobody deleted that here. No other device
    /// has it.
    func localLoss(before: RecordState, in entity: EntityDescriptor) -> Loss? {
        guard !entity.layout.localOnly.isEmpty, let local = before.local, local.visibility.exists,
            local.version.hasLocalValue(in: entity)
        else { return nil }
        var kept = local.version
        if let after = state.local {
            let isDeletedHere = after.state != .synced && after.version.mergedInto == nil
            if !after.version.isDeleted || isDeletedHere { return nil }
            kept = after.version
        } else {
            kept.isDeleted = true
        }
        for index in entity.layout.localOnly { kept.record.values[index] = nil }
        let loss = Loss(kept: kept, lost: local.version)
        return allLosses.contains { $0.lost == loss.lost } ? nil : loss
    }

    /// What people kept to this device in two records that became one: a value that only one has stays, and of two the one
    /// that goes is returned, with its record.
    mutating func joinLocalValues(of records: [SyncRecord], in entity: EntityDescriptor) -> [Loss] {
        guard state.local?.version.isDeleted == false else { return [] }
        for record in records {
            for index in entity.layout.localOnly where !record.isDeleted {
                let isEmpty = state.local?.version.record.values[index].map { $0 == .null } ?? true
                if isEmpty { state.local?.version.record.values[index] = record.record.values[index] }
            }
        }
        guard let kept = state.local?.version else { return [] }
        return records.filter { !$0.isDeleted && $0.losesLocalValue(to: kept, in: entity) }
            .map { Loss(kept: kept, lost: $0) }
            .filter { loss in !allLosses.contains { $0.lost == loss.lost } }
    }

    private var allLosses: [Loss] {
        losses
            + effects.compactMap { effect in
                if case .journal(let loss, _) = effect { loss } else { nil }
            }
    }
}

extension SyncRecord {
    /// What tells two losers apart that differ in values that stay on this device: an edit of these has no edit timestamp of
    /// its own.
    func localContent(in entity: EntityDescriptor) -> Digest {
        Digest(EntryCodec.encode(self, descriptor: entity, keepsLocal: true))
    }

    /// Whether another version lacks a value that a person kept to this device.
    func losesLocalValue(to kept: SyncRecord, in entity: EntityDescriptor) -> Bool {
        entity.layout.localOnly.contains { index in
            guard let value = record.values[index], value != .null else { return false }
            return kept.record.values[index] != value
        }
    }

    /// Whether a field that stays on this device has a value that a person may have written.
    fileprivate func hasLocalValue(in entity: EntityDescriptor) -> Bool {
        entity.layout.localOnly.contains { index in
            record.values[index] != nil && record.values[index] != .null
        }
    }
}
