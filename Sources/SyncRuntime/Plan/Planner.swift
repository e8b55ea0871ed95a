package import SyncCore

/// Decides what becomes of one record when versions arrive from the remote. Pure: values in, a plan out.
package struct Planner: Sendable {
    let descriptor: EntityDescriptor
    let own: OwnDevices
    /// Whether the remote holds one version per record, so that what arrives is all that it holds. Otherwise it holds
    /// what was known and what arrives, as far as none has seen the other.
    let isLinear: Bool
    private let heads: HeadSet
    private let merge: Merge

    package init(descriptor: EntityDescriptor, own: OwnDevices, isLinear: Bool = false) {
        self.descriptor = descriptor
        self.own = own
        self.isLinear = isLinear
        heads = HeadSet(descriptor)
        merge = Merge(descriptor: descriptor)
    }

    /// The trees of one record as this device holds them.
    package struct RecordState: Sendable, Equatable {
        /// What the app sees; nil when the record is unknown here.
        package var local: LocalRecord?
        /// What both sides last agreed on, while the record is not clean.
        package var base: SyncRecord?
        /// What the remote says, while the record is in conflict.
        package var remote: SyncRecord?
        /// The remote's version with the same content, where only joined times are still to be published.
        package var agreed: SyncRecord?
        /// The remote's heads, where there is more than the shown version.
        package var heads: [SyncRecord] = []

        package init(
            local: LocalRecord? = nil,
            base: SyncRecord? = nil,
            remote: SyncRecord? = nil,
            heads: [SyncRecord] = []
        ) {
            self.local = local
            self.base = base
            self.remote = remote
            self.heads = heads
        }
    }

    /// What to do with a record.
    package struct Plan: Sendable, Equatable {
        /// The trees as they shall be.
        package var recordState: RecordState
        /// The row of the strategy table that fired.
        package var outcome: Outcome
        /// Versions of which a value did not survive, each with what was kept instead.
        package var losses: [Loss] = []
    }

    /// A value that did not survive an automatic decision.
    package struct Loss: Sendable, Hashable {
        package var kept: SyncRecord
        /// The version with the value. Of a tombstone that a merge of two records left, it is the value that went along.
        package var lost: SyncRecord

        package init(kept: SyncRecord, lost: SyncRecord) {
            self.kept = kept
            self.lost = lost.isMergeTombstone ? lost.beforeMerge : lost
        }
    }

    /// The row of the strategy table that fired.
    package enum Outcome: String, Sendable, Hashable {
        /// The remote says nothing new.
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
    }

    /// The plan for a version that arrived for one record.
    package func plan(recordState: RecordState, incoming: SyncRecord) -> Plan {
        switch plainly(recordState: recordState, incoming: incoming) {
        case nil: return fully(recordState: recordState, incoming: merge.applyingRules(to: incoming))
        case .known?: return Plan(recordState: recordState, outcome: .known)
        case let outcome?:
            var plan = Plan(recordState: RecordState(), outcome: outcome)
            plan.recordState.local = shown(incoming: incoming, recordState: recordState)
            return plan
        }
    }

    /// What nearly always comes of one version: it is known, or takes the place of what is here. Nil where it is not that
    /// plain; what it comes to then holds for these as well, at a multiple of the cost.
    ///
    /// NB: parts are asked for in place, as naming a version or a record would copy it, which costs more than the rest.
    private func plainly(recordState: RecordState, incoming: SyncRecord) -> Outcome? {
        guard recordState.heads.isEmpty, !incoming.metadata.hasSiblings else { return nil }
        switch recordState.local?.state {
        case nil: return .taken
        case .conflict?: return nil
        case .synced?:
            if recordState.local?.version.metadata.isReplaced(by: incoming.metadata, isLinear: isLinear)
                == true
            {
                return .taken
            }
            return recordState.local?.version.isShown(as: incoming) == true ? .known : nil
        case .pending?, .rejected?:
            guard recordState.local?.version.metadata.isSeen(by: incoming.metadata) == true else {
                return nil
            }
            if recordState.base?.metadata.isReplaced(by: incoming.metadata, isLinear: isLinear) == false {
                return nil
            }
            return recordState.local?.version.metadata.editTimestamp == incoming.metadata.editTimestamp
                ? .acknowledged : .taken
        }
    }

    /// A version of the remote as it is shown here.
    private func shown(incoming: SyncRecord, recordState: RecordState) -> LocalRecord {
        guard !descriptor.layout.localOnly.isEmpty, let local = recordState.local else {
            return LocalRecord(version: incoming, state: .synced)
        }
        return LocalRecord(
            version: merge.keepingLocalOnly(incoming, of: local.version),
            state: .synced
        )
    }

    /// The plan for any version, as the rules here have it.
    private func fully(recordState: RecordState, incoming: SyncRecord) -> Plan {
        let before = knownHeads(recordState: recordState)
        let after = isLinear ? [incoming] : heads.maximal(versions: before + [incoming])
        // NB: what is known here may have values that never left, which say nothing of what the remote holds.
        let isNews =
            after.count != before.count
            || !zip(after, heads.maximal(versions: before)).allSatisfy {
                $0 == merge.keepingLocalOnly($1, of: $0)
            }
        // NB: what the remote had lost is sent again as it is, and then the remote holds nothing new.
        let isSentAgain =
            recordState.local?.state == .pending && recordState.local?.version.metadata == incoming.metadata
        guard isNews || isSentAgain || recordState.local == nil else {
            return Plan(recordState: recordState, outcome: .known)
        }
        let view = heads.view(heads: after)
        var plan = meet(recordState, view: view, after: after)
        if recordState.local != nil, recordState.local?.state != .synced {
            // What the remote's heads come to is decided here, too, though an edit of this device stands beside it.
            plan.losses += view.lost.map { Loss(kept: view.shown, lost: $0) }
        }
        if heads.keepsHeads, after.count > 1 {
            plan.recordState.heads = after
        } else {
            plan.recordState.heads = []
        }
        plan.recordState.local?.hasHeads = !plan.recordState.heads.isEmpty
        return plan
    }

    private func knownHeads(recordState: RecordState) -> [SyncRecord] {
        if !recordState.heads.isEmpty { return recordState.heads }
        guard let local = recordState.local else { return [] }
        switch local.state {
        case .synced: return [local.version]
        case .conflict: return [recordState.remote ?? recordState.base].compactMap { $0 }
        case .pending, .rejected: return [recordState.base].compactMap { $0 }
        }
    }

    private func meet(_ recordState: RecordState, view: HeadSet.View, after: [SyncRecord]) -> Plan {
        guard let local = recordState.local else { return take(view, local: nil, outcome: .taken) }
        if local.state == .synced { return take(view, local: local, outcome: .taken) }
        let mine = local.version
        if after.contains(where: { $0.metadata.vector.covers(mine.metadata.vector) }) {
            let isOurs = after.contains { $0.metadata.editTimestamp == mine.metadata.editTimestamp }
            return take(view, local: local, outcome: isOurs ? .acknowledged : .taken)
        }
        guard mine.metadata.vector.covers(view.shown.metadata.vector) else {
            return strategy(recordState: recordState, local: local, view: view, begunOn: recordState.base)
        }
        var kept = recordState
        kept.base = view.shown
        if local.state == .conflict {
            return strategy(recordState: kept, local: local, view: view, begunOn: recordState.base)
        }
        return Plan(recordState: kept, outcome: .known)
    }

    /// The strategy table's rows for a record that is not clean. `base` is what the person saw who began to write.
    private func strategy(
        recordState: RecordState,
        local: LocalRecord,
        view: HeadSet.View,
        begunOn base: SyncRecord?
    ) -> Plan {
        let (mine, remote) = (local.version, view.shown)
        if merge.isAgreement(left: mine, right: remote) {
            return agree(recordState: recordState, local: local, remote: remote)
        }
        if Mutation.disables(.versionsDecide), let base, descriptor.hasSameContent(left: base, right: remote)
        {
            var kept = recordState
            kept.base = remote
            kept.local?.version.metadata.vector.formUnion(remote.metadata.vector)
            return Plan(recordState: kept, outcome: .known)
        }
        switch merge(mine, right: remote) {
        case .conflict where Mutation.disables(.conflictsKept):
            return take(view, local: local, outcome: .taken)
        case .conflict: return conflict(recordState: recordState, local: local, remote: remote)
        case .merged(let result, let lost):
            guard result.isDeleted || RecordCheck.fits(record: result.record, descriptor: descriptor) else {
                return conflict(recordState: recordState, local: local, remote: remote)
            }
            if local.state == .conflict,
                isOpen(recordState: recordState, mine: mine, base: base, remote: remote, result: result)
            {
                return conflict(recordState: recordState, local: local, remote: remote)
            }
            var plan = Plan(recordState: RecordState(), outcome: .merged)
            plan.losses.reserveCapacity(lost.count)
            for version in lost { plan.losses.append(Loss(kept: result, lost: version)) }
            if isSameToAll(lhs: result, rhs: remote) {
                plan.recordState.local = LocalRecord(
                    version: merge.keepingLocalOnly(remote, of: mine),
                    state: .synced
                )
            } else {
                plan.recordState.local = LocalRecord(version: result, state: .pending)
                plan.recordState.base = remote
            }
            return plan
        }
    }

    /// Whether something is still in conflict that was so, because the result takes this device's side of it.
    ///
    /// NB: a conflict can be with what this device wrote itself, as when what shares unique values shows in place of a
    /// decision. The vector of the later of the two says that it has seen the other, and nobody has decided.
    private func isOpen(
        recordState: RecordState,
        mine: SyncRecord,
        base: SyncRecord?,
        remote: SyncRecord,
        result: SyncRecord
    ) -> Bool {
        guard result.isDeleted == remote.isDeleted else { return true }
        guard let other = recordState.remote, !result.isDeleted else { return false }
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

    private func agree(recordState: RecordState, local: LocalRecord, remote: SyncRecord) -> Plan {
        if !isLinear, own.former.contains(remote.metadata.editTimestamp.device),
            own.current == local.version.metadata.editTimestamp.device
        {
            // NB: the former name's number stands for another edit elsewhere; what is sent under the new one does not.
            return Plan(recordState: recordState, outcome: .known)
        }
        var plan = Plan(recordState: recordState, outcome: .agreed)
        plan.recordState.remote = nil
        plan.recordState.agreed = nil
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
            plan.recordState.local = LocalRecord(version: joined, state: .pending)
            plan.recordState.base = remote
            plan.recordState.agreed = remote
        } else {
            plan.recordState.local = LocalRecord(
                version: merge.keepingLocalOnly(remote, of: local.version),
                state: .synced
            )
            plan.recordState.base = nil
        }
        return plan
    }

    private func conflict(recordState: RecordState, local: LocalRecord, remote: SyncRecord) -> Plan {
        var plan = Plan(recordState: recordState, outcome: .conflict)
        let draft = merge.draft(mine: local.version, over: remote)
        plan.recordState.local?.version = draft.version
        plan.losses = draft.lost.map { Loss(kept: draft.version, lost: $0) }
        // NB: in a conflict the base stays what it was when the person began to write.
        plan.recordState.local?.state = .conflict
        if recordState.remote == remote, local.state == .conflict { plan.outcome = .known }
        plan.recordState.remote = remote
        return plan
    }

    /// A clean record shows what the heads come to, unless an edit made here is a head that is not presented.
    private func take(
        _ view: HeadSet.View,
        local: LocalRecord?,
        outcome: Outcome
    ) -> Plan {
        var plan = Plan(recordState: RecordState(), outcome: outcome)
        plan.losses = view.lost.map { Loss(kept: view.shown, lost: $0) }
        // NB: what others made of an earlier edit of this device can have its mark.
        if !own.wrote(view.shown.metadata.editTimestamp), let mine = ownEdit(view: view, local: local) {
            let draft = merge.draft(
                mine: local.map { merge.keepingLocalOnly(mine, of: $0.version) } ?? mine,
                over: view.shown
            )
            plan.losses += draft.lost.map { Loss(kept: draft.version, lost: $0) }
            plan.recordState.local = LocalRecord(version: draft.version, state: .conflict)
            plan.recordState.remote = view.shown
            plan.outcome = .conflict
            return plan
        }
        var shown = view.shown
        if let local { shown = merge.keepingLocalOnly(shown, of: local.version) }
        plan.recordState.local = LocalRecord(version: shown, state: .synced)
        if let local, !view.lost.isEmpty, local.state == .synced { plan.outcome = .merged }
        return plan
    }

    /// The version beside the shown one that this device's person has to be asked about: what was written here before what
    /// others made of an earlier edit, and of each what is shown here.
    private func ownEdit(view: HeadSet.View, local: LocalRecord?) -> SyncRecord? {
        let mine = view.beside.filter { holdsOwnEdit(version: $0, unseenBy: view.shown) }
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

extension VersionMetadata {
    /// Whether the remote surely holds nothing but the incoming version any more, and did not hold it before.
    fileprivate func isReplaced(by incoming: VersionMetadata, isLinear: Bool) -> Bool {
        if isLinear { return incoming.editTimestamp != editTimestamp }
        return !Mutation.disables(.headsByVector) && incoming.vector.covers(vector)
            && !vector.covers(incoming.vector)
    }

    fileprivate func isSeen(by incoming: VersionMetadata) -> Bool { incoming.vector.covers(vector) }
}

extension SyncRecord {
    /// Whether a clean record is this version.
    fileprivate func isShown(as incoming: SyncRecord) -> Bool { self == incoming }
}
