import SyncCore

/// Records that cannot be taken in.
extension Pull {
    /// Keeps what could not be taken in, so that the cursor may move on.
    mutating func setAside(
        _ item: RemoteItem,
        bytes: UnsafeBufferPointer<UInt8>,
        reason: String,
        transaction: any StoreTransaction
    ) throws {
        // NB: it is there, though it cannot be read.
        if let entity = entities[item.entity] { try transaction.hold(entity: entity, key: item.key) }
        var writer = JSONWriter()
        EntryCodec.append(
            OutgoingChange(
                entity: item.entity,
                key: item.key,
                isDeleted: item.kind == .delete,
                mergedInto: item.mergedInto,
                metadata: item.metadata,
                replaces: [],
                // Kept as base, which is what it becomes once the record is taken in.
                base: item.revision,
                body: Array(bytes[item.body])
            ),
            to: &writer
        )
        // NB: a rejoin brings it once more in the same sync, which is one attempt.
        let earlier = earlier[Push.Item(entity: item.entity, key: item.key)]
        try transaction.setRejection(
            Rejection(
                entity: item.entity,
                key: item.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                raw: writer.bytes,
                since: earlier?.since ?? now
            )
        )
    }
}
