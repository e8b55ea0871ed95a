package import SyncCore

/// The times up to which tombstones may be removed.
package struct TombstoneCutoffs: Sendable, Hashable {
    /// The cutoff of all other entities: tombstones that the server stored at this time or before are removed.
    package var otherwise: Timestamp
    /// The cutoffs of entities by name.
    package var entities: [String: Timestamp] = [:]

    /// The cutoff of an entity.
    package subscript(entity: String) -> Timestamp { entities[entity] ?? otherwise }
}

/// The result of a purge.
package struct PurgeResult: Sendable, Hashable {
    /// The number of tombstones removed.
    package var removed: Int
    /// For each entity with remaining tombstones, the time at which its oldest one was stored.
    package var oldest: [String: Timestamp]

    /// Makes the result of a purge.
    package init(removed: Int, oldest: [String: Timestamp]) {
        (self.removed, self.oldest) = (removed, oldest)
    }
}
