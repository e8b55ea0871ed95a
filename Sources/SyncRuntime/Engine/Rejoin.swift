import SyncCore

/// Prepares a store for another remote: forgets the agreement with the former one, and keeps every value.
struct Rejoin {
    let entities: [EntityDescriptor]

    /// Makes every record pending again. Records that the new remote already has are merged by strategy. The caller
    /// writes the new binding in the same transaction.
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
            // Authorship before the rejoin does not matter to another remote.
            let reconcile = Reconcile(entity, own: own, remote: .forked)
            for key in keys {
                let place = RecordPlace(entity: entity, key: key, transaction: transaction)
                let before = try place.state()
                try place.perform(reconcile(before, on: .rejoined), before: before, at: now)
            }
            try transaction.forgetRevisions(entity)
        }
        // Records in conflict were not merged with duplicates. They are no longer in conflict, so they are checked
        // now.
        try transaction.setValue(StoreValue.unresolved, value: PendingResolution.text(touched: decided))
        for name in [
            StoreValue.cursor, StoreValue.intent, StoreValue.comparing, StoreValue.recordsReported,
        ] {
            try transaction.setValue(name, value: nil)
        }
    }
}
