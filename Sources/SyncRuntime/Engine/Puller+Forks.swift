import SyncCore

/// What comes of one name for two edits: copies of one store, or a store from a backup, have written under one
/// identity.
extension Puller {
    /// Looks for edits under this device's name that the store does not know: it comes from a backup, and must go on as
    /// another device before it takes anything in, or publishes anything.
    mutating func lookForOwn(_ pages: [RemotePage], _ snapshot: any StoreSnapshot) throws {
        let published = try snapshot.value(StoreValue.publishedSequence).flatMap { Int64($0) } ?? .max
        for page in pages {
            for item in page.items where item.revision == nil && item.stamp.vector[device] > 0 {
                if neverMet {
                    unknownOwn = 1
                } else if item.stamp.vector[device] > published {
                    // Nobody can have seen what was never sent: it is of another life of this store.
                    unknownOwn = min(unknownOwn ?? .max, published + 1)
                } else if let entity = entities[item.entity] {
                    try noteOwn(item, entity, snapshot)
                }
            }
        }
    }

    private mutating func noteOwn(
        _ item: RemoteItem,
        _ entity: EntityDescriptor,
        _ snapshot: any StoreSnapshot
    ) throws {
        let sequence = item.stamp.vector[device]
        let known = try snapshot.header(entity, item.key)?.stamp
        // NB: a deleted record may have been forgotten here since.
        if known == nil, item.kind == .delete { return }
        if let known {
            let isOther = item.stamp.mark.device == device && item.stamp.isForked(from: known)
            guard sequence > known.vector[device] || isOther else { return }
        }
        unknownOwn = min(unknownOwn ?? .max, sequence)
    }

    /// A clean record meets another edit under the name of the one that it shows: the earlier one stands.
    mutating func meetFork(
        _ header: RecordHeader,
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws {
        guard item.stamp.mark.time < header.stamp.mark.time,
            let local = try transaction.load(entity, item.key)
        else { return }
        try replace(local.version, by: try version(item, entity, bytes), entity, item, bytes, transaction)
    }

    /// Notes a version in the journal that gives way to one of the same device, which may not have seen it, though its
    /// vector says so.
    func keepUnseen(
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws {
        guard let local = try transaction.load(entity, item.key)?.version, !local.isDeleted else { return }
        let incoming = try version(item, entity, bytes)
        guard !entity.hasSameContent(local, incoming) else { return }
        try transaction.record([Planner.Loss(kept: incoming, lost: local)], rule: "copied-store", at: now)
    }

    /// An edit that waits, or was sent without an answer, meets another content under its very name and time: the
    /// remote's stands, which others have. False where both are the same.
    mutating func takeOther(
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws -> Bool {
        guard Guard.isOn(.contentsByName), let local = try transaction.load(entity, item.key) else {
            return false
        }
        let other = try version(item, entity, bytes)
        guard other.stamp.mark == local.version.stamp.mark, !entity.hasSameContent(local.version, other)
        else {
            return false
        }
        try replace(local.version, by: other, entity, item, bytes, transaction)
        for kind in SideKind.allCases { try transaction.setSide(entity, item.key, kind, nil) }
        return true
    }

    private mutating func replace(
        _ local: SyncRecord,
        by other: SyncRecord,
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws {
        if !local.isDeleted, !entity.hasSameContent(local, other) {
            try transaction.record([Planner.Loss(kept: other, lost: local)], rule: "copied-store", at: now)
        }
        try transaction.save(entity, item, in: bytes)
        reports[entity.name]?.pulled += 1
        touch(entity, item.key)
    }
}

extension Planner.Trees {
    private var others: [SyncRecord] { [base, remote].compactMap { $0 } + heads }

    /// Whether an earlier edit under the name of the incoming one is known of the remote.
    func hasEarlierFork(of incoming: SyncRecord) -> Bool {
        others.contains {
            $0.stamp.isForked(from: incoming.stamp) && $0.stamp.mark.time < incoming.stamp.mark.time
        }
    }

    /// The same without later edits under the name of the incoming one.
    func withoutForks(of incoming: SyncRecord) -> Planner.Trees {
        guard others.contains(where: { $0.stamp.isForked(from: incoming.stamp) }) else { return self }
        var trees = self
        trees.heads.removeAll { $0.stamp.isForked(from: incoming.stamp) }
        if let base, base.stamp.isForked(from: incoming.stamp) { trees.base = nil }
        if let remote, remote.stamp.isForked(from: incoming.stamp) { trees.remote = nil }
        return trees
    }
}
