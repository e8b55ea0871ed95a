/// What generated SQL is for.
public struct PostgresOptions: Sendable, Hashable {
    /// Whom a row belongs to.
    public enum Owner: String, Sendable, Hashable, CaseIterable {
        /// Each row belongs to one user, and nobody else sees it.
        case user
        /// All users of the database share all rows.
        case none
    }

    /// Whom rows belong to.
    public var owner: Owner
    /// Whether the tables may be there already. Then only what is missing is added.
    public var isExisting: Bool
    /// Whether the database lacks what Supabase has: roles, and the schema `auth`.
    public var isStandAlone: Bool

    /// Makes options; new tables in a Supabase project, with an owner, if nothing else is said.
    public init(owner: Owner = .user, isExisting: Bool = false, isStandAlone: Bool = false) {
        self.owner = owner
        self.isExisting = isExisting
        self.isStandAlone = isStandAlone
    }
}
