import SyncCore

/// Makes a store ready for another remote: forgets what was agreed, keeps every value.
struct Rejoin {
    let entities: [EntityDescriptor]

    /// Every record waits to be pushed again; whatever the remote holds already meets it by strategy.
    /// The caller writes the new binding in the same transaction.
    func forgetRevisions(_ transaction: any StoreTransaction, at now: Timestamp) throws {
        var decided =
            try transaction.value(name: StoreValue.unsettled).map { Unsettled.read(text: $0) } ?? [:]
        for entity in entities {
            var keys: [RecordKey] = []
            try transaction.scan(entity, includeHidden: true) { local in
                keys.append(local.version.key)
                if local.state == .conflict || local.hasHeads {
                    decided[entity.name, default: []].insert(local.version.key)
                }
            }
            for key in keys { try forget(entity, key: key, transaction: transaction, at: now) }
            try transaction.forgetRevisions(entity)
        }
        // What waited for a person did not merge with records of the same unique values, and waits no more.
        try transaction.setValue(StoreValue.unsettled, value: Unsettled.text(touched: decided))
        for name in [
            StoreValue.cursor, StoreValue.intent, StoreValue.comparing, StoreValue.recordsTold,
        ] {
            try transaction.setValue(name, value: nil)
        }
    }

    private func forget(
        _ entity: EntityDescriptor,
        key: RecordKey,
        transaction: any StoreTransaction,
        at now: Timestamp
    ) throws {
        guard var header = try transaction.header(entity: entity, key: key) else { return }
        if header.state == .conflict || header.hasHeads {
            try journalOthers(entity: entity, key: key, transaction: transaction, at: now)
        }
        for kind in SideKind.allCases where header.state != .synced {
            try transaction.setSide(entity, key: key, kind: kind, version: nil)
        }
        if header.hasHeads { try transaction.setHeads(entity, key: key, heads: []) }
        if header.state == .rejected { try transaction.tryAgain(entity: entity.name, key: key) }
        header.state = .pending
        header.hasHeads = false
        try transaction.update(entity, key: key, header: header)
    }

    /// Keeps the versions of others that stand beside a record, which the new remote may not hold.
    private func journalOthers(
        entity: EntityDescriptor,
        key: RecordKey,
        transaction: any StoreTransaction,
        at now: Timestamp
    ) throws {
        let recordState = try transaction.recordState(entity: entity, key: key)
        guard let local = recordState.local else { return }
        var losses: [Planner.Loss] = []
        for other in [recordState.remote].compactMap({ $0 }) + recordState.heads {
            let isThere = other.isDeleted || local.version.metadata.vector.covers(other.metadata.vector)
            if isThere || losses.contains(where: { $0.lost == other }) { continue }
            losses.append(Planner.Loss(kept: local.version, lost: other))
        }
        try transaction.record(losses, rule: entity.strategy.rawValue, at: now)
    }
}
