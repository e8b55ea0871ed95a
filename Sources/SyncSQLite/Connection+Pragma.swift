import CSQLite

extension Connection {
    /// Applies `settings`. Called once, after the caller has verified that the file is the right one.
    ///
    /// - Throws: A misuse inside a transaction; `isBusy` if others use the file while WAL mode is turned on;
    ///   an error with code `SQLITE_CANTOPEN` if the file system does not support WAL mode.
    package func configure(settings: Settings) throws(SQLiteError) {
        if isInTransaction {
            throw .misuse(message: "settings are for the time between transactions", operation: "configure")
        }
        for pragma in settings.connectionPragmas { try execute(pragma) }
        if settings.usesWriteAheadLog, !isReadOnly { try useWriteAheadLog() }
        try execute("PRAGMA synchronous = \(settings.synchronous.rawValue)")
        synchronous = settings.synchronous
        defaultSynchronous = settings.synchronous
    }

    private func useWriteAheadLog() throws(SQLiteError) {
        let pragma = "PRAGMA journal_mode = WAL"
        let mode = try whileOthersSwitch { () throws(SQLiteError) in try texts(sql: pragma).first }
        // A database in memory has no WAL and needs none.
        guard mode == "wal" || mode == "memory" else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN,
                message: "the file system does not support a write-ahead log",
                operation: pragma
            )
        }
    }

    /// Retries `body` if SQLite refuses it as busy without waiting.
    ///
    /// NB: two connections that turn on WAL mode of a new file can deadlock. SQLite breaks this at once,
    /// whatever the busy timeout (test `connectionsThatMeetOnANewFileAllOpen`). Each refusal means that the
    /// other connection made progress, so a few attempts are enough.
    private func whileOthersSwitch<Result>(
        body: () throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        for _ in 1..<20 {
            do {
                return try body()
            } catch  where error.isBusy {
                // Waits for the other connection, up to the busy timeout.
                try execute("BEGIN IMMEDIATE; ROLLBACK")
            }
        }
        return try body()
    }

    /// Keeps the WAL file and its index as empty files when the last connection closes, so that the next one
    /// need not create them. Has no effect on a test medium without this feature.
    package func keepLogFiles() {
        guard let database else { return }
        var isOn: Int32 = 1
        _ = sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }

    /// Lets triggers of the file write to virtual tables, such as full-text indexes. For a file that this program made.
    package func trustSchema() throws(SQLiteError) { try execute("PRAGMA trusted_schema = 1") }

    /// Turns SQLite's protection of the schema and of the tables behind virtual ones on or off (sqlite.org/c3ref:
    /// `SQLITE_DBCONFIG_DEFENSIVE`). Returns whether it was on; false on a closed connection.
    @discardableResult
    package func setDefensive(_ isOn: Bool) -> Bool {
        guard let database else { return false }
        var was: Int32 = 0
        var present: Int32 = 0
        // A negative number asks only.
        _ = csqlite_set_defensive(database, -1, &was)
        _ = csqlite_set_defensive(database, isOn ? 1 : 0, &present)
        return was != 0
    }

    /// The id of the program that owns the file; 0 in a new file.
    package func applicationID() throws(SQLiteError) -> Int32 {
        Int32(truncatingIfNeeded: try integer(sql: "PRAGMA application_id"))
    }

    /// Sets the application id, within the open transaction if there is one.
    package func setApplicationID(_ id: Int32) throws(SQLiteError) {
        try execute("PRAGMA application_id = \(id)")
    }

    /// The version of the file's format; 0 in a new file.
    package func userVersion() throws(SQLiteError) -> Int32 {
        Int32(truncatingIfNeeded: try integer(sql: "PRAGMA user_version"))
    }

    /// Sets the user version, within the open transaction if there is one.
    package func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(version)")
    }

    /// The errors that SQLite finds in the file, one sentence each; empty for an intact file.
    ///
    /// - Parameters:
    ///   - includingIndexes: Whether each index is compared with its table, which reads much more.
    ///   - limit: The most errors to list.
    /// - Throws: An error that prevents the check, such as `isBusy`. Damage is a result, not an error.
    package func integrityCheck(
        includingIndexes: Bool = false,
        limit: Int32 = 100
    ) throws(SQLiteError) -> [String] {
        do {
            let violations = try texts(
                sql: "PRAGMA \(includingIndexes ? "integrity" : "quick")_check(\(limit))"
            )
            return violations == ["ok"] ? [] : violations
        } catch  where error.isCorrupt || error.isNotADatabase {
            return [error.message]
        }
    }

    /// The extent of a checkpoint.
    package enum CheckpointMode: Sendable {
        /// Moves as many pages as possible without waiting.
        case passive
        /// Waits for readers and writers, moves all pages, and truncates the WAL file.
        case truncate
    }

    /// The result of a checkpoint.
    package struct CheckpointResult: Sendable, Equatable {
        /// Pages in the WAL; -1 if the database has none.
        package let logPages: Int32
        /// Pages of the WAL that are now in the database; -1 if there is no WAL.
        package let movedPages: Int32
    }

    /// Moves pages from the WAL into the database.
    ///
    /// - Throws: `isBusy` if `.truncate` waited in vain; an error with code `SQLITE_LOCKED` inside a
    ///   transaction.
    @discardableResult
    package func checkpoint(mode: CheckpointMode = .passive) throws(SQLiteError) -> CheckpointResult {
        guard let database else {
            throw SQLiteError(resultCode: SQLITE_MISUSE, on: nil, operation: "checkpoint")
        }
        var log: Int32 = -1
        var moved: Int32 = -1
        let flag = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        let resultCode = sqlite3_wal_checkpoint_v2(database, "main", flag, &log, &moved)
        if resultCode != SQLITE_OK {
            throw SQLiteError(resultCode: resultCode, on: database, operation: "checkpoint")
        }
        return CheckpointResult(logPages: log, movedPages: moved)
    }

    /// Sets the size of the WAL in pages at which a commit runs a checkpoint. See `Settings.checkpointEveryPages`.
    package func checkpoint(everyPages pages: Int32) {
        if let database { sqlite3_wal_autocheckpoint(database, pages) }
    }

    /// SQLite's plan for `sql`, one step per line, so that a test can check which index is used.
    package func queryPlan(sql: String) throws(SQLiteError) -> [String] {
        try texts(sql: "EXPLAIN QUERY PLAN " + sql, column: 3)
    }

    /// The first column of the first row of `sql`; 0 if there is no row.
    package func integer(sql: String) throws(SQLiteError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.int64(at: 0) : 0
    }

    /// One column of all rows of `sql`.
    package func texts(sql: String, column: Int = 0) throws(SQLiteError) -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.string(at: column)) }
        return texts
    }
}
