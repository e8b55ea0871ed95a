package import SyncCore

/// Resolves a unique conflict: merges records that were created apart with the same values of the first `unique`
/// list. Pure.
///
/// One record survives. The others become tombstones that name it, and their values merge with the survivor's as
/// concurrent edits, under the entity's strategy. The results are ordinary versions that are pushed. Devices that
/// merge the same versions write the same result, so the order of syncs does not matter.
package struct UniqueConflict: Sendable {
    let descriptor: EntityDescriptor
    let own: OwnDevices
    private let reconcile: Reconcile
    private let move: RecordMove

    package init(descriptor: EntityDescriptor, own: OwnDevices) {
        self.descriptor = descriptor
        self.own = own
        reconcile = Reconcile(descriptor, own: own, remote: .forked)
        move = RecordMove(descriptor)
    }

    /// One record of a group of duplicates.
    package struct Member: Sendable, Equatable {
        package var key: RecordKey
        package var recordState: RecordState

        package init(key: RecordKey, recordState: RecordState) {
            self.key = key
            self.recordState = recordState
        }
    }

    /// The plan for a group.
    package struct Plan: Sendable, Equatable {
        /// The members after the merge.
        package var members: [Member]
        /// The surviving key; nil if nothing is to be merged.
        package var survivor: RecordKey?
        /// Values that did not survive.
        package var losses: [Loss] = []
        /// Further effects for each member.
        var effects: [RecordKey: [RecordEffect]] = [:]
    }

    /// Plans a group of records that share their unique values, as events for each of them.
    package func plan(group: [Member]) -> Plan {
        var plan = Plan(members: group.sorted { $0.key < $1.key })
        let events = events(members: plan.members)
        plan.survivor = events.first?.key
        for (key, event) in events {
            guard let index = plan.members.firstIndex(where: { $0.key == key }) else { continue }
            let result = reconcile(plan.members[index].recordState, on: event)
            plan.members[index].recordState = result.state
            plan.losses += result.losses
            if !result.effects.isEmpty { plan.effects[key] = result.effects }
        }
        return plan
    }

    /// The events for the members, in key order: first the survivor, into which the others are merged. A record in
    /// conflict waits for its person's decision.
    private func events(members: [Member]) -> [(key: RecordKey, event: RecordEvent)] {
        let merging = members.filter { member in
            guard let local = member.recordState.local else { return false }
            return !local.version.isDeleted && local.state != .conflict
        }
        guard merging.count > 1, let survivor = survivor(of: merging) else { return [] }
        let losers = merging.filter { $0.key != survivor.key }
        let all = losers.flatMap { duplicates(of: $0.recordState) }
        return [(survivor.key, .duplicates(all))]
            + losers.compactMap { loser in
                tombstone(of: loser.recordState, into: survivor.key).map { (loser.key, .concluded($0)) }
            }
    }

    /// The survivor: the member with the smallest key. If a person decides, it is the smallest key that the remote
    /// holds: a record that no other device has seen yields, and its value becomes this device's side of a conflict.
    private func survivor(of members: [Member]) -> Member? {
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

    /// Whether the strategy can merge the two records without a person.
    private func mergesByItself(loser: RecordState, into survivor: RecordState) -> Bool {
        let all = duplicates(of: loser).map { RecordEvent.Duplicate(version: $0.version, isOwn: true) }
        let result = reconcile(survivor, on: .duplicates(all))
        return result.state.local?.state != .conflict && result.losses.isEmpty
    }

    /// Whether this device's person wrote the shown version.
    private func isOwn(_ recordState: RecordState) -> Bool {
        guard let local = recordState.local else { return false }
        return local.state != .synced || own.wrote(local.version.metadata.editTimestamp)
    }

    /// The versions of a record that merge with the survivor.
    package func duplicates(of loser: RecordState) -> [RecordEvent.Duplicate] {
        guard let shown = loser.local?.version else { return [] }
        return [RecordEvent.Duplicate(version: shown, isOwn: isOwn(loser))]
            + loser.heads.filter { !shown.metadata.vector.covers($0.metadata.vector) }
            .map { RecordEvent.Duplicate(version: $0, isOwn: false) }
    }

    /// The tombstone of a merged record.
    func tombstone(of loser: RecordState, into survivor: RecordKey) -> SyncRecord? {
        guard let version = loser.local?.version else { return nil }
        return move.tombstone(of: version, alsoSeen: loser.heads.map(\.metadata), into: survivor)
    }
}
