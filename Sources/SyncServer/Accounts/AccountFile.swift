import Foundation
import SyncCore
import SyncSQLite

/// The database file of the accounts: path, format and permissions.
enum AccountFile {
    /// The application id in the file header: "ESAC".
    static let applicationID: Int32 = 0x4553_4143
    static let version: Int32 = 3

    /// `key` is the name's `AccountName.key`, by which confusable names are found.
    private static let accountTable = """
        CREATE TABLE account (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            entities TEXT,
            created INTEGER NOT NULL,
            removed INTEGER,
            key TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX account_name ON account (name) WHERE removed IS NULL;
        CREATE INDEX account_key ON account (key, removed);
        """

    private static let tokenTable = """
        CREATE TABLE token (
            hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
            account TEXT NOT NULL,
            label TEXT NOT NULL,
            created INTEGER NOT NULL,
            expires INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX token_account ON token (account);
        """

    /// From format 1, in which an account had one token without a label, to format 2.
    private static let secondFormat = """
        \(tokenTable)
        INSERT INTO token (hash, account, label, created)
            SELECT token_hash, id, '\(ServerAccounts.firstLabel)', created FROM account;
        DROP INDEX account_name;
        ALTER TABLE account RENAME TO account_before;
        CREATE TABLE account (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            entities TEXT,
            created INTEGER NOT NULL,
            removed INTEGER
        ) STRICT;
        INSERT INTO account SELECT id, name, entities, created, removed FROM account_before;
        DROP TABLE account_before;
        """

    /// From format 2, in which the keys of names were made at each look-up, to format 3.
    private static func addKeys(on connection: Connection) throws {
        try connection.execute(
            """
            DROP INDEX IF EXISTS account_name;
            ALTER TABLE account RENAME TO account_before;
            \(accountTable)
            """
        )
        let insert = try connection.prepare(
            """
            INSERT INTO account (id, name, entities, created, removed, key)
            SELECT id, name, entities, created, removed, ?2 FROM account_before WHERE id = ?1
            """
        )
        try connection.prepare("SELECT id, name FROM account_before").forEachRow { row in
            try insert.bind(row.string(at: 0), at: 1)
            try insert.bind(AccountName.key(name: row.string(at: 1)), at: 2)
            try insert.run()
        }
        try connection.execute("DROP TABLE account_before")
    }

    /// Whether a folder has accounts.
    static func exists(directory: String) -> Bool {
        FileManager.default.fileExists(atPath: path(in: directory))
    }

    /// Throws `SyncError` if a folder has no accounts, or if this user may not look into it.
    static func require(directory: String) throws {
        guard try DurableFiles.isPresent(path: path(in: directory)) else {
            throw SyncError.noAccounts(directory: directory)
        }
    }

    private static func path(in directory: String) -> String {
        directory.hasSuffix("/")
            ? directory + ServerAccounts.fileName : "\(directory)/\(ServerAccounts.fileName)"
    }

    /// Opens the file; creates it and its folder if they are missing. Throws `SyncError`.
    static func open(directory: String) throws -> Connection {
        guard !ServerRestore.isUnfinished(data: directory) else { throw SyncError.unfinishedRestore() }
        try makeFolder(directory)
        let path = path(in: directory)
        FilePermissions.makeFile(path)
        return try withErrors {
            let connection = try Connection.open(path: path, flags: .readWriteCreate)
            do {
                try createIfEmpty(connection)
                let found = try connection.userVersion()
                if found > version { throw SyncError.newerAccounts(found: found, known: version) }
                try connection.configure(settings: settings)
                try migrate(connection)
                for name in [directory, path, path + "-wal", path + "-shm"] {
                    FilePermissions.restrict(path: name)
                }
                return connection
            } catch {
                connection.close()
                throw error
            }
        }
    }

    /// Runs `body` and converts SQLite errors to `SyncError`.
    static func withErrors<Result>(body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SQLiteError { throw SyncError.accounts(error: error) }
    }

    private static var settings: Settings {
        var settings = Settings()
        settings.cacheSizeKiB = 1024
        return settings
    }

    private static func makeFolder(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SyncError.dataFolderFailed(
                isPermission: (error as NSError).code == CocoaError.fileWriteNoPermission.rawValue
            )
        }
    }

    /// Brings an older file to the present format, in one transaction.
    private static func migrate(_ connection: Connection) throws {
        guard try connection.userVersion() < version else { return }
        try connection.transaction(kind: .immediate) {
            // Another process may have done it in the meantime.
            let found = try connection.userVersion()
            guard found < version else { return }
            if found == 1 { try connection.execute(secondFormat) }
            try addKeys(on: connection)
            try connection.setUserVersion(version)
        }
    }

    private static func createIfEmpty(_ connection: Connection) throws {
        if try connection.applicationID() == applicationID { return }
        try connection.transaction(kind: .immediate) {
            // Another process may have created it in the meantime.
            let found = try connection.applicationID()
            if found == applicationID { return }
            guard found == 0, try connection.integer(sql: "SELECT count(*) FROM sqlite_schema") == 0 else {
                throw SyncError.foreignAccounts()
            }
            try connection.execute(accountTable + tokenTable)
            try connection.setApplicationID(applicationID)
            try connection.setUserVersion(version)
        }
    }
}
