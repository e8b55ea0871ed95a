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
}
