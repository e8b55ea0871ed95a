/// Accounts whose tombstones could not be removed; those of all others were.
public struct PurgeError: Error, Sendable, Hashable {
    /// The accounts, sorted.
    public var failures: [Failure]
    /// How many tombstones went all the same.
    public var removed: Int

    /// One account, and why.
    public struct Failure: Sendable, Hashable {
        /// The account's id.
        public var account: String
        /// What failed, without anything that a person wrote.
        public var cause: String
    }

    /// One sentence with the accounts' ids; the first few where there are many.
    public var message: String {
        let shown = failures.prefix(10).map { "\($0.account) (\($0.cause))" }.joined(separator: ", ")
        let rest = failures.count > 10 ? " and \(failures.count - 10) more" : ""
        return "The tombstones of \(failures.count == 1 ? "an account" : "\(failures.count) accounts")"
            + " could not be removed: \(shown)\(rest)."
    }
}
