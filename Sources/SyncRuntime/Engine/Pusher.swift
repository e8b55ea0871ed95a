import SyncCore

/// Collects what waits to be pushed, and records what the remote acknowledged.
struct Pusher {
    let entities: [EntityDescriptor]

    /// A collected change and whether it counts as an edit: an agreement that only joins times does not.
    struct Outgoing {
        var change: OutgoingChange
        var isEdit: Bool
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
        let step = min(batch.limit.changes, 5000)
        var last: RecordKey?
        repeat {
            let keys = try snapshot.keys(entity, in: .pending, after: last, limit: step)
            for key in keys where !isLeftOut(Item(entity: entity.name, key: key)) {
                guard let header = try snapshot.header(entity, key),
                    (header.visibility == .deleted) == isDeleted,
                    let local = try snapshot.load(entity, key)
                else { continue }
                batch.append(try outgoing(local, entity, encoder, snapshot))
                if batch.isFull { return }
            }
            last = keys.count == step ? keys.last : nil
        } while last != nil
    }

    private func outgoing(
        _ local: LocalRecord,
        _ entity: EntityDescriptor,
        _ encoder: RecordEncoder,
        _ snapshot: any StoreSnapshot
    ) throws -> Outgoing {
        let version = local.version
        let base = try snapshot.side(entity, version.key, .base)
        var replaces = base.map { [$0.stamp.mark] } ?? []
        if local.hasHeads { replaces += try snapshot.heads(entity, version.key).map(\.stamp.mark) }
        let isEdit = try base == nil || snapshot.side(entity, version.key, .agreed) == nil
        return Outgoing(
            change: OutgoingChange(
                entity: entity.name,
                key: version.key,
                isDeleted: version.isDeleted,
                mergedInto: version.isDeleted ? version.mergedInto : nil,
                stamp: version.stamp,
                replaces: Array(Set(replaces)).sorted(),
                base: try snapshot.revision(entity, version.key),
                body: encoder.bytes(version.record)
            ),
            isEdit: isEdit
        )
    }
}
