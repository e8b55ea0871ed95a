public import SyncCore

extension SyncError {
    /// A backup would replace a store.
    static func backupOverStore() -> SyncError {
        SyncError(
            kind: .usage,
            message: "There is a store at the place of the backup.",
            help: "Name another file. Only an earlier backup is replaced."
        )
    }

    /// A backup would replace a file that is none.
    static func backupOverFile() -> SyncError {
        SyncError(
            kind: .usage,
            message: "There is another file at the place of the backup.",
            help: "Name another file. Only an earlier backup is replaced."
        )
    }

    /// Another backup is being written to the same file.
    static func backupBusy() -> SyncError {
        SyncError(
            kind: .busy,
            message: "Another backup is being written to this file.",
            help: "Wait until it has finished, or name another file.",
            retry: .later
        )
    }

    /// An export would replace a store or a backup.
    static func exportOverStore() -> SyncError {
        SyncError(
            kind: .usage,
            message: "There is a store or a backup at the place of the export.",
            help: "Choose another name."
        )
    }

    /// What is to be restored is no backup.
    static func noBackup() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no backup at this place.",
            help: "Name a file that a backup has written."
        )
    }

    /// A restore would replace edits that no remote has.
    public static func unsentEdits(count: Int) -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "The store holds \(count) \(count == 1 ? "record" : "records") that no remote has in this form.",
            help: "Sync first, or make a backup of the store and allow the restore to replace them.",
            retry: .afterAction
        )
    }
}
