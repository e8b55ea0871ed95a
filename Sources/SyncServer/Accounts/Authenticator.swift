/// Finds the account that a token belongs to.
public protocol Authenticator: Sendable {
    /// The account, nil for a token that is not valid. Throws when the accounts cannot be read.
    func authenticate(token: String) throws -> Account?
}
