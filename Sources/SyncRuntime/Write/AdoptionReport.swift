/// What adopting the guest's records did, or would do.
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

/// Counts for one entity. Each record counts once: as moved, merged or duplicate.
public struct AdoptionCounts: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// Records that were new to the account.
    public var moved = 0
    /// Records whose key the account had already: both versions were merged by the entity's strategy.
    public var merged = 0
    /// Records whose `unique` values the account had under another key: the record with the smaller key survives.
    public var duplicates = 0
    /// How many merged records and duplicates a person must decide on.
    public var conflicts = 0

    /// Counts nothing yet.
    public init(entity: String) {
        self.entity = entity
    }
}
