import SyncCore

/// The database port of the exchange: keeps the change logs of all accounts.
///
/// An account has one log for its data (`.main`) and a few scratch logs. A log gives each stored version the
/// next revision. It keeps only the present version of each record, including tombstones, and the last batch
/// of each device.
///
/// A store decides nothing about records. It reads what a query names, calls `decide`, and writes the
/// decision. All arguments are plain values, so an exchange costs a networked database at most two round
/// trips. An exchange that writes nothing costs one, because the page can be read together with the state.
///
/// Every call throws `LogStoreError` if the database fails, and `WireError` if the account cannot be served
/// at all (its log is damaged or belongs to another account). A call that throws has changed nothing. Changes
/// are on disk when the call returns.
package protocol LogStore: Sendable {
    /// Whether no other process writes these logs. Then the ends of logs may be cached.
    var isExclusive: Bool { get }

    /// The accounts that have a log, sorted.
    func accounts() async throws -> [String]

    /// Whether an account has a log with that name. Creates nothing.
    func contains(_ log: LogName, account: String) async throws -> Bool

    /// Performs one round trip on one log in one serializable transaction.
    ///
    /// The store creates the log if it is missing, reads the state for the query, and calls `decide`. Then it
    /// reads the shown entries, writes the commit, and fills the page, in this order: the shown entries are
    /// from before the commit, and the page includes the commit. Writers of one account's logs are
    /// serialised, so a reader never sees a revision before a lower one. If `decide` throws, nothing is
    /// written, and a log created for the call is removed again.
    ///
    /// - Parameters:
    ///   - query: What to read first.
    ///   - log: The log.
    ///   - account: The account's id.
    ///   - decide: Chooses what to write and to show. Does not wait. A store that repeats its transaction
    ///     calls it again, and only the last call counts.
    func exchange<Note: Sendable>(
        _ query: LogQuery,
        log: LogName,
        account: String,
        decide: @escaping @Sendable (LogState) throws -> LogDecision<Note>
    ) async throws -> LogResult<Note>

    /// Removes tombstones up to their cutoffs in one transaction, and raises the log's floor to the highest
    /// of them.
    ///
    /// - Returns: The result; nil if there is no such log.
    func purge(_ log: LogName, account: String, cutoffs: TombstoneCutoffs) async throws -> PurgeResult?

    /// Restarts a log in one transaction: a new epoch and no records. Returns false if there is no such log.
    func restart(_ log: LogName, account: String) async throws -> Bool

    /// Removes a log in one transaction. Returns false if there is no such log.
    func remove(_ log: LogName, account: String) async throws -> Bool
}
