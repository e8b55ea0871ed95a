import SyncCore

/// People's edits, and what follows from them for other records.
extension Reconcile {
    /// Applies a written version. A record that was clean keeps its version as the base.
    func edited(_ state: RecordState, version: SyncRecord, decides: Bool) -> Reconciliation {
        var result = written(state, version: version, decides: decides)
        if state.local?.state == .rejected { result.effects.append(.tryAgain) }
        return result
    }

    /// Puts an edit beside what the record is now, which its person had not seen.
    func editedApart(_ state: RecordState, version: SyncRecord, base: SyncRecord) -> Reconciliation {
        guard let local = state.local else { return edited(state, version: version, decides: false) }
        var result = Reconciliation(state, outcome: .conflict)
        switch local.state {
        case .synced:
            result.state.base = base
            result.state.remote = local.version
        case .pending:
            (result.state.remote, result.state.unsent) = (local.version, local.version)
        case .rejected:
            result.state.remote = local.version
        case .conflict: break
        }
        if local.state != .synced {
            // The remote's next version replaces the other side of the conflict. A conflict shows two values of three.
            result.losses = [Loss(kept: version, lost: local.version)]
        }
        if local.state == .rejected { result.effects = [.removeRejection] }
        result.state.agreed = nil
        result.state.local = LocalRecord(version: version, state: .conflict, hasHeads: !state.heads.isEmpty)
        return result
    }

    /// Applies a conclusion from a merge of records. A rejected record that changes this way is tried again.
    func concluded(_ state: RecordState, version: SyncRecord) -> Reconciliation {
        var result = written(state, version: version, decides: false)
        if state.local?.state == .rejected { result.effects.append(.forgetRejection) }
        return result
    }

    private func written(_ state: RecordState, version: SyncRecord, decides: Bool) -> Reconciliation {
        var after = state
        var next = SyncState.pending
        switch state.local?.state {
        case .synced?: after.base = state.local?.version
        case .conflict? where !decides: next = .conflict
        // The other side may be an edit of this device that was not sent yet, or say that a parent was deleted.
        case .conflict? where state.unsent != nil || state.standsForParent: break
        // Or a create that the remote has refused.
        case .conflict? where state.base == nil && isOwnEdit(state.remote): after.base = nil
        case .conflict?: after.base = state.remote
        case .pending?, .rejected?, nil: break
        }
        if next != .conflict { (after.remote, after.unsent) = (nil, nil) }
        after.agreed = nil
        // The versions that the edit has seen stay heads of the remote until the edit is published.
        after.local = LocalRecord(version: version, state: next, hasHeads: !state.heads.isEmpty)
        return Reconciliation(after, outcome: next == .conflict ? .conflict : .waiting)
    }

    private func isOwnEdit(_ version: SyncRecord?) -> Bool {
        version.map { own.wrote($0.metadata.editTimestamp) } ?? false
    }

    /// Only values that stay on this device have changed.
    func localValues(_ state: RecordState, version: SyncRecord) -> Reconciliation {
        var result = Reconciliation(state, outcome: .known)
        result.state.local?.version = version
        return result
    }

    /// Makes the record pending as it is: the same edit, whoever made it.
    func waiting(_ state: RecordState) -> Reconciliation {
        var result = Reconciliation(state, outcome: .known)
        switch state.local?.state {
        case .rejected?: result.effects = [.tryAgain]
        case .synced?: break
        case .pending?, .conflict?, nil: return result
        }
        result.state.local?.state = .pending
        result.outcome = .waiting
        return result
    }

    /// A person gives up a rejected edit and gets the remote's version: the last agreed one, or none.
    func discarded(_ state: RecordState) -> Reconciliation {
        guard let local = state.local, local.state == .rejected else {
            return Reconciliation(state, outcome: .known)
        }
        var kept = state.base ?? local.version
        if state.base == nil { kept.isDeleted = true }
        var result = Reconciliation(RecordState(), outcome: .removed)
        if let base = state.base {
            let shown = merge.keepingLocalOnly(base, of: local.version)
            result = Reconciliation(RecordState(clean: shown), outcome: .taken)
            result.state.heads = state.heads
            result.state.local?.hasHeads = local.hasHeads
        }
        result.effects = [
            .journal(Loss(kept: kept, lost: local.version), rule: "discarded"), .removeRejection,
        ]
        return result
    }

    // MARK: Other records

    /// A parent was deleted: the device that wrote the child asks its person whether to keep the child.
    func parentDeleted(_ state: RecordState, cause: DeleteCause) -> Reconciliation {
        guard let local = state.local, local.state != .conflict, own.wrote(local.version) else {
            return Reconciliation(state, outcome: .known)
        }
        let time = local.version.metadata.editTimestamp.time.next
        var remote: SyncRecord
        if local.state == .pending, let base = state.base, lives(base, without: cause) {
            // The edit moved the record to the deleted parent: the other side is the record where it was.
            remote = base.deletedByNobody(time: time)
            remote.isDeleted = false
        } else {
            remote = local.version.deletedByNobody(time: time)
            remote.metadata = remote.metadata.caused(by: cause)
        }
        var after = state
        after.local = LocalRecord(version: local.version, state: .conflict, hasHeads: local.hasHeads)
        if local.state == .synced { after.base = local.version }
        after.remote = remote
        after.agreed = nil
        return Reconciliation(after, outcome: .conflict)
    }

    /// Whether a version is live and does not refer to a deleted parent.
    private func lives(_ version: SyncRecord, without parent: DeleteCause) -> Bool {
        !version.isDeleted
            && !descriptor.references.contains {
                $0.entity == parent.entity && descriptor.keys(of: $0, in: version.record).contains(parent.key)
            }
    }

    /// Merges duplicates into this record, as concurrent edits.
    func duplicated(_ state: RecordState, duplicates: [RecordEvent.Duplicate]) -> Reconciliation {
        var result = Reconciliation(state, outcome: .known)
        for duplicate in duplicates { merge(duplicate, into: &result) }
        if state.local?.state == .rejected, result.state.local?.state != .rejected {
            result.effects.append(.forgetRejection)
        }
        return result
    }

    /// Merges a local value with the record into which another device has merged its own.
    func displaced(_ state: RecordState, version: SyncRecord) -> Reconciliation {
        guard let local = state.local, local.version.isDeleted else {
            return duplicated(state, duplicates: [RecordEvent.Duplicate(version: version, isOwn: true)])
        }
        var result = Reconciliation(state, outcome: .known)
        result.losses = [Loss(kept: local.version, lost: version)]
        return result
    }

    private func merge(_ duplicate: RecordEvent.Duplicate, into result: inout Reconciliation) {
        guard let local = result.state.local else { return }
        let mine = local.version
        let moved = RecordMove(descriptor).version(
            version: duplicate.version,
            as: mine.key,
            keyValues: descriptor.layout.key.map { mine.record.values[$0] }
        )
        if moved.isDeleted || mine.metadata.vector.covers(moved.metadata.vector) { return }
        if case .merged(let merged, let lost) = merge(mine, right: moved),
            merged.isDeleted || RecordCheck.fits(record: merged.record, descriptor: descriptor),
            local.state != .conflict
        {
            result.losses += lost.map { Loss(kept: merged, lost: $0) }
            let version = merged.fillingLocalOnly(from: duplicate.version, descriptor: descriptor)
            result.state = written(result.state, version: version, decides: false).state
            result.outcome = .merged
            return
        }
        guard duplicate.isOwn, local.state == .synced else {
            // If the device that wrote the value still exists, it asks its person. This one can restore the value
            // from the journal.
            return result.losses.append(Loss(kept: mine, lost: moved))
        }
        let draft = merge.draft(mine: moved, over: mine)
        result.losses += draft.lost.map { Loss(kept: draft.version, lost: $0) }
        result.state.base = nil
        result.state.agreed = nil
        result.state.remote = mine
        result.state.local = LocalRecord(
            version: draft.version.fillingLocalOnly(from: mine, descriptor: descriptor),
            state: .conflict,
            hasHeads: !result.state.heads.isEmpty
        )
        result.outcome = .conflict
    }
}

extension SyncRecord {
    /// The version, with missing local-only values filled in from another version.
    fileprivate func fillingLocalOnly(from other: SyncRecord, descriptor: EntityDescriptor) -> SyncRecord {
        if descriptor.layout.localOnly.isEmpty { return self }
        var result = self
        for index in descriptor.layout.localOnly where result.record.values[index] == nil {
            result.record.values[index] = other.record.values[index]
        }
        return result
    }
}
