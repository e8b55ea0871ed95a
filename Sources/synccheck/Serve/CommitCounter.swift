import EntitySync
import SyncCore
import SyncSQLite

/// Tells whether a store has changed, by a connection of its own that only reads.
final class CommitCounter: Sendable {
    private let connection: Guarded<Connection>

    /// Opens the file of a store.
    init(path: String) throws {
        do {
            let opened = try Connection.open(path: path, flags: .readOnly, busyTimeoutMilliseconds: 1000)
            connection = Guarded(opened)
        } catch {
            throw SyncError.cannotWatch(reason: "\(error.code)")
        }
    }

    deinit { connection.use { $0.close() } }

    /// A text that changes with each commit, by whatever process.
    func text() throws -> String {
        try connection.use { String(try $0.integer(sql: "PRAGMA data_version")) }
    }
}
