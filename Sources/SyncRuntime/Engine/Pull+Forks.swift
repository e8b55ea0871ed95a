import SyncCore

/// What comes of one name for two edits: copies of one store, or a store from a backup, have written under one
/// identity.
extension Pull {
    /// Looks for edits under this device's name that the store does not know: it comes from a backup, and must go on as
    /// another device before it takes anything in, or publishes anything.
    mutating func lookForOwn(_ pages: [RemotePage], snapshot: any StoreSnapshot) throws {
        let published = try snapshot.value(name: StoreValue.publishedSequence).flatMap { Int64($0) } ?? .max
        for page in pages {
            for item in page.items where item.revision == nil && item.metadata.vector[device] > 0 {
                if neverMet {
                    unknownOwn = 1
                } else if item.metadata.vector[device] > published {
                    // Nobody can have seen what was never sent: it is of another life of this store.
                    unknownOwn = min(unknownOwn ?? .max, published + 1)
                } else if let entity = entities[item.entity] {
                    try noteOwn(item, entity: entity, snapshot: snapshot)
                }
            }
        }
    }

    private mutating func noteOwn(
        _ item: RemoteItem,
        entity: EntityDescriptor,
        snapshot: any StoreSnapshot
    ) throws {
        let sequence = item.metadata.vector[device]
        let known = try snapshot.header(entity: entity, key: item.key)?.metadata
        // NB: a deleted record may have been forgotten here since.
        if known == nil, item.kind == .delete { return }
        if let known {
            let isOther = item.metadata.editTimestamp.device == device && item.metadata.isForked(from: known)
            guard sequence > known.vector[device] || isOther else { return }
        }
        unknownOwn = min(unknownOwn ?? .max, sequence)
    }

    /// A clean record meets another edit under the name of the one that it shows: the earlier one stands.
    mutating func meetFork(
        _ header: RecordHeader,
        entity: EntityDescriptor,
        item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws {
        guard item.metadata.editTimestamp.time < header.metadata.editTimestamp.time,
            let local = try transaction.load(entity, key: item.key)
        else { return }
        try replace(
            local.version,
            by: try version(item: item, entity: entity, bytes: bytes),
            entity: entity,
            item: item,
            bytes: bytes,
            transaction: transaction
        )
    }

    /// Notes a version in the journal that gives way to one of the same device, which may not have seen it, though its
    /// vector says so.
    func keepUnseen(
        _ entity: EntityDescriptor,
        item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws {
        guard let local = try transaction.load(entity, key: item.key)?.version, !local.isDeleted else {
            return
        }
        let incoming = try version(item: item, entity: entity, bytes: bytes)
        guard !entity.hasSameContent(left: local, right: incoming) else { return }
        try transaction.record([Planner.Loss(kept: incoming, lost: local)], rule: "copied-store", at: now)
    }

    /// An edit that waits, or was sent without an answer, meets another content under its very name and time: the
    /// remote's stands, which others have. False where both are the same.
    mutating func takeOther(
        _ entity: EntityDescriptor,
        item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws -> Bool {
        guard !Mutation.disables(.contentsByName), let local = try transaction.load(entity, key: item.key)
        else {
            return false
        }
        let other = try version(item: item, entity: entity, bytes: bytes)
        guard other.metadata.editTimestamp == local.version.metadata.editTimestamp,
            !entity.hasSameContent(left: local.version, right: other)
        else {
            return false
        }
        try replace(
            local.version,
            by: other,
            entity: entity,
            item: item,
            bytes: bytes,
            transaction: transaction
        )
        for kind in SideKind.allCases {
            try transaction.setSide(entity, key: item.key, kind: kind, version: nil)
        }
        return true
    }

    private mutating func replace(
        _ local: SyncRecord,
        by other: SyncRecord,
        entity: EntityDescriptor,
        item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws {
        if !local.isDeleted, !entity.hasSameContent(left: local, right: other) {
            try transaction.record([Planner.Loss(kept: other, lost: local)], rule: "copied-store", at: now)
        }
        try transaction.save(entity, item: item, in: bytes)
        reports[entity.name]?.pulled += 1
        touch(entity, key: item.key)
    }
}

extension Planner.RecordState {
    private var others: [SyncRecord] { [base, remote].compactMap { $0 } + heads }

    /// Whether an earlier edit under the name of the incoming one is known of the remote.
    func hasEarlierFork(of incoming: SyncRecord) -> Bool {
        others.contains {
            $0.metadata.isForked(from: incoming.metadata)
                && $0.metadata.editTimestamp.time < incoming.metadata.editTimestamp.time
        }
    }

    /// The same without later edits under the name of the incoming one.
    func withoutForks(of incoming: SyncRecord) -> Planner.RecordState {
        guard others.contains(where: { $0.metadata.isForked(from: incoming.metadata) }) else { return self }
        var recordState = self
        recordState.heads.removeAll { $0.metadata.isForked(from: incoming.metadata) }
        if let base, base.metadata.isForked(from: incoming.metadata) { recordState.base = nil }
        if let remote, remote.metadata.isForked(from: incoming.metadata) { recordState.remote = nil }
        return recordState
    }
}
