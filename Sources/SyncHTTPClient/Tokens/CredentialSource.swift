/// Where tokens come from: the environment, a file, a keychain.
public protocol CredentialSource: Sendable {
    /// The token to send now. Throws `SyncError` `notPermitted` when there is none.
    func token() async throws -> String
    /// A token to use instead of one that was refused; nil when there is no other. Called once for all requests that
    /// meet the same refusal at the same time.
    func refresh(refused: String) async throws -> String?
}
