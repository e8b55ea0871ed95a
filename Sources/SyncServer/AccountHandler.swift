/// Answers an account's requests under `/v1`. Clock and randomness are passed in; the only state is the store.
public protocol AccountHandler: Sendable {
    /// Answers one request of an authenticated account. Throws `WireError`.
    func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer
}
