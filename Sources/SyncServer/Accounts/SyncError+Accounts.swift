package import SyncCore
import SyncSQLite

/// All errors about accounts, with their wording.
extension SyncError {
    /// The account name is invalid.
    static func badAccountName() -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "The name of an account has 1 to \(ServerAccounts.maxNameBytes) bytes that can all be seen.",
            help: "Choose another name; nothing was written."
        )
    }

    /// An account has this name already.
    static func accountExists() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There is an account of that name already, or of one that looks like it.",
            help: "Choose another name, or make a new token for it with 'account token'."
        )
    }

    /// The folder has no accounts, and none may be created.
    static func noAccounts(directory: String) -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "There are no accounts in '\(directory)'.",
            help: "Name the server's data folder with '--data'; 'account add' makes a new one."
        )
    }

    /// No account has this name.
    package static func noAccount() -> SyncError {
        SyncError(
            kind: .notFound,
            message: "There is no account of that name, or it was removed.",
            help: "List the accounts with 'account list'."
        )
    }

    /// The label of a token is invalid.
    static func badTokenLabel() -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "The label of a token has 1 to \(ServerAccounts.maxNameBytes) bytes that can all be seen.",
            help: "Choose another label; nothing was written."
        )
    }

    /// The account has a token of this label already.
    static func tokenExists() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The account has a token of that label already.",
            help: "Choose another label, or replace that token with 'account token rotate'."
        )
    }

    /// The account has no such token.
    static func noAccountToken() -> SyncError {
        SyncError(
            kind: .notFound,
            message: "The account has no token of that label or id.",
            help: "List its tokens with 'account token list'."
        )
    }

    /// The account has too many tokens.
    static func tooManyTokens() -> SyncError {
        SyncError(
            kind: .invalidInput,
            message: "The account has \(ServerAccounts.maxTokens) tokens, which is the most.",
            help: "Revoke some with 'account token revoke' first."
        )
    }

    /// The server's data folder cannot be created.
    static func dataFolderFailed(isPermission: Bool) -> SyncError {
        if isPermission { return .notPermitted(what: "Making the data folder") }
        return SyncError(
            kind: .inputOutput,
            message: "The data folder could not be made.",
            help: "Check the path and free space.",
            retry: .afterAction
        )
    }

    /// The accounts file belongs to another program.
    static func foreignAccounts() -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The file 'accounts.sqlite' is not this server's.",
            help: "Choose another data folder; this one was not touched."
        )
    }

    /// The accounts file has a newer format.
    static func newerAccounts(found: Int32, known: Int32) -> SyncError {
        SyncError(
            kind: .unreadableStore,
            message: "The accounts were written by a newer version (format \(found), known: \(known)).",
            help: "Update this program; nothing was touched."
        )
    }

    /// SQLite reported an error in the accounts file. Its message names tables and codes, never values.
    static func accounts(error: SQLiteError) -> SyncError {
        if error.isNotPermitted { return .notPermitted(what: "Using 'accounts.sqlite'") }
        if error.isCorrupt || error.isNotADatabase {
            return SyncError(
                kind: .unreadableStore,
                message:
                    "The file 'accounts.sqlite' is damaged or not a database (SQLite \(error.extendedCode)).",
                help: "Keep the file, and restore a backup or choose another data folder."
            )
        }
        return SyncError(
            kind: error.isBusy ? .busy : .inputOutput,
            message: "The accounts could not be read or written (SQLite \(error.extendedCode)).",
            help: "Check free space and permissions of the data folder, and try again.",
            retry: .later
        )
    }
}
