import SyncCore

/// Collects what waits to be pushed, and records what the remote acknowledged.
struct Pusher {
    let entities: [EntityDescriptor]

    /// A collected change and what is known of it here. An agreement that only joins times counts as no edit.
    struct Outgoing {
        var change: OutgoingChange
        var isEdit: Bool
        /// Whether a base stands beside the record.
        var hasBase: Bool
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
        leavingOut isLeftOut: (Item) -> Bool = { _ in false }
    ) throws -> [Outgoing] {
        var batch = Batch(limit: limit)
        for isDeleted in [false, true] {
            for entity in isDeleted ? entities.reversed() : entities {
                try collect(entity, isDeleted: isDeleted, snapshot, into: &batch, isLeftOut)
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
        _ entity: EntityDescriptor,
        isDeleted: Bool,
        _ snapshot: any StoreSnapshot,
        into batch: inout Batch,
        _ isLeftOut: (Item) -> Bool
    ) throws {
        let encoder = RecordEncoder(entity, form: .wire)
        try snapshot.pending(entity, areDeleted: isDeleted) { pending in
            let key = pending.local.version.key
            guard !isLeftOut(Item(entity: entity.name, key: key)) else { return true }
            batch.append(try outgoing(pending, entity, encoder, snapshot))
            return !batch.isFull
        }
    }

    private func outgoing(
        _ pending: PendingRecord,
        _ entity: EntityDescriptor,
        _ encoder: RecordEncoder,
        _ snapshot: any StoreSnapshot
    ) throws -> Outgoing {
        let version = pending.local.version
        var replaces = [pending.base].compactMap { $0 }
        if pending.local.hasHeads {
            let heads = try snapshot.heads(entity, version.key).map(\.stamp.mark)
            replaces = Array(Set(replaces + heads)).sorted()
        }
        return Outgoing(
            change: OutgoingChange(
                entity: entity.name,
                key: version.key,
                isDeleted: version.isDeleted,
                mergedInto: version.isDeleted ? version.mergedInto : nil,
                stamp: version.stamp,
                replaces: replaces,
                base: pending.revision,
                body: encoder.bytes(version.record)
            ),
            isEdit: pending.base == nil || !pending.isAgreed,
            hasBase: pending.base != nil
        )
    }
}
