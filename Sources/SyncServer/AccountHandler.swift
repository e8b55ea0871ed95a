/// Answers what an account asks under `/v1`. Pure but for its store: clock and randomness are passed in.
public protocol AccountHandler: Sendable {
    /// Answers one request of an account that was authenticated. Throws `WireError`.
    func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer
}
