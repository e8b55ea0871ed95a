import SyncCore

/// Collects what waits to be pushed, and records what the remote acknowledged.
struct Push {
    let entities: [EntityDescriptor]

    /// A collected change and what is known of it here. An agreement that only joins times counts as no edit.
    ///
    /// NB: one reference, as each of a push is handed on several times, and a copy would count all that it holds.
    final class Outgoing: Sendable {
        let change: OutgoingChange
        /// The store's number for the record's row.
        let row: Int64
        let isEdit: Bool
        /// Whether a base stands beside the record.
        let hasBase: Bool

        init(change: OutgoingChange, row: Int64, isEdit: Bool, hasBase: Bool) {
            self.change = change
            self.row = row
            self.isEdit = isEdit
            self.hasBase = hasBase
        }
    }

    /// A record of an entity.
    struct Item: Hashable {
        var entity: String
        var key: RecordKey
    }

    /// Pending versions, as many as the limit allows: parents before children, then tombstones the other way.
    func collect(
        _ snapshot: any StoreSnapshot,
        limit: PushLimit = .none,
        leavingOut isLeftOut: (EntityDescriptor, PendingRecord) -> Bool = { _, _ in false }
    ) throws -> [Outgoing] {
        var batch = Batch(limit: limit)
        let unclean = try snapshot.unclean()
        let entities = entities.filter { unclean.contains($0.name) }
        for isDeleted in [false, true] {
            for entity in isDeleted ? entities.reversed() : entities {
                try collect(
                    entity: entity,
                    isDeleted: isDeleted,
                    snapshot: snapshot,
                    into: &batch,
                    isLeftOut: isLeftOut
                )
                if batch.isFull { return batch.changes }
            }
        }
        return batch.changes
    }

    private struct Batch {
        let limit: PushLimit
        var changes: [Outgoing] = []
        var bytes = 0
        var isFull = false

        mutating func append(_ outgoing: Outgoing) {
            let (sum, overflow) = bytes.addingReportingOverflow(outgoing.change.body.count)
            isFull = changes.count >= limit.changes || overflow || (sum > limit.bytes && !changes.isEmpty)
            guard !isFull else { return }
            changes.append(outgoing)
            bytes = sum
            isFull = changes.count == limit.changes
        }
    }

    private func collect(
        entity: EntityDescriptor,
        isDeleted: Bool,
        snapshot: any StoreSnapshot,
        into batch: inout Batch,
        isLeftOut: (EntityDescriptor, PendingRecord) -> Bool
    ) throws {
        try snapshot.pending(entity: entity, areDeleted: isDeleted) { pending in
            guard !isLeftOut(entity, pending) else { return true }
            batch.append(try outgoing(pending: pending, entity: entity, snapshot: snapshot))
            return !batch.isFull
        }
    }

    private func outgoing(
        pending: PendingRecord,
        entity: EntityDescriptor,
        snapshot: any StoreSnapshot
    ) throws -> Outgoing {
        let isDeleted = pending.header.visibility == .deleted
        var replaces = [pending.base].compactMap { $0 }
        if pending.header.hasHeads {
            // NB: a head that the edit has not seen was not shown to its person, and stays.
            let heads = try snapshot.heads(entity: entity, key: pending.key)
                .filter { pending.header.metadata.vector.covers($0.metadata.vector) }
                .map(\.metadata.editTimestamp)
            replaces = Array(Set(replaces + heads)).sorted()
        }
        return Outgoing(
            change: OutgoingChange(
                entity: entity.name,
                key: pending.key,
                isDeleted: isDeleted,
                mergedInto: isDeleted ? pending.mergedInto : nil,
                metadata: pending.header.metadata,
                replaces: replaces,
                base: pending.revision,
                body: pending.body
            ),
            row: pending.row,
            isEdit: pending.base == nil || !pending.isAgreed,
            hasBase: pending.base != nil
        )
    }
}
