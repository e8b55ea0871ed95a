/// The wording of errors about decisions of a person.
extension SyncError {
    /// The remote side of the conflict is no longer the version that the person was shown.
    public static func conflictChanged(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The other side of that \(entity) conflict has changed since it was shown.",
            help: "Look at the conflict again and decide anew; nothing was written.",
            commandLineHelp: "List it with 'conflicts \(entity)' and decide anew; nothing was written.",
            retry: .afterAction
        )
    }

    /// The record has changed since the person looked at it and chose to bring another value back.
    public static func changedSinceShown(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "That \(entity) record has changed since it was shown.",
            help: "Look at it again and decide anew; nothing was written.",
            retry: .afterAction
        )
    }

    /// The value to restore belongs to a record that is deleted.
    public static func parentDeleted(entity: String, parent: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "That \(entity) record belongs to a \(parent) record that is deleted.",
            help: "Restore it with its parents, or restore the \(parent) record first; nothing was written.",
            commandLineHelp: "Restore it with '--with-parents', or restore the \(parent) record first.",
            retry: .afterAction
        )
    }

    /// The value to restore refers to a record of which this device no longer knows anything.
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
