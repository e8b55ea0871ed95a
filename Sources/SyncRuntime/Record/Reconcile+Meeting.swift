import SyncCore

/// Merging the remote's version with the local state: the rows of the strategy table.
extension Reconcile {
    /// Reconciles a version, after applying this device's rules, except one that is a different edit under the same
    /// name.
    func meet(_ former: RecordState, incoming: SyncRecord) -> Reconciliation {
        if kind == .forked, former.hasEarlierFork(of: incoming) {
            return Reconciliation(former, outcome: .known)
        }
        let state = known(former, before: incoming)
        guard let after = news(incoming, in: state) else { return Reconciliation(state, outcome: .known) }
        let view = heads.view(heads: after)
        func finished(_ plan: consuming Reconciliation) -> Reconciliation {
            if state.local != nil, state.local?.state != .synced {
                // The remote's heads are merged here too, even if there is a pending edit of this device.
                plan.losses += losses(of: view)
            }
            let kept = heads.keepsHeads && after.count > 1 ? after : []
            plan.state.heads = kept
            plan.state.local?.hasHeads = !kept.isEmpty
            if kind == .forked, dropsTombstones {
                keepDeleted(before: former, incoming: incoming, after: &plan)
            }
            return plan
        }
        guard let local = state.local, local.state != .synced else {
            var plan = take(view, of: after, local: state.local, outcome: .taken)
            if kind == .linear, let unseen = former.unseen(by: incoming),
                !descriptor.hasSameContent(left: unseen, right: view.shown)
            {
                plan.losses.append(Loss(kept: view.shown, lost: unseen))
            }
            return finished(plan)
        }
        let (mine, remote) = (local.version, view.shown)
        if after.contains(where: { $0.metadata.vector.covers(mine.metadata.vector) }) {
            let isOurs = after.contains { $0.metadata.editTimestamp == mine.metadata.editTimestamp }
            return finished(take(view, of: after, local: local, outcome: isOurs ? .acknowledged : .taken))
        }
        // The version that the person saw when they began to write.
        let base = state.base
        var kept = state
        if mine.metadata.vector.covers(remote.metadata.vector) {
            kept.base = remote
            guard local.state == .conflict else { return finished(Reconciliation(kept, outcome: .known)) }
        }
        if merge.isAgreement(left: mine, right: remote) {
            return finished(agree(state: kept, local: local, remote: remote))
        }
        switch merge(mine, right: remote) {
        case .conflict: return finished(conflict(state: kept, local: local, remote: remote))
        case .merged(let result, let lost):
            let fits = result.isDeleted || RecordCheck.fits(record: result.record, descriptor: descriptor)
            let staysOpen =
                local.state == .conflict
                && isOpen(state: kept, mine: mine, base: base, remote: remote, result: result)
            guard fits, !staysOpen else {
                return finished(conflict(state: kept, local: local, remote: remote))
            }
            return finished(merged(mine, with: remote, since: base, result: result, lost: lost))
        }
    }

    /// What the remote holds of a record with an incoming version, greatest first; nil if that is nothing new.
    private func news(_ incoming: SyncRecord, in state: RecordState) -> [SyncRecord]? {
        let version = merge.applyingRules(to: incoming)
        let before = knownHeads(state: state)
        let after = kind == .linear ? [version] : heads.maximal(versions: before + [version])
        // Local values may never have left this device. They say nothing about the remote.
        let isNews =
            after.count != before.count
            || !zip(after, heads.maximal(versions: before)).allSatisfy {
                $0 == merge.keepingLocalOnly($1, of: $0)
            }
        // What the remote had lost is sent again unchanged; afterwards the remote has nothing new.
        let isSentAgain =
            state.local?.state == .pending && state.local?.version.metadata == version.metadata
        return isNews || isSentAgain || state.local == nil ? after : nil
    }

    /// The state as far as the remote still holds it, beside an incoming version.
    private func known(_ state: RecordState, before incoming: SyncRecord) -> RecordState {
        if kind == .forked { return state.withoutForks(of: incoming) }
        // With preserve-local, a clean record takes a person's decision from elsewhere, and the journal keeps what that
        // has not seen. Otherwise edit timestamps decide again.
        let isForgotten = descriptor.strategy != .preserveLocal
        return isForgotten ? state.forgotten(by: incoming) : state
    }

    private func knownHeads(state: RecordState) -> [SyncRecord] {
        state.heads.isEmpty ? [state.seenAtRemote].compactMap { $0 } : state.heads
    }

    /// Both versions in one. `base` is the version that the person saw when they began to write.
    private func merged(
        _ mine: SyncRecord,
        with remote: SyncRecord,
        since base: SyncRecord?,
        result: SyncRecord,
        lost: [SyncRecord]
    ) -> Reconciliation {
        var plan = Reconciliation(RecordState(), outcome: .merged)
        plan.losses.reserveCapacity(lost.count)
        for version in lost { plan.losses.append(Loss(kept: result, lost: version)) }
        let seen = [result, base].compactMap { $0 }
        for side in [mine, remote] {
            let place = plan.losses.firstIndex { $0.lost == side }
            // Of two deletes, only one that lost values is a loss: these, not the delete.
            guard !result.isDeleted || place != nil,
                let words = side.lastWords(beyond: seen, in: descriptor)
            else { continue }
            if let place { plan.losses.remove(at: place) }
            plan.losses.append(Loss(kept: result, lost: words))
        }
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

    /// Whether an existing conflict stays open because the result takes this device's side.
    ///
    /// NB: a conflict can be with this device's own edit, for example when a duplicate shows in place of a decision.
    /// The later version's vector then includes the other, although nobody has decided.
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

    /// Whether two versions have the same value in a unit.
    private func holds(unit: MergeUnit, lhs: SyncRecord, rhs: SyncRecord) -> Bool {
        unit.fields.allSatisfy { lhs.record.values[$0] == rhs.record.values[$0] }
            && (!unit.holdsUnknown || lhs.record.unknown == rhs.record.unknown)
    }

    private func agree(state: RecordState, local: LocalRecord, remote: SyncRecord) -> Reconciliation {
        if kind == .forked, own.former.contains(remote.metadata.editTimestamp.device),
            own.current == local.version.metadata.editTimestamp.device
        {
            return renamed(state: state, local: local, remote: remote)
        }
        var plan = Reconciliation(state, outcome: .agreed)
        plan.state.remote = nil
        plan.state.agreed = nil
        let joined = merge.agreed(left: local.version, right: remote)
        let layout = descriptor.layout
        let times = [layout.created, layout.updated].compactMap { $0 }
        let differsInTimes = times.contains { joined.record.values[$0] != remote.record.values[$0] }
        // A later delete that agreed with an earlier one must still beat an edit between the two.
        let isLater =
            [descriptor, heads.descriptor].contains { $0.strategy == .lastWriteWins }
            && joined.metadata.editTimestamp.time > remote.metadata.editTimestamp.time
        let differsInCause =
            joined.metadata.detail?.cause != remote.metadata.detail?.cause
            || joined.metadata.cleared != remote.metadata.cleared
        // A delete whose author has a new identity no longer covers what it deleted, which may still come under the
        // former one. Beside another's delete, which has not seen that, it would be back without a question.
        let isRenewed =
            kind == .forked && remote.isDeleted && !own.former.isEmpty
            && local.version.metadata.editTimestamp.device == own.current
        let needsPush =
            isLater || differsInCause || isRenewed || (!remote.isDeleted && differsInTimes)
        if needsPush {
            // Pushed, though not counted. Otherwise the devices would keep different times for ever.
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
        let kept = needsPush ? joined : remote
        plan.losses = merge.lostToDelete(left: local.version, right: remote, kept: kept)
            .map { Loss(kept: kept, lost: $0) }
        return plan
    }

    /// An edit that goes out under the present identity meets itself under a former one: with what others have merged
    /// into it since.
    ///
    /// NB: the former identity's number may name another edit elsewhere; numbers of the new identity are safe.
    private func renamed(state: RecordState, local: LocalRecord, remote: SyncRecord) -> Reconciliation {
        let mine = local.version
        var others = remote.metadata.vector
        for device in own.former { others.truncate(device, to: 0) }
        if mine.metadata.vector.covers(others) { return Reconciliation(state, outcome: .known) }
        var theirs = remote
        theirs.metadata.editTimestamp = mine.metadata.editTimestamp
        theirs.metadata.vector = mine.metadata.vector.union(others)
        theirs.metadata.detail = remote.metadata.detail?.mapping { edit in
            own.former.contains(edit.device) ? mine.metadata.editTimestamp : edit
        }
        var plan = Reconciliation(state, outcome: .known)
        plan.state.local?.version = merge.agreed(left: mine, right: theirs)
        return plan
    }

    private func conflict(state: RecordState, local: LocalRecord, remote: SyncRecord) -> Reconciliation {
        var plan = Reconciliation(state, outcome: .conflict)
        let draft = merge.draft(mine: local.version, over: remote)
        plan.state.local?.version = draft.version
        plan.losses = draft.lost.map { Loss(kept: draft.version, lost: $0) }
        // In a conflict, the base stays the version that the person saw when they began to write.
        plan.state.local?.state = .conflict
        if state.remote == remote, local.state == .conflict { plan.outcome = .known }
        plan.state.remote = remote
        return plan
    }

    /// A clean record takes the view of the heads, unless this device's own edit is a head that the view does not
    /// show.
    private func take(
        _ view: HeadSet.View,
        of versions: [SyncRecord],
        local: LocalRecord?,
        outcome: ReconcileOutcome
    ) -> Reconciliation {
        var plan = Reconciliation(RecordState(), outcome: outcome)
        if descriptor.isChosen, let (mine, others) = keptEdit(view: view, of: versions) {
            plan.losses = losses(of: others)
            return asked(plan, mine: mine, other: others.shown, local: local)
        }
        plan.losses = losses(of: view)
        // Another device's merge of an earlier edit of this device can have that edit's timestamp.
        if !own.wrote(view.shown.metadata.editTimestamp), let mine = ownEdit(view: view, local: local) {
            return asked(plan, mine: mine, other: view.shown, local: local)
        }
        var shown = view.shown
        if let local { shown = merge.keepingLocalOnly(shown, of: local.version) }
        plan.state.local = LocalRecord(version: shown, state: .synced)
        if let local, !view.lost.isEmpty, local.state == .synced { plan.outcome = .merged }
        return plan
    }

    /// Keeps an own edit beside what the others show, until this device's person decides.
    private func asked(
        _ plan: consuming Reconciliation,
        mine: SyncRecord,
        other: SyncRecord,
        local: LocalRecord?
    ) -> Reconciliation {
        let mine = local.map { merge.keepingLocalOnly(mine, of: $0.version) } ?? mine
        if descriptor.isChosen, case .merged(let result, let lost) = merge(mine, right: other),
            result.isDeleted || RecordCheck.fits(record: result.record, descriptor: descriptor)
        {
            // The person chose already. As their decision it is sent, so that it is one on every device.
            plan.losses += lost.map { Loss(kept: result, lost: $0) }
            plan.state.local = LocalRecord(version: result, state: .pending)
            plan.state.base = other
            plan.outcome = .merged
            return plan
        }
        let draft = merge.draft(mine: mine, over: other)
        plan.losses += draft.lost.map { Loss(kept: draft.version, lost: $0) }
        plan.state.local = LocalRecord(version: draft.version, state: .conflict)
        plan.state.remote = other
        plan.outcome = .conflict
        return plan
    }

    /// The own edit that loses in the view by the schema's strategy, though the person chose to decide, and what the
    /// others show without it.
    private func keptEdit(view: HeadSet.View, of versions: [SyncRecord]) -> (
        mine: SyncRecord, others: HeadSet.View
    )? {
        let mine = versions.first { version in
            own.wrote(version.metadata.editTimestamp)
                && view.lost.contains { $0.metadata.vector.covers(version.metadata.vector) }
        }
        guard let mine else { return nil }
        let others = versions.filter { $0 != mine }
        guard !others.isEmpty else { return nil }
        let rest = heads.view(heads: others)
        return merge(mine, right: rest.shown) == .conflict ? (mine, rest) : nil
    }

    /// What the view of the heads takes away, which the schema's strategy decides.
    private func losses(of view: HeadSet.View) -> [Loss] {
        let rule = descriptor.isChosen ? heads.descriptor.strategy.rawValue : nil
        return view.lost.map { Loss(kept: view.shown, lost: $0, rule: rule) }
    }

    /// The head that this device's person must be asked about: an own edit that another device's merge of an earlier
    /// own edit does not include.
    private func ownEdit(view: HeadSet.View, local: LocalRecord?) -> SyncRecord? {
        let mine = view.conflicting.filter { holdsOwnEdit(version: $0, unseenBy: view.shown) }
        let written = mine.filter { own.wrote($0.metadata.editTimestamp) }
        let shown = local?.version.metadata.editTimestamp
        return written.first { $0.metadata.editTimestamp == shown } ?? written.first
            ?? mine.first { $0.metadata.editTimestamp == shown } ?? mine.first
    }

    /// Whether a version has a value of this device's person that the other version has not seen. After a merge, it
    /// may have another edit's timestamp.
    private func holdsOwnEdit(version: SyncRecord, unseenBy other: SyncRecord) -> Bool {
        if own.wrote(version.metadata.editTimestamp) { return true }
        guard version.metadata.detail != nil,
            own.hasEdit(in: version.metadata.vector, missingFrom: other.metadata.vector)
        else { return false }
        return MergeState(version: version, descriptor: descriptor).units.joined().contains {
            own.wrote($0.editTimestamp) && !other.metadata.vector.covers($0.editTimestamp)
        }
    }

    /// Whether two versions are interchangeable for every later merge.
    private func isSameToAll(lhs: SyncRecord, rhs: SyncRecord) -> Bool {
        guard lhs.isDeleted == rhs.isDeleted, lhs.mergedInto == rhs.mergedInto,
            merge.keepingLocalOnly(lhs, of: rhs).record == rhs.record
        else { return false }
        let (left, right) = (lhs.metadata, rhs.metadata)
        if left.editTimestamp == right.editTimestamp, left.hasSameDetail(as: right) { return true }
        guard left.origin == right.origin, left.cleared == right.cleared, left.moved == right.moved,
            lhs.life == rhs.life
        else {
            return false
        }
        return MergeState(version: lhs, descriptor: descriptor)
            == MergeState(version: rhs, descriptor: descriptor)
    }
}
