import SyncCore

/// Records that cannot be taken in.
extension Pull {
    /// Keeps a change that could not be taken in, so that the cursor may move on.
    mutating func setAside(
        _ change: Change,
        reason: String,
        transaction: any StoreTransaction
    ) throws {
        let checks = checks ?? EntityDescriptor.checksDigest(of: sync.ordered).description
        if self.checks == nil { try transaction.setValue(StoreValue.refusedUnder, value: checks) }
        self.checks = checks
        // The remote has the record, although it cannot be read.
        let header = change.header
        if let entity = sync.entities[header.entity] {
            try transaction.noteInSnapshot(entity: entity, key: header.key)
        }
        var kept = change
        // Stored as the base, because it becomes the base once the record is taken in.
        kept.header.base = header.revision
        let present = try transaction.rejection(entity: header.entity, key: header.key)
        let versions = present?.kept(beside: kept) ?? [kept]
        // A rejoin delivers the record twice in one sync. That counts as one attempt.
        let earlier = earlier[Push.Item(header)]
        try transaction.setRejection(
            Rejection(
                entity: header.entity,
                key: header.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                raw: Rejection.raw(versions),
                since: earlier?.since ?? sync.now
            )
        )
    }
}

extension Rejection {
    /// The versions that are kept when a further one cannot be taken in: those that have not seen each other.
    fileprivate func kept(beside other: Change) -> [Change] {
        guard let vector = other.header.metadata?.vector else { return [other] }
        let unseen = changes.filter { $0.header.metadata.map { !vector.covers($0.vector) } ?? false }
        let isSeen = unseen.contains { $0.header.metadata?.vector.covers(vector) ?? false }
        return isSeen ? unseen : unseen + [other]
    }
}
