import SyncCore

/// Collects the changes to be pushed, and records what the remote acknowledged.
struct Push {
    let entities: [EntityDescriptor]

    /// A record of an entity.
    struct Item: Hashable {
        var entity: String
        var key: RecordKey
    }

    /// Pending versions up to the limit: parents before children, then tombstones in the opposite order. `after`: only
    /// those behind this one, in that order.
    func collect(
        _ snapshot: any StoreSnapshot,
        limit: PushLimit = .none,
        after last: PendingChange? = nil,
        leavingOut isLeftOut: (PendingChange) -> Bool = { _ in false }
    ) throws -> [PendingChange] {
        var batch = Batch(limit: limit)
        let unclean = try snapshot.unclean()
        let entities = entities.filter { unclean.contains($0.name) }
        var parts = entities.map { Part(entity: $0, isDeleted: false) }
        parts += entities.reversed().map { Part(entity: $0, isDeleted: true) }
        if let last { parts = Array(parts.drop { !$0.contains(last) }) }
        for (index, part) in parts.enumerated() where !batch.isFull {
            let after = index == 0 ? last?.handle : nil
            try collect(part, after: after, snapshot: snapshot, into: &batch, isLeftOut: isLeftOut)
        }
        return batch.changes
    }

    /// The pending tombstones of an entity, or its other pending records.
    private struct Part {
        let entity: EntityDescriptor
        let isDeleted: Bool

        func contains(_ pending: PendingChange) -> Bool {
            let header = pending.change.header
            return header.entity == entity.name && (header.kind == .delete) == isDeleted
        }
    }

    private struct Batch {
        let limit: PushLimit
        var changes: [PendingChange] = []
        var bytes = 0
        var isFull = false

        mutating func append(_ pending: PendingChange) {
            let (sum, overflow) = bytes.addingReportingOverflow(pending.change.body.count)
            isFull = changes.count >= limit.changes || overflow || (sum > limit.bytes && !changes.isEmpty)
            guard !isFull else { return }
            changes.append(pending)
            bytes = sum
            isFull = changes.count == limit.changes
        }
    }

    private func collect(
        _ part: Part,
        after: RecordHandle?,
        snapshot: any StoreSnapshot,
        into batch: inout Batch,
        isLeftOut: (PendingChange) -> Bool
    ) throws {
        let entity = part.entity
        func take(_ pending: PendingChange) throws -> Bool {
            guard !isLeftOut(pending) else { return true }
            batch.append(
                pending.hasHeads ? try replacingHeads(pending, entity: entity, snapshot: snapshot) : pending
            )
            return !batch.isFull
        }
        try snapshot.pending(entity: entity, areDeleted: part.isDeleted, after: after, visit: take)
        for pending in try batch.isFull ? [] : unsent(entity: entity, snapshot: snapshot)
        where part.contains(pending) {
            guard try take(pending) else { return }
        }
    }

    /// The other sides of conflicts that wait to be sent: a form was saved over an edit that had not been sent yet.
    private func unsent(entity: EntityDescriptor, snapshot: any StoreSnapshot) throws -> [PendingChange] {
        try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max).compactMap { key in
            guard let version = try snapshot.side(entity: entity, key: key, kind: .unsent) else { return nil }
            let state = try snapshot.recordState(entity: entity, key: key)
            let header = Change.Header(
                entity: entity.name,
                key: key,
                kind: version.isDeleted ? .delete : .upsert,
                mergedInto: version.mergedInto,
                metadata: version.metadata,
                base: try snapshot.revision(entity: entity, key: key),
                replaces: [state.base?.metadata.editTimestamp].compactMap { $0 }
            )
            let body = RecordEncoder(descriptor: entity, form: .wire).bytes(version.record)
            // NB: no row holds this version as its own, so that no acknowledgement takes it for one.
            return PendingChange(
                change: Change(header, body: body),
                handle: RecordHandle(-1),
                hasHeads: !state.heads.isEmpty,
                hasBase: state.base != nil,
                isEdit: true
            )
        }
    }

    /// The change with the heads that it replaces.
    private func replacingHeads(
        _ pending: PendingChange,
        entity: EntityDescriptor,
        snapshot: any StoreSnapshot
    ) throws -> PendingChange {
        var pending = pending
        let header = pending.change.header
        // A head that the edit has not seen was not shown to its author. It stays.
        let heads = try snapshot.heads(entity: entity, key: header.key)
            .filter { header.writtenMetadata.vector.covers($0.metadata.vector) }
            .map(\.metadata.editTimestamp)
        pending.change.header.replaces = Array(Set(header.replaces + heads)).sorted()
        return pending
    }
}

extension Push.Item {
    /// The record of a pending change.
    init(_ pending: PendingChange) {
        self.init(pending.change.header)
    }

    /// The record of a change.
    init(_ header: Change.Header) {
        self.init(entity: header.entity, key: header.key)
    }
}
