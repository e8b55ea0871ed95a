import SyncCore

extension EntityDescriptor {
    /// The record's key. Throws `FieldError` if a part of it is missing.
    func requiredKey(of record: Record) throws -> RecordKey {
        guard let found = self.key(of: record) else {
            throw FieldError(
                field: key.joined(separator: ", "),
                rule: "required",
                message: "The key is required."
            )
        }
        return found
    }
}

extension SyncError {
    /// A record is inserted under a key that is taken.
    static func keyTaken(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is a \(entity) record with that key already.",
            help: "Update that record, or give the new one a key of its own; nothing was written."
        )
    }

    /// A space without a remote cannot sync.
    static func noRemote() -> SyncError {
        SyncError(
            kind: .usage,
            message: "This space has no remote to sync with.",
            help: "Give its configuration a 'remote', such as a FolderBackend or an HTTPBackend."
        )
    }
}
