import SyncCore
import SyncRuntime

/// What devices at rest have in common.
extension SimulatedWorld {
    /// Checks the records of an account on all its devices.
    func checkRest(_ account: String, devices: [SimulatedDevice]) throws {
        guard let first = devices.first else { return }
        // An older app does not show fields that only a newer one knows.
        let entities = schemas.old
        for entity in entities {
            // While a conflict is open on a device, duplicates are grouped by what that device shows. They
            // are checked again after all decisions.
            if try !entity.unique.isEmpty
                && devices.contains(where: { try conflicts(device: $0, entity: entity) > 0 })
            {
                continue
            }
            let shown = try devices.map { try presented(device: $0, old: entity) }
            let forgotten = shown.reduce(into: oldDeletes(account, entity: entity, device: first)) {
                $0.formUnion($1.forgotten)
            }
            let contents = shown.map { $0.records.filter { !forgotten.contains($0.key) } }
            for (device, found) in zip(devices, contents) where found != contents[0] {
                throw StoryViolation(
                    rule: "same-everywhere",
                    description:
                        "\(first.name) and \(device.name) hold different \(entity.name) records: "
                        + difference(lhs: contents[0], rhs: found)
                )
            }
            if shown.contains(where: { $0.records != shown[0].records }) { mayDiffer = true }
            try checkUnique(first, entity: entity)
            try checkDeletes(account, entity: entity, device: first)
        }
        for device in devices { try checkOutbox(device) }
    }

    /// What a device shows.
    private struct Presented {
        /// The content that must be equal on all devices: the records as the remote presents them.
        var records: [RecordKey: String] = [:]
        /// Records with a delete that other devices may have dropped before they met this one: each has its own copy of
        /// the folder, and the days that tombstones stay have passed.
        var forgotten: Set<RecordKey> = []
    }

    /// The time in microseconds before which deletes are forgotten; nil if none is.
    private func forgetting(_ entity: EntityDescriptor, device: SimulatedDevice) -> Int64? {
        guard story.place == .folders, let days = entity.tombstoneDays else { return nil }
        return device.clock.now().microseconds - Int64(days) * 86_400_000_000
    }

    /// Records that people deleted, whose deletes the devices may have dropped.
    private func oldDeletes(
        _ account: String,
        entity: EntityDescriptor,
        device: SimulatedDevice
    ) -> Set<RecordKey> {
        guard let oldest = forgetting(entity, device: device) else { return [] }
        let deleted = oracle.acts.filter { place, acts in
            place.account == account && place.entity == entity.name
                && acts.contains { $0.isDelete && $0.editTimestamp.time.microseconds < oldest }
        }
        return Set(deleted.keys.map(\.key))
    }

    private func presented(device: SimulatedDevice, old: EntityDescriptor) throws -> Presented {
        var presented = Presented()
        guard let store = device.store, let entity = device.descriptor(name: old.name) else {
            return presented
        }
        let plain = RecordEncoder(descriptor: old, form: .plain)
        let oldest = forgetting(old, device: device) ?? .min
        try store.read { snapshot in
            try snapshot.scan(entity: entity, includeHidden: true) { local in
                var shown = local.version
                if local.state == .conflict {
                    // NB: only the writer is asked about a record whose parent was deleted. Others show what was sent
                    // of it until then.
                    let state = try snapshot.recordState(entity: entity, key: shown.key)
                    guard let seen = state.seenAtRemote else { return }
                    shown = seen
                }
                if local.state == .rejected {
                    shown = try snapshot.side(entity: entity, key: shown.key, kind: .base) ?? shown
                }
                if shown.isDeleted, shown.metadata.editTimestamp.time.microseconds < oldest {
                    presented.forgotten.insert(shown.key)
                }
                guard !shown.isDeleted, shown.mergedInto == nil else { return }
                presented.records[shown.key] = String(
                    decoding: plain.bytes(entity.common(record: shown.record, with: old)),
                    as: UTF8.self
                )
            }
        }
        return presented
    }

    private func difference(lhs: [RecordKey: String], rhs: [RecordKey: String]) -> String {
        let keys = Set(lhs.keys).union(rhs.keys).sorted().filter { lhs[$0] != rhs[$0] }
        guard let key = keys.first else { return "none" }
        return "\(key.text) is \(lhs[key] ?? "not there") and \(rhs[key] ?? "not there")"
    }

    /// Checks that nothing is pending except for conflicts.
    private func checkOutbox(_ device: SimulatedDevice) throws {
        guard let store = device.store else { return }
        for entity in store.entities {
            let counts = try store.read { try $0.counts(entity: entity) }
            if counts.pending > 0 {
                throw StoryViolation(
                    rule: "outbox-empties",
                    description:
                        "\(counts.pending) \(entity.name) records of \(device.name) wait although everything was synced."
                )
            }
        }
    }

    /// Checks that no two records share unique values.
    private func checkUnique(_ device: SimulatedDevice, entity: EntityDescriptor) throws {
        guard let list = entity.layout.unique.first, let store = device.store else { return }
        var seen: [String: RecordKey] = [:]
        try store.read { snapshot in
            try snapshot.scan(entity: device.descriptor(name: entity.name) ?? entity, includeHidden: false) {
                local in
                guard local.state != .conflict else { return }
                let values = list.map { local.version.record.values[$0] }
                guard !values.contains(where: { $0 == nil || $0 == .null }) else { return }
                if let other = seen.updateValue(local.version.key, forKey: "\(values)") {
                    throw StoryViolation(
                        rule: "one-of-each",
                        description:
                            "\(entity.name) \(other.text) and \(local.version.key.text) share what must be unique."
                    )
                }
            }
        }
    }

    /// The edits of records that were merged into one, with their ids there, also of those that are records of their own
    /// again: what they brought stays.
    private func mergedEdits(
        entity: EntityDescriptor,
        into key: RecordKey,
        account: String,
        device: SimulatedDevice
    ) -> [EditTimestamp] {
        // An unreadable store shows no restored record.
        let known = device.descriptor(name: entity.name) ?? entity
        var merged = Set((try? device.store?.read { try $0.allMerged(entity: known, into: key) }) ?? [])
        for former in survivors[account]?[entity.name] ?? [] {
            for (other, survivor) in former where survivor == key { merged.insert(other) }
        }
        return merged.flatMap { other in
            let place = WriteOracle.Place(account: account, entity: entity.name, key: other)
            return oracle.acts[place, default: []].filter { !$0.isDelete }
                .map { $0.editTimestamp.moved(from: other, entity: entity.name) }
        }
    }

    /// Checks that a deleted record is live only after an edit that its delete had not seen.
    private func checkDeletes(_ account: String, entity: EntityDescriptor, device: SimulatedDevice) throws {
        guard entity.references.isEmpty else { return }
        for key in try presented(device: device, old: entity).records.keys {
            let place = WriteOracle.Place(account: account, entity: entity.name, key: key)
            guard let acts = oracle.acts[place] else { continue }
            let edits =
                acts.filter { !$0.isDelete }.map(\.editTimestamp)
                + mergedEdits(entity: entity, into: key, account: account, device: device)
                + oracle.needs[place, default: []]
            for delete in acts where delete.isDelete {
                let isRevived = edits.contains { !delete.vector.covers($0) }
                if !isRevived {
                    throw StoryViolation(
                        rule: "deletes-stay",
                        description: "\(entity.name) \(key.text) is back although it was deleted."
                    )
                }
            }
        }
    }
}
