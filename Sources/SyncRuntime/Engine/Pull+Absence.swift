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
                    case .deleted: try perform(.absent, entity: entity, key: key, transaction: transaction)
                    case .lost: try perform(.lost, entity: entity, key: key, transaction: transaction)
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
        try transaction.hold(entity: entity, key: item.key)
    }
}
