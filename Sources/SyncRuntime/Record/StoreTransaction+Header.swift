import SyncCore

/// Writes what a header alone decides (`HeaderDecision`), at a fraction of the cost of reading and writing a whole state.
extension StoreTransaction {
    /// A clean record takes the remote's version, or it is the first one known. A tombstone whose values do not fit keeps
    /// its key. Throws `FieldError` or `JSONError` if another value does not fit.
    func take(_ change: Change, metadata: VersionMetadata, entity: EntityDescriptor) throws {
        do {
            try save(entity: entity, change: change, metadata: metadata)
        } catch let error where change.header.isDeleted && (error is FieldError || error is JSONError) {
            try save(entity: entity, change: change.withKeyOnly(entity: entity), metadata: metadata)
        }
        try removeRejection(entity: entity.name, key: change.header.key, seenBy: metadata.vector)
    }

    /// Takes a record that is unknown here, without a look-up. Returns false, and writes nothing, if it is known, or if a
    /// value does not fit: an already known version needs no validation error.
    func takeUnknown(_ change: Change, metadata: VersionMetadata, entity: EntityDescriptor) throws -> Bool {
        do {
            guard try insert(entity: entity, change: change, metadata: metadata) else { return false }
        } catch is FieldError {
            return false
        }
        try removeRejection(entity: entity.name, key: change.header.key, seenBy: metadata.vector)
        return true
    }

    /// Marks a record as synced if it is still as it was sent and nothing is kept with it that its state would have to be
    /// read for. Otherwise changes nothing and returns false.
    func acknowledge(_ sent: PendingChange, revision: Revision?, entity: EntityDescriptor) throws -> Bool {
        guard try acknowledge(entity: entity, sent: sent, revision: revision) else { return false }
        let key = sent.change.header.key
        if sent.hasBase { try setSide(entity: entity, key: key, kind: .base, version: nil) }
        if !sent.isEdit { try setSide(entity: entity, key: key, kind: .agreed, version: nil) }
        return true
    }

    /// Drops clean tombstones.
    func drop(tombstones keys: [RecordKey], entity: EntityDescriptor) throws {
        for key in keys { try remove(entity: entity, key: key) }
    }
}
