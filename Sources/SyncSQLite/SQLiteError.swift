import CSQLite

/// A failure that SQLite reported, or that this module found before asking SQLite.
///
/// It never holds a bound value: SQLite's messages name tables, columns and types, and SQL text has
/// parameters where values go.
///
/// NB: Full-text search is the exception in SQLite itself: a `MATCH` that cannot be parsed is quoted in its
/// message.
package struct SQLiteError: Error, Sendable, Equatable {
    /// The primary result code, such as `SQLITE_CONSTRAINT` (19).
    package let code: Int32
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE` (2067). Equal to `code` where there is
    /// none.
    package let extendedCode: Int32
    /// One phrase in SQLite's words, without values.
    package let message: String
    /// What was attempted: the text of the statement, or a word such as `open`.
    package let operation: String
    /// The `errno` behind a failed open or input/output, 0 where there is none.
    package let systemErrorNumber: Int32

    /// Describes a failure by its extended code, from which the primary code follows.
    package init(extendedCode: Int32, message: String, operation: String, systemErrorNumber: Int32 = 0) {
        self.code = extendedCode & 0xFF
        self.extendedCode = extendedCode
        self.message = message
        self.operation = operation
        self.systemErrorNumber = systemErrorNumber
    }

    /// Reads the failure of the last call on `database`, which returned `resultCode`.
    ///
    /// - Parameter database: The connection, or nil where it is closed or was never made.
    init(resultCode: Int32, on database: OpaquePointer?, operation: String) {
        guard let database else {
            let phrase =
                resultCode == SQLITE_MISUSE ? "the connection is closed" : Self.phrase(resultCode: resultCode)
            self.init(extendedCode: resultCode, message: phrase, operation: operation)
            return
        }
        // `sqlite3_errmsg` tells about the last failure; where a call failed without leaving one, the code's
        // own phrase is better than "not an error".
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

    /// A call that breaks a rule of this module, found before SQLite saw it.
    static func misuse(message: String, operation: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message, operation: operation)
    }

    private static func phrase(resultCode: Int32) -> String {
        String(cString: sqlite3_errstr(resultCode))
    }
}

extension SQLiteError {
    /// Another connection held a lock for longer than the busy timeout. Trying again may succeed.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

    /// A deferred transaction read, another connection wrote, and this one then wanted to write. Waiting does
    /// not help: the whole transaction has to start again, best as `.immediate`.
    package var isStaleSnapshot: Bool { extendedCode == SQLITE_BUSY | (2 << 8) }

    /// A `UNIQUE`, `NOT NULL`, `CHECK`, key or `STRICT` type constraint refused the row.
    package var isConstraint: Bool { code == SQLITE_CONSTRAINT }

    /// A `UNIQUE` index or a primary key refused the row.
    package var isUniqueConstraint: Bool {
        // SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE and _ROWID, whose macros do not reach Swift.
        [6, 8, 10].contains { extendedCode == SQLITE_CONSTRAINT | ($0 << 8) }
    }

    /// The file is a database and its content contradicts itself.
    package var isCorrupt: Bool { code == SQLITE_CORRUPT }

    /// The file is not a database, or one of a format that this SQLite does not know.
    package var isNotADatabase: Bool { code == SQLITE_NOTADB }

    /// The disk, a quota, or the database's own page limit is full.
    package var isFull: Bool { code == SQLITE_FULL }

    /// Reading or writing the file failed.
    package var isIOError: Bool { code == SQLITE_IOERR }

    /// The file, its folder, or the connection does not allow writing.
    package var isReadOnly: Bool { code == SQLITE_READONLY }

    /// The file could not be opened: missing, a folder, or not permitted.
    package var cantOpen: Bool { code == SQLITE_CANTOPEN }

    /// The system does not permit what was asked for: another owner, or a read-only file system.
    package var isNotPermitted: Bool {
        // EPERM, EACCES and EROFS, the same numbers on every platform.
        isReadOnly || [1, 13, 30].contains(systemErrorNumber)
    }

    /// A connection that only reads met a transaction that a crash cut off. A connection that writes takes it back.
    package var needsRollback: Bool { extendedCode == SQLITE_READONLY | (3 << 8) }

    /// `interrupt()` stopped the statement.
    package var isInterrupt: Bool { code == SQLITE_INTERRUPT }

    /// A call broke a rule of SQLite or of this module; trying again cannot help.
    package var isMisuse: Bool { code == SQLITE_MISUSE || code == SQLITE_RANGE }
}

extension SQLiteError: CustomStringConvertible {
    /// `message (code) in: operation`.
    package var description: String { "\(message) (SQLite \(extendedCode)) in: \(operation)" }
}
