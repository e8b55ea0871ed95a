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
        let lost = try references.resolved(record: entry.lost.record, entity: entity)
        if !entry.lost.isDeleted, !Mutation.disables(.parentsRestored) {
            try restoreParents(of: lost, entity: entity, isAsked: withParents)
        }
        // A restored parent can revive this record.
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
            entry: HistoryEntry(at: now, event: "restored", detail: "journal entry \(id)")
        )
        return (entity.name, target)
    }

    /// Restores deleted parents of a record, their own parents first.
    private func restoreParents(of record: Record, entity: EntityDescriptor, isAsked: Bool) throws {
        for reference in entity.references where reference.onDelete != .nullify {
            guard let parents = entities.first(where: { $0.name == reference.entity }),
                let key = references.parent(
                    of: record,
                    entity: entity,
                    reference: reference,
                    parents: parents
                )
            else { continue }
            guard
                let parent = try transaction.load(
                    entity: parents,
                    key: try transaction.survivor(entity: parents, key: key)
                )
            else {
                // Its tombstone was dropped after every device had it.
                throw SyncError.parentGone(entity: entity.name, parent: parents.name)
            }
            guard parent.visibility == .deleted else { continue }
            guard isAsked else { throw SyncError.parentDeleted(entity: entity.name, parent: parents.name) }
            try restoreParents(of: parent.version.record, entity: parents, isAsked: true)
            try references.revive(
                entity: parents,
                local: parent,
                why: "restored with a \(entity.name) that needs it"
            )
        }
    }
}
