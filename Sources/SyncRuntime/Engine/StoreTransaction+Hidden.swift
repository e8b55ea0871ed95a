import SyncCore

/// Records that the remote has said it shows no more to this device. It says so once, and shows them again without saying
/// that they are the same.
extension StoreSnapshot {
    /// Whether that was said of any record.
    func hasHidden() throws -> Bool { try value(name: StoreValue.hasHidden) != nil }

    /// Whether that was said of a record, which has the given version now; nil for none.
    func isHidden(_ version: SyncRecord?, entity: EntityDescriptor, key: RecordKey) throws -> Bool {
        try value(name: StoreValue.hidden(entity: entity, key: key)) == StoreValue.name(of: version)
    }
}

extension StoreTransaction {
    /// Notes that the remote shows a record no more. `version` is the last one that it showed, if the record stays because
    /// it is not clean; nil if it left the store.
    func noteHidden(_ version: SyncRecord?, entity: EntityDescriptor, key: RecordKey) throws {
        try setValue(StoreValue.hasHidden, value: "1")
        try setValue(StoreValue.hidden(entity: entity, key: key), value: StoreValue.name(of: version))
    }

    /// Notes that the remote shows a record.
    func noteShown(entity: EntityDescriptor, key: RecordKey) throws {
        guard try hasHidden() else { return }
        try setValue(StoreValue.hidden(entity: entity, key: key), value: nil)
    }
}

extension StoreValue {
    fileprivate static let hasHidden = "has-hidden"

    /// NB: a digest, because a store shall not go on naming what nobody may see.
    fileprivate static func hidden(entity: EntityDescriptor, key: RecordKey) -> String {
        "hidden \(Digest(Array("\(entity.name) \(key.text)".utf8)))"
    }

    fileprivate static func name(of version: SyncRecord?) -> String {
        version?.metadata.editTimestamp.description ?? "none"
    }
}
