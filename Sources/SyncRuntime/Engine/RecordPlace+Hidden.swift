import SyncCore

/// Records that the remote has said it shows no more to this device. It says so once, and shows them again without saying
/// that they are the same.
extension RecordPlace {
    /// Whether that was said of the record, which has the given version now; nil for none.
    func isHidden(_ version: SyncRecord?) throws -> Bool {
        try transaction.value(name: hiddenName) == StoreValue.name(of: version)
    }

    /// Notes that the remote shows the record no more. `version` is the last one that it showed, if the record stays
    /// because it is not clean; nil if it left the store.
    func noteHidden(_ version: SyncRecord?) throws {
        try transaction.setValue(StoreValue.hasHidden, value: "1")
        try transaction.setValue(hiddenName, value: StoreValue.name(of: version))
    }

    /// Notes that the remote shows the record.
    func noteShown() throws {
        guard try transaction.hasHidden() else { return }
        try transaction.setValue(hiddenName, value: nil)
    }

    /// NB: a digest, because a store shall not go on naming what nobody may see.
    private var hiddenName: String { "hidden \(Digest(Array("\(entity.name) \(key.text)".utf8)))" }
}

extension StoreSnapshot {
    /// Whether the remote has said of any record that it shows it no more.
    func hasHidden() throws -> Bool { try value(name: StoreValue.hasHidden) != nil }
}

extension StoreValue {
    fileprivate static let hasHidden = "has-hidden"

    fileprivate static func name(of version: SyncRecord?) -> String {
        version?.metadata.editTimestamp.description ?? "none"
    }
}
