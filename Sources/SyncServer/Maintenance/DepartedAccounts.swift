import SyncCore
import SyncSQLite

/// The accounts that were erased or moved away, in the registry of accounts. A restored backup does not bring them
/// back.
struct DepartedAccounts {
    /// The registry.
    let connection: Connection

    /// Opens the list and makes its table if it is missing. `name` and `target` are null once an account is gone.
    init(connection: Connection) throws {
        self.connection = connection
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS departed (
                id TEXT PRIMARY KEY, name TEXT, target TEXT, at INTEGER NOT NULL
            ) STRICT;
            CREATE TABLE IF NOT EXISTS departed_name (
                digest BLOB PRIMARY KEY CHECK (length(digest) = 32)
            ) STRICT, WITHOUT ROWID;
            """
        )
    }

    /// Whether an account of this name, or of one that looks like it, was erased or moved away.
    static func holds(name: String, in connection: Connection) throws -> Bool {
        guard try hasNames(in: connection) else { return false }
        let query = try connection.cached(sql: "SELECT 1 FROM departed_name WHERE digest = ?1")
        defer { query.reset() }
        try query.bind(digest(name: name), at: 1)
        return try query.step()
    }

    /// The digests of the names of accounts that were erased or moved away.
    static func nameDigests(in connection: Connection) throws -> [[UInt8]] {
        guard try hasNames(in: connection) else { return [] }
        var digests: [[UInt8]] = []
        try connection.prepare("SELECT digest FROM departed_name ORDER BY digest").forEachRow {
            digests.append($0.bytes(at: 0))
        }
        return digests
    }

    private static func hasNames(in connection: Connection) throws -> Bool {
        try connection.integer(sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'departed_name'") > 0
    }

    private static func digest(name: String) -> [UInt8] {
        SHA256.digest(bytes: Array(AccountName.key(name: name).utf8))
    }

    /// The ids of accounts that have left or are leaving; empty for a registry in which none ever did.
    static func ids(in connection: Connection) throws -> [String] {
        guard try connection.integer(sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'departed'") > 0
        else { return [] }
        return try connection.texts(sql: "SELECT id FROM departed ORDER BY id")
    }

    /// Locks an account out and notes how it leaves. Called again, it returns the same account. Throws `SyncError`
    /// `notFound`, or `usage` if the account is leaving in another way.
    ///
    /// - Parameters:
    ///   - name: The name of an active account; for an erasure also the id of any account.
    ///   - target: The data folder to which the account is moved; nil if it is erased.
    ///   - now: The present time.
    func begin(name: String, target: String?, now: Timestamp) throws -> String {
        try connection.transaction(kind: .immediate) {
            if let id = try pending(name: name, target: target) { return id }
            guard let id = try find(name: name, includingRemoved: target == nil) else {
                throw SyncError.noAccount()
            }
            let note = try connection.cached(
                sql: "INSERT OR REPLACE INTO departed (id, name, target, at) VALUES (?1, ?2, ?3, ?4)"
            )
            try note.bind(id, at: 1)
            try note.bind(AccountName.normalized(name: name) ?? name, at: 2)
            try note.bind(target, at: 3)
            try note.bind(now.microseconds, at: 4)
            try note.run()
            let lock = try connection.cached(
                sql: "UPDATE account SET removed = coalesce(removed, ?2) WHERE id = ?1"
            )
            try lock.bind(id, at: 1)
            try lock.bind(now.microseconds, at: 2)
            try lock.run()
            return id
        }
    }

    /// Removes all rows of an account but the note that it has left. A digest of its name stays, so that a login
    /// that is still valid does not make it anew.
    func finish(id: String) throws {
        try connection.execute("PRAGMA secure_delete = ON")
        try connection.transaction(kind: .immediate) {
            if let name = try name(id: id) { try add(nameDigest: Self.digest(name: name)) }
            for (table, column) in try AccountRows.tables(in: connection) {
                let delete = try connection.prepare("DELETE FROM \"\(table)\" WHERE \"\(column)\" = ?1")
                try delete.bind(id, at: 1)
                try delete.run()
            }
            let note = try connection.cached(
                sql: "UPDATE departed SET name = NULL, target = NULL WHERE id = ?1"
            )
            try note.bind(id, at: 1)
            try note.run()
        }
        try connection.execute("VACUUM")
        try connection.checkpoint(mode: .truncate)
    }

    /// Notes the digest of a name.
    func add(nameDigest: [UInt8]) throws {
        let note = try connection.cached(sql: "INSERT OR IGNORE INTO departed_name (digest) VALUES (?1)")
        try note.bind(nameDigest, at: 1)
        try note.run()
    }

    private func name(id: String) throws -> String? {
        let query = try connection.cached(sql: "SELECT name FROM account WHERE id = ?1")
        defer { query.reset() }
        try query.bind(id, at: 1)
        return try query.step() ? query.string(at: 0) : nil
    }

    private func pending(name: String, target: String?) throws -> String? {
        let query = try connection.cached(sql: "SELECT id, target FROM departed WHERE name = ?1")
        defer { query.reset() }
        try query.bind(AccountName.normalized(name: name) ?? name, at: 1)
        guard try query.step() else { return nil }
        let found = query.optionalString(at: 1)
        guard found == target else { throw SyncError.accountLeaves(isMove: found != nil) }
        return query.string(at: 0)
    }

    private func find(name: String, includingRemoved: Bool) throws -> String? {
        let query = try connection.cached(
            sql: """
                SELECT id FROM account WHERE name = ?1 AND removed IS NULL OR ?2 AND id = ?3
                ORDER BY removed IS NOT NULL LIMIT 1
                """
        )
        defer { query.reset() }
        try query.bind(AccountName.normalized(name: name) ?? name, at: 1)
        try query.bind(Int64(includingRemoved ? 1 : 0), at: 2)
        try query.bind(name, at: 3)
        return try query.step() ? query.string(at: 0) : nil
    }
}

/// The tables of the registry that hold rows of accounts.
enum AccountRows {
    /// The tables with the columns that name the account.
    static func tables(in connection: Connection) throws -> [(table: String, column: String)] {
        var tables: [(table: String, column: String)] = []
        try connection.prepare(
            """
            SELECT tables.name, columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND (columns.name IN ('account', 'account_id')
                OR tables.name = 'account' AND columns.name = 'id')
            ORDER BY tables.name = 'account', tables.name
            """
        )
        .forEachRow { tables.append(($0.string(at: 0), $0.string(at: 1))) }
        return tables
    }
}
