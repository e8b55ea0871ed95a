package import SyncCore

/// Merges records that were created apart with the same values of the first `unique` list. Pure.
///
/// One record survives. The others become tombstones that name it, and their values meet the survivor's as concurrent
/// edits of it, under the entity's strategy. All of that is ordinary versions to be published. Two devices that merge the
/// same versions write the same result, so the order of syncs does not matter.
package struct UniqueConflict: Sendable {
    let descriptor: EntityDescriptor
    let own: OwnDevices
    private let merge: Merge
    private let move: RecordMove

    package init(descriptor: EntityDescriptor, own: OwnDevices) {
        self.descriptor = descriptor
        self.own = own
        merge = Merge(descriptor: descriptor)
        move = RecordMove(descriptor)
    }

    /// One record of a group.
    package struct Member: Sendable, Equatable {
        package var key: RecordKey
        package var recordState: Planner.RecordState

        package init(key: RecordKey, recordState: Planner.RecordState) {
            self.key = key
            self.recordState = recordState
        }
    }

    /// What becomes of a group.
    package struct Plan: Sendable, Equatable {
        /// The members as they shall be.
        package var members: [Member]
        /// The key that survives; nil where nothing is to be merged.
        package var survivor: RecordKey?
        /// Values that did not survive.
        package var losses: [Planner.Loss] = []
    }

    /// The plan for records that share the values. A record in conflict waits until its person has decided.
    package func plan(group: [Member]) -> Plan {
        let members = group.sorted { $0.key < $1.key }
        let merging = members.filter { member in
            guard let local = member.recordState.local else { return false }
            return !local.version.isDeleted && local.state != .conflict
        }
        var plan = Plan(members: members)
        guard merging.count > 1, let survivor = survivor(of: merging) else { return plan }
        plan.survivor = survivor.key
        var recordState = survivor.recordState.shown
        for member in merging where member.key != survivor.key {
            let loser = member.recordState.shown
            meet(&recordState, loser: loser, isOwn: isOwn(loser), losses: &plan.losses)
            plan.replace(member.key, with: buried(loser: loser, into: survivor.key))
        }
        plan.replace(survivor.key, with: recordState)
        return plan
    }

    /// The smallest key survives. Where a person decides, it is the smallest that the remote holds: a record that no other
    /// device has seen yields, and its value becomes this device's side of a conflict.
    private func survivor(of members: [Member]) -> Member? {
        if Mutation.disables(.smallestKey) { return members.first { isOwn($0.recordState) } ?? members.first }
        guard let smallest = members.first, descriptor.layout.letsPeopleDecide else {
            return members.first
        }
        let others = members.dropFirst()
        if others.allSatisfy({ mergesByItself(loser: $0.recordState, into: smallest.recordState) }) {
            return smallest
        }
        let published = members.first { $0.recordState.local?.state == .synced || $0.recordState.base != nil }
        return published ?? members.first
    }

    /// Whether the strategy decides between what two records show.
    private func mergesByItself(loser: Planner.RecordState, into survivor: Planner.RecordState) -> Bool {
        var (after, losses) = (survivor.shown, [Planner.Loss]())
        meet(&after, loser: loser.shown, isOwn: true, losses: &losses)
        return after.local?.state != .conflict && losses.isEmpty
    }

    /// Whether the person of this device wrote what the record shows.
    private func isOwn(_ recordState: Planner.RecordState) -> Bool {
        guard let local = recordState.local else { return false }
        return local.state != .synced || own.wrote(local.version.metadata.editTimestamp)
    }

    /// A record that lost, as a tombstone that waits to be published.
    private func buried(loser: Planner.RecordState, into survivor: RecordKey) -> Planner.RecordState {
        guard let version = loser.local?.version else { return loser }
        let tombstone = move.tombstone(of: version, alsoSeen: loser.heads.map(\.metadata), into: survivor)
        return loser.edited(version: tombstone)
    }

    /// Lets the versions of a record that lost meet the survivor.
    package func meet(
        _ survivor: inout Planner.RecordState,
        loser: Planner.RecordState,
        isOwn: Bool,
        losses: inout [Planner.Loss]
    ) {
        guard let shown = loser.local?.version else { return }
        meet(&survivor, loser: shown, isOwn: isOwn, losses: &losses)
        for head in loser.heads where !shown.metadata.vector.covers(head.metadata.vector) {
            meet(&survivor, loser: head, isOwn: false, losses: &losses)
        }
    }

    /// Lets a value meet the survivor as a concurrent edit of it. `isOwn` tells whether the person of this device wrote it,
    /// and is to be asked where the strategy does not decide.
    package func meet(
        _ survivor: inout Planner.RecordState,
        loser: SyncRecord,
        isOwn: Bool,
        losses: inout [Planner.Loss]
    ) {
        guard let local = survivor.local else { return }
        let mine = local.version
        let moved = move.version(
            version: loser,
            as: mine.key,
            keyValues: descriptor.layout.key.map { mine.record.values[$0] }
        )
        if moved.isDeleted || mine.metadata.vector.covers(moved.metadata.vector) { return }
        if case .merged(let result, let lost) = merge(mine, right: moved),
            result.isDeleted || RecordCheck.fits(record: result.record, descriptor: descriptor),
            local.state != .conflict
        {
            if !Mutation.disables(.mergedValueKept) {
                losses += lost.map { Planner.Loss(kept: result, lost: $0) }
            }
            survivor = survivor.edited(version: result.fillingLocalOnly(from: loser, descriptor: descriptor))
            return
        }
        guard !Mutation.disables(.mergedValueKept) else { return }
        guard isOwn, local.state == .synced else {
            // The device that wrote the value asks its person, if it still exists; this one can bring the value back.
            losses.append(Planner.Loss(kept: mine, lost: moved))
            return
        }
        let draft = merge.draft(mine: moved, over: mine)
        losses += draft.lost.map { Planner.Loss(kept: draft.version, lost: $0) }
        survivor.base = nil
        survivor.agreed = nil
        survivor.remote = mine
        survivor.local = LocalRecord(
            version: draft.version.fillingLocalOnly(from: mine, descriptor: descriptor),
            state: .conflict,
            hasHeads: !survivor.heads.isEmpty
        )
    }
}

extension UniqueConflict.Plan {
    fileprivate mutating func replace(_ key: RecordKey, with recordState: Planner.RecordState) {
        for index in members.indices where members[index].key == key {
            members[index].recordState = recordState
        }
    }
}

extension Planner.RecordState {
    /// The state of a record that an older version of the program had hidden: it is live until it is merged.
    fileprivate var shown: Planner.RecordState {
        guard let local, local.visibility == .merged else { return self }
        var recordState = self
        recordState.local?.visibility = .live
        recordState.local?.version.mergedInto = nil
        return recordState
    }
}

extension SyncRecord {
    /// The version with values that stay on this device, where it has none, of another version.
    fileprivate func fillingLocalOnly(from other: SyncRecord, descriptor: EntityDescriptor) -> SyncRecord {
        if descriptor.layout.localOnly.isEmpty { return self }
        var result = self
        for index in descriptor.layout.localOnly where result.record.values[index] == nil {
            result.record.values[index] = other.record.values[index]
        }
        return result
    }
}
