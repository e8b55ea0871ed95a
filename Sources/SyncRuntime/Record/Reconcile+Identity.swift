import SyncCore

/// New identities, another remote, and adoption of a guest's records.
extension Reconcile {
    /// The device's edits have new names. A clean record with such an edit is published again.
    func renamed(_ state: RecordState, metadata: VersionMetadata, forgetsBase: Bool) -> Reconciliation {
        var result = Reconciliation(state, outcome: .waiting)
        result.state.local?.version.metadata = metadata
        if forgetsBase { result.state.base = nil }
        if state.local?.state == .synced {
            result.state.heads = []
            result.state.local?.hasHeads = false
            result.state.local?.state = .pending
        }
        return result
    }

    /// Every record becomes pending again. Versions on the new remote are merged by strategy.
    func rejoined(_ state: RecordState) -> Reconciliation {
        guard let local = state.local else { return Reconciliation(state, outcome: .known) }
        var result = Reconciliation(RecordState(local: local), outcome: .waiting)
        result.state.local?.state = .pending
        result.state.local?.hasHeads = false
        if local.state == .rejected { result.effects = [.tryAgain] }
        guard local.state == .conflict || !state.heads.isEmpty else { return result }
        // The new remote may lack the other devices' versions that are kept with the record.
        for other in [state.remote].compactMap({ $0 }) + state.heads {
            let isKept = other.isDeleted || local.version.metadata.vector.covers(other.metadata.vector)
            if isKept || result.losses.contains(where: { $0.lost == other }) { continue }
            result.losses.append(Loss(kept: local.version, lost: other))
        }
        return result
    }

    /// Merges a guest's record with the account's record of the same key, as concurrent edits.
    func adopted(_ state: RecordState, guest: SyncRecord) -> Reconciliation {
        guard let account = state.local else {
            return Reconciliation(
                RecordState(local: LocalRecord(version: guest, state: .pending)),
                outcome: .waiting
            )
        }
        var result =
            account.state == .synced
            ? adoptedOverClean(state, account: account.version, guest: guest)
            : adoptedOverEdit(state, account: account, guest: guest)
        if account.state == .rejected, result.state.local?.state != .rejected {
            result.effects.append(.removeRejection)
        }
        return result
    }

    /// The account's version is the remote's: the guest's becomes a local edit that has not seen it.
    private func adoptedOverClean(_ state: RecordState, account: SyncRecord, guest: SyncRecord)
        -> Reconciliation
    {
        let mine = RecordState(local: LocalRecord(version: guest, state: .pending))
        var result = meet(mine, incoming: account)
        result.state.heads = state.heads
        result.state.local?.hasHeads = !state.heads.isEmpty
        return result
    }

    /// The account's version is also an edit of this device, and no remote is known to hold it.
    private func adoptedOverEdit(_ state: RecordState, account: LocalRecord, guest: SyncRecord)
        -> Reconciliation
    {
        let mine = account.version
        var result = Reconciliation(state, outcome: .known)
        if merge.isAgreement(left: mine, right: guest) { return result }
        if case .merged(let merged, let lost) = merge(mine, right: guest),
            merged.isDeleted || RecordCheck.fits(record: merged.record, descriptor: descriptor)
        {
            result.outcome = .merged
            result.losses = lost.map { Loss(kept: merged, lost: $0) }
            // The account's edit won as a whole: it stays pending or rejected, as it was.
            if merge.isAgreement(left: merged, right: mine) { return result }
            result.state.local = LocalRecord(
                version: merged,
                state: account.state == .conflict ? .conflict : .pending,
                hasHeads: !state.heads.isEmpty
            )
            result.state.agreed = nil
            return result
        }
        result.outcome = .conflict
        if account.state == .conflict {
            // There are three values, but a conflict shows two: the guest's can be restored from the journal.
            result.losses = [Loss(kept: mine, lost: guest)]
            return result
        }
        // The remote does not have the account's edit, so the remote's next version would replace it in the conflict.
        // The journal keeps it.
        result.losses = [Loss(kept: guest, lost: mine)]
        result.state.local = LocalRecord(version: guest, state: .conflict, hasHeads: !state.heads.isEmpty)
        result.state.remote = mine
        result.state.agreed = nil
        return result
    }
}
