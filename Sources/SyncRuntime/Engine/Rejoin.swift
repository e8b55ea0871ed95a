import SyncCore

/// Makes a store ready for another remote: forgets what was agreed, keeps every value.
struct Rejoin {
    let entities: [EntityDescriptor]

    /// Every record waits to be pushed again; whatever the remote holds already meets it by strategy.
    /// The caller writes the new binding in the same transaction.
    func forgetRevisions(_ transaction: any StoreTransaction, at now: Timestamp) throws {
        var decided =
            try transaction.value(name: StoreValue.unresolved).map { PendingResolution.read(text: $0) } ?? [:]
        let own = OwnDevices(current: try Incarnation.device(snapshot: transaction))
        for entity in entities {
            var keys: [RecordKey] = []
            try transaction.scan(entity: entity, includeHidden: true) { local in
                keys.append(local.version.key)
                if local.state == .conflict || local.hasHeads {
                    decided[entity.name, default: []].insert(local.version.key)
                }
            }
            // Who wrote what before does not matter for another remote.
            let reconcile = Reconcile(entity, own: own)
            for key in keys {
                let before = try transaction.recordState(entity: entity, key: key)
                let result = reconcile(before, on: .rejoined)
                try transaction.perform(result, entity: entity, key: key, before: before, at: now)
            }
            try transaction.forgetRevisions(entity)
        }
        // What waited for a person did not merge with records of the same unique values, and waits no more.
        try transaction.setValue(StoreValue.unresolved, value: PendingResolution.text(touched: decided))
        for name in [
            StoreValue.cursor, StoreValue.intent, StoreValue.comparing, StoreValue.recordsReported,
        ] {
            try transaction.setValue(name, value: nil)
        }
    }
}
