package import SyncCore
import SyncSQLite

/// Runs `body` and converts SQLite's errors to those of the runtime.
@inline(__always)
func withStoreErrors<Result>(body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let error as SQLiteError {
        throw SyncError(error)
    }
}

extension SyncError {
    /// The error that a user of the store sees. SQLite's messages contain no values.
    init(_ error: SQLiteError) {
        if error.isBusy {
            self = .storeLocked()
        } else if error.isCorrupt || error.isNotADatabase {
            self = .damagedStore(detail: error.message)
        } else if error.isMoved {
            self = .replacedStore()
        } else if error.isNotPermitted {
            self = .notPermitted(what: "Opening or writing the store")
        } else if error.isWithoutLocks, !error.isDiskFull {
            self = .storeWithoutLocks(detail: "SQLite \(error.extendedCode)")
        } else if error.isTooComplex {
            self = .queryTooComplex()
        } else if error.isDiskFull {
            self = .storeFailed(detail: "the disk is full, SQLite \(error.extendedCode)")
        } else {
            self = .storeFailed(detail: "\(error.message), SQLite \(error.extendedCode)")
        }
    }

    /// Another process or thread held a lock for longer than the busy timeout.
    static func storeLocked() -> SyncError {
        SyncError(
            kind: .busy,
            message: "The store is locked: another program, or another part of this one, uses its file.",
            help:
                "Try again when it has finished, or close what has the file open, such as a database browser.",
            retry: .later
        )
    }

    /// A restore has put another file in the place of the one that is open.
    static func replacedStore() -> SyncError {
        SyncError(
            kind: .busy,
            message: "Another file has taken the place of the store, such as by a restore.",
            help: "Close the store and open it again.",
            retry: .afterAction
        )
    }

    /// The store lies where SQLite cannot lock it.
    static func storeWithoutLocks(detail: String) -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The store's file system does not lock files as a database needs it (\(detail)).",
            help:
                "Keep the store on a disk of this machine. A network share or a synced folder can be the remote, "
                + "but not the store's place.",
            retry: .afterAction
        )
    }

    /// A query has more conditions within each other, or more values, than SQLite takes.
    static func queryTooComplex() -> SyncError {
        SyncError(
            kind: .usage,
            message: "The query has too many conditions within each other, or too many values.",
            help: "Use fewer levels of 'and', 'or' and 'not', or ask several queries."
        )
    }

    /// The store was closed before.
    package static func storeClosed() -> SyncError {
        storeMisuse(sentence: "The store was used after it was closed.")
    }

    /// The caller violated a rule of the store.
    static func storeMisuse(sentence: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: sentence,
            help: "This is a mistake in the program that uses the store."
        )
    }
}
