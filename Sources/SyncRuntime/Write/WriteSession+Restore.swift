public import SyncCore

/// Restoring values from the journal.
extension WriteSession {
    /// Brings the loser of a decision back as an edit. If fields merge separately, only those return that the
    /// decision took away; otherwise the whole value. What it replaces goes to the journal. Throws `notFound` if the
    /// journal has no such entry.
    ///
    /// With `withParents`, deleted parents that the record needs are restored, too. Otherwise throws `invalidInput`
    /// with the parent's entity, and writes nothing. `shown` names the version that the record had when the person
    /// looked at it. Throws `invalidInput` if it has another one now.
    package func restore(
        journal id: String,
        withParents: Bool = false,
        over shown: ShownVersion = .any
    ) throws -> RestoredRecord {
        guard let entry = try transaction.journal(onDamage: { _ in }).first(where: { $0.id == id }),
            let entity = consequences.entities.first(where: { $0.name == entry.lost.entity })
        else {
            throw SyncError(
                kind: .notFound,
                message: "The journal has no entry with that id.",
                help: "List the journal anew."
            )
        }
        let lost = try consequences.resolved(record: entry.lost.record, entity: entity)
        // What follows from restored parents waits until the record lives, too.
        return try consequences.run {
            if !entry.lost.isDeleted {
                var child = entry.lost
                child.record = lost
                try restoreParents(
                    of: child,
                    entity: entity,
                    ofCleared: entry.rule == "nullify",
                    isAsked: withParents
                )
            }
            return try restore(entry, lost: lost, entity: entity, over: shown)
        }
    }

    private func restore(
        _ entry: JournalEntry,
        lost: Record,
        entity: EntityDescriptor,
        over shown: ShownVersion
    ) throws -> RestoredRecord {
        let (target, state) = try consequences.place(entity: entity, key: entry.lost.key).survivor()
        let current = state.local?.version
        if case .version(let version) = shown, version != current?.metadata.editTimestamp {
            throw SyncError.changedSinceShown(entity: entity.name)
        }
        let value = RestoredValue(descriptor: entity).record(entry: entry, lost: lost, over: current)
        var edit = Editor.Edit(current: current, record: value)
        edit.isDeleted = entry.lost.isDeleted
        _ = try consequences.apply(edit, at: target, before: state)
        let restored = try target.load()?.version
        guard let restored, restored != current else {
            return RestoredRecord(entity: entity.name, key: target.key, isChanged: false)
        }
        if let current, !current.isDeleted, !entity.hasSameContent(left: current, right: restored) {
            try transaction.journal([Loss(kept: restored, lost: current)], rule: "restored", at: now)
        }
        try target.addHistory("restored", detail: "journal entry \(entry.id)", at: now)
        return RestoredRecord(entity: entity.name, key: target.key, isChanged: true)
    }

    /// Restores the deleted parents of a record, and theirs.
    private func restoreParents(
        of child: SyncRecord,
        entity: EntityDescriptor,
        ofCleared: Bool,
        isAsked: Bool
    ) throws {
        let parents = try consequences.deletedAncestors(of: child, entity: entity, ofCleared: ofCleared) {
            child,
            parent in
            // Its tombstone was dropped after every device had it.
            throw SyncError.parentGone(entity: child, parent: parent)
        } where: { parent in
            guard isAsked else {
                throw SyncError.parentDeleted(entity: parent.child, parent: parent.entity.name)
            }
            return true
        }
        for parent in parents.reversed() {
            try consequences.revive(
                entity: parent.entity,
                local: parent.local,
                why: "restored with a \(parent.child) that needs it"
            )
        }
    }
}

/// A record to which a lost value was brought back.
public struct RestoredRecord: Sendable, Hashable {
    /// The entity's name.
    package var entity: String
    /// The record's key: the survivor's, if the record was merged into another meanwhile.
    package var key: RecordKey
    /// Whether anything was written. False if the record had the value already.
    package var isChanged: Bool
}

/// What a person was shown of a record before deciding to bring a value back.
public enum ShownVersion: Sendable, Hashable {
    /// Whatever it has now is replaced.
    case any
    /// The version with this edit timestamp; nil if there was no record.
    case version(EditTimestamp?)
}
