import SyncCore

/// Looks for edits of this device that the store does not know. They mean that the store comes from a backup. It must
/// take a new identity before it takes in or publishes anything.
///
/// Such edits make forks: two edits under one name, because copies of a store, or a store restored from a backup, have
/// written under one identity.
struct OwnVersionSearch {
    let entities: [String: EntityDescriptor]
    let device: DeviceID
    /// Whether the store has never synced, so that the remote cannot have edits of this device.
    let neverMet: Bool
    /// The lowest sequence of this device that the remote knows and this store does not; nil if there is none.
    private(set) var unknown: Int64?

    init(_ sync: SyncRunState, neverMet: Bool) {
        (entities, device) = (sync.entities, sync.device)
        self.neverMet = neverMet
    }

    /// Looks through pages that were not taken in yet.
    mutating func search(_ pages: [RemotePage], snapshot: any StoreSnapshot) throws {
        let published = try snapshot.value(name: StoreValue.publishedSequence).flatMap { Int64($0) } ?? .max
        for page in pages {
            // Without copies of the headers, which a pull would notice.
            try page.changes.withUnsafeBufferPointer { changes in
                for index in changes.indices where changes[index].header.revision == nil {
                    try findOwn(changes[index].header, published: published, snapshot: snapshot)
                }
            }
        }
    }

    private mutating func findOwn(
        _ header: Change.Header,
        published: Int64,
        snapshot: any StoreSnapshot
    ) throws {
        guard let metadata = header.metadata, metadata.vector[device] > 0 else { return }
        if neverMet {
            unknown = 1
        } else if metadata.vector[device] > published {
            // Nobody can have seen an edit that was never sent: it is from another life of this store.
            unknown = min(unknown ?? .max, published + 1)
        } else if let entity = entities[header.entity] {
            try noteOwn(header, metadata: metadata, entity: entity, snapshot: snapshot)
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
        // The deleted record may have been forgotten here since, and somebody may have brought it back.
        if known == nil {
            guard try !header.isDeleted && sequence > snapshot.forgottenSequence(of: device) else { return }
        }
        if let known {
            let isOther = metadata.editTimestamp.device == device && metadata.isForked(from: known)
            guard sequence > known.vector[device] || isOther else { return }
        }
        unknown = min(unknown ?? .max, sequence)
    }
}
