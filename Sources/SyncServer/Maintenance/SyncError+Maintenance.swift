package import SyncCore

/// Errors of backups, restores and of accounts that leave, with their wording.
extension SyncError {
    /// The system or SQLite refused something.
    static func maintenanceFailed(detail: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The command could not be finished: \(detail).",
            help: "Check free space and permissions, and run it again.",
            retry: .afterAction
        )
    }

    /// Another process has locked a database for too long.
    static func databaseBusy() -> SyncError {
        SyncError(
            kind: .busy,
            message: "Another process uses a database of the server.",
            help: "Run it again later.",
            retry: .later
        )
    }

    /// A file with the name of a database of the server belongs to another program.
    static func foreignDatabase() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "A file with the name of one of the server's databases is not the server's.",
            help: "Name the right folder; nothing was changed."
        )
    }

    /// There is something else at the place where a backup or an export is to be written.
    static func placeIsTaken() -> SyncError {
        SyncError(
            kind: .usage,
            message: "There is something at the place of the new folder already.",
            help: "Name a folder that does not exist yet."
        )
    }

    /// The path of a backup or an export does not name a new folder.
    static func noNewFolder() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The path does not name a new folder.",
            help: "Name one that does not exist yet, as in 'backups/monday'."
        )
    }

    /// The folder is no complete backup.
    static func noServerBackup() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is no complete backup in this folder.",
            help: "Name a folder that 'syncserver backup' has finished; nothing was changed."
        )
    }

    /// A database of a backup or of the server is damaged.
    static func damagedBackup() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "A database is damaged.",
            help: "Take another backup; nothing was changed."
        )
    }

    /// A file of a backup has other bytes than when it was written.
    static func changedBackup() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "A file of this backup was changed since the backup was made.",
            help: "Take another backup; nothing was changed."
        )
    }

    /// A restore would replace accounts.
    static func accountsInPlace() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The data folder has accounts already.",
            help: "Name a new folder with '--data', or allow with '--replace' to put the present data aside."
        )
    }

    /// A restore was interrupted while it moved files.
    static func unfinishedRestore() -> SyncError {
        SyncError(
            kind: .busy,
            message: "A restore of this data folder was interrupted.",
            help: "Run 'syncserver restore' with the same backup again; it finishes what was begun.",
            retry: .afterAction
        )
    }

    /// An account is leaving already, in another way.
    static func accountLeaves(isMove: Bool) -> SyncError {
        SyncError(
            kind: .usage,
            message: isMove ? "This account is being moved." : "This account is being erased.",
            help: isMove
                ? "Finish it first: run 'account move' again with the same folder."
                : "Finish it first: run 'account erase' again."
        )
    }

    /// The data folder of a move is the one where the account is.
    package static func sameFolder() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The account is in this data folder already.",
            help: "Name the data folder of another server with '--to'."
        )
    }

    /// An erasure was not confirmed.
    package static func eraseNotConfirmed() -> SyncError {
        SyncError(
            kind: .usage,
            message: "Erasing an account cannot be undone, and was not confirmed.",
            help: "Repeat the account's name with '--confirm NAME'."
        )
    }

    /// A move does not say that the other server uses the same database.
    package static func moveBetweenDatabases() -> SyncError {
        SyncError(
            kind: .usage,
            message: "Records in a database are not moved into another one.",
            help:
                "If the other server uses the same database, say so with '--same-database'. Otherwise export the "
                + "account here, add it there, and let its devices sync with '--rejoin'."
        )
    }

    /// Records are in files, and the option is for a database.
    package static func noDatabaseToShare() -> SyncError {
        SyncError(
            kind: .usage,
            message: "'--same-database' is for records in a database, and none was named.",
            help: "Name it with '--database', or leave the option out."
        )
    }

    /// The account has records of an entity that no schema describes.
    package static func noSchema(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There are records of '\(entity)', and no schema of it.",
            help:
                "Name a folder with all schemas, or leave '--schemas' out to write records as they are exchanged."
        )
    }

    /// A record cannot be read with its schema.
    package static func unfitSchema(entity: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "A record of '\(entity)' does not fit its schema.",
            help:
                "Use the schemas of the apps, or leave '--schemas' out to write records as they are exchanged."
        )
    }
}
