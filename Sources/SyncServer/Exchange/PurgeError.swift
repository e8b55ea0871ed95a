/// Thrown when the tombstones of some accounts could not be removed. All other accounts were purged.
public struct PurgeError: Error, Sendable, Hashable {
    /// The failed accounts, sorted.
    public var accounts: [FailedAccount]
    /// The number of tombstones removed from the other accounts.
    public var removed: Int

    /// A failed account and the cause.
    public struct FailedAccount: Sendable, Hashable {
        /// The account's id.
        public var account: String
        /// What failed, without any user data.
        public var cause: String

        /// Makes what is known of a failed account.
        package init(account: String, cause: String) {
            (self.account, self.cause) = (account, cause)
        }
    }

    /// Makes the error of a purge.
    package init(accounts: [FailedAccount], removed: Int) {
        (self.accounts, self.removed) = (accounts, removed)
    }

    /// One sentence with the account ids, or the first few of many.
    public var message: String {
        let shown = accounts.prefix(10).map { "\($0.account) (\($0.cause))" }.joined(separator: ", ")
        let rest = accounts.count > 10 ? " and \(accounts.count - 10) more" : ""
        return "The tombstones of \(accounts.count == 1 ? "an account" : "\(accounts.count) accounts")"
            + " could not be removed: \(shown)\(rest)."
    }
}
