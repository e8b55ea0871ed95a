import SyncCore

/// What comes of one name for two edits: copies of one store, or a store from a backup, have written under one
/// identity.
extension Pull {
    /// Looks for edits under this device's name that the store does not know: it comes from a backup, and must go on as
    /// another device before it takes anything in, or publishes anything.
    mutating func findOwnVersions(_ pages: [RemotePage], snapshot: any StoreSnapshot) throws {
        let published = try snapshot.value(name: StoreValue.publishedSequence).flatMap { Int64($0) } ?? .max
        for page in pages {
            for header in page.changes.map(\.header) where header.revision == nil {
                guard let metadata = header.metadata, metadata.vector[device] > 0 else { continue }
                if neverMet {
                    unknownOwn = 1
                } else if metadata.vector[device] > published {
                    // Nobody can have seen what was never sent: it is of another life of this store.
                    unknownOwn = min(unknownOwn ?? .max, published + 1)
                } else if let entity = entities[header.entity] {
                    try noteOwn(header, metadata: metadata, entity: entity, snapshot: snapshot)
                }
            }
        }
    }

    private mutating func noteOwn(
        _ header: Change.Header,
        metadata: VersionMetadata,
        entity: EntityDescriptor,
        snapshot: any StoreSnapshot
    ) throws {
        let sequence = metadata.vector[device]
        let known = try snapshot.header(entity: entity, key: header.key)?.metadata
        // NB: a deleted record may have been forgotten here since.
        if known == nil, header.isDeleted { return }
        if let known {
            let isOther = metadata.editTimestamp.device == device && metadata.isForked(from: known)
            guard sequence > known.vector[device] || isOther else { return }
        }
        unknownOwn = min(unknownOwn ?? .max, sequence)
    }
}
