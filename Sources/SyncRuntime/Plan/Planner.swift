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

    package init(_ descriptor: EntityDescriptor, own: OwnDevices, isLinear: Bool = false) {
        self.descriptor = descriptor
        self.own = own
        self.isLinear = isLinear
        heads = HeadSet(descriptor)
        merge = Merge(descriptor)
    }

    /// The trees of one record as this device holds them.
    package struct Trees: Sendable, Equatable {
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
        package var trees: Trees
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
    package func plan(_ trees: Trees, incoming: SyncRecord) -> Plan {
        switch plainly(trees, incoming) {
        case nil: return fully(trees, merge.applyingRules(to: incoming))
        case .known?: return Plan(trees: trees, outcome: .known)
        case let outcome?:
            var plan = Plan(trees: Trees(), outcome: outcome)
            plan.trees.local = shown(incoming, trees)
            return plan
        }
    }

    /// What nearly always comes of one version: it is known, or takes the place of what is here. Nil where it is not that
    /// plain; what it comes to then holds for these as well, at a multiple of the cost.
    ///
    /// NB: parts are asked for in place, as naming a version or a record would copy it, which costs more than the rest.
    private func plainly(_ trees: Trees, _ incoming: SyncRecord) -> Outcome? {
        guard trees.heads.isEmpty, !incoming.stamp.hasSiblings else { return nil }
        switch trees.local?.state {
        case nil: return .taken
        case .conflict?: return nil
        case .synced?:
            if trees.local?.version.stamp.isReplaced(by: incoming.stamp, isLinear) == true { return .taken }
            return trees.local?.version.isShown(as: incoming) == true ? .known : nil
        case .pending?, .rejected?:
            guard trees.local?.version.stamp.isSeen(by: incoming.stamp) == true else { return nil }
            if trees.base?.stamp.isReplaced(by: incoming.stamp, isLinear) == false { return nil }
            return trees.local?.version.stamp.mark == incoming.stamp.mark ? .acknowledged : .taken
        }
    }

    /// A version of the remote as it is shown here.
    private func shown(_ incoming: SyncRecord, _ trees: Trees) -> LocalRecord {
        guard !descriptor.layout.localOnly.isEmpty, let local = trees.local else {
            return LocalRecord(version: incoming, state: .synced)
        }
        return LocalRecord(version: merge.keepingLocalOnly(incoming, of: local.version), state: .synced)
    }

    /// The plan for any version, as the rules here have it.
    private func fully(_ trees: Trees, _ incoming: SyncRecord) -> Plan {
        let before = knownHeads(trees)
        let after = isLinear ? [incoming] : heads.maximal(before + [incoming])
        // NB: what is known here may have values that never left, which say nothing of what the remote holds.
        let isNews =
            after.count != before.count
            || !zip(after, heads.maximal(before)).allSatisfy { $0 == merge.keepingLocalOnly($1, of: $0) }
        // NB: what the remote had lost is sent again as it is, and then the remote holds nothing new.
        let isSentAgain = trees.local?.state == .pending && trees.local?.version.stamp == incoming.stamp
        guard isNews || isSentAgain || trees.local == nil else { return Plan(trees: trees, outcome: .known) }
        let view = heads.view(after)
        var plan = meet(trees, view, after)
        if trees.local != nil, trees.local?.state != .synced {
            // What the remote's heads come to is decided here, too, though an edit of this device stands beside it.
            plan.losses += view.lost.map { Loss(kept: view.shown, lost: $0) }
        }
        if heads.keepsHeads, after.count > 1 { plan.trees.heads = after } else { plan.trees.heads = [] }
        plan.trees.local?.hasHeads = !plan.trees.heads.isEmpty
        return plan
    }

    private func knownHeads(_ trees: Trees) -> [SyncRecord] {
        if !trees.heads.isEmpty { return trees.heads }
        guard let local = trees.local else { return [] }
        switch local.state {
        case .synced: return [local.version]
        case .conflict: return [trees.remote ?? trees.base].compactMap { $0 }
        case .pending, .rejected: return [trees.base].compactMap { $0 }
        }
    }

    private func meet(_ trees: Trees, _ view: HeadSet.View, _ after: [SyncRecord]) -> Plan {
        guard let local = trees.local else { return take(view, nil, .taken) }
        if local.state == .synced { return take(view, local, .taken) }
        let mine = local.version
        if after.contains(where: { $0.stamp.vector.covers(mine.stamp.vector) }) {
            let isOurs = after.contains { $0.stamp.mark == mine.stamp.mark }
            return take(view, local, isOurs ? .acknowledged : .taken)
        }
        guard mine.stamp.vector.covers(view.shown.stamp.vector) else {
            return strategy(trees, local, view, begunOn: trees.base)
        }
        var kept = trees
        kept.base = view.shown
        if local.state == .conflict { return strategy(kept, local, view, begunOn: trees.base) }
        return Plan(trees: kept, outcome: .known)
    }

    /// The strategy table's rows for a record that is not clean. `base` is what the person saw who began to write.
    private func strategy(
        _ trees: Trees,
        _ local: LocalRecord,
        _ view: HeadSet.View,
        begunOn base: SyncRecord?
    ) -> Plan {
        let (mine, remote) = (local.version, view.shown)
        if merge.isAgreement(mine, remote) { return agree(trees, local, remote) }
        if !Guard.isOn(.versionsDecide), let base, descriptor.hasSameContent(base, remote) {
            var kept = trees
            kept.base = remote
            kept.local?.version.stamp.vector.formUnion(remote.stamp.vector)
            return Plan(trees: kept, outcome: .known)
        }
        switch merge(mine, remote) {
        case .conflict where !Guard.isOn(.conflictsKept): return take(view, local, .taken)
        case .conflict: return conflict(trees, local, remote)
        case .merged(let result, let lost):
            guard result.isDeleted || RecordCheck.fits(result.record, descriptor) else {
                return conflict(trees, local, remote)
            }
            if local.state == .conflict, isOpen(trees, mine, base, remote, result) {
                return conflict(trees, local, remote)
            }
            var plan = Plan(trees: Trees(), outcome: .merged)
            plan.losses.reserveCapacity(lost.count)
            for version in lost { plan.losses.append(Loss(kept: result, lost: version)) }
            if isSameToAll(result, remote) {
                plan.trees.local = LocalRecord(
                    version: merge.keepingLocalOnly(remote, of: mine),
                    state: .synced
                )
            } else {
                plan.trees.local = LocalRecord(version: result, state: .pending)
                plan.trees.base = remote
            }
            return plan
        }
    }

    /// Whether something is still in conflict that was so, because the result takes this device's side of it.
    ///
    /// NB: a conflict can be with what this device wrote itself, as when what shares unique values shows in place of a
    /// decision. The vector of the later of the two says that it has seen the other, and nobody has decided.
    private func isOpen(
        _ trees: Trees,
        _ mine: SyncRecord,
        _ base: SyncRecord?,
        _ remote: SyncRecord,
        _ result: SyncRecord
    ) -> Bool {
        guard result.isDeleted == remote.isDeleted else { return true }
        guard let other = trees.remote, !result.isDeleted else { return false }
        return descriptor.layout.units.contains { unit in
            guard unit.rule == .preserveLocal, !holds(unit, result, remote) else { return false }
            let wasOpen = other.isDeleted || mine.isDeleted || !holds(unit, mine, other)
            return wasOpen && (base.map { !holds(unit, other, $0) } ?? true)
        }
    }

    /// Whether two versions have the same in a unit.
    private func holds(_ unit: MergeUnit, _ one: SyncRecord, _ two: SyncRecord) -> Bool {
        unit.fields.allSatisfy { one.record.values[$0] == two.record.values[$0] }
            && (!unit.holdsUnknown || one.record.unknown == two.record.unknown)
    }

    private func agree(_ trees: Trees, _ local: LocalRecord, _ remote: SyncRecord) -> Plan {
        if !isLinear, own.former.contains(remote.stamp.mark.device),
            own.current == local.version.stamp.mark.device
        {
            // NB: the former name's number stands for another edit elsewhere; what is sent under the new one does not.
            return Plan(trees: trees, outcome: .known)
        }
        var plan = Plan(trees: trees, outcome: .agreed)
        plan.trees.remote = nil
        plan.trees.agreed = nil
        let joined = merge.agreed(local.version, remote)
        let layout = descriptor.layout
        let times = [layout.created, layout.updated].compactMap { $0 }
        let differsInTimes = times.contains { joined.record.values[$0] != remote.record.values[$0] }
        // NB: a later delete that agreed with an earlier one must still beat an edit between the two.
        let isLater = descriptor.strategy == .lastWriteWins && joined.stamp.mark.time > remote.stamp.mark.time
        let differsInCause = joined.stamp.detail?.cause != remote.stamp.detail?.cause
        let needsPush = isLater || differsInCause || (!remote.isDeleted && differsInTimes)
        if needsPush {
            // NB: pushed, though not counted: otherwise the devices would keep different times for ever.
            plan.trees.local = LocalRecord(version: joined, state: .pending)
            plan.trees.base = remote
            plan.trees.agreed = remote
        } else {
            plan.trees.local = LocalRecord(
                version: merge.keepingLocalOnly(remote, of: local.version),
                state: .synced
            )
            plan.trees.base = nil
        }
        return plan
    }

    private func conflict(_ trees: Trees, _ local: LocalRecord, _ remote: SyncRecord) -> Plan {
        var plan = Plan(trees: trees, outcome: .conflict)
        let draft = merge.draft(local.version, over: remote)
        plan.trees.local?.version = draft.version
        plan.losses = draft.lost.map { Loss(kept: draft.version, lost: $0) }
        // NB: in a conflict the base stays what it was when the person began to write.
        plan.trees.local?.state = .conflict
        if trees.remote == remote, local.state == .conflict { plan.outcome = .known }
        plan.trees.remote = remote
        return plan
    }

    /// A clean record shows what the heads come to, unless an edit made here is a head that is not presented.
    private func take(
        _ view: HeadSet.View,
        _ local: LocalRecord?,
        _ outcome: Outcome
    ) -> Plan {
        var plan = Plan(trees: Trees(), outcome: outcome)
        plan.losses = view.lost.map { Loss(kept: view.shown, lost: $0) }
        // NB: what others made of an earlier edit of this device can have its mark.
        if !own.wrote(view.shown.stamp.mark), let mine = ownEdit(view, local) {
            let draft = merge.draft(
                local.map { merge.keepingLocalOnly(mine, of: $0.version) } ?? mine,
                over: view.shown
            )
            plan.losses += draft.lost.map { Loss(kept: draft.version, lost: $0) }
            plan.trees.local = LocalRecord(version: draft.version, state: .conflict)
            plan.trees.remote = view.shown
            plan.outcome = .conflict
            return plan
        }
        var shown = view.shown
        if let local { shown = merge.keepingLocalOnly(shown, of: local.version) }
        plan.trees.local = LocalRecord(version: shown, state: .synced)
        if let local, !view.lost.isEmpty, local.state == .synced { plan.outcome = .merged }
        return plan
    }

    /// The version beside the shown one that this device's person has to be asked about: what was written here before what
    /// others made of an earlier edit, and of each what is shown here.
    private func ownEdit(_ view: HeadSet.View, _ local: LocalRecord?) -> SyncRecord? {
        let mine = view.beside.filter { holdsOwnEdit($0, unseenBy: view.shown) }
        let written = mine.filter { own.wrote($0.stamp.mark) }
        let shown = local?.version.stamp.mark
        return written.first { $0.stamp.mark == shown } ?? written.first
            ?? mine.first { $0.stamp.mark == shown } ?? mine.first
    }

    /// Whether a version has a value of this device's person that another one has not seen. Merged with others, it can have
    /// the mark of one of them.
    private func holdsOwnEdit(_ version: SyncRecord, unseenBy other: SyncRecord) -> Bool {
        if own.wrote(version.stamp.mark) { return true }
        guard version.stamp.detail != nil,
            own.hasEdit(in: version.stamp.vector, missingFrom: other.stamp.vector)
        else { return false }
        return MergeState(version, descriptor).units.joined().contains {
            own.wrote($0.mark) && !other.stamp.vector.covers($0.mark)
        }
    }

    /// Whether two versions are the same to everyone who may merge them later.
    private func isSameToAll(_ one: SyncRecord, _ two: SyncRecord) -> Bool {
        guard one.isDeleted == two.isDeleted, one.mergedInto == two.mergedInto,
            merge.keepingLocalOnly(one, of: two).record == two.record
        else { return false }
        let (left, right) = (one.stamp, two.stamp)
        if left.mark == right.mark, left.hasSameDetail(as: right) { return true }
        guard left.origin == right.origin, one.life == two.life else { return false }
        return MergeState(one, descriptor) == MergeState(two, descriptor)
    }
}

/// Holds a whole record to its schema.
package enum RecordCheck {
    /// Whether the record breaks no constraint.
    package static func fits(_ record: Record, _ descriptor: EntityDescriptor) -> Bool {
        descriptor.surelyFits(record) || problem(record, descriptor) == nil
    }

    /// The first constraint that the record breaks, or nil.
    package static func problem(_ record: Record, _ descriptor: EntityDescriptor) -> FieldProblem? {
        do {
            var decoder = RecordDecoder(descriptor, form: .plain)
            _ = try decoder.record(RecordEncoder(descriptor, form: .plain).bytes(record))
            return nil
        } catch let problem as FieldProblem {
            return problem
        } catch {
            return FieldProblem(
                field: "",
                rule: "malformed",
                message: "The record cannot be written as JSON."
            )
        }
    }
}

extension Stamp {
    /// Whether the remote surely holds nothing but the incoming version any more, and did not hold it before.
    fileprivate func isReplaced(by incoming: Stamp, _ isLinear: Bool) -> Bool {
        if isLinear { return incoming.mark != mark }
        return Guard.isOn(.headsByVector) && incoming.vector.covers(vector)
            && !vector.covers(incoming.vector)
    }

    fileprivate func isSeen(by incoming: Stamp) -> Bool { incoming.vector.covers(vector) }
}

extension SyncRecord {
    /// Whether a clean record is this version.
    fileprivate func isShown(as incoming: SyncRecord) -> Bool { self == incoming }
}
