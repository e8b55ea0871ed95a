import CSQLite

/// An error of SQLite, or of this module before it calls SQLite.
///
/// It never contains a bound value: SQLite's messages name tables, columns and types, and SQL text has
/// parameters in place of values.
///
/// NB: full-text search is an exception: SQLite quotes an invalid `MATCH` expression in its message.
package struct SQLiteError: Error, Sendable, Equatable {
    /// The primary result code, such as `SQLITE_CONSTRAINT` (19).
    package let code: Int32
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE` (2067). Equal to `code` if there is none.
    package let extendedCode: Int32
    /// SQLite's message, without values.
    package let message: String
    /// The failed operation: the SQL of the statement, or a word such as `open`.
    package let operation: String
    /// The `errno` of a failed open or I/O operation; 0 if there is none.
    package let systemErrorNumber: Int32

    /// Makes an error from its extended code, which includes the primary code.
    package init(extendedCode: Int32, message: String, operation: String, systemErrorNumber: Int32 = 0) {
        self.code = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.operation = operation
        self.systemErrorNumber = systemErrorNumber
    }

    /// Reads the error of the last call on `database`, which returned `resultCode`.
    ///
    /// - Parameter database: The connection; nil if it is closed or was never opened.
    init(resultCode: Int32, on database: OpaquePointer?, operation: String) {
        guard let database else {
            let phrase =
                resultCode == SQLITE_MISUSE ? "the connection is closed" : Self.phrase(resultCode: resultCode)
            self.init(extendedCode: resultCode, message: phrase, operation: operation)
            return
        }
        // `sqlite3_errmsg` describes the last error. If this call failed without setting one, the text of its
        // code is better than "not an error".
        let known = sqlite3_errcode(database) & 0xFF == resultCode & 0xFF
        let isInputOutput = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_READONLY].contains(
            resultCode & 0xFF
        )
        self.init(
            extendedCode: known && resultCode <= 0xFF ? sqlite3_extended_errcode(database) : resultCode,
            message: known ? String(cString: sqlite3_errmsg(database)) : Self.phrase(resultCode: resultCode),
            operation: operation,
            systemErrorNumber: isInputOutput ? sqlite3_system_errno(database) : 0
        )
    }

    /// A call that violates a rule of this module, detected before calling SQLite.
    static func misuse(message: String, operation: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, operation: operation)
    }

    private static func phrase(resultCode: Int32) -> String {
        String(cString: sqlite3_errstr(resultCode))
    }
}

extension SQLiteError {
    /// Another connection held a lock longer than the busy timeout. A retry may succeed.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

    /// A deferred transaction tried to write after another connection had written. Waiting does not help: the
    /// whole transaction must be restarted, preferably as `.immediate`.
    package var isStaleSnapshot: Bool { extendedCode == SQLITE_BUSY | (2 << 8) }

    /// The file is a database with inconsistent content.
    package var isCorrupt: Bool { code == SQLITE_CORRUPT }

    /// The file is not a database, or has a format that this SQLite does not support.
    package var isNotADatabase: Bool { code == SQLITE_NOTADB }

    /// The disk, a quota, or the database's own page limit is exhausted.
    package var isFull: Bool { code == SQLITE_FULL }

    /// The disk is full, also where SQLite reports a failed read or write for that reason.
    package var isDiskFull: Bool {
        // ENOSPC, the same number on every platform.
        isFull || systemErrorNumber == 28
    }

    /// Reading or writing the file failed.
    package var isIOError: Bool { code == SQLITE_IOERR }

    /// The file, its folder, or the connection does not allow writing.
    package var isReadOnly: Bool { code == SQLITE_READONLY }

    /// The file could not be opened: it is missing, a folder, or not permitted.
    package var cantOpen: Bool { code == SQLITE_CANTOPEN }

    /// Another file has the name of the one that is open.
    package var isMoved: Bool { extendedCode == SQLITE_READONLY | (4 << 8) }

    /// The system does not permit the operation: wrong owner, or a read-only file system.
    package var isNotPermitted: Bool {
        // EPERM, EACCES and EROFS, the same numbers on every platform.
        isReadOnly || [1, 13, 30].contains(systemErrorNumber)
    }

    /// A read-only connection found an interrupted transaction. A writing connection would roll it back.
    package var needsRollback: Bool { extendedCode == SQLITE_READONLY | (3 << 8) }

    /// The file system gives no locks or no shared memory, as network shares and some mounted folders do.
    package var isWithoutLocks: Bool {
        // SQLITE_IOERR_UNLOCK, _RDLOCK, _CHECKRESERVEDLOCK, _LOCK, _SHMOPEN, _SHMSIZE, _SHMLOCK and _SHMMAP.
        let subcodes: [Int32] = [8, 9, 14, 15, 18, 19, 20, 21]
        return code == SQLITE_PROTOCOL || subcodes.contains { extendedCode == SQLITE_IOERR | ($0 << 8) }
    }

    /// The statement is wrong, or its values are. The file and the system have no part in it.
    package var isStatementError: Bool {
        [SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISUSE].contains(code)
    }

    /// The statement is larger than SQLite's limits allow (sqlite.org/limits.html), for which it has no code of its own.
    package var isTooComplex: Bool {
        let messages = [
            "parser stack overflow", "Expression tree is too large", "too many SQL variables",
            "too many terms in compound SELECT",
        ]
        return code == SQLITE_ERROR && messages.contains { message.hasPrefix($0) }
    }

    /// The authorizer refused what the statement does.
    package var isDenied: Bool { code == SQLITE_AUTH }

    /// A call violated a rule of SQLite or of this module. A retry cannot help.
    package var isMisuse: Bool { code == SQLITE_MISUSE || code == SQLITE_RANGE }
}

extension SQLiteError: CustomStringConvertible {
    /// `message (code) in: operation`.
    package var description: String { "\(message) (SQLite \(extendedCode)) in: \(operation)" }
}
