import Foundation
import SyncCore
import SyncSQLite
import SyncWire

/// Opens the file of one account's logs. Checks an existing file first, creates a missing one.
struct LogFile {
    let path: String
    let account: String
    let now: Timestamp
    let random: any RandomSource
    /// The page cache size.
    var cacheKiB = CacheBudget.largeKiB
    /// Whether the file was checked before and belongs to the account. Then it is opened only once.
    var isKnown = false
    /// The medium that holds the file; nil for the system's disk.
    let medium: (any DatabaseMedium)?

    /// Whether anything exists at the path.
    static func exists(path: String, medium: (any DatabaseMedium)?) -> Bool {
        guard let medium else { return FileManager.default.fileExists(atPath: path) }
        // If the medium fails here, opening the file reports the error.
        return (try? medium.entry(path: path)) != nil
    }

    /// Opens the file. Throws `WireError`, and touches nothing, if it belongs to another program or account
    /// or has a newer format. Throws `SQLiteError` if the system refuses.
    func open() throws -> Connection {
        if Self.exists(path: path, medium: medium) {
            if !isKnown { try refuseForeignFile() }
        } else if medium == nil {
            FilePermissions.makeFile(path)
        }
        let connection = try Connection.open(path: path, flags: .readWriteCreate, medium: medium)
        do {
            // Keeps the WAL files, because the file of an account is opened and closed often.
            connection.keepLogFiles()
            try createIfEmpty(connection)
            var settings = Settings()
            settings.cacheSizeKiB = Int32(clamping: cacheKiB)
            // A push of 1000 records changes about 5 MB of pages, most of them several times.
            settings.changedPagesKiB = 16 * 1024
            // Keys are random, so a push of 1000 new records changes more than 1000 pages. A checkpoint after
            // each such commit would write most pages twice and wait twice more for the disk.
            settings.checkpointEveryPages = 4000
            settings.logSizeLimitBytes = 16 * 1024 * 1024
            try connection.configure(settings: settings)
            try check(connection)
            try LogMigration.run(connection)
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    private func refuseForeignFile() throws {
        // NB: read-only, because closing the last writing connection would checkpoint a foreign file's WAL.
        let reader = try look()
        defer { reader.close() }
        if try isEmpty(reader) { return }
        try check(reader)
    }

    private func look() throws(SQLiteError) -> Connection {
        do {
            return try Connection.open(path: path, flags: .readOnly, medium: medium)
        } catch {
            guard error.needsRollback else { throw error }
            // After a crash while the file was created, only a writer can roll back its journal
            // (`aServerServesAfterACrashAtAnyStepAndKeepsWhatItAcknowledged`).
            return try Connection.open(path: path, flags: .readWrite, medium: medium)
        }
    }

    private func isEmpty(_ connection: Connection) throws -> Bool {
        try connection.applicationID() == 0
            && connection.integer(sql: "SELECT count(*) FROM sqlite_schema") == 0
    }

    private func check(_ connection: Connection) throws {
        guard try connection.applicationID() == LogFormat.applicationID else {
            throw WireError.foreignLog()
        }
        let version = try connection.userVersion()
        guard version <= LogFormat.version else { throw WireError.newerLog(version: Int(version)) }
        let owners = try connection.texts(sql: "SELECT id FROM account")
        guard owners.count == 1, owners[0].utf8.elementsEqual(account.utf8) else {
            throw WireError.otherAccountsLog()
        }
    }

    /// Uses a rollback journal, so that the owner is in the file itself and not in a WAL file.
    private func createIfEmpty(_ connection: Connection) throws {
        guard try isEmpty(connection) else { return }
        try connection.transaction(kind: .immediate) {
            // Another process may have created it in the meantime.
            guard try isEmpty(connection) else { return }
            try connection.execute(LogFormat.tables)
            let owner = try connection.prepare("INSERT INTO account (id) VALUES (?1)")
            try owner.bind(account, at: 1)
            try owner.run()
            try LogSession.make(.main, on: connection, now: now, random: random)
            try connection.setApplicationID(LogFormat.applicationID)
            try connection.setUserVersion(LogFormat.version)
        }
    }
}
