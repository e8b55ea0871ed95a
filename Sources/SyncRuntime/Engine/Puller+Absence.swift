import SyncCore

/// What is not in a complete state of the remote.
extension Puller {
    /// Notes what the remote holds from now on, which its full state tells.
    func beginSnapshot(_ names: [String], _ transaction: any StoreTransaction) throws {
        for name in names {
            guard let entity = entities[name] else { continue }
            try transaction.beginHeld(entity)
        }
    }

    /// After the page that completes the remote's full state: what no page held is gone there.
    mutating func sweep(_ names: [String], _ transaction: any StoreTransaction) throws {
        for name in names {
            guard let entity = entities[name] else { continue }
            var last: RecordKey?
            while true {
                let keys = try transaction.keysNotHeld(entity, after: last, limit: 500)
                for key in keys { try takeAbsence(entity, key, transaction) }
                guard let end = keys.last, keys.count == 500 else { break }
                last = end
            }
            try transaction.endHeld(entity)
        }
    }

    /// A record that the remote does not hold any more, not even as a tombstone. One that it never held is left alone.
    mutating func takeAbsence(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ transaction: any StoreTransaction
    ) throws {
        guard let header = try transaction.header(entity, key) else { return }
        if header.state == .synced {
            if header.visibility == .live { reports[entity.name]?.pulled += 1 }
            return try transaction.remove(entity, key)
        }
        // NB: what waits must not name a state that the remote has forgotten, be it a tombstone: it is a create now.
        try transaction.setRevision(entity, key, nil)
        guard let tombstone = try transaction.trees(entity, key).purged else { return }
        try plan(entity, tombstone, isLinear: true, transaction)
    }
}
