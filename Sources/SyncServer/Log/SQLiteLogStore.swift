package import SyncCore
package import SyncSQLite
import SyncWire

/// The logs of all accounts in SQLite: one file per account (`DATA/logs/ID.sqlite`). The most recently used
/// files are open.
///
/// Calls for one account wait for each other; calls for different accounts do not. Commits are on disk. There
/// is nothing to close.
package final class SQLiteLogStore: LogStore {
    /// Only one server at a time uses the folder.
    package let isExclusive = true
    private let folder: LogFolder
    private let random: any RandomSource
    private let threads: any BlockingThreads
    /// Before the threads, so that calls for one account that wait for each other hold no threads.
    private let turns = AccountTurns(limits: AccountTurns.Limits(maxRunning: 1))

    /// Makes a store. Creates the folder for its files if it is missing.
    ///
    /// - Parameters:
    ///   - data: The folder that holds `logs`.
    ///   - clock: The server's clock.
    ///   - random: Generates epochs.
    ///   - maxOpenFiles: The most files that are open at once.
    ///   - cacheMegabytes: The page cache of all open files together.
    ///   - medium: The medium that holds the files; nil for the system's disk.
    ///   - threads: Runs the file access.
    /// - Throws: `WireError` `internal-error` if the folder cannot be created.
    package init(
        data: String,
        clock: any SyncClock,
        random: any RandomSource,
        maxOpenFiles: Int,
        cacheMegabytes: Int,
        medium: (any DatabaseMedium)? = nil,
        threads: any BlockingThreads = CallingThread()
    ) throws {
        folder = try LogFolder(
            data: data,
            clock: clock,
            random: random,
            maxOpen: maxOpenFiles,
            cacheMegabytes: cacheMegabytes,
            medium: medium
        )
        self.random = random
        self.threads = threads
    }

    /// The accounts that have a file, sorted.
    package func accounts() async throws -> [String] {
        try await run { [folder] in try folder.accounts() }
    }

    /// Whether an account has a log with that name. Creates no file.
    package func contains(_ log: LogName, account: String) async throws -> Bool {
        try await use(account) { [random] file in
            try LogSession(name: log, access: file, random: random) != nil
        } ?? false
    }

    /// Performs one round trip on one log, in one transaction on the account's file.
    package func exchange<Note: Sendable>(
        _ query: LogQuery,
        log: LogName,
        account: String,
        decide: @escaping @Sendable (LogState) throws -> LogDecision<Note>
    ) async throws -> LogResult<Note> {
        try await inTurn(of: account) { [self] in
            try folder.use(account) { file in
                let before = try LogSession(name: log, access: file, random: random)
                let isWriting = before.map { query.mayWrite(at: $0.revision) } ?? true
                return try file.transaction(kind: isWriting ? .immediate : .deferred) {
                    var session = try session(log: log, file: file, creation: query.creation)
                    let decision = try decide(session.state(query: query))
                    let shown = try session.entries(at: decision.shown)
                    if let commit = decision.commit { try session.write(commit, device: query.device) }
                    // Who pushes is told what the log has, which must be where the next start finds it.
                    if !query.records.isEmpty { try file.checkPlace() }
                    var page = decision.page
                    try session.fill(&page)
                    return LogResult(shown: shown, page: page, note: decision.note)
                }
            }
        }
    }

    /// Removes tombstones up to their cutoffs; nil if there is no such log.
    package func purge(
        _ log: LogName,
        account: String,
        cutoffs: TombstoneCutoffs
    ) async throws -> PurgeResult? {
        try await change(log, account: account) { try $0.purge(cutoffs: cutoffs) }
    }

    /// Restarts a log; false if there is no such log.
    package func restart(_ log: LogName, account: String) async throws -> Bool {
        try await change(log, account: account) { try $0.restart() } != nil
    }

    /// Removes a log; false if there is no such log.
    package func remove(_ log: LogName, account: String) async throws -> Bool {
        try await change(log, account: account) { try $0.remove() } != nil
    }
}

extension SQLiteLogStore {
    /// The SQL of the statements cached on an account's open file, for tests.
    package func statements(of account: String) async throws -> [String] {
        try await use(account) { $0.connection.statements } ?? []
    }

    /// The size of the page cache of an account's open file in KiB, for tests.
    package func cacheKiB(of account: String) async throws -> Int {
        // SQLite gives a size in KiB as a negative number.
        try await use(account) { -Int(try $0.connection.integer(sql: "PRAGMA cache_size")) } ?? 0
    }

    /// The log within a transaction; created if it is missing. Read inside the transaction, because another
    /// process may have changed it before.
    private func session(
        log: LogName,
        file: AccountLogs.Access,
        creation: LogCreation
    ) throws -> LogSession {
        if let session = try LogSession(name: log, access: file, random: random) { return session }
        guard !log.isMain else { throw WireError.damagedLog() }
        try ScratchLogs(access: file, random: random, creation: creation).make(log)
        guard let session = try LogSession(name: log, access: file, random: random) else {
            throw WireError.damagedLog()
        }
        return session
    }

    /// Changes a log in one transaction; nil if there is no such log.
    private func change<Result: Sendable>(
        _ log: LogName,
        account: String,
        body: @escaping @Sendable (LogSession) throws -> Result
    ) async throws -> Result? {
        try await use(account) { [random] file in
            try file.transaction(kind: .immediate) {
                try LogSession(name: log, access: file, random: random).map(body)
            }
        } ?? nil
    }

    /// Runs `body` on an account's file; nil if the account has none.
    private func use<Result: Sendable>(
        _ account: String,
        body: @escaping @Sendable (AccountLogs.Access) throws -> Result
    ) async throws -> Result? {
        try await inTurn(of: account) { [folder] in
            folder.holds(account) ? try folder.use(account, body: body) : nil
        }
    }

    private func inTurn<Result: Sendable>(
        of account: String,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await turns.run(account: account, kind: .other) { try await run(body) }
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        do { return try await threads.run(body) } catch let error as SQLiteError {
            throw LogStoreError(error)
        }
    }
}

extension LogStoreError {
    /// Converts an SQLite error to an error of the store.
    fileprivate init(_ error: SQLiteError) {
        let cause = "SQLite \(error.extendedCode)"
        let storage = StorageFailure(error)
        switch error {
        case _ where error.isBusy: self.init(.busy, cause: cause)
        case _ where storage == .full: self.init(.full, cause: cause, storage: .full)
        case _ where error.isCorrupt || error.isNotADatabase: self.init(.damaged, cause: cause)
        case _ where storage != nil: self.init(.unreachable, cause: cause, storage: storage)
        default: self.init(.mistake, cause: cause)
        }
    }
}
