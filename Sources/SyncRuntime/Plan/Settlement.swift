package import SyncCore

/// Brings records together that two devices created apart with the same `unique` values.
///
/// The smallest key (as bytes) survives; the others hide behind it, and their values count as concurrent edits of it.
/// Every device computes this from the records that it holds, whatever came first, and publishes nothing of it:
/// hidden records become tombstones when a person next edits or deletes the survivor.
package struct Settlement: Sendable {
    let descriptor: EntityDescriptor
    let device: DeviceID
    private let merge: Merge

    package init(_ descriptor: EntityDescriptor, device: DeviceID) {
        self.descriptor = descriptor
        self.device = device
        merge = Merge(descriptor, isApart: true)
    }

    /// One record of a group.
    package struct Member: Sendable, Equatable {
        package var key: RecordKey
        package var trees: Planner.Trees

        package init(key: RecordKey, trees: Planner.Trees) {
            self.key = key
            self.trees = trees
        }
    }

    /// What becomes of a group.
    package struct Plan: Sendable, Equatable {
        /// The members as they shall be.
        package var members: [Member]
        /// Values that did not survive.
        package var losses: [Planner.Loss] = []
        /// Whether the survivor ended in conflict.
        package var hasConflict = false
    }

    /// The plan for all records that share the values, none of them a tombstone. `mint` makes a mark for the conflicting
    /// edit of this device, should there be one.
    package func plan(_ group: [Member], mint: (Timestamp) throws -> EditMark) rethrows -> Plan {
        let members = group.sorted { Guard.isOn(.smallestKey) ? $0.key < $1.key : isOwn($0) && !isOwn($1) }
        guard let first = members.first, let local = first.trees.local else { return Plan(members: members) }
        var plan = Plan(members: members)
        var survivor = first
        survivor.trees.local?.visibility = .live
        survivor.trees.local?.version.mergedInto = nil
        // NB: an edit that waits to be pushed goes out as it was written; the group meets it once it is published.
        if local.state == .synced {
            // NB: a head has not what stays on this device.
            let own = merge.keepingLocalOnly(rawVersion(first), of: local.version)
            if first.trees.heads.isEmpty { survivor.trees.heads = [own] }
            let others = members.dropFirst().compactMap { rekeyed(rawVersion($0), as: first.key) }
            try meet(&survivor, own, others, &plan, mint)
            if others.isEmpty, survivor.trees.heads.count == 1 { survivor.trees.heads = [] }
            survivor.trees.local?.hasHeads = !survivor.trees.heads.isEmpty
        }
        plan.members[0] = survivor
        for index in plan.members.indices.dropFirst() {
            plan.members[index].trees.local?.visibility = .merged
            plan.members[index].trees.local?.version.mergedInto = first.key
        }
        return plan
    }

    private func isOwn(_ member: Member) -> Bool { member.trees.local?.version.stamp.mark.device == device }

    /// What is lost when a person edits or deletes the survivor, as its trees were before, and so takes hidden records along:
    /// their values, and the survivor's own, where they had not met what was shown.
    package func losses(burying hidden: [SyncRecord], behind trees: Planner.Trees, by version: SyncRecord)
        -> [Planner.Loss]
    {
        guard let local = trees.local, !hidden.isEmpty else { return [] }
        // NB: only a clean survivor meets the others, and where a person decides it shows but one of the values.
        if local.state == .synced, !HeadSet(descriptor).keepsHeads { return [] }
        let seen =
            [local.version, version] + (local.state == .conflict ? [trees.remote].compactMap { $0 } : [])
        let own = trees.heads.filter { version.stamp.vector.covers($0.stamp.vector) }
        let lost = (own + hidden).filter { other in
            !other.isDeleted && !seen.contains { merge.isAgreement($0, other) }
        }
        return lost.map { Planner.Loss(kept: version, lost: $0) }
    }

    /// A record as the remote has it, or will have it: without what settling made of it before.
    private func rawVersion(_ member: Member) -> SyncRecord {
        let local = member.trees.local
        // NB: heads come in no order, and of some of them only fields with rules of their own are in what they come to.
        if local?.state == .synced, !member.trees.heads.isEmpty {
            let heads = HeadSet(descriptor)
            return heads.view(heads.maximal(member.trees.heads)).shown
        }
        guard var version = local?.version else {
            preconditionFailure("a group holds a record without a version")
        }
        if !version.isDeleted { version.mergedInto = nil }
        return version
    }

    private func rekeyed(_ version: SyncRecord, as key: RecordKey) -> SyncRecord {
        var version = version
        version.key = key
        version.mergedInto = nil
        return version
    }

    private func meet(
        _ survivor: inout Member,
        _ own: SyncRecord,
        _ others: [SyncRecord],
        _ plan: inout Plan,
        _ mint: (Timestamp) throws -> EditMark
    ) rethrows {
        var shown = own
        var beside: [SyncRecord] = []
        for other in others {
            let other = withKey(of: own, other)
            switch merge(shown, other) {
            case .merged(let result, let lost):
                // NB: what was shown until now can have values of any member before this one.
                let until = shown
                plan.losses += lost.map {
                    Planner.Loss(kept: result, lost: $0.stamp.mark == other.stamp.mark ? other : until)
                }
                shown = result
            case .conflict:
                // NB: the greater mark is presented, as with the heads of one record.
                if merge.isGreater(other, shown) {
                    beside.append(shown)
                    shown = presented(other, over: own)
                } else {
                    beside.append(other)
                }
            }
        }
        let mine = beside.first { $0.stamp.mark.device == device }
        guard var mine else {
            survivor.trees.local?.version = shown
            return
        }
        // An edit made here is not presented: a person must decide, as if it were an edit of the survivor.
        let mark = try mint(mine.stamp.mark.time)
        mine.stamp = Stamp(first: mark)
        survivor.trees.base = nil
        survivor.trees.remote = shown
        survivor.trees.local = LocalRecord(version: mine, state: .conflict)
        if survivor.trees.heads.isEmpty { survivor.trees.heads = [own] }
        plan.hasConflict = true
    }

    private func withKey(of own: SyncRecord, _ other: SyncRecord) -> SyncRecord {
        var other = other
        for index in descriptor.layout.key { other.record.values[index] = own.record.values[index] }
        return other
    }

    /// The other's value under the survivor's vector: vectors of different records must not mix.
    private func presented(_ other: SyncRecord, over own: SyncRecord) -> SyncRecord {
        var result = other
        result.stamp.vector = own.stamp.vector
        return result
    }
}
