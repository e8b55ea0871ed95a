#if GRDB
    import GRDB
    import SyncCore

    /// Tells the observers of a pool which tables the store has written.
    struct CommitNotifier: Sendable {
        /// The tables, by entity.
        let tables: [String: String]
        let refusal: CommitRefusal

        /// Notifies of all commits between two versions of the store. Does not wait.
        func notify(_ pool: DatabasePool, from last: StoreVersion, to next: StoreVersion) {
            let changed = tables.filter { last[$0.key] != next[$0.key] }.map { Table($0.value) }
            if changed.isEmpty { return }
            pool.asyncWriteWithoutTransaction { [refusal] db in
                // The app may have closed the reader.
                guard db.sqliteConnection != nil else { return }
                // GRDB tells its observers at the end of a transaction, and this one is empty. It fails if the file
                // cannot be read; then so does the next fetch, which tells the app.
                try? refusal.lifted {
                    try db.inTransaction(.deferred) {
                        for table in changed { try db.notifyChanges(in: table) }
                        return .commit
                    }
                }
            }
        }
    }

    /// Rolls back every commit on the pool's write connection but the empty ones of `CommitNotifier`.
    ///
    /// NB: `PRAGMA query_only` does not last there: GRDB turns it off after each fetch of an observation. An
    /// observation that requires write access would then write to the store behind the back of sync.
    final class CommitRefusal: TransactionObserver, Sendable {
        private let isLifted = Guarded(false)

        /// Runs `body`, which may commit. Call it on the write connection's queue.
        func lifted<Result>(body: () throws -> Result) throws -> Result {
            isLifted.use { $0 = true }
            defer { isLifted.use { $0 = false } }
            return try body()
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws {
            if !isLifted.use({ $0 }) { throw SyncError.writingStatement() }
        }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }
#endif
