/// Provides tokens: from the environment, a file or a keychain.
public protocol CredentialSource: Sendable {
    /// The present token. Throws `SyncError` `notPermitted` if there is none.
    func token() async throws -> String
    /// A token to replace a refused one; nil if there is no other. Called once for all requests that are
    /// refused at the same time.
    func refresh(refused: String) async throws -> String?
}
