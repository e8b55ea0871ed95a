package import SyncCore

/// Merges records that were created apart with the same values of the first `unique` list. Pure.
///
/// One record survives. The others become tombstones that name it, and their values meet the survivor's as concurrent
/// edits of it, under the entity's strategy. All of that is ordinary versions to be published. Two devices that merge the
/// same versions write the same result, so the order of syncs does not matter.
package struct UniqueConflict: Sendable {
    let descriptor: EntityDescriptor
    let own: OwnDevices
    private let reconcile: Reconcile
    private let move: RecordMove

    package init(descriptor: EntityDescriptor, own: OwnDevices) {
        self.descriptor = descriptor
        self.own = own
        reconcile = Reconcile(descriptor, own: own)
        move = RecordMove(descriptor)
    }

    /// One record of a group.
    package struct Member: Sendable, Equatable {
        package var key: RecordKey
        package var recordState: RecordState

        package init(key: RecordKey, recordState: RecordState) {
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
        package var losses: [Loss] = []
        /// What else is to be done about a member.
        var effects: [RecordKey: [RecordEffect]] = [:]
    }

    /// What becomes of records that share the values, by the events that follow for each of them.
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

    /// What happens to the members of a group, in key order: the survivor first, which the others are merged into. A
    /// record in conflict waits until its person has decided.
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
                tombstone(of: loser.recordState.shown, into: survivor.key).map { (loser.key, .concluded($0)) }
            }
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
    private func mergesByItself(loser: RecordState, into survivor: RecordState) -> Bool {
        let all = duplicates(of: loser).map { RecordEvent.Duplicate(version: $0.version, isOwn: true) }
        let result = reconcile(survivor, on: .duplicates(all))
        return result.state.local?.state != .conflict && result.losses.isEmpty
    }

    /// Whether the person of this device wrote what the record shows.
    private func isOwn(_ recordState: RecordState) -> Bool {
        guard let local = recordState.local else { return false }
        return local.state != .synced || own.wrote(local.version.metadata.editTimestamp)
    }

    /// The versions of a record that meet the survivor.
    package func duplicates(of loser: RecordState) -> [RecordEvent.Duplicate] {
        let state = loser.shown
        guard let shown = state.local?.version else { return [] }
        return [RecordEvent.Duplicate(version: shown, isOwn: isOwn(state))]
            + state.heads.filter { !shown.metadata.vector.covers($0.metadata.vector) }
            .map { RecordEvent.Duplicate(version: $0, isOwn: false) }
    }

    /// The tombstone of a record that is merged into another one.
    func tombstone(of loser: RecordState, into survivor: RecordKey) -> SyncRecord? {
        guard let version = loser.local?.version else { return nil }
        return move.tombstone(of: version, alsoSeen: loser.heads.map(\.metadata), into: survivor)
    }
}
