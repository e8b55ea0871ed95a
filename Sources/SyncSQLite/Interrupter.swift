import CSQLite

/// Interrupts the running statement of a connection from any thread. Safe after the connection was closed.
package final class Interrupter: @unchecked Sendable {
    // `database` is only used with `mutex` held, because `sqlite3_interrupt` must not run during
    // `sqlite3_close`. SQLite's own mutex is used because it needs no other library on any platform.
    private let mutex: OpaquePointer?
    private var database: OpaquePointer?

    init(_ database: OpaquePointer) {
        self.mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST)
        self.database = database
    }

    deinit { sqlite3_mutex_free(mutex) }

    /// Makes the running statement throw an error with `isInterrupt`. A writing transaction is rolled back.
    /// Does nothing if no statement is running.
    package func interrupt() {
        sqlite3_mutex_enter(mutex)
        defer { sqlite3_mutex_leave(mutex) }
        if let database { sqlite3_interrupt(database) }
    }

    /// Called by the connection before it closes.
    func detach() {
        sqlite3_mutex_enter(mutex)
        defer { sqlite3_mutex_leave(mutex) }
        database = nil
    }
}
