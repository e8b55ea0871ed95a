public import SyncCore

/// Makes a store that was copied from a backup fit to sync beside the devices that went on meanwhile.
public struct RestoredStore {
    private let store: any LocalStore
    private let random: any RandomSource

    /// Prepares a store that nobody uses yet.
    package init(store: any LocalStore, random: any RandomSource) {
        (self.store, self.random) = (store, random)
    }

    /// Gives the store a new identity and lets the next sync read everything anew. It goes on with the same remote.
    ///
    /// Edits that the backup holds and no remote had when it was made keep their names. They may have been sent since, and
    /// whatever has seen them has their names, so that they neither undo nor meet it. Records that the remote does not have
    /// any more were deleted, if their tombstones may have been dropped since the backup; otherwise the remote has lost
    /// them, and gets them again.
    ///
    /// - Parameters:
    ///   - madeAt: When the backup was made; nil if unknown.
    ///   - now: The present time.
    public func takeNewIdentity(madeAt: Timestamp?, now: Timestamp) throws {
        let binding = try store.read { try $0.value(name: StoreValue.binding) }
        try NewIncarnation(store: store, random: random).take(
            IncarnationRenewal(comparing: mayLackTombstones(madeAt: madeAt, now: now) ? .deleted : .lost),
            renamingUnsent: false
        )
        // Another remote must not get the records of this one unasked.
        try store.write(.full) { try $0.setValue(StoreValue.binding, value: binding) }
    }

    /// Adds the journal of the store that the backup replaces, if both are of one device: it may be the only place of a
    /// value that lost. What is in both is there once.
    package func takeJournal(of former: any LocalStore) throws {
        func identities(_ snapshot: any StoreSnapshot) throws -> Set<DeviceID> {
            Set(try snapshot.formerIncarnations() + [Incarnation.device(snapshot: snapshot)])
        }
        let (theirs, entries) = try former.read { (try identities($0), try $0.journal()) }
        try store.write(.full) { transaction in
            guard try !identities(transaction).isDisjoint(with: theirs) else { return }
            for entry in entries { try transaction.addJournal(entry) }
        }
    }

    private func mayLackTombstones(madeAt: Timestamp?, now: Timestamp) -> Bool {
        guard let days = store.entities.compactMap(\.tombstoneDays).min() else { return false }
        guard let madeAt else { return true }
        return now.microseconds - madeAt.microseconds >= Int64(days) * 86_400_000_000
    }
}
