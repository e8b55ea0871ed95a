import SyncCore

/// The order of entries in files: by entity, key and edit timestamp.
extension Change.Header {
    /// Whether the version precedes the other.
    func precedes(_ other: Self) -> Bool {
        guard entity.utf8.elementsEqual(other.entity.utf8) else {
            return RecordKey(entity) < RecordKey(other.entity)
        }
        if key != other.key { return key < other.key }
        return writtenMetadata.editTimestamp < other.writtenMetadata.editTimestamp
    }

    /// Whether both are versions of one record.
    func isOfSameRecord(as other: Self) -> Bool {
        key == other.key && entity.utf8.elementsEqual(other.entity.utf8)
    }

    /// Whether both are the same except for the body.
    func isSameVersion(as other: Self) -> Bool {
        metadata == other.metadata && isDeleted == other.isDeleted && mergedInto == other.mergedInto
    }
}
