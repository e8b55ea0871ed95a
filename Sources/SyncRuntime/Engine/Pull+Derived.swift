import SyncCore

/// Versions from a remote that keeps no version metadata.
extension Pull {
    /// Takes in a version without metadata, as an edit by the remote on top of the version that both sides last
    /// agreed on. So changed fields are distinguished from unchanged ones, as for any edit.
    mutating func applyDerived(
        _ change: Change,
        entity: EntityDescriptor,
        transaction: any StoreTransaction
    ) throws {
        let (key, revision) = (change.header.key, change.header.revision)
        let place = RecordPlace(entity: entity, key: key, transaction: transaction)
        if let revision, try transaction.revision(entity: entity, key: key) == revision {
            // The store has seen this state already, but the remote still has the record.
            try transaction.noteInSnapshot(entity: entity, key: key)
            return
        }
        let before = try place.state()
        if let derived = try derived(from: change, before: before, entity: entity) {
            try sync.reconcile(.remote(derived), at: place, before: before, kind: .linear)
        }
        try place.setRevision(revision)
        if revision == nil { try transaction.noteInSnapshot(entity: entity, key: key) }
    }

    /// The remote's edit; nil if it shows what this store has already seen.
    private func derived(from change: Change, before: RecordState, entity: EntityDescriptor) throws
        -> SyncRecord?
    {
        let key = change.header.key
        let sequence = before.highestSequence(of: sync.remote.author) + 1
        let first = EditTimestamp(time: sync.now, device: sync.remote.author, sequence: sequence)
        let incoming = try change.version(metadata: VersionMetadata(first: first), entity: entity)
        let agreed = before.seenAtRemote
        var edit = Editor.Edit(current: agreed, record: incoming.record)
        // A tombstone may come without a value. It keeps the last one.
        if incoming.isDeleted, let agreed { edit.record = agreed.record }
        edit.isDeleted = incoming.isDeleted
        edit.mergedInto = incoming.mergedInto
        if let updated = entity.layout.updated, let time = incoming.record.values[updated] {
            // An unchanged time means that the author did not maintain it.
            edit.givesUpdated = time != agreed?.record.values[updated]
        }
        let editor = Editor(descriptor: entity, now: sync.now, device: sync.remote.author)
        guard case .edited(let version) = editor(edit, key: key, sequence: { sequence }) else { return nil }
        return version
    }
}
