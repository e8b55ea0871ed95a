import SyncCore

/// Keeps the change logs of all accounts: a database behind the exchange.
///
/// An account has the log of its data (`.main`) and a few scratch logs. A log gives each stored version the
/// next revision. It keeps only the present version of a record, tombstones included, and the last batch of
/// each device.
///
/// A store decides nothing about records. It reads what a query names, lets `decide` choose, and writes what
/// was chosen. Everything that passes is a plain value, so that an exchange costs a database on a network two
/// round trips at most, and one where nothing is written: the page can be read together with the state.
///
/// Every call throws `LogStoreError` where the database fails, and `WireError` where the account cannot be
/// served at all (its log is damaged, or not its own). A call that throws has changed nothing. What a call
/// has changed is on the disk when it returns.
package protocol LogStore: Sendable {
    /// Whether no other process writes these logs, so that what was read may be answered again from memory.
    var isExclusive: Bool { get }

    /// The accounts that have a log, sorted.
    func accounts() async throws -> [String]

    /// Whether an account has a log of that name. Makes nothing.
    func contains(_ log: LogName, account: String) async throws -> Bool

    /// Performs one round trip on one log in one serializable transaction.
    ///
    /// The store makes the log where it is missing, reads the state that the query asks for, and calls
    /// `decide`. Then it reads the shown entries, writes the commit, and fills the page, in this order: shown
    /// entries are those from before the commit, and the page holds what was committed. Writers of one
    /// account's logs follow each other, so that a reader never sees a revision before a lower one. Where
    /// `decide` throws, nothing is written, and a log that was made for the call is gone again.
    ///
    /// - Parameters:
    ///   - query: What is read first.
    ///   - log: The log.
    ///   - account: The account's id.
    ///   - decide: Chooses what is written and shown. It waits for nothing. A store that has to repeat its
    ///     transaction calls it again, and only the last call counts.
    func exchange<Note: Sendable>(
        _ query: LogQuery,
        log: LogName,
        account: String,
        decide: @escaping @Sendable (LogState) throws -> LogDecision<Note>
    ) async throws -> LogResult<Note>

    /// Removes tombstones up to their cutoff, and raises the log's floor to the highest of them, in one
    /// transaction.
    ///
    /// - Returns: What went and what is left; nil where there is no such log.
    func purge(_ log: LogName, account: String, cutoffs: TombstoneCutoffs) async throws -> PurgeResult?

    /// Begins a log anew in one transaction: another epoch, and nothing in it. Returns false where there is
    /// no such log.
    func restart(_ log: LogName, account: String) async throws -> Bool

    /// Removes a log in one transaction. Returns false where there is no such log.
    func remove(_ log: LogName, account: String) async throws -> Bool
}
