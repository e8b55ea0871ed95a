import Foundation
import SyncCore
import SyncSQLite
import SyncWire

/// Opens the file that holds one account's logs: looks at it first, makes it where there is none.
struct LogFile {
    let path: String
    let account: String
    let now: Timestamp
    let random: any RandomSource
    /// The size of the cache of pages.
    var cacheKiB = CacheBudget.largeKiB
    /// Whether it was looked at before, and found to be the account's: then it is opened once.
    var isKnown = false
    /// Where the file lies; nil is the system.
    let medium: (any DatabaseMedium)?

    /// Whether there is something at the path.
    static func exists(path: String, medium: (any DatabaseMedium)?) -> Bool {
        guard let medium else { return FileManager.default.fileExists(atPath: path) }
        // Where the medium cannot tell, opening will say why.
        return (try? medium.entry(path: path)) != nil
    }

    /// Throws `WireError` for a file that is another program's, another account's or of a newer format; nothing in it
    /// is touched then. Throws `SQLiteError` where the system refuses.
    func open() throws -> Connection {
        if Self.exists(path: path, medium: medium) {
            if !isKnown { try refuseForeignFile() }
        } else if medium == nil {
            OwnerOnly.makeFile(path)
        }
        let connection = try Connection.open(path: path, flags: .readWriteCreate, medium: medium)
        do {
            // The logs of an account that is asked for now and then need not be made and removed each time.
            connection.keepLogFiles()
            try createIfEmpty(connection)
            var settings = Settings()
            settings.cacheSizeKiB = Int32(clamping: cacheKiB)
            // A push of 1000 records changes about 5 MB of pages, most of them several times.
            settings.changedPagesKiB = 16 * 1024
            // NB: keys come in no order, so a push of 1000 new records changes more than 1000 pages. Were each commit
            // to move them into the database as well, most would be written twice, with two more waits for the disk.
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
        // NB: read-only, as closing the last writing connection would move a foreign file's log into it.
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
            // NB: the server went off while it made the file, and only a writer can take that back
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

    /// In a transaction of the old kind, so that the owner is in the file itself and not in a log beside it.
    private func createIfEmpty(_ connection: Connection) throws {
        guard try isEmpty(connection) else { return }
        try connection.transaction(kind: .immediate) {
            // Another process may have made it in the meantime.
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
