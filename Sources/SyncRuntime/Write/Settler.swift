import SyncCore

/// Runs the settlement for records that changed, inside the transaction that changed them.
struct Settler {
    let transaction: any StoreTransaction
    let device: DeviceID
    let now: Timestamp

    /// Settles every group that the records belong to, or belonged to. Returns the keys that ended in conflict.
    func settle(_ entity: EntityDescriptor, touched: Set<RecordKey>) throws -> Set<RecordKey> {
        guard !entity.layout.unique.isEmpty, Guard.isOn(.settlement) else { return [] }
        var conflicts: Set<RecordKey> = []
        var done: Set<RecordKey> = []
        var queue = touched.sorted()
        let hasHidden = try !transaction.hidden(entity, behind: nil).isEmpty
        while let key = queue.popLast() {
            guard done.insert(key).inserted, let local = try transaction.load(entity, key) else { continue }
            // A record that hid behind another may have left it: the other must be seen again.
            if local.visibility != .live, let survivor = local.version.mergedInto { queue.append(survivor) }
            // And the one that others hide behind may have left them.
            if hasHidden { queue += try transaction.hidden(entity, behind: key) }
            let keys = try transaction.keysSharing(entity, unique: 0, local.version.record)
            if keys.count == 1, keys[0] == key, local.visibility == .live, !local.hasHeads { continue }
            if keys.isEmpty {
                if local.visibility == .merged { try show(entity, key, local) }
                continue
            }
            done.formUnion(keys)
            if try settle(entity, group: keys) { conflicts.insert(keys.min() ?? key) }
        }
        return conflicts
    }

    /// A record whose unique values became null shares them with nobody.
    private func show(_ entity: EntityDescriptor, _ key: RecordKey, _ local: LocalRecord) throws {
        var local = local
        local.visibility = .live
        local.version.mergedInto = nil
        try transaction.save(entity, local)
    }

    private func settle(_ entity: EntityDescriptor, group: [RecordKey]) throws -> Bool {
        let settlement = Settlement(entity, device: device)
        let members = try group.map { Settlement.Member(key: $0, trees: try transaction.trees(entity, $0)) }
        let plan = try settlement.plan(members) { time in
            EditMark(time: time, device: device, sequence: try transaction.nextSequence())
        }
        for member in plan.members {
            guard let before = members.first(where: { $0.key == member.key }) else { continue }
            try transaction.save(entity, member.key, member.trees, before: before.trees)
            if member.trees.local?.visibility == .merged, before.trees.local?.visibility != .merged {
                let survivor = plan.members[0].key
                try transaction.addHistory(
                    entity,
                    member.key,
                    HistoryEntry(
                        at: now,
                        event: "settled",
                        detail: "hidden behind \(survivor), which has the smaller key"
                    )
                )
            }
        }
        try transaction.record(plan.losses, rule: entity.strategy.rawValue, at: now)
        return plan.hasConflict
    }
}
