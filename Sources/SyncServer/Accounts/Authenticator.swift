/// Finds the account that a token belongs to.
public protocol Authenticator: Sendable {
    /// The most UTF-8 bytes of a token. A longer one is refused unread.
    var maxTokenBytes: Int { get }

    /// Loads what `authenticate` needs for this token and does not have, for example the keys of a login. Called
    /// before it, where waiting occupies no thread.
    func prepare(token: String) async

    /// The account of a token; nil for an invalid token. Throws `WireError` for a token that is known and not
    /// accepted, and other errors if the accounts cannot be read.
    func authenticate(token: String) throws -> Account?

    /// The account of a token, as `authenticate(token:)` finds it.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - admitNew: Limits logins without an account: is called before one is added, or looked for further. What it
    ///     throws is thrown here.
    func authenticate(token: String, admitNew: () throws -> Void) throws -> Account?
}

extension Authenticator {
    /// Enough for the tokens of the accounts' file.
    public var maxTokenBytes: Int { 1024 }

    /// Does nothing: everything is at hand.
    public func prepare(token: String) async {}

    /// Finds the account by the token alone: nothing is added.
    public func authenticate(token: String, admitNew: () throws -> Void) throws -> Account? {
        try authenticate(token: token)
    }
}
