import SyncCore

/// Makes a store ready for another remote: forgets what was agreed, keeps every value.
struct Rejoin {
    let entities: [EntityDescriptor]

    /// Every record waits to be pushed again; whatever the remote holds already meets it by strategy.
    /// The caller writes the new binding in the same transaction.
    func forgetRevisions(_ transaction: any StoreTransaction) throws {
        for entity in entities {
            var keys: [RecordKey] = []
            try transaction.scan(entity, includeHidden: true) { keys.append($0.version.key) }
            for key in keys { try forget(entity, key, transaction) }
            try transaction.forgetRevisions(entity)
        }
        for name in [StoreValue.cursor, StoreValue.intent] { try transaction.setValue(name, nil) }
    }

    private func forget(_ entity: EntityDescriptor, _ key: RecordKey, _ transaction: any StoreTransaction)
        throws
    {
        guard var header = try transaction.header(entity, key) else { return }
        for kind in SideKind.allCases where header.state != .synced {
            try transaction.setSide(entity, key, kind, nil)
        }
        if header.hasHeads { try transaction.setHeads(entity, key, []) }
        if header.state == .rejected { try transaction.tryAgain(entity: entity.name, key: key) }
        header.state = .pending
        header.hasHeads = false
        try transaction.update(entity, key, header)
    }
}

/// Gives a copied or restored store an identity of its own.
struct NewIncarnation {
    let store: any LocalStore
    let random: any RandomSource

    /// Takes a new device identity, and re-marks edits that were never published under the old one.
    func take() throws {
        try store.write(.full) { transaction in
            let old = try Incarnation.device(transaction)
            let new = DeviceID(bits: random.next())
            try transaction.setValue(Incarnation.name, new.description)
            for name in [StoreValue.binding, StoreValue.cursor, StoreValue.intent] {
                try transaction.setValue(name, nil)
            }
            for entity in store.entities {
                for state in [SyncState.pending, .conflict, .rejected] {
                    for key in try transaction.keys(entity, in: state, after: nil, limit: .max) {
                        try remark(entity, key, from: old, to: new, transaction)
                    }
                }
            }
        }
    }

    private func remark(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        from old: DeviceID,
        to new: DeviceID,
        _ transaction: any StoreTransaction
    ) throws {
        guard var local = try transaction.load(entity, key) else { return }
        let base = try transaction.side(entity, key, .base)
        let published = base?.stamp.vector[old] ?? 0
        var stamp = local.version.stamp
        guard stamp.vector[old] > published else { return }
        let mark = EditMark(time: stamp.mark.time, device: new, sequence: try transaction.nextSequence())
        stamp.vector.truncate(old, to: published)
        stamp.vector.insert(mark)
        stamp.detail = stamp.detail?.mapping { $0.device == old && $0.sequence > published ? mark : $0 }
        // NB: the parent's delete gets another mark, too, and would not be found by this one.
        stamp = stamp.caused(by: nil)
        if stamp.mark.device == old, stamp.mark.sequence > published { stamp.mark = mark }
        local.version.stamp = stamp
        try transaction.save(entity, local)
    }
}
