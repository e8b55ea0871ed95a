package import SyncCore

/// From which time on tombstones are kept.
package struct TombstoneCutoffs: Sendable, Hashable {
    /// For entities that are not named: the server's time at which a tombstone must have been stored to go,
    /// or before.
    package var otherwise: Timestamp
    /// The same for entities by name.
    package var entities: [String: Timestamp] = [:]

    /// The cutoff of an entity.
    package subscript(entity: String) -> Timestamp { entities[entity] ?? otherwise }
}

/// What a purge has done.
package struct PurgeResult: Sendable, Hashable {
    /// The number of tombstones that went.
    package var removed: Int
    /// For each entity with tombstones left the time at which its oldest was stored.
    package var oldest: [String: Timestamp]

    /// Makes the result of a purge.
    package init(removed: Int, oldest: [String: Timestamp]) {
        (self.removed, self.oldest) = (removed, oldest)
    }
}
