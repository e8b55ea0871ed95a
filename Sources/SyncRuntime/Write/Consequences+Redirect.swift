import SyncCore

/// References to merged records.
extension Consequences {
    /// The record with references to merged records redirected to the survivors.
    func resolved(record: Record, entity: EntityDescriptor) throws -> Record {
        var result = record
        for reference in entity.references {
            guard let parents = entities.first(where: { $0.name == reference.entity }) else { continue }
            result = try entity.replacingKeys(of: reference, in: result) { key in
                guard let header = try transaction.header(entity: parents, key: key),
                    header.visibility != .live
                else { return key }
                return try transaction.survivor(entity: parents, key: key)
            }
        }
        return result
    }

    /// Redirects all children of a merged record to its survivor.
    func redirectChildren(of parent: RecordPlace) throws {
        for link in links(to: parent.entity) {
            for child in try children(link, of: parent.key) {
                guard let local = try transaction.load(entity: link.child, key: child) else { continue }
                _ = try redirect(entity: link.child, local: local)
            }
        }
    }

    /// Redirects a live record's references to the survivors, by an edit that every device writes alike. If such a
    /// reference is part of the key, the record is merged into the one with the new key. Returns false if there is
    /// nothing to do.
    func redirect(entity: EntityDescriptor, local: LocalRecord) throws -> Bool {
        let record = try resolved(record: local.version.record, entity: entity)
        guard record != local.version.record, let key = entity.key(of: record) else { return false }
        if key != local.version.key {
            // A person must first decide about this record.
            guard local.state != .conflict else { return false }
            try move(entity: entity, local: local, to: record, key: key)
            return true
        }
        guard let version = RecordMove(entity).redirected(version: local.version, to: record) else {
            return false
        }
        let reason = "led to the record that another one was merged into"
        try conclude(version, entity: entity, because: reason, change: .revived)
        return true
    }

    /// Merges a record into the one whose key its references now give.
    private func move(
        entity: EntityDescriptor,
        local: LocalRecord,
        to record: Record,
        key: RecordKey
    ) throws {
        let source = place(entity: entity, key: local.version.key)
        let before = try source.state()
        let (target, targetBefore) = try place(entity: entity, key: key).survivor()
        var loser = before
        loser.local?.version.record = record
        let deciding = try deciding(entity, about: [before, targetBefore])
        let merging = UniqueConflict(descriptor: deciding, own: try ownDevices())
        let event: RecordEvent
        if targetBefore.local == nil {
            let version = RecordMove(entity).version(
                version: loser.local?.version ?? local.version,
                as: target.key,
                keyValues: entity.layout.key.map { record.values[$0] }
            )
            event = .concluded(version)
        } else {
            event = .duplicates(merging.duplicates(of: loser))
        }
        let meeting = RecordPlace(entity: deciding, key: target.key, transaction: transaction)
        try reconcile(event, at: meeting, before: targetBefore)
        if let tombstone = merging.tombstone(of: before, into: target.key) {
            try reconcile(.concluded(tombstone), at: source, before: before)
        }
        let detail = "into \(target.key), because a record that it refers to was merged"
        try source.addHistory("merged", detail: detail, at: now)
        add(source, change: .merged)
        add(target, change: .revived)
    }
}
