public import SyncCore

/// Restoring values from the journal.
extension WriteSession {
    /// Restores the loser of a decision as an edit. Throws `notFound` if the journal has no such entry.
    ///
    /// With `withParents`, deleted parents that the record needs are restored, too. Otherwise throws `invalidInput`
    /// with the parent's entity, and writes nothing.
    public func restore(
        journal id: String,
        entities: [EntityDescriptor],
        withParents: Bool = false
    ) throws -> (entity: String, key: RecordKey) {
        guard let entry = try transaction.journal().first(where: { $0.id == id }),
            let entity = entities.first(where: { $0.name == entry.lost.entity })
        else {
            throw SyncError(
                kind: .notFound,
                message: "The journal has no entry with that id.",
                help: "List the journal anew."
            )
        }
        let references = references
        let lost = try references.resolved(record: entry.lost.record, entity: entity)
        // What follows from restored parents waits until the record lives, too.
        return try references.withFollowUps {
            if !entry.lost.isDeleted, !Mutation.disables(.parentsRestored) {
                try restoreParents(
                    of: lost,
                    key: entry.lost.key,
                    entity: entity,
                    isAsked: withParents,
                    references: references
                )
            }
            return try restore(entry, lost: lost, entity: entity)
        }
    }

    private func restore(_ entry: JournalEntry, lost: Record, entity: EntityDescriptor) throws -> (
        entity: String, key: RecordKey
    ) {
        let (target, state) = try transaction.survivingState(entity: entity, key: entry.lost.key)
        let current = state.local
        var record = withKey(of: current?.version, record: lost, entity: entity)
        if let current {
            record =
                Merge(descriptor: entity).keepingLocalOnly(
                    SyncRecord(
                        entity: entity.name,
                        key: target,
                        record: record,
                        metadata: entry.lost.metadata
                    ),
                    of: current.version
                ).record
        }
        var edit = Editor.Edit(current: current?.version, record: record)
        edit.isDeleted = entry.lost.isDeleted
        _ = try apply(edit, entity: entity, key: target, before: state)
        try transaction.addHistory(
            entity: entity,
            key: target,
            entry: HistoryEntry(at: now, event: "restored", detail: "journal entry \(entry.id)")
        )
        return (entity.name, target)
    }

    /// Restores the deleted parents of a record, and theirs. References may form circles, also through the record.
    private func restoreParents(
        of record: Record,
        key: RecordKey,
        entity: EntityDescriptor,
        isAsked: Bool,
        references: References
    ) throws {
        var seen: [String: Set<RecordKey>] = [entity.name: [key]]
        var found: [(child: String, entity: EntityDescriptor, local: LocalRecord)] = []
        var open = [(record: record, entity: entity)]
        while let child = open.popLast() {
            let parents = try references.deletedParents(of: child.record, entity: child.entity) { parent in
                // Its tombstone was dropped after every device had it.
                throw SyncError.parentGone(entity: child.entity.name, parent: parent.name)
            }
            for parent in parents
            where seen[parent.entity.name, default: []].insert(parent.local.version.key).inserted {
                guard isAsked else {
                    throw SyncError.parentDeleted(entity: child.entity.name, parent: parent.entity.name)
                }
                found.append((child.entity.name, parent.entity, parent.local))
                open.append((parent.local.version.record, parent.entity))
            }
        }
        for parent in found.reversed() {
            try references.revive(
                entity: parent.entity,
                local: parent.local,
                why: "restored with a \(parent.child) that needs it"
            )
        }
    }
}
