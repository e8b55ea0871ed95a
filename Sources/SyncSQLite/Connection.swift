import CSQLite

/// One connection to one SQLite database.
///
/// ```swift
/// let connection = try Connection.open(path: path, flags: .readWriteCreate)
/// guard try connection.applicationID() == ours else { … }   // refuse before anything is written
/// try connection.configure(Settings())
/// try connection.transaction(.immediate) {
///     let insert = try connection.cached("INSERT INTO verse (id, text) VALUES (?1, ?2)")
///     try insert.bind(id, at: 1)
///     try insert.bind(text, at: 2)
///     try insert.run()
/// }
/// ```
///
/// Not `Sendable`: SQLite's own mutex is off (`SQLITE_OPEN_NOMUTEX`), so one thread at a time may use a
/// connection and its statements. Callers put both behind one lock; ``interrupter`` alone may be used from
/// elsewhere.
package final class Connection {
    /// The SQLite handle, nil after `close()`.
    private(set) var database: OpaquePointer?
    /// Whether the connection was opened for reading only.
    package let isReadOnly: Bool
    /// Stops a running statement from another thread.
    package let interrupter: Interrupter
    /// What this connection has done, for tests and benchmarks.
    package internal(set) var counters = Counters()
    /// How commits behave now; `Connection+Transaction.swift` switches it.
    package internal(set) var synchronous = Synchronous.full
    /// How commits behave unless a transaction says otherwise; set by `configure(_:)`.
    var defaultSynchronous = Synchronous.full

    let liveStatements = LiveStatements()
    private var cache = StatementCache()

    init(database: OpaquePointer, isReadOnly: Bool) {
        self.database = database
        self.isReadOnly = isReadOnly
        self.interrupter = Interrupter(database)
    }

    deinit { close() }

    /// Finalises all statements, rolls back an open transaction and closes the file. Later calls throw a
    /// misuse.
    ///
    /// The last connection to a file moves the write-ahead log into it and removes the log.
    package func close() {
        guard let database else { return }
        interrupter.detach()
        cache.removeAll()
        liveStatements.finalizeAll()
        self.database = nil
        // With all statements finalised nothing is left that could refuse.
        sqlite3_close_v2(database)
    }

    /// Runs a script of any number of statements without parameters. Rows are dropped.
    ///
    /// - Throws: The failure of the first statement that fails; those before it have run.
    package func execute(_ sql: String) throws(SQLiteError) {
        if sql.utf8.contains(0) { throw .misuse(message: "the SQL contains NUL", operation: "execute") }
        let resultCode = sqlite3_exec(database, sql, nil, nil, nil)
        if resultCode != SQLITE_OK { throw SQLiteError(resultCode: resultCode, on: database, operation: sql) }
    }

    /// Compiles one statement that the caller keeps.
    ///
    /// - Throws: SQLite's complaint about the SQL, or a misuse where it is empty or more than one statement.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        let pointer = try compile(sql: sql)
        counters.statementsPrepared += 1
        return Statement(pointer: pointer, sql: sql, registry: liveStatements)
    }

    /// Returns the statement of this text, compiled at first use, with no value bound.
    ///
    /// Take it right before use. Where the same text is in use further up the stack (bound, or between rows)
    /// the caller gets a statement of its own, so that nested loops over one query are safe.
    package func cached(sql: String) throws(SQLiteError) -> Statement {
        if let statement = cache.idleStatement(for: sql) {
            counters.cacheHits += 1
            return statement
        }
        let statement = try prepare(sql)
        cache.insert(statement)
        return statement
    }

    /// Compiles `sql` and makes sure that nothing follows the first statement.
    private func compile(sql: String) throws(SQLiteError) -> OpaquePointer {
        if sql.utf8.contains(0) { throw .misuse(message: "the SQL contains NUL", operation: "prepare") }
        var pointer: OpaquePointer?
        var rest: OpaquePointer?
        let resultCode = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let persistent = UInt32(SQLITE_PREPARE_PERSISTENT)
            let resultCode = sqlite3_prepare_v3(database, text, -1, persistent, &pointer, &tail)
            guard resultCode == SQLITE_OK, let tail, tail.pointee != 0 else { return resultCode }
            // A tail of spaces and comments compiles to nothing; anything else would silently never run.
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
    /// What a connection has done so far.
    package struct Counters: Sendable, Equatable {
        /// Statements compiled by `prepare` and `cached`.
        package var statementsPrepared = 0
        /// Statements that `cached` did not have to compile.
        package var cacheHits = 0
        /// Transactions that `transaction` committed.
        package var transactionsCommitted = 0
        /// Transactions that `transaction` rolled back.
        package var transactionsRolledBack = 0
    }

    /// The texts of the statements that are compiled now, in no order, for tests.
    package var statements: [String] { liveStatements.texts }

    /// Rows that the last `INSERT`, `UPDATE` or `DELETE` changed. 0 on a closed connection.
    package var changes: Int64 { database.map { sqlite3_changes64($0) } ?? 0 }

    /// Rows changed since the connection was opened. 0 on a closed connection.
    package var totalChanges: Int64 { database.map { sqlite3_total_changes64($0) } ?? 0 }

    /// The row id of the last `INSERT` into a table that has one. 0 on a closed connection.
    package var lastInsertRowID: Int64 { database.map { sqlite3_last_insert_rowid($0) } ?? 0 }

    /// Whether a transaction is open, whoever began it. SQLite may end one on its own after a failure.
    package var isInTransaction: Bool { database.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Whether `close()` was called.
    package var isClosed: Bool { database == nil }

    /// The same as `interrupter.interrupt()`.
    package func interrupt() { interrupter.interrupt() }
}
