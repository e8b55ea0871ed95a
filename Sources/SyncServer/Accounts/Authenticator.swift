/// Finds the account that a token belongs to.
public protocol Authenticator: Sendable {
    /// The account of a token; nil for an invalid token. Throws if the accounts cannot be read.
    func authenticate(token: String) throws -> Account?
}
