public import SyncCore

/// Makes a store that was copied from a backup fit to sync beside the devices that went on meanwhile.
public struct RestoredStore {
    private let store: any LocalStore
    private let random: any RandomSource

    /// Prepares a store that nobody uses yet.
    public init(store: any LocalStore, random: any RandomSource) {
        (self.store, self.random) = (store, random)
    }

    /// Gives the store a new identity and lets the next sync read everything anew. It goes on with the same remote.
    ///
    /// Edits that the backup holds and no remote had when it was made become edits of the new identity. Records that the
    /// remote does not have any more were deleted, if their tombstones may have been dropped since the backup; otherwise the
    /// remote has lost them, and gets them again.
    ///
    /// - Parameters:
    ///   - madeAt: When the backup was made; nil if unknown.
    ///   - now: The present time.
    public func takeNewIdentity(madeAt: Timestamp?, now: Timestamp) throws {
        let binding = try store.read { try $0.value(name: StoreValue.binding) }
        try NewIncarnation(store: store, random: random).take(
            IncarnationRenewal(comparing: mayLackTombstones(madeAt: madeAt, now: now) ? .deleted : .lost)
        )
        // Another remote must not get the records of this one unasked.
        try store.write(.full) { try $0.setValue(StoreValue.binding, value: binding) }
    }

    private func mayLackTombstones(madeAt: Timestamp?, now: Timestamp) -> Bool {
        guard let days = store.entities.compactMap(\.tombstoneDays).min() else { return false }
        guard let madeAt else { return true }
        return now.microseconds - madeAt.microseconds >= Int64(days) * 86_400_000_000
    }
}
