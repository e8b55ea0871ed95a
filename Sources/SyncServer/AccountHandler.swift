/// Answers an account's requests under `/v1`. Clock and randomness are passed in; the only state is the store.
public protocol AccountHandler: Sendable {
    /// Answers one request of an authenticated account. Throws `WireError`.
    func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer
}

/// Removes expired tombstones.
public protocol TombstonePurger: Sendable {
    /// Removes tombstones of one account, or of all (nil), that are older than the given days, or as the schemas say
    /// (nil). Returns their number.
    func purgeTombstones(account: String?, olderThanDays: Int?) async throws -> Int
}
