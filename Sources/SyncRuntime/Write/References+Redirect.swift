import SyncCore

/// References to records that were merged into others.
extension References {
    /// The key of the record that a reference names; nil for null and absent.
    func parent(
        of record: Record,
        _ entity: EntityDescriptor,
        _ reference: ReferenceDescriptor,
        _ parents: EntityDescriptor
    ) -> RecordKey? {
        guard let position = entity.layout.position(of: reference.field) else { return nil }
        return switch record.values[position] {
        case nil, .null?: nil
        case .text(let text)?, .json(let text)?: RecordKey(text)
        case .integer(let number)?: RecordKey(String(number))
        case .timestamp(let time)?: RecordKey(time.description)
        case .boolean?, .number?, .bytes?: nil
        }
    }

    /// The record with its references to merged records leading to the survivors.
    func resolved(_ record: Record, _ entity: EntityDescriptor) throws -> Record {
        var result = record
        for reference in entity.references {
            guard let parents = entities.first(where: { $0.name == reference.entity }),
                let position = entity.layout.position(of: reference.field),
                let key = parent(of: record, entity, reference, parents),
                let header = try transaction.header(parents, key), header.visibility != .live
            else { continue }
            let survivor = try transaction.survivor(parents, key)
            guard survivor != key, let value = try keyValue(of: survivor, parents) else { continue }
            result.values[position] = value
        }
        return result
    }

    /// The value that a reference to a record holds: that of its key field.
    private func keyValue(of key: RecordKey, _ parents: EntityDescriptor) throws -> FieldValue? {
        guard parents.layout.key.count == 1 else { return nil }
        if let local = try transaction.load(parents, key),
            let value = local.version.record.values[parents.layout.key[0]]
        {
            return value
        }
        return switch parents.fields[parents.layout.key[0]].type {
        case .integer: Int64(key.text).map { .integer($0) }
        case .dateTime: Timestamp(key.text).map { .timestamp($0) }
        default: .text(key.text)
        }
    }

    /// Leads all children of a merged record to its survivor.
    func redirectChildren(of parents: EntityDescriptor, _ key: RecordKey) throws {
        guard Guard.isOn(.referencesMove) else { return }
        for link in links(to: parents) {
            for child in try transaction.children(link.child, field: link.reference.field, parent: key) {
                guard let local = try transaction.load(link.child, child) else { continue }
                _ = try redirect(link.child, local)
            }
        }
    }

    /// Leads a live record to the survivors of the records that it refers to, by an edit that every device writes alike.
    /// Where such a reference is part of the key the record itself becomes another. False where there is nothing to do.
    func redirect(_ entity: EntityDescriptor, _ local: LocalRecord) throws -> Bool {
        guard Guard.isOn(.referencesMove) else { return false }
        let record = try resolved(local.version.record, entity)
        guard record != local.version.record, let key = entity.key(of: record) else { return false }
        if key != local.version.key {
            // A person decides about this record first.
            guard local.state != .conflict else { return false }
            try move(entity, local, to: record, key)
            return true
        }
        let before = try transaction.trees(entity, key)
        guard let version = RecordMove(entity).redirected(local.version, to: record) else { return false }
        try uniqueConflicts.save(entity, key, before.edited(version), before: before)
        try note(entity, key, "led to the record that another one was merged into")
        try settle([entity.name: [key]])
        try uniqueConflicts.resolve(entity, touched: [key])
        return true
    }

    /// Merges a record into the one that has the key which its references lead to now.
    private func move(
        _ entity: EntityDescriptor,
        _ local: LocalRecord,
        to record: Record,
        _ key: RecordKey
    ) throws {
        let source = local.version.key
        let target = try transaction.survivor(entity, key)
        let before = try transaction.trees(entity, source)
        let targetBefore = try transaction.trees(entity, target)
        var after = targetBefore
        var losses: [Planner.Loss] = []
        let own = try transaction.ownDevices(device)
        let merging = UniqueConflict(entity, own: own)
        var loser = before
        loser.local?.version.record = record
        if targetBefore.local == nil {
            let values = entity.layout.key.map { record.values[$0] }
            let version = RecordMove(entity).version(
                loser.local?.version ?? local.version,
                as: target,
                keyValues: values
            )
            after = Planner.Trees(local: LocalRecord(version: version, state: .pending))
        } else {
            let isOwn = local.state != .synced || own.wrote(local.version.stamp.mark)
            merging.meet(&after, loser, isOwn: isOwn, &losses)
        }
        let tombstone = RecordMove(entity).tombstone(
            of: local.version,
            alsoSeen: before.heads.map(\.stamp),
            into: target
        )
        try uniqueConflicts.save(entity, target, after, before: targetBefore)
        try uniqueConflicts.save(entity, source, before.edited(tombstone), before: before)
        try transaction.record(losses, rule: entity.strategy.rawValue, at: now)
        try uniqueConflicts.note(
            entity,
            source,
            "into \(target), because a record that it refers to was merged"
        )
        try redirectChildren(of: entity, source)
        try settle([entity.name: [target]])
        try uniqueConflicts.resolve(entity, touched: [target])
    }

    private var uniqueConflicts: UniqueConflicts {
        UniqueConflicts(transaction: transaction, entities: entities, device: device, now: now)
    }
}
