import SyncCore

/// Merges records with the same unique values, inside the transaction that brought them together.
struct UniqueConflicts {
    let transaction: any StoreTransaction
    let entities: [EntityDescriptor]
    let device: DeviceID
    let now: Timestamp

    private var references: References {
        References(transaction: transaction, entities: entities, device: device, now: now)
    }

    /// Merges every group that one of the records belongs to. Returns the keys that ended in conflict.
    @discardableResult
    func resolve(_ entity: EntityDescriptor, touched: Set<RecordKey>) throws -> Set<RecordKey> {
        guard Guard.isOn(.settlement) else { return [] }
        var conflicts: Set<RecordKey> = []
        for key in touched.sorted() { try askAboutDisplaced(entity, key, &conflicts) }
        guard !entity.layout.unique.isEmpty else { return conflicts }
        var done: Set<RecordKey> = []
        for key in touched.sorted() where done.insert(key).inserted {
            guard let local = try transaction.load(entity, key), local.visibility != .deleted else {
                continue
            }
            let keys = try transaction.keysSharing(entity, unique: 0, local.version.record)
            guard keys.count > 1 else { continue }
            done.formUnion(keys)
            try merge(entity, keys, &conflicts)
        }
        return conflicts
    }

    private func merge(_ entity: EntityDescriptor, _ keys: [RecordKey], _ conflicts: inout Set<RecordKey>)
        throws
    {
        let members = try keys.map { key in
            UniqueConflict.Member(key: key, trees: try transaction.trees(entity, key))
        }
        let plan = UniqueConflict(entity, own: try transaction.ownDevices(device)).plan(members)
        guard let survivor = plan.survivor else { return }
        // The survivor first: what refers to the others is led to it.
        for member in plan.members.sorted(by: { $0.key == survivor && $1.key != survivor }) {
            guard let before = members.first(where: { $0.key == member.key }), before != member else {
                continue
            }
            try save(entity, member.key, member.trees, before: before.trees)
            if member.trees.local?.state == .conflict { conflicts.insert(member.key) }
        }
        try transaction.record(plan.losses, rule: entity.strategy.rawValue, at: now)
        for member in plan.members where member.key != survivor {
            guard member.trees.local?.version.mergedInto == survivor else { continue }
            try note(entity, member.key, "into \(survivor), which has the same unique values")
            try references.redirectChildren(of: entity, member.key)
        }
    }

    /// Writes what became of a record. A rejected one that changed is another try.
    func save(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ trees: Planner.Trees,
        before: Planner.Trees
    ) throws {
        try transaction.save(entity, key, trees, before: before)
        if before.local?.state == .rejected, trees.local?.state != .rejected {
            try transaction.forgetRefusal(entity: entity.name, key: key)
        }
    }

    /// The person of this device wrote a record that another device has merged away: where the strategy does not decide
    /// between its value and the survivor's, they are asked.
    private func askAboutDisplaced(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ conflicts: inout Set<RecordKey>
    ) throws {
        guard entity.layout.letsPeopleDecide, let local = try transaction.load(entity, key) else { return }
        var displaced = [key]
        if local.visibility == .live { displaced = try transaction.merged(entity, into: key) }
        for key in displaced {
            guard let value = try transaction.side(entity, key, .displaced) else { continue }
            let survivor = try transaction.survivor(entity, key)
            let before = try transaction.trees(entity, survivor)
            guard let shown = before.local, survivor != key else { continue }
            try transaction.setSide(entity, key, .displaced, nil)
            var after = before
            var losses: [Planner.Loss] = []
            let merging = UniqueConflict(entity, own: try transaction.ownDevices(device))
            if shown.version.isDeleted {
                losses.append(Planner.Loss(kept: shown.version, lost: value))
            } else {
                merging.meet(&after, value, isOwn: true, &losses)
            }
            try save(entity, survivor, after, before: before)
            try transaction.record(losses, rule: entity.strategy.rawValue, at: now)
            if after.local?.state == .conflict { conflicts.insert(survivor) }
        }
    }

    func note(_ entity: EntityDescriptor, _ key: RecordKey, _ detail: String) throws {
        try transaction.addHistory(entity, key, HistoryEntry(at: now, event: "merged", detail: detail))
    }
}
