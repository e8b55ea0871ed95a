/// What an adoption of the guest's records did, or would do.
public struct AdoptionReport: Sendable, Hashable {
    /// Counts by entity, every entity listed, parents first.
    public var entities: [AdoptionCounts] = []

    /// Records of the guest that were adopted, of all entities.
    public var total: Int { entities.reduce(0) { $0 + $1.moved + $1.merged + $1.duplicates } }

    /// Reports nothing yet.
    public init(entities: [AdoptionCounts] = []) {
        self.entities = entities
    }
}

/// What became of the guest's records of one entity. Each is counted once as moved, merged or duplicate.
public struct AdoptionCounts: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// New in the account, under the same key.
    public var moved = 0
    /// Under a key that the account has, too: both values met by the entity's strategy.
    public var merged = 0
    /// With `unique` values that a record of the account has under another key: the smaller key is shown, the other
    /// hides behind it.
    public var duplicates = 0
    /// How many of the merged and duplicates a person must decide.
    public var conflicts = 0

    /// Counts nothing yet.
    public init(entity: String) {
        self.entity = entity
    }
}
