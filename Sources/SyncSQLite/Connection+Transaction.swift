import CSQLite

/// When a transaction takes the write lock.
package enum TransactionKind: Sendable {
    /// At its first write. For several reads from one snapshot. A write after a read may fail with
    /// `isStaleSnapshot`.
    case deferred
    /// At once, waiting up to the busy timeout. For all writing transactions.
    case immediate
}

extension Connection {
    /// Runs `body` in a transaction: commits if it returns, rolls back if it throws.
    ///
    /// Transactions do not nest, so that it is always clear who commits.
    ///
    /// - Parameter synchronous: The durability of this commit; nil for the connection's setting.
    /// - Throws: Errors of `body`; a failed `BEGIN` or `COMMIT`, with nothing changed; a misuse if a
    ///   transaction is open; an error with code `SQLITE_ABORT` if SQLite rolled back and `body` continued
    ///   regardless.
    package func transaction<Result>(
        kind: TransactionKind,
        synchronous level: Synchronous? = nil,
        _ body: () throws -> Result
    ) throws -> Result {
        if isInTransaction {
            throw SQLiteError.misuse(message: "transactions do not nest", operation: "BEGIN")
        }
        try use(level ?? defaultSynchronous)
        // NB: an error is dropped here, because the next transaction sets its level again. Only a closed connection
        // refuses this pragma.
        defer { try? use(defaultSynchronous) }
        try cached(sql: kind == .immediate ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED").run()
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    private func commit() throws(SQLiteError) {
        // Some errors (disk full, I/O, `ON CONFLICT ROLLBACK`) end a transaction. If `body` caught one, its
        // later changes are not part of any transaction. That must be reported.
        guard isInTransaction else {
            throw SQLiteError(
                extendedCode: SQLITE_ABORT | (2 << 8),
                message: "the transaction was rolled back before its end",
                operation: "COMMIT"
            )
        }
        try cached(sql: "COMMIT").run()
        counters.transactionsCommitted += 1
    }

    /// Rolls back unless SQLite already has. The original error is the one to report. If `ROLLBACK` fails
    /// too, the next connection restores the previous state from the journal.
    private func rollBack() {
        counters.transactionsRolledBack += 1
        if isInTransaction { try? execute("ROLLBACK") }
    }

    /// Sets the durability of commits. SQLite allows that only between transactions.
    private func use(_ level: Synchronous) throws(SQLiteError) {
        if level == synchronous { return }
        try execute("PRAGMA synchronous = \(level.rawValue)")
        synchronous = level
    }
}
