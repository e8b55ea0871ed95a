import SyncCore

/// What is not in a complete state of the remote.
extension Pull {
    /// Notes what the remote holds from now on, which its full state tells.
    func beginSnapshot(_ names: [String], transaction: any StoreTransaction) throws {
        for name in names {
            guard let entity = entities[name] else { continue }
            try transaction.beginHeld(entity)
        }
    }

    /// After the page that completes the remote's full state: what no page held is gone there.
    mutating func sweep(
        _ names: [String],
        absence: RemotePage.Absence,
        transaction: any StoreTransaction
    ) throws {
        for name in names {
            guard let entity = entities[name] else { continue }
            var last: RecordKey?
            while true {
                let keys = try transaction.keysNotHeld(entity: entity, after: last, limit: 500)
                for key in keys {
                    switch absence {
                    case .deleted: try takeAbsence(entity, key: key, transaction: transaction)
                    case .lost: try publishAgain(entity, key: key, transaction: transaction)
                    }
                }
                guard let end = keys.last, keys.count == 500 else { break }
                last = end
            }
            try transaction.endHeld(entity)
        }
    }

    /// Notes that the remote holds a record that a page of its full state tells of. One without revisions may hold an
    /// older version only, of a record that it has lost.
    func hold(_ item: RemoteItem, absence: RemotePage.Absence, transaction: any StoreTransaction) throws {
        guard item.revision == nil, let entity = entities[item.entity],
            let header = try transaction.header(entity: entity, key: item.key)
        else { return }
        if absence == .lost, header.hasHeads || !item.metadata.vector.covers(header.metadata.vector) {
            return
        }
        try transaction.hold(entity, key: item.key)
    }

    /// What the remote has lost waits to be sent again as it is: the same edit, whoever made it.
    private func publishAgain(
        _ entity: EntityDescriptor,
        key: RecordKey,
        transaction: any StoreTransaction
    ) throws {
        guard var header = try transaction.header(entity: entity, key: key), header.state == .synced else {
            return
        }
        header.state = .pending
        try transaction.update(entity, key: key, header: header)
    }

    /// A record that the remote does not hold any more, not even as a tombstone. One that it never held is left alone.
    mutating func takeAbsence(
        _ entity: EntityDescriptor,
        key: RecordKey,
        transaction: any StoreTransaction
    ) throws {
        guard let header = try transaction.header(entity: entity, key: key) else { return }
        if header.state == .synced {
            if header.visibility == .live { reports[entity.name]?.pulled += 1 }
            return try transaction.remove(entity, key: key)
        }
        // NB: what waits must not name a state that the remote has forgotten, be it a tombstone: it is a create now.
        try transaction.setRevision(entity, key: key, revision: nil)
        guard let tombstone = try transaction.recordState(entity: entity, key: key).purged else { return }
        try plan(entity, incoming: tombstone, isLinear: true, transaction: transaction)
    }

    /// A delete that meets an edit which had not seen it, and holds, is sent again: the remote may have dropped its
    /// tombstone.
    func keepDeleted(
        _ entity: EntityDescriptor,
        incoming: SyncRecord,
        before: Planner.RecordState,
        after: Planner.RecordState,
        transaction: any StoreTransaction
    ) throws {
        guard !Mutation.disables(.fullStateAfterCollection), let old = before.local, old.state == .synced,
            old.version.isDeleted, old.version.mergedInto == nil, !incoming.isDeleted, let new = after.local,
            new.state == .synced, new.version.isDeleted, new.version.mergedInto == nil,
            var header = try transaction.header(entity: entity, key: incoming.key)
        else { return }
        // What does not merge into it is not decided, and the conflict of the device that wrote it.
        if HeadSet(entity).isDivided(after.heads) { return }
        header.state = .pending
        try transaction.update(entity, key: incoming.key, header: header)
    }
}
