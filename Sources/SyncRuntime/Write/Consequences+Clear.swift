import SyncCore

/// References that are cleared when their record is deleted, and return when it lives again.
extension Consequences {
    /// Clears a reference to a deleted record, or takes its key out of a list, by an edit that every device writes
    /// alike.
    func clear(_ link: Link, local: LocalRecord, cause: DeleteCause) throws {
        let entity = link.child
        let version = RecordMove(entity).cleared(
            version: local.version,
            reference: link.reference,
            cause: cause
        )
        guard let version else { return }
        try conclude(
            version,
            entity: entity,
            because: "its reference was cleared, as its \(link.reference.entity) was deleted",
            change: .edited
        )
        for cleared in version.metadata.cleared where cleared.cause == cause {
            try journal(cleared, kept: version, lost: local.version)
            remember(cleared, entity: entity, key: local.version.key)
        }
    }

    /// Puts back the references to a record that lives again.
    func fillReferences(to parent: RecordPlace) throws {
        for child in try childrenWithout(parent) { try fillReferences(of: child) }
    }

    /// Puts back the references of a record that deletes have cleared, as far as their records live again.
    func fillReferences(of place: RecordPlace) throws {
        guard let local = try place.load() else { return }
        let entity = place.entity
        for cleared in local.version.metadata.cleared {
            // Nothing is decided automatically while a person has to decide.
            guard let current = try place.load(), current.visibility.exists, current.state != .conflict
            else { return }
            guard let target = try target(of: cleared),
                let version = RecordMove(entity).returned(
                    version: current.version,
                    cleared: cleared,
                    to: target
                )
            else { continue }
            try conclude(
                version,
                entity: entity,
                because: "its reference returned, as its \(cleared.cause.entity) lives again",
                change: .edited
            )
            try transaction.removeJournal(Self.journalID(of: cleared, entity: entity.name, key: place.key))
            noteMove(of: place)
        }
    }

    /// The record that a cleared reference leads to now: that which was deleted, or the one into which it was merged
    /// since. Nil unless it lives although the delete is known.
    func target(of cleared: ClearedReference) throws -> RecordKey? {
        let cause = cleared.cause
        guard let parents = entities.first(where: { $0.name == cause.entity }),
            let header = try transaction.header(entity: parents, key: cause.key), header.state != .conflict,
            isOverruled(cause, by: header)
        else { return nil }
        let survivor = try transaction.survivor(entity: parents, key: cause.key)
        return try transaction.header(entity: parents, key: survivor)?.visibility.exists == true
            ? survivor : nil
    }

    /// The records whose references to a record were cleared when it was deleted.
    func childrenWithout(_ parent: RecordPlace) throws -> [RecordPlace] {
        var children: [RecordPlace] = []
        var seen: Set<String> = []
        for link in links(to: parent.entity)
        where link.reference.onDelete == .nullify && seen.insert(link.child.name).inserted {
            let keys = try cleared(in: link.child)[parent.entity.name]?[parent.key] ?? []
            children += keys.map { place(entity: link.child, key: $0) }
        }
        return children
    }

    /// The records of an entity with cleared references, by entity and key of what they referred to. Read once.
    private func cleared(in entity: EntityDescriptor) throws -> [String: [RecordKey: [RecordKey]]] {
        if let known = clearedChildren[entity.name] { return known }
        clearedChildren[entity.name] = [:]
        for key in try transaction.cleared(entity: entity) {
            for cleared in try transaction.header(entity: entity, key: key)?.metadata.cleared ?? [] {
                remember(cleared, entity: entity, key: key)
            }
        }
        return clearedChildren[entity.name] ?? [:]
    }

    private func remember(_ cleared: ClearedReference, entity: EntityDescriptor, key: RecordKey) {
        clearedChildren[entity.name]?[cleared.cause.entity, default: [:]][cleared.cause.key, default: []]
            .append(key)
    }

    private func journal(_ cleared: ClearedReference, kept: SyncRecord, lost: SyncRecord) throws {
        let id = Self.journalID(of: cleared, entity: kept.entity, key: kept.key)
        try transaction.addJournal(JournalEntry(id: id, at: now, rule: "nullify", kept: kept, lost: lost))
    }

    /// The journal entry of a cleared reference has a name of its own, by which it is found when the reference
    /// returns.
    private static func journalID(of cleared: ClearedReference, entity: String, key: RecordKey) -> String {
        let cause = cleared.cause
        let name = [
            entity, key.text, cleared.field, cause.entity, cause.key.text, cause.editTimestamp.description,
            "nullify",
        ].joined(separator: "\n")
        return String(Digest(Array(name.utf8)).description.prefix(16))
    }
}
