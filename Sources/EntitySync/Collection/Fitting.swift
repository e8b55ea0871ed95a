import SyncCore

/// Turns what does not fit a field into the error that an app sees.
func fitting<Result>(_ entity: EntityDescriptor, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let problem as FieldProblem {
        throw SyncError.doesNotFit(entity.name, problem)
    }
}

extension EntityDescriptor {
    /// The record's key. Throws `FieldProblem` when a part of it is missing.
    func requiredKey(of record: Record) throws -> RecordKey {
        guard let found = self.key(of: record) else {
            throw FieldProblem(
                field: key.joined(separator: ", "),
                rule: "required",
                message: "The key is required."
            )
        }
        return found
    }
}

extension SyncError {
    /// A record is inserted under a key that another one has.
    static func keyTaken(_ entity: String) -> SyncError {
        SyncError(
            .invalidInput,
            message: "There is a \(entity) record with that key already.",
            help: "Update that record, or give the new one a key of its own; nothing was written."
        )
    }

    /// A space without a remote is asked to sync.
    static func noRemote() -> SyncError {
        SyncError(
            .usage,
            message: "This space has no remote to sync with.",
            help: "Give its configuration a 'remote', such as a FolderBackend or an HTTPBackend."
        )
    }
}
