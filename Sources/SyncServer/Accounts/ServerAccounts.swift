import Foundation
public import SyncCore
import SyncSQLite
import SyncWire

/// The accounts of a server, in `accounts.sqlite`.
///
/// An account has any number of tokens, each with a label. Tokens are stored as SHA-256 digests only. An account is
/// found by the digest, so the time of a comparison reveals nothing about the token. Every call reads the file, so
/// changes by another process take effect at once.
public final class ServerAccounts: Authenticator, @unchecked Sendable {
    /// The file's name in the data folder.
    public static let fileName = "accounts.sqlite"
    /// The label of the token that an account gets when it is added.
    public static let firstLabel = "first"
    /// The longest name in UTF-8 bytes.
    public static let maxNameBytes = 128

    // Guarded by `lock`.
    private let connection: Connection
    private let lock = NSLock()
    let clock: any SyncClock
    let random: any RandomSource

    /// Opens the accounts in a data folder. Creates the folder (0700) and the file (0600) if they are missing.
    ///
    /// - Parameters:
    ///   - directory: The server's data folder.
    ///   - clock: Provides the time at which an account is added.
    ///   - random: The source of ids and tokens. It must be cryptographically secure.
    ///   - mustExist: If true, a folder without accounts is an error and nothing is created.
    /// - Throws: `SyncError`.
    public init(
        directory: String,
        clock: any SyncClock,
        random: any RandomSource,
        mustExist: Bool = false
    ) throws {
        if mustExist { try AccountFile.require(directory: directory) }
        connection = try AccountFile.open(directory: directory)
        self.clock = clock
        self.random = random
    }

    /// Adds an account and returns its token, which cannot be read again.
    ///
    /// - Parameters:
    ///   - name: A display name of 1 to 128 bytes with visible characters. It is stored in composed form
    ///     (NFC).
    ///   - entities: The entities that the account may exchange; nil for all.
    /// - Throws: `SyncError`: `usage` for an invalid name, `invalidInput` if another account has this name or
    ///   a confusable one.
    public func add(name: String, entities: Set<String>? = nil) throws -> String {
        guard let name = AccountName.normalized(name: name) else { throw SyncError.badAccountName() }
        let token = Token.make(random)
        try write { connection in
            guard try !Self.isTaken(name: name, connection: connection) else {
                throw SyncError.accountExists()
            }
            let id = random.uuid()
            try insertAccount(id: id, name: name, entities: entities, connection: connection)
            try insertToken(token, label: Self.firstLabel, account: id, expires: nil, connection: connection)
        }
        return token
    }

    /// Replaces all tokens of the account by a new one, and returns it. The old tokens are invalid at once. Throws
    /// `SyncError` `notFound`.
    public func newToken(name: String) throws -> String {
        let token = Token.make(random)
        try write { connection in
            guard let id = try Self.id(name: name, connection: connection) else {
                throw SyncError.noAccount()
            }
            let delete = try connection.cached(sql: "DELETE FROM token WHERE account = ?1")
            try delete.bind(id, at: 1)
            try delete.run()
            try insertToken(token, label: Self.firstLabel, account: id, expires: nil, connection: connection)
        }
        return token
    }

    /// Removes an account: its tokens become invalid, its data stays. The name may be given to a new account,
    /// which does not see the old data. Throws `SyncError` `notFound`.
    public func remove(_ name: String) throws {
        try write { connection in
            guard let id = try Self.id(name: name, connection: connection) else {
                throw SyncError.noAccount()
            }
            let update = try connection.cached(sql: "UPDATE account SET removed = ?2 WHERE id = ?1")
            try update.bind(id, at: 1)
            try update.bind(clock.now().microseconds, at: 2)
            try update.run()
        }
    }

    /// All accounts, including removed ones, sorted by name (bytes), then by the time they were added.
    public func list() throws -> [AccountEntry] {
        try read { connection in
            let query = try connection.cached(
                sql: "SELECT id, name, entities, created, removed FROM account ORDER BY name, created, id"
            )
            var entries: [AccountEntry] = []
            while try query.step() {
                entries.append(
                    AccountEntry(
                        account: try Self.account(row: query),
                        added: Timestamp(microseconds: query.int64(at: 3)),
                        removed: query.optionalInt64(at: 4).map { Timestamp(microseconds: $0) }
                    )
                )
            }
            return entries
        }
    }

    /// The account of a token; nil if the token is invalid or its account was removed. Throws `WireError` for a
    /// token that has expired, and `SyncError` if the accounts cannot be read.
    public func authenticate(token: String) throws -> Account? {
        guard let hash = Token.hash(token: token) else { return nil }
        return try read { connection in
            let query = try connection.cached(
                sql: """
                    SELECT account.id, name, entities, expires FROM token JOIN account ON account.id = token.account
                    WHERE hash = ?1 AND removed IS NULL
                    """
            )
            try query.bind(hash, at: 1)
            defer { query.reset() }
            guard try query.step() else { return nil }
            if let expires = query.optionalInt64(at: 3), expires <= clock.now().microseconds {
                throw WireError.expiredToken
            }
            return try Self.account(row: query)
        }
    }
}

/// An account as listed by the command line.
public struct AccountEntry: Sendable, Hashable {
    /// The account.
    public var account: Account
    /// When the account was added.
    public var added: Timestamp
    /// When the account was removed; nil if it is active.
    public var removed: Timestamp?

    /// Makes an entry.
    public init(account: Account, added: Timestamp, removed: Timestamp? = nil) {
        self.account = account
        self.added = added
        self.removed = removed
    }
}

extension ServerAccounts {
    func read<Result>(body: (Connection) throws -> Result) throws -> Result {
        try AccountFile.withErrors { try lock.withLock { try body(connection) } }
    }

    /// The SQL of the statements that were run, for tests.
    var statements: [String] { lock.withLock { connection.statements } }

    func write<Result>(body: (Connection) throws -> Result) throws -> Result {
        try read { connection in try connection.transaction(kind: .immediate) { try body(connection) } }
    }

    /// Adds an account that has no token yet. The name must be in its stored form, and free.
    func insertAccount(id: String, name: String, entities: Set<String>?, connection: Connection) throws {
        let insert = try connection.cached(
            sql: "INSERT INTO account (id, name, entities, created, key) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        try insert.bind(id, at: 1)
        try insert.bind(name, at: 2)
        try insert.bind(try entities.map(Self.encode), at: 3)
        try insert.bind(clock.now().microseconds, at: 4)
        try insert.bind(AccountName.key(name: name), at: 5)
        try insert.run()
    }

    /// Whether an active account has this name or a confusable one.
    static func isTaken(name: String, connection: Connection) throws -> Bool {
        let query = try connection.cached(
            sql: "SELECT 1 FROM account WHERE key = ?1 AND removed IS NULL LIMIT 1"
        )
        try query.bind(AccountName.key(name: name), at: 1)
        defer { query.reset() }
        return try query.step()
    }

    /// The id of the active account with this name, as given or in its stored form.
    static func id(name: String, connection: Connection) throws -> String? {
        if let id = try storedID(name: name, connection: connection) { return id }
        return try AccountName.normalized(name: name).flatMap {
            try storedID(name: $0, connection: connection)
        }
    }

    private static func storedID(name: String, connection: Connection) throws -> String? {
        let query = try connection.cached(sql: "SELECT id FROM account WHERE name = ?1 AND removed IS NULL")
        try query.bind(name, at: 1)
        defer { query.reset() }
        return try query.step() ? query.string(at: 0) : nil
    }

    /// Reads the columns id, name and entities.
    static func account(row: Statement) throws -> Account {
        Account(
            id: row.string(at: 0),
            name: row.string(at: 1),
            entities: try row.optionalBytes(at: 2).map(decode)
        )
    }

    /// Encodes names as a JSON array, sorted by bytes.
    private static func encode(_ entities: Set<String>) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let names = entities.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return String(decoding: try encoder.encode(names), as: UTF8.self)
    }

    private static func decode(_ bytes: [UInt8]) throws -> Set<String> {
        try JSONDecoder().decode(Set<String>.self, from: Data(bytes))
    }
}
