import SyncCore
import SyncSQLite
import SyncWire

extension ServerAccounts {
    /// The account of somebody who has logged in elsewhere, for example with a JSON Web Token.
    ///
    /// NB: the name is taken byte for byte. A name that is only stored in another form, or that looks like another
    /// account's, is refused: otherwise whoever chooses his own name at the login could take somebody else's account.
    ///
    /// - Parameters:
    ///   - login: The name that the login vouches for.
    ///   - issuer: Who vouches, if the id of an account that is added follows from issuer and name (`LoginID`), and is
    ///     thus the same on every machine; nil for a random id. An account that is there keeps its id.
    ///   - mayAdd: Whether an account is added if there was never one of this name. An account that was removed, erased
    ///     or moved away does not come back by itself; `add` brings the name back.
    ///   - admitNew: Called for a login without an active account, before anything else is looked up or added.
    /// - Throws: `WireError` `forbidden` if there is no account for it, `SyncError` if the accounts cannot be read, or
    ///   what `admitNew` throws.
    public func account(
        login: String,
        issuer: String? = nil,
        mayAdd: Bool,
        admitNew: () throws -> Void = {}
    ) throws -> Account {
        // NB: `==` of two strings ignores how a letter is composed, and the bytes are what counts here.
        guard let name = AccountName.normalized(name: login), name.utf8.elementsEqual(login.utf8) else {
            throw WireError.badLoginName
        }
        if let account = try read(body: { try Self.active(name: name, connection: $0) }) { return account }
        try admitNew()
        try read { try Self.checkIsFree(login: name, mayAdd: mayAdd, connection: $0) }
        return try write { connection in
            // Another request may have added it in the meantime.
            if let account = try Self.active(name: name, connection: connection) { return account }
            try Self.checkIsFree(login: name, mayAdd: mayAdd, connection: connection)
            let id = issuer.map { LoginID.make(issuer: $0, subject: name) } ?? random.uuid()
            try insertAccount(id: id, name: name, entities: nil, connection: connection)
            return Account(id: id, name: name)
        }
    }

    /// The active account with exactly this name.
    private static func active(name: String, connection: Connection) throws -> Account? {
        let query = try connection.cached(
            sql: "SELECT id, name, entities FROM account WHERE name = ?1 AND removed IS NULL"
        )
        try query.bind(name, at: 1)
        defer { query.reset() }
        return try query.step() ? account(row: query) : nil
    }

    /// Throws `WireError` unless an account may be added for a login without one.
    private static func checkIsFree(login name: String, mayAdd: Bool, connection: Connection) throws {
        guard try !wasRemoved(name: name, connection: connection) else { throw WireError.removedLogin }
        guard mayAdd else { throw WireError.unknownLogin }
        guard try !isTaken(name: name, connection: connection) else { throw WireError.confusableLogin }
    }

    /// Whether an account of this name, or of one that looks like it, was removed, erased or moved away.
    private static func wasRemoved(name: String, connection: Connection) throws -> Bool {
        let query = try connection.cached(
            sql: "SELECT 1 FROM account WHERE key = ?1 AND removed IS NOT NULL LIMIT 1"
        )
        try query.bind(AccountName.key(name: name), at: 1)
        defer { query.reset() }
        return try query.step() || DepartedAccounts.holds(name: name, in: connection)
    }
}

/// All errors of logins, with their wording.
extension WireError {
    static let badLoginName = refusedLogin(
        detail: "The name in the login cannot be the name of an account.",
        cause: "a login with a name that no account can have"
    )
    static let unknownLogin = refusedLogin(
        detail: "There is no account for this login.",
        cause: "a login without an account"
    )
    static let removedLogin = refusedLogin(
        detail: "The account of this login was removed.",
        cause: "a login of a removed account"
    )
    static let confusableLogin = refusedLogin(
        detail: "Another account has a name that looks like the one in the login.",
        cause: "a login with a name that looks like another account's"
    )

    private static func refusedLogin(detail: String, cause: String) -> WireError {
        var error = WireError(code: .forbidden, detail: detail)
        error.cause = cause
        return error
    }
}
