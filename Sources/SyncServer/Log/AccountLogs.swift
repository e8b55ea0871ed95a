import Foundation
import SyncSQLite

/// The open file of one account and its lock.
final class AccountLogs: @unchecked Sendable {
    // All are guarded by `lock`. No reference may leave `use`.
    private var connection: Connection?
    private var identity: FileIdentity?
    private var begun: Set<String> = []
    private var records: Int?
    private var hasFingerprints = false
    private let lock = NSLock()
    private let path: String?
    private let open: @Sendable () throws -> Connection

    /// Makes a file that is not open yet.
    ///
    /// - Parameters:
    ///   - path: The file's path on the system's disk; nil if it is on another medium.
    ///   - open: Called at the first use, and again after an SQLite error.
    init(path: String?, open: @escaping @Sendable () throws -> Connection) {
        (self.path, self.open) = (path, open)
    }

    /// Runs `body` with exclusive access to the file.
    func use<Result>(body: (Access) throws -> Result) throws -> Result {
        try lock.withLock {
            let connection = try connection ?? open()
            self.connection = connection
            do {
                if identity == nil { identity = try path.map { try FileIdentity(path: $0) } }
                let access = Access(connection: connection, begun: begun, records: records)
                access.place = path.flatMap { path in identity.map { (path, $0) } }
                access.hasFingerprints = hasFingerprints
                defer { (begun, records) = (access.begun, access.records) }
                defer { hasFingerprints = access.hasFingerprints }
                return try body(access)
            } catch let error as SQLiteError where !error.isBusy {
                // The file may have been replaced, so the next use opens it again.
                drop()
                throw error
            } catch let error as LogStoreError {
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
        identity = nil
        begun = []
        records = nil
        hasFingerprints = false
    }

    /// Access to the file while it is locked.
    final class Access {
        /// The connection, valid during the call.
        let connection: Connection
        /// Epochs of the logs in which this connection has started its run.
        fileprivate(set) var begun: Set<String>
        /// An upper bound of the number of records in the file; nil if they were not counted.
        var records: Int?
        /// Whether the file is known to have the fingerprint table.
        var hasFingerprints = false
        /// The file's path and identity when it was opened; nil on another medium than the system's disk.
        fileprivate var place: (path: String, file: FileIdentity)?
        private var beginning: Set<String> = []

        fileprivate init(connection: Connection, begun: Set<String>, records: Int?) {
            self.connection = connection
            self.begun = begun
            self.records = records
        }

        /// Runs `body` in one transaction. If it throws, nothing is changed.
        func transaction<Result>(kind: TransactionKind, body: () throws -> Result) throws -> Result {
            beginning = []
            let result = try connection.transaction(kind: kind, body)
            begun.formUnion(beginning)
            return result
        }

        /// Throws `LogStoreError` if the path no longer leads to the open file, as after its folder was removed: SQLite
        /// goes on writing to a file that nobody can open again. Costs one system call.
        func checkPlace() throws {
            guard let place else { return }
            guard try FileIdentity(path: place.path) == place.file else { throw LogStoreError.replacedFile }
        }

        /// Whether this connection has started its run in the log with that epoch.
        func hasBegun(_ epoch: String) -> Bool { begun.contains(epoch) }

        /// Records that the transaction starts this connection's run in the log with that epoch.
        func begin(_ epoch: String) { beginning.insert(epoch) }
    }
}
