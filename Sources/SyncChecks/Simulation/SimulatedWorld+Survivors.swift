import SyncCore
import SyncRuntime

/// References to records that were merged into others.
extension SimulatedWorld {
    /// Notes which records are merged into others on a device now. References follow, and stay there if a merged record
    /// comes back with other values.
    func noteSurvivors(on device: SimulatedDevice) {
        guard let store = device.store, let account = device.account else { return }
        for entity in store.entities {
            var merged: [RecordKey: RecordKey] = [:]
            // An unreadable store has merged nothing.
            try? store.read { snapshot in
                var keys: [RecordKey] = []
                try snapshot.scan(entity: entity, includeHidden: true) { local in
                    if local.version.mergedInto != nil { keys.append(local.version.key) }
                }
                for key in keys { merged[key] = try snapshot.survivor(entity: entity, key: key) }
            }
            let known = survivors[account]?[entity.name] ?? []
            guard !merged.isEmpty, !known.contains(merged) else { continue }
            survivors[account, default: [:]][entity.name] = known + [merged]
        }
    }

    /// The key under which a device writes a record: a reference to a merged record is one to its survivor, also in a
    /// key.
    func key(of record: Record, entity: EntityDescriptor, on device: SimulatedDevice) -> RecordKey? {
        guard let store = device.store else { return entity.key(of: record) }
        let led = try? store.read { snapshot in
            try entity.references.reduce(record) { led, reference in
                guard let parent = store.entities.first(where: { $0.name == reference.entity }) else {
                    return led
                }
                return try entity.replacingKeys(of: reference, in: led) {
                    try snapshot.survivor(entity: parent, key: $0)
                }
            }
        }
        return entity.key(of: led ?? record)
    }

    /// Whether a value is found as one that refers to survivors, where it referred to records that were merged.
    func isRedirected(
        _ claim: WriteOracle.Claim,
        origin: WriteOracle.ClaimOrigin,
        account: String,
        found: Set<String>
    ) -> Bool {
        var records: Set<Record> = [origin.version.record]
        for reference in origin.entity.references {
            for merged in survivors[account]?[reference.entity] ?? [] {
                records.formUnion(
                    records.map { record in
                        origin.entity.replacingKeys(of: reference, in: record) { merged[$0] ?? $0 }
                    }
                )
            }
        }
        records.remove(origin.version.record)
        return records.contains { record in
            var version = origin.version
            version.record = record
            return oracle.claims(version: version, newer: origin.entity).contains { moved in
                moved.unit == claim.unit && moved.sequence == claim.sequence
                    && found.contains(moved.statement)
            }
        }
    }
}
