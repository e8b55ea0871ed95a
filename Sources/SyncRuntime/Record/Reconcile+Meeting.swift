import SyncCore

/// A version of the remote that meets what stands here: the rows of the strategy table.
extension Reconcile {
    /// The plan for any version, as the rules here have it.
    func meet(_ state: RecordState, incoming: SyncRecord) -> Reconciliation {
        let before = knownHeads(state: state)
        let after = isLinear ? [incoming] : heads.maximal(versions: before + [incoming])
        // NB: what is known here may have values that never left, which say nothing of what the remote holds.
        let isNews =
            after.count != before.count
            || !zip(after, heads.maximal(versions: before)).allSatisfy {
                $0 == merge.keepingLocalOnly($1, of: $0)
            }
        // NB: what the remote had lost is sent again as it is, and then the remote holds nothing new.
        let isSentAgain =
            state.local?.state == .pending && state.local?.version.metadata == incoming.metadata
        guard isNews || isSentAgain || state.local == nil else {
            return Reconciliation(state, outcome: .known)
        }
        let view = heads.view(heads: after)
        var plan = meetHeads(state, view: view, after: after)
        if state.local != nil, state.local?.state != .synced {
            // What the remote's heads come to is decided here, too, though an edit of this device stands beside it.
            plan.losses += view.lost.map { Loss(kept: view.shown, lost: $0) }
        }
        if heads.keepsHeads, after.count > 1 {
            plan.state.heads = after
        } else {
            plan.state.heads = []
        }
        plan.state.local?.hasHeads = !plan.state.heads.isEmpty
        return plan
    }

    private func knownHeads(state: RecordState) -> [SyncRecord] {
        state.heads.isEmpty ? [state.seenAtRemote].compactMap { $0 } : state.heads
    }

    private func meetHeads(_ state: RecordState, view: HeadSet.View, after: [SyncRecord]) -> Reconciliation {
        guard let local = state.local else { return take(view, local: nil, outcome: .taken) }
        if local.state == .synced { return take(view, local: local, outcome: .taken) }
        let mine = local.version
        if after.contains(where: { $0.metadata.vector.covers(mine.metadata.vector) }) {
            let isOurs = after.contains { $0.metadata.editTimestamp == mine.metadata.editTimestamp }
            return take(view, local: local, outcome: isOurs ? .acknowledged : .taken)
        }
        guard mine.metadata.vector.covers(view.shown.metadata.vector) else {
            return strategy(state: state, local: local, view: view, begunOn: state.base)
        }
        var kept = state
        kept.base = view.shown
        if local.state == .conflict {
            return strategy(state: kept, local: local, view: view, begunOn: state.base)
        }
        return Reconciliation(kept, outcome: .known)
    }

    /// The strategy table's rows for a record that is not clean. `base` is what the person saw who began to write.
    private func strategy(
        state: RecordState,
        local: LocalRecord,
        view: HeadSet.View,
        begunOn base: SyncRecord?
    ) -> Reconciliation {
        let (mine, remote) = (local.version, view.shown)
        if merge.isAgreement(left: mine, right: remote) {
            return agree(state: state, local: local, remote: remote)
        }
        if Mutation.disables(.versionsDecide), let base, descriptor.hasSameContent(left: base, right: remote)
        {
            var kept = state
            kept.base = remote
            kept.local?.version.metadata.vector.formUnion(remote.metadata.vector)
            return Reconciliation(kept, outcome: .known)
        }
        switch merge(mine, right: remote) {
        case .conflict where Mutation.disables(.conflictsKept):
            return take(view, local: local, outcome: .taken)
        case .conflict: return conflict(state: state, local: local, remote: remote)
        case .merged(let result, let lost):
            guard result.isDeleted || RecordCheck.fits(record: result.record, descriptor: descriptor) else {
                return conflict(state: state, local: local, remote: remote)
            }
            if local.state == .conflict,
                isOpen(state: state, mine: mine, base: base, remote: remote, result: result)
            {
                return conflict(state: state, local: local, remote: remote)
            }
            var plan = Reconciliation(RecordState(), outcome: .merged)
            plan.losses.reserveCapacity(lost.count)
            for version in lost { plan.losses.append(Loss(kept: result, lost: version)) }
            if isSameToAll(lhs: result, rhs: remote) {
                plan.state.local = LocalRecord(
                    version: merge.keepingLocalOnly(remote, of: mine),
                    state: .synced
                )
            } else {
                plan.state.local = LocalRecord(version: result, state: .pending)
                plan.state.base = remote
            }
            return plan
        }
    }

    /// Whether something is still in conflict that was so, because the result takes this device's side of it.
    ///
    /// NB: a conflict can be with what this device wrote itself, as when what shares unique values shows in place of a
    /// decision. The vector of the later of the two says that it has seen the other, and nobody has decided.
    private func isOpen(
        state: RecordState,
        mine: SyncRecord,
        base: SyncRecord?,
        remote: SyncRecord,
        result: SyncRecord
    ) -> Bool {
        guard result.isDeleted == remote.isDeleted else { return true }
        guard let other = state.remote, !result.isDeleted else { return false }
        return descriptor.layout.units.contains { unit in
            guard unit.rule == .preserveLocal, !holds(unit: unit, lhs: result, rhs: remote) else {
                return false
            }
            let wasOpen = other.isDeleted || mine.isDeleted || !holds(unit: unit, lhs: mine, rhs: other)
            return wasOpen && (base.map { !holds(unit: unit, lhs: other, rhs: $0) } ?? true)
        }
    }

    /// Whether two versions have the same in a unit.
    private func holds(unit: MergeUnit, lhs: SyncRecord, rhs: SyncRecord) -> Bool {
        unit.fields.allSatisfy { lhs.record.values[$0] == rhs.record.values[$0] }
            && (!unit.holdsUnknown || lhs.record.unknown == rhs.record.unknown)
    }

    private func agree(state: RecordState, local: LocalRecord, remote: SyncRecord) -> Reconciliation {
        if !isLinear, own.former.contains(remote.metadata.editTimestamp.device),
            own.current == local.version.metadata.editTimestamp.device
        {
            // NB: the former name's number stands for another edit elsewhere; what is sent under the new one does not.
            return Reconciliation(state, outcome: .known)
        }
        var plan = Reconciliation(state, outcome: .agreed)
        plan.state.remote = nil
        plan.state.agreed = nil
        let joined = merge.agreed(left: local.version, right: remote)
        let layout = descriptor.layout
        let times = [layout.created, layout.updated].compactMap { $0 }
        let differsInTimes = times.contains { joined.record.values[$0] != remote.record.values[$0] }
        // NB: a later delete that agreed with an earlier one must still beat an edit between the two.
        let isLater =
            descriptor.strategy == .lastWriteWins
            && joined.metadata.editTimestamp.time > remote.metadata.editTimestamp.time
        let differsInCause = joined.metadata.detail?.cause != remote.metadata.detail?.cause
        let needsPush = isLater || differsInCause || (!remote.isDeleted && differsInTimes)
        if needsPush {
            // NB: pushed, though not counted: otherwise the devices would keep different times for ever.
            plan.state.local = LocalRecord(version: joined, state: .pending)
            plan.state.base = remote
            plan.state.agreed = remote
        } else {
            plan.state.local = LocalRecord(
                version: merge.keepingLocalOnly(remote, of: local.version),
                state: .synced
            )
            plan.state.base = nil
        }
        return plan
    }

    private func conflict(state: RecordState, local: LocalRecord, remote: SyncRecord) -> Reconciliation {
        var plan = Reconciliation(state, outcome: .conflict)
        let draft = merge.draft(mine: local.version, over: remote)
        plan.state.local?.version = draft.version
        plan.losses = draft.lost.map { Loss(kept: draft.version, lost: $0) }
        // NB: in a conflict the base stays what it was when the person began to write.
        plan.state.local?.state = .conflict
        if state.remote == remote, local.state == .conflict { plan.outcome = .known }
        plan.state.remote = remote
        return plan
    }

    /// A clean record shows what the heads come to, unless an edit made here is a head that is not presented.
    private func take(
        _ view: HeadSet.View,
        local: LocalRecord?,
        outcome: ReconcileOutcome
    ) -> Reconciliation {
        var plan = Reconciliation(RecordState(), outcome: outcome)
        plan.losses = view.lost.map { Loss(kept: view.shown, lost: $0) }
        // NB: what others made of an earlier edit of this device can have its mark.
        if !own.wrote(view.shown.metadata.editTimestamp), let mine = ownEdit(view: view, local: local) {
            let draft = merge.draft(
                mine: local.map { merge.keepingLocalOnly(mine, of: $0.version) } ?? mine,
                over: view.shown
            )
            plan.losses += draft.lost.map { Loss(kept: draft.version, lost: $0) }
            plan.state.local = LocalRecord(version: draft.version, state: .conflict)
            plan.state.remote = view.shown
            plan.outcome = .conflict
            return plan
        }
        var shown = view.shown
        if let local { shown = merge.keepingLocalOnly(shown, of: local.version) }
        plan.state.local = LocalRecord(version: shown, state: .synced)
        if let local, !view.lost.isEmpty, local.state == .synced { plan.outcome = .merged }
        return plan
    }

    /// The version beside the shown one that this device's person has to be asked about: what was written here before what
    /// others made of an earlier edit, and of each what is shown here.
    private func ownEdit(view: HeadSet.View, local: LocalRecord?) -> SyncRecord? {
        let mine = view.conflicting.filter { holdsOwnEdit(version: $0, unseenBy: view.shown) }
        let written = mine.filter { own.wrote($0.metadata.editTimestamp) }
        let shown = local?.version.metadata.editTimestamp
        return written.first { $0.metadata.editTimestamp == shown } ?? written.first
            ?? mine.first { $0.metadata.editTimestamp == shown } ?? mine.first
    }

    /// Whether a version has a value of this device's person that another one has not seen. Merged with others, it can have
    /// the mark of one of them.
    private func holdsOwnEdit(version: SyncRecord, unseenBy other: SyncRecord) -> Bool {
        if own.wrote(version.metadata.editTimestamp) { return true }
        guard version.metadata.detail != nil,
            own.hasEdit(in: version.metadata.vector, missingFrom: other.metadata.vector)
        else { return false }
        return MergeState(version: version, descriptor: descriptor).units.joined().contains {
            own.wrote($0.editTimestamp) && !other.metadata.vector.covers($0.editTimestamp)
        }
    }

    /// Whether two versions are the same to everyone who may merge them later.
    private func isSameToAll(lhs: SyncRecord, rhs: SyncRecord) -> Bool {
        guard lhs.isDeleted == rhs.isDeleted, lhs.mergedInto == rhs.mergedInto,
            merge.keepingLocalOnly(lhs, of: rhs).record == rhs.record
        else { return false }
        let (left, right) = (lhs.metadata, rhs.metadata)
        if left.editTimestamp == right.editTimestamp, left.hasSameDetail(as: right) { return true }
        guard left.origin == right.origin, lhs.life == rhs.life else { return false }
        return MergeState(version: lhs, descriptor: descriptor)
            == MergeState(version: rhs, descriptor: descriptor)
    }
}
