import SyncCore

/// Drops tombstones that are older than the `tombstoneDays` of their entity, with the last values of the records.
///
/// At a remote where devices meet without a server, that is done only while all have taken everything: an edit that did
/// not know of the delete would be a new record here, and a deleted one elsewhere. A tombstone that waits, is in
/// conflict or rejected, or has other versions kept with it stays, however old it is.
struct ExpiredTombstones {
    let store: any LocalStore
    let now: Timestamp

    /// How many tombstones one transaction drops: other writers wait for it a tenth of a second at most.
    private static let countAtOnce = 500
    private static let dayMicroseconds: Int64 = 86_400_000_000

    /// Drops them if that was not done in the last day.
    func drop() throws {
        let entities = store.entities.filter { $0.tombstoneDays != nil }
        guard try !entities.isEmpty && isDue() else { return }
        let dropped = try entities.filter { try drop(of: $0) }
        if !dropped.isEmpty { try store.overwriteRemains(of: dropped) }
        try store.write(.noted) {
            try $0.setValue(StoreValue.tombstonesDropped, value: "\(now.microseconds)")
        }
    }

    private func isDue() throws -> Bool {
        let last = try store.read { try $0.value(name: StoreValue.tombstonesDropped) }.flatMap { Int64($0) }
        guard let last else { return true }
        // A clock that was set back must not postpone it.
        return !(last...(last + Self.dayMicroseconds - 1)).contains(now.microseconds)
    }

    /// Drops the expired tombstones of an entity. Returns whether there were any.
    private func drop(of entity: EntityDescriptor) throws -> Bool {
        let age = Int64(entity.tombstoneDays ?? 0).multipliedReportingOverflow(by: Self.dayMicroseconds)
        let (cutoff, isTooLong) = now.microseconds.subtractingReportingOverflow(age.partialValue)
        guard !age.overflow, !isTooLong else { return false }
        var hasDropped = false
        while true {
            let count = try store.write(.noted) { transaction in
                let keys = try transaction.tombstones(
                    entity: entity,
                    before: Timestamp(microseconds: cutoff),
                    limit: Self.countAtOnce
                )
                try noteOwnEdits(of: keys, entity: entity, transaction: transaction)
                try transaction.drop(tombstones: keys, entity: entity)
                return keys.count
            }
            hasDropped = hasDropped || count > 0
            if count < Self.countAtOnce { return hasDropped }
        }
    }

    /// Notes up to which own edit the store may no longer know what the remote holds.
    private func noteOwnEdits(
        of keys: [RecordKey],
        entity: EntityDescriptor,
        transaction: any StoreTransaction
    ) throws {
        let device = try Incarnation.device(snapshot: transaction)
        let sequences = try keys.map { key in
            try transaction.header(entity: entity, key: key)?.metadata.vector[device] ?? 0
        }
        let known = try transaction.forgottenSequence(of: device)
        guard let highest = sequences.max(), highest > known else { return }
        try transaction.setValue(StoreValue.forgottenSequence, value: "\(device) \(highest)")
    }
}

extension StoreValue {
    /// When expired tombstones were last dropped, in microseconds.
    static let tombstonesDropped = "tombstones-dropped"
    /// The highest number of an own edit of a record whose tombstone was dropped, after the identity.
    static let forgottenSequence = "forgotten-sequence"
}

extension StoreSnapshot {
    /// The highest number of an own edit whose record's tombstone this store has dropped; 0 for none.
    func forgottenSequence(of device: DeviceID) throws -> Int64 {
        let parts = try value(name: StoreValue.forgottenSequence)?.split(separator: " ") ?? []
        guard parts.count == 2, DeviceID(String(parts[0])) == device else { return 0 }
        return Int64(parts[1]) ?? 0
    }
}
