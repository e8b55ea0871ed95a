import SyncCore

/// Records that cannot be taken in.
extension Pull {
    /// Keeps what could not be taken in, so that the cursor may move on.
    mutating func setAside(
        _ change: Change,
        reason: String,
        transaction: any StoreTransaction
    ) throws {
        // NB: it is there, though it cannot be read.
        let header = change.header
        if let entity = entities[header.entity] {
            try transaction.noteInSnapshot(entity: entity, key: header.key)
        }
        var kept = change
        // Kept as base, which is what it becomes once the record is taken in.
        kept.header.base = header.revision
        var writer = JSONWriter()
        EntryCodec.append(kept, to: &writer)
        // NB: a rejoin brings it once more in the same sync, which is one attempt.
        let earlier = earlier[Push.Item(header)]
        try transaction.setRejection(
            Rejection(
                entity: header.entity,
                key: header.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                raw: writer.bytes,
                since: earlier?.since ?? now
            )
        )
    }
}
