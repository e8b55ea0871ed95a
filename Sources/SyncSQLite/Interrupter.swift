import CSQLite

/// Stops the statement that a connection runs, from any thread, also after the connection was closed.
package final class Interrupter: @unchecked Sendable {
    // `database` is only touched inside `mutex`: `sqlite3_interrupt` must not meet `sqlite3_close`. SQLite's
    // own mutex is the one lock that needs nothing but SQLite on every platform.
    private let mutex: OpaquePointer?
    private var database: OpaquePointer?

    init(_ database: OpaquePointer) {
        self.mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST)
        self.database = database
    }

    deinit { sqlite3_mutex_free(mutex) }

    /// Makes the running statement throw an error with `isInterrupt`. A transaction around a write is rolled
    /// back. Nothing happens where no statement runs.
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
