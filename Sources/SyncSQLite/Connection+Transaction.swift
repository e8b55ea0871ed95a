import CSQLite

/// When a transaction takes the write lock.
package enum TransactionKind: Sendable {
    /// At its first write. For reading several times from one snapshot; a write after a read may fail with
    /// `isStaleSnapshot`.
    case deferred
    /// At once, waiting for up to the busy timeout. For everything that writes.
    case immediate
}

extension Connection {
    /// Runs `body` in a transaction: committed where it returns, rolled back where it throws.
    ///
    /// Transactions do not nest: a helper that could be either would hide who commits. A part that may fail
    /// alone is a ``savepoint(_:)``.
    ///
    /// - Parameter synchronous: When the commit waits for the disk; nil is the connection's setting.
    /// - Throws: What `body` throws; a failing `BEGIN` or `COMMIT`, then nothing is changed; a misuse where a
    ///   transaction is open; an error with code `SQLITE_ABORT` where SQLite had rolled back and `body` went
    ///   on regardless.
    package func transaction<Result>(
        kind: TransactionKind,
        synchronous level: Synchronous? = nil,
        _ body: () throws -> Result
    ) throws -> Result {
        if isInTransaction {
            throw SQLiteError.misuse(message: "transactions do not nest", operation: "BEGIN")
        }
        try use(level ?? defaultSynchronous)
        // NB: An error here is dropped because the next transaction sets its level again; only a closed or
        // just interrupted connection refuses this pragma.
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

    /// Runs `body` so that, where it throws, only its own changes are undone and the transaction goes on. May
    /// be nested.
    ///
    /// - Throws: What `body` throws, or a misuse where no transaction is open.
    package func savepoint<Result>(body: () throws -> Result) throws -> Result {
        guard isInTransaction else {
            throw SQLiteError.misuse(message: "a savepoint needs a transaction", operation: "SAVEPOINT")
        }
        // One name is enough: SQLite means the innermost of that name.
        try cached(sql: "SAVEPOINT part").run()
        do {
            let result = try body()
            try cached(sql: "RELEASE part").run()
            return result
        } catch {
            undoSavepoint()
            throw error
        }
    }

    private func commit() throws(SQLiteError) {
        // Some failures (disk full, input/output, `ON CONFLICT ROLLBACK`) end a transaction. What `body` did
        // after one that it caught is not part of any transaction, so there is nothing to commit and
        // something to report.
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

    /// Ends the transaction unless SQLite has. The error that led here is the one to report: where `ROLLBACK`
    /// fails for good, the file's journal holds the state before, and the next to open the file restores it.
    private func rollBack() {
        counters.transactionsRolledBack += 1
        abandon()
    }

    /// Undoes the innermost savepoint. Where that fails the whole transaction goes, because half a part must
    /// never be committed; `commit()` then reports it.
    private func undoSavepoint() {
        guard isInTransaction else { return }
        do {
            try execute("ROLLBACK TO part; RELEASE part")
        } catch {
            abandon()
        }
    }

    private func abandon() {
        guard isInTransaction else { return }
        do {
            try execute("ROLLBACK")
        } catch {
            // After an interrupt SQLite refuses every new statement while another stands between two rows.
            liveStatements.resetAll()
            try? execute("ROLLBACK")
        }
    }

    /// Switches how commits behave. SQLite allows it only between transactions.
    private func use(_ level: Synchronous) throws(SQLiteError) {
        if level == synchronous { return }
        try execute("PRAGMA synchronous = \(level.rawValue)")
        synchronous = level
    }
}
