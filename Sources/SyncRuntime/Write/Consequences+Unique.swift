import SyncCore

/// Resolves unique conflicts: merges duplicates, inside the transaction in which they met.
extension Consequences {
    /// Merges every group that contains one of the records. Returns the keys that ended in conflict.
    @discardableResult
    func mergeDuplicates(entity: EntityDescriptor, touched: Set<RecordKey>) throws -> Set<RecordKey> {
        var conflicts: Set<RecordKey> = []
        for key in touched.sorted() {
            try askAboutDisplaced(place(entity: entity, key: key), conflicts: &conflicts)
        }
        guard !entity.layout.unique.isEmpty else { return conflicts }
        var done: Set<RecordKey> = []
        for key in touched.sorted() where done.insert(key).inserted {
            guard let local = try transaction.load(entity: entity, key: key), local.visibility != .deleted
            else {
                continue
            }
            let keys = try transaction.keysSharing(entity: entity, unique: 0, record: local.version.record)
            guard keys.count > 1 else { continue }
            done.formUnion(keys)
            // Children of one group are redirected before the next one is looked at.
            try run { try merge(keys, of: entity, conflicts: &conflicts) }
        }
        return conflicts
    }

    /// Merges a group. How records of others meet is the schema's matter; a person's choice is about what is their own.
    private func merge(_ keys: [RecordKey], of entity: EntityDescriptor, conflicts: inout Set<RecordKey>)
        throws
    {
        guard entity.isChosen else {
            return try merge(entity: entity, keys: keys, conflicts: &conflicts)
        }
        let own = try ownDevices()
        let others = try keys.filter {
            try !own.wrote(shown: transaction.recordState(entity: entity, key: $0))
        }
        if others.count > 1 { try merge(entity: entity.bySchema, keys: others, conflicts: &conflicts) }
        if others.count < keys.count { try merge(entity: entity, keys: keys, conflicts: &conflicts) }
    }

    private func merge(entity: EntityDescriptor, keys: [RecordKey], conflicts: inout Set<RecordKey>)
        throws
    {
        let members = try keys.map { key in
            UniqueConflict.Member(
                key: key,
                recordState: try transaction.recordState(entity: entity, key: key)
            )
        }
        let plan = UniqueConflict(descriptor: entity, own: try ownDevices()).plan(
            group: members
        )
        guard let survivor = plan.survivor else { return }
        // The survivor first: references to the others are redirected to it.
        for member in plan.members.sorted(by: { $0.key == survivor && $1.key != survivor }) {
            guard let before = members.first(where: { $0.key == member.key }), before != member else {
                continue
            }
            var result = Reconciliation(member.recordState, outcome: .merged)
            result.effects = plan.effects[member.key] ?? []
            try place(entity: entity, key: member.key).perform(result, before: before.recordState, at: now)
            if member.recordState.local?.state == .conflict { conflicts.insert(member.key) }
        }
        try transaction.journal(plan.losses, rule: entity.strategy.rawValue, at: now)
        for member in plan.members where member.key != survivor {
            guard member.recordState.local?.version.mergedInto == survivor else { continue }
            let place = place(entity: entity, key: member.key)
            let detail = "into \(survivor), which has the same unique values"
            try place.addHistory("merged", detail: detail, at: now)
            add(place, change: .merged)
        }
    }

    /// This device's person wrote a record that another device has merged away. If the strategy does not decide
    /// between its value and the survivor's, the person is asked.
    private func askAboutDisplaced(_ place: RecordPlace, conflicts: inout Set<RecordKey>) throws {
        let entity = place.entity
        guard entity.layout.letsPeopleDecide, let local = try place.load() else { return }
        var displaced = [place.key]
        if local.visibility.exists { displaced = try transaction.merged(entity: entity, into: place.key) }
        for key in displaced {
            guard let value = try transaction.side(entity: entity, key: key, kind: .displaced) else {
                continue
            }
            let source = self.place(entity: entity, key: key)
            let (survivor, before) = try source.survivor()
            guard before.local != nil, survivor.key != key else { continue }
            try source.apply(.displace(nil), at: now)
            let result = try reconcile(.displaced(value), at: survivor, before: before)
            if result.state.local?.state == .conflict { conflicts.insert(survivor.key) }
        }
    }
}
