package import SyncCore
import SyncSQLite

/// Removes everything that a server has of one account. The server must not run. Interrupted at any point, the
/// account is locked out, and the erasure can be run again.
package struct AccountErasure {
    private let data: String
    private let now: Timestamp

    /// Describes an erasure in a data folder.
    package init(data: String, now: Timestamp) { (self.data, self.now) = (data, now) }

    /// Erases an account by its name, or by its id if it was removed before. Throws `SyncError`.
    ///
    /// - Parameter removeRecords: Removes the records of an account, by its id, that are elsewhere: after the account
    ///   is locked out and before it is forgotten. It may be called again after an interruption.
    package func run(name: String, removeRecords: (_ id: String) throws -> Void = { _ in }) throws {
        try AccountFile.require(directory: data)
        let connection = try AccountFile.open(directory: data)
        defer { connection.close() }
        try AccountFile.withErrors {
            let departed = try DepartedAccounts(connection: connection)
            let id = try departed.begin(name: name, target: nil, now: now)
            try removeRecords(id)
            try Self.removeFiles(id: id, data: data)
            try departed.finish(id: id)
        }
    }

    /// Removes the files of an account, also those that a restore has put aside.
    static func removeFiles(id: String, data: String) throws {
        guard LogFolder.isFileName(id) else { return }
        let formers = ServerRestore.formerFolders(data: data)
        for folder in [data, data + "/restoring"] + formers {
            for suffix in ["", ".moving"] {
                try DurableFiles.removeDatabase(path: "\(folder)/logs/\(id).sqlite\(suffix)")
            }
        }
        for former in formers where AccountFile.exists(directory: former) {
            let connection = try AccountFile.open(directory: former)
            defer { connection.close() }
            try DepartedAccounts(connection: connection).finish(id: id)
        }
    }
}
