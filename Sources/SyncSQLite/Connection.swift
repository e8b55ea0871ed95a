import CSQLite

/// One connection to one SQLite database.
///
/// Not `Sendable`: SQLite's own mutex is off (`SQLITE_OPEN_NOMUTEX`), so only one thread at a time may use a
/// connection and its statements. Callers guard them with a lock.
package final class Connection {
    /// The SQLite handle, nil after `close()`.
    private(set) var database: OpaquePointer?
    /// Whether the connection is read-only.
    package let isReadOnly: Bool
    /// Statistics for tests and benchmarks.
    package internal(set) var counters = Counters()
    /// The present durability of commits, set in `Connection+Transaction.swift`.
    package internal(set) var synchronous = Synchronous.full
    /// The default durability of commits, set by `configure(_:)`.
    var defaultSynchronous = Synchronous.full

    let liveStatements = LiveStatements()
    private var cache = StatementCache()

    init(database: OpaquePointer, isReadOnly: Bool) {
        self.database = database
        self.isReadOnly = isReadOnly
    }

    deinit { close() }

    /// Finalises all statements, rolls back an open transaction and closes the file. Later calls throw a
    /// misuse.
    ///
    /// Closing the last connection to a file checkpoints and removes the WAL.
    package func close() {
        guard let database else { return }
        cache.removeAll()
        liveStatements.finalizeAll()
        self.database = nil
        // With all statements finalised, closing cannot fail.
        sqlite3_close_v2(database)
    }

    /// Runs a script of any number of statements without parameters. Result rows are ignored.
    ///
    /// - Throws: The error of the first statement that fails. The statements before it have run.
    package func execute(_ sql: String) throws(SQLiteError) {
        if sql.utf8.contains(0) { throw .misuse(message: "the SQL contains NUL", operation: "execute") }
        let resultCode = sqlite3_exec(database, sql, nil, nil, nil)
        if resultCode != SQLITE_OK { throw SQLiteError(resultCode: resultCode, on: database, operation: sql) }
    }

    /// Compiles a statement that the caller owns.
    ///
    /// - Throws: SQLite's error for the SQL, or a misuse if it is empty or has more than one statement.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        let pointer = try compile(sql: sql)
        counters.statementsPrepared += 1
        return Statement(pointer: pointer, sql: sql, registry: liveStatements)
    }

    /// Returns a cached statement for this SQL, compiled at first use, without bound values.
    ///
    /// Call it right before use. If the cached statement is in use further up the stack (bound, or between
    /// rows), the caller gets a new one, so nested loops over one query are safe.
    package func cached(sql: String) throws(SQLiteError) -> Statement {
        if let statement = cache.idleStatement(for: sql) {
            counters.cacheHits += 1
            return statement
        }
        let statement = try prepare(sql)
        cache.insert(statement)
        return statement
    }

    /// Compiles `sql` and checks that nothing follows the first statement.
    private func compile(sql: String) throws(SQLiteError) -> OpaquePointer {
        if sql.utf8.contains(0) { throw .misuse(message: "the SQL contains NUL", operation: "prepare") }
        var pointer: OpaquePointer?
        var rest: OpaquePointer?
        let resultCode = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let persistent = UInt32(SQLITE_PREPARE_PERSISTENT)
            let resultCode = sqlite3_prepare_v3(database, text, -1, persistent, &pointer, &tail)
            guard resultCode == SQLITE_OK, let tail, tail.pointee != 0 else { return resultCode }
            // Spaces and comments after the statement compile to nothing. Anything else would silently never
            // run.
            return sqlite3_prepare_v3(database, tail, -1, 0, &rest, nil)
        }
        guard resultCode == SQLITE_OK, rest == nil, let pointer else {
            let failure =
                if resultCode != SQLITE_OK {
                    SQLiteError(resultCode: resultCode, on: database, operation: sql)
                } else if pointer == nil {
                    SQLiteError.misuse(message: "the SQL contains no statement", operation: sql)
                } else {
                    SQLiteError.misuse(message: "the SQL contains more than one statement", operation: sql)
                }
            sqlite3_finalize(pointer)
            sqlite3_finalize(rest)
            throw failure
        }
        return pointer
    }
}

extension Connection {
    /// Statistics of a connection.
    package struct Counters: Sendable, Equatable {
        /// Statements compiled by `prepare` and `cached`.
        package var statementsPrepared = 0
        /// Statements that `cached` found already compiled.
        package var cacheHits = 0
        /// Transactions committed by `transaction`.
        package var transactionsCommitted = 0
        /// Transactions rolled back by `transaction`.
        package var transactionsRolledBack = 0
    }

    /// The SQL of all compiled statements in no particular order, for tests.
    package var statements: [String] { liveStatements.texts }

    /// Rows changed by the last `INSERT`, `UPDATE` or `DELETE`; 0 on a closed connection.
    package var changes: Int64 { database.map { sqlite3_changes64($0) } ?? 0 }

    /// Rows changed since the connection was opened; 0 on a closed connection.
    package var totalChanges: Int64 { database.map { sqlite3_total_changes64($0) } ?? 0 }

    /// Pages written since the connection was opened; 0 on a closed connection. A row that gets the bytes that it has
    /// changes no page, though it counts as changed.
    package var writtenPages: Int {
        var (pages, highest): (Int32, Int32) = (0, 0)
        guard let database else { return 0 }
        _ = sqlite3_db_status(database, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
        return Int(pages)
    }

    /// The row id of the last `INSERT` into a table with row ids; 0 on a closed connection.
    package var lastInsertRowID: Int64 { database.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// Whether a transaction is open. SQLite may end one by itself after an error.
    package var isInTransaction: Bool { database.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Whether `close()` was called.
    package var isClosed: Bool { database == nil }
}
