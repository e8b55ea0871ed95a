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
                var child = entry.lost
                child.record = lost
                try restoreParents(
                    of: child,
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

    /// Restores the deleted parents of a record, and theirs.
    private func restoreParents(
        of child: SyncRecord,
        entity: EntityDescriptor,
        isAsked: Bool,
        references: References
    ) throws {
        let parents = try references.deletedAncestors(of: child, entity: entity) { child, parent in
            // Its tombstone was dropped after every device had it.
            throw SyncError.parentGone(entity: child, parent: parent)
        } where: { parent in
            guard isAsked else {
                throw SyncError.parentDeleted(entity: parent.child, parent: parent.entity.name)
            }
            return true
        }
        for parent in parents.reversed() {
            try references.revive(
                entity: parent.entity,
                local: parent.local,
                why: "restored with a \(parent.child) that needs it"
            )
        }
    }
}
