import CSQLite

/// A compiled statement: bind values, step through rows, read columns, repeat.
///
/// A query between two rows keeps its snapshot open, and so keeps the WAL from shrinking. Finish it or call
/// `reset()`. Parameters count from 1 and columns from 0, as in SQLite. Guarded by its connection's lock.
package final class Statement {
    /// The SQLite handle; nil after the connection was closed. SQLite handles nil as a misuse or as NULL.
    private(set) var pointer: OpaquePointer?
    /// The SQL of the statement.
    package let sql: String
    /// Whether nothing is bound and no row is current, so that the cache may return the statement.
    var isIdle = true
    /// Whether a parameter points to memory of the caller.
    var borrowsMemory = false

    private let registry: LiveStatements

    init(pointer: OpaquePointer, sql: String, registry: LiveStatements) {
        self.pointer = pointer
        self.sql = sql
        self.registry = registry
        registry.insert(self, pointer: pointer)
    }

    deinit { finalize() }

    /// Moves to the next row. Returns false at the end.
    ///
    /// After false or an error the statement is reset, so values may be bound at once.
    /// - Throws: SQLite's error. The statement is reset and may be used again.
    package func step() throws(SQLiteError) -> Bool {
        let resultCode = sqlite3_step(pointer)
        if resultCode == SQLITE_ROW {
            isIdle = false
            return true
        }
        if resultCode == SQLITE_DONE {
            reset()
            return false
        }
        // The message must be read before the reset replaces it.
        let failure = failure(resultCode: resultCode)
        reset()
        throw failure
    }

    /// Runs to the end and resets. Result rows are ignored.
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Runs `body` for each row and resets, even if `body` throws.
    package func forEachRow(body: (Statement) throws -> Void) throws {
        defer { reset() }
        while try step() { try body(self) }
    }

    /// Ends the current run. Bound values are kept, unless one was bound without a copy: then all are
    /// cleared, because its memory may be gone.
    package func reset() {
        // The result repeats the error that `step` has thrown.
        sqlite3_reset(pointer)
        if borrowsMemory { clearBindings() }
        isIdle = true
    }

    /// Makes all parameters NULL.
    package func clearBindings() {
        // NB: without API armor, SQLite dereferences a nil statement here.
        guard let pointer else { return }
        sqlite3_clear_bindings(pointer)
        borrowsMemory = false
    }

    /// Whether the statement does not change the database.
    package var isReadOnly: Bool { pointer.map { sqlite3_stmt_readonly($0) != 0 } ?? true }

    /// The number of the last parameter.
    package var parameterCount: Int { Int(sqlite3_bind_parameter_count(pointer)) }

    /// Frees the statement. Called by the connection when it closes, or by the last owner.
    func finalize() {
        guard let pointer else { return }
        registry.remove(pointer)
        sqlite3_finalize(pointer)
        self.pointer = nil
    }

    func failure(resultCode: Int32) -> SQLiteError {
        SQLiteError(resultCode: resultCode, on: pointer.flatMap { sqlite3_db_handle($0) }, operation: sql)
    }
}
