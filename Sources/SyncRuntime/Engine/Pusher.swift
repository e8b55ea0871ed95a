import SyncCore

/// Collects what waits to be pushed, and records what the remote acknowledged.
struct Pusher {
    let entities: [EntityDescriptor]

    /// A collected change and whether it counts as an edit: an agreement that only joins times does not.
    struct Outgoing {
        var change: OutgoingChange
        var isEdit: Bool
    }

    /// All pending versions: parents before children, then tombstones the other way.
    func collect(_ snapshot: any StoreSnapshot) throws -> [Outgoing] {
        var upserts: [Outgoing] = []
        var deletes: [Outgoing] = []
        for entity in entities {
            var tombstones: [Outgoing] = []
            let encoder = RecordEncoder(entity, form: .wire)
            for key in try snapshot.keys(entity, in: .pending, after: nil, limit: .max) {
                guard let local = try snapshot.load(entity, key) else { continue }
                let outgoing = try outgoing(local, entity, encoder, snapshot)
                if local.version.isDeleted { tombstones.append(outgoing) } else { upserts.append(outgoing) }
            }
            deletes.insert(contentsOf: tombstones, at: 0)
        }
        return upserts + deletes
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
                body: encoder.bytes(version.record)
            ),
            isEdit: isEdit
        )
    }

    /// Records the remote's answer: nothing leaves the outbox but exactly what was acknowledged.
    func acknowledge(
        _ outgoing: [Outgoing],
        _ results: [PushReceipt.Result],
        _ transaction: any StoreTransaction,
        now: Timestamp,
        counts: inout [String: EntityReport]
    ) throws {
        let byName = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        for (sent, result) in zip(outgoing, results) {
            guard let entity = byName[sent.change.entity] else { continue }
            switch result {
            case .accepted(let mark, _), .altered(let mark, _, _):
                try accept(sent.change, mark, entity, transaction)
                if sent.isEdit {
                    counts[entity.name]?.pushed += 1
                } else {
                    try transaction.setSide(entity, sent.change.key, .agreed, nil)
                }
            case .conflict, .notSent: break
            case .refused(let reason): try refuse(sent.change, reason, entity, transaction, now: now)
            }
        }
    }

    private func accept(
        _ change: OutgoingChange,
        _ mark: EditMark,
        _ entity: EntityDescriptor,
        _ transaction: any StoreTransaction
    ) throws {
        guard mark == change.stamp.mark, let header = try transaction.header(entity, change.key) else {
            return
        }
        if header.stamp == change.stamp {
            var header = header
            header.state = .synced
            if header.hasHeads {
                let left = try transaction.heads(entity, change.key).filter {
                    !change.stamp.vector.covers($0.stamp.vector)
                }
                let own = try version(change, entity)
                try transaction.setHeads(entity, change.key, left.isEmpty ? [] : left + [own])
                header.hasHeads = !left.isEmpty
            }
            try transaction.update(entity, change.key, header)
            try transaction.setSide(entity, change.key, .base, nil)
        } else if header.state != .synced {
            // The person edited on while the change was in flight: the edit now stands on what was sent.
            try transaction.setSide(entity, change.key, .base, try version(change, entity))
        }
    }

    private func version(_ change: OutgoingChange, _ entity: EntityDescriptor) throws -> SyncRecord {
        var writer = JSONWriter()
        EntryCodec.append(change, to: &writer)
        return try EntryCodec.decode(writer.bytes, entity)
    }

    private func refuse(
        _ change: OutgoingChange,
        _ reason: String,
        _ entity: EntityDescriptor,
        _ transaction: any StoreTransaction,
        now: Timestamp
    ) throws {
        guard var header = try transaction.header(entity, change.key), header.stamp == change.stamp else {
            return
        }
        header.state = .rejected
        try transaction.update(entity, change.key, header)
        let earlier = try transaction.rejections().first { $0.entity == entity.name && $0.key == change.key }
        try transaction.setRejection(
            Rejection(
                entity: entity.name,
                key: change.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                raw: nil,
                since: earlier?.since ?? now
            )
        )
    }
}
