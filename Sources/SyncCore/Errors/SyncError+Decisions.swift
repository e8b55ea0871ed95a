/// The wording of errors about a person's decisions.
extension SyncError {
    /// Another version than the one that the person was shown is the other side of the conflict now.
    public static func conflictChanged(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The other side of that \(entity) conflict has changed since it was shown.",
            help: "Look at the conflict again and decide anew; nothing was written.",
            commandLineHelp: "List it with 'conflicts \(entity)' and decide anew; nothing was written.",
            retry: .afterAction
        )
    }

    /// What is to be brought back belongs to a record that is deleted.
    public static func parentDeleted(entity: String, parent: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "That \(entity) record belongs to a \(parent) record that is deleted.",
            help: "Restore it with its parents, or restore the \(parent) record first; nothing was written.",
            commandLineHelp: "Restore it with '--with-parents', or restore the \(parent) record first.",
            retry: .afterAction
        )
    }

    /// A record shall be restored that refers to one of which nothing is known here any more.
    public static func parentGone(entity: String, parent: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "That \(entity) record belongs to a \(parent) record of which nothing is left here.",
            help: "Create the \(parent) record again under its key, then restore this one."
                + " Nothing was written.",
            retry: .afterAction
        )
    }
}
