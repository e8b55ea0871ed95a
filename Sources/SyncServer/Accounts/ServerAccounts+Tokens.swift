public import SyncCore
import SyncSQLite

/// A token of an account, without the token itself.
public struct AccountToken: Sendable, Hashable {
    /// Eight digits of the token's digest, which tell tokens of one label apart.
    public var id: String
    /// A name for people, for example of the device that has it.
    public var label: String
    /// When the token was made.
    public var created: Timestamp
    /// When the token ends; nil for one that does not end by itself.
    public var expires: Timestamp?
}

extension ServerAccounts {
    /// The most tokens of one account.
    public static let maxTokens = 100

    /// Adds a token to an account and returns it. The account's other tokens go on.
    ///
    /// - Parameters:
    ///   - name: The account's name.
    ///   - label: A name for people. An account has no two tokens of one label, except during a rotation.
    ///   - expires: When the token ends; nil for one that does not end by itself.
    /// - Throws: `SyncError`.
    public func addToken(name: String, label: String, expires: Timestamp? = nil) throws -> String {
        guard let label = AccountName.normalized(name: label) else { throw SyncError.badTokenLabel() }
        let token = Token.make(random)
        try write { connection in
            let id = try Self.requiredID(name: name, connection: connection)
            let present = try Self.tokens(account: id, connection: connection)
            guard present.allSatisfy({ $0.token.label != label }) else { throw SyncError.tokenExists() }
            guard present.count < Self.maxTokens else { throw SyncError.tooManyTokens() }
            try insertToken(token, label: label, account: id, expires: expires, connection: connection)
        }
        return token
    }

    /// The tokens of an account, in the order in which they were made. Throws `SyncError`.
    public func tokens(name: String) throws -> [AccountToken] {
        try read { connection in
            let id = try Self.requiredID(name: name, connection: connection)
            return try Self.tokens(account: id, connection: connection).map(\.token)
        }
    }

    /// The number of tokens of each account, by the account's id. Throws `SyncError`.
    public func tokenCounts() throws -> [String: Int] {
        try read { connection in
            var counts: [String: Int] = [:]
            try connection.cached(sql: "SELECT account, count(*) FROM token GROUP BY account").forEachRow {
                counts[$0.string(at: 0)] = Int($0.int64(at: 1))
            }
            return counts
        }
    }

    /// Ends every token of an account that has this label or id, at once. Throws `SyncError` `notFound`.
    public func revokeToken(_ labelOrID: String, name: String) throws {
        try write { connection in
            let id = try Self.requiredID(name: name, connection: connection)
            let found = try Self.tokens(account: id, connection: connection).filter { $0.matches(labelOrID) }
            guard !found.isEmpty else { throw SyncError.noAccountToken() }
            for row in found { try Self.delete(hash: row.hash, connection: connection) }
        }
    }

    /// Makes a new token with the label of another one, which goes on for a while, and returns the new one.
    ///
    /// - Parameters:
    ///   - labelOrID: The token to replace.
    ///   - name: The account's name.
    ///   - expires: When the new token ends; nil for one that does not end by itself.
    ///   - graceSeconds: How long the old token goes on; 0 ends it at once. A token never gets more time by this.
    /// - Throws: `SyncError`.
    public func rotateToken(
        _ labelOrID: String,
        name: String,
        expires: Timestamp? = nil,
        graceSeconds: Int64
    ) throws -> String {
        let token = Token.make(random)
        try write { connection in
            let id = try Self.requiredID(name: name, connection: connection)
            let present = try Self.tokens(account: id, connection: connection)
            let old = present.filter { $0.matches(labelOrID) }
            guard let label = old.first?.token.label else { throw SyncError.noAccountToken() }
            guard present.count < Self.maxTokens else { throw SyncError.tooManyTokens() }
            let end = clock.now().adding(seconds: max(0, graceSeconds)).microseconds
            for row in old where graceSeconds <= 0 { try Self.delete(hash: row.hash, connection: connection) }
            for row in old where graceSeconds > 0 && row.token.expires?.microseconds ?? .max > end {
                let update = try connection.cached(sql: "UPDATE token SET expires = ?2 WHERE hash = ?1")
                try update.bind(row.hash, at: 1)
                try update.bind(end, at: 2)
                try update.run()
            }
            try insertToken(token, label: label, account: id, expires: expires, connection: connection)
        }
        return token
    }

    /// Stores a token's digest.
    func insertToken(
        _ token: String,
        label: String,
        account: String,
        expires: Timestamp?,
        connection: Connection
    ) throws {
        let insert = try connection.cached(
            sql: "INSERT INTO token (hash, account, label, created, expires) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        try insert.bind(Token.hash(token: token), at: 1)
        try insert.bind(account, at: 2)
        try insert.bind(label, at: 3)
        try insert.bind(clock.now().microseconds, at: 4)
        try insert.bind(expires?.microseconds, at: 5)
        try insert.run()
    }

    /// A token and its digest.
    private struct TokenRow {
        var hash: [UInt8]
        var token: AccountToken

        /// Whether the token has this label or id.
        func matches(_ labelOrID: String) -> Bool {
            token.id == labelOrID || token.label == AccountName.normalized(name: labelOrID)
        }
    }

    private static func requiredID(name: String, connection: Connection) throws -> String {
        guard let id = try id(name: name, connection: connection) else { throw SyncError.noAccount() }
        return id
    }

    private static func delete(hash: [UInt8], connection: Connection) throws {
        let delete = try connection.cached(sql: "DELETE FROM token WHERE hash = ?1")
        try delete.bind(hash, at: 1)
        try delete.run()
    }

    private static func tokens(account: String, connection: Connection) throws -> [TokenRow] {
        let query = try connection.cached(
            sql: "SELECT hash, label, created, expires FROM token WHERE account = ?1 ORDER BY created, hash"
        )
        try query.bind(account, at: 1)
        defer { query.reset() }
        var rows: [TokenRow] = []
        while try query.step() {
            let hash = query.optionalBytes(at: 0) ?? []
            let token = AccountToken(
                id: hash.prefix(4).hexadecimal,
                label: query.string(at: 1),
                created: Timestamp(microseconds: query.int64(at: 2)),
                expires: query.optionalInt64(at: 3).map { Timestamp(microseconds: $0) }
            )
            rows.append(TokenRow(hash: hash, token: token))
        }
        return rows
    }
}
