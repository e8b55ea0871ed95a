import Foundation
import SyncSQLite

/// The open file of one account and the lock around it.
final class AccountLogs: @unchecked Sendable {
    // Both guarded by `lock`; no reference leaves `use` but by the caller's mistake.
    private var connection: Connection?
    private var begun: Set<String> = []
    private var records: Int?
    private var hasFingerprints = false
    private let lock = NSLock()
    private let open: @Sendable () throws -> Connection

    /// `open` is called at first use, and again after a failure of SQLite.
    init(open: @escaping @Sendable () throws -> Connection) {
        self.open = open
    }

    /// Runs `body` while no other thread uses the file.
    func use<Result>(_ body: (Access) throws -> Result) throws -> Result {
        try lock.withLock {
            let connection = try connection ?? open()
            self.connection = connection
            do {
                let access = Access(connection: connection, begun: begun, records: records)
                access.hasFingerprints = hasFingerprints
                defer { (begun, records) = (access.begun, access.records) }
                defer { hasFingerprints = access.hasFingerprints }
                return try body(access)
            } catch let error as SQLiteError where !error.isBusy {
                // What stands in the file may be another one by now: the next use looks again.
                drop()
                throw error
            }
        }
    }

    /// Closes the file. The next use opens it again.
    func close() {
        lock.withLock { drop() }
    }

    private func drop() {
        connection?.close()
        connection = nil
        begun = []
        records = nil
        hasFingerprints = false
    }

    /// The file while it is locked.
    final class Access {
        /// The connection, for the time of the call.
        let connection: Connection
        /// Epochs of the logs in which this opening of the file has begun its run.
        fileprivate(set) var begun: Set<String>
        /// The number of records that the file holds at most; nil where they were not counted.
        var records: Int?
        /// Whether the file is known to have a table for fingerprints.
        var hasFingerprints = false
        private var beginning: Set<String> = []

        fileprivate init(connection: Connection, begun: Set<String>, records: Int?) {
            self.connection = connection
            self.begun = begun
            self.records = records
        }

        /// Runs `body` in one transaction. Throws what it throws, and then nothing is changed.
        func transaction<Result>(kind: TransactionKind, body: () throws -> Result) throws -> Result {
            beginning = []
            let result = try connection.transaction(kind: kind, body)
            begun.formUnion(beginning)
            return result
        }

        /// Whether this opening of the file has begun its run in the log of that epoch.
        func hasBegun(_ epoch: String) -> Bool { begun.contains(epoch) }

        /// Notes that the transaction begins this opening's run in the log of that epoch.
        func begin(_ epoch: String) { beginning.insert(epoch) }
    }
}
