import SyncCore

/// Records the remote's answer to a push: nothing leaves the outbox but exactly what was acknowledged.
struct Acknowledger {
    let entities: [String: EntityDescriptor]
    let transaction: any StoreTransaction
    let now: Timestamp
    /// What could not be taken in or was refused before.
    private let rejections: [Pusher.Item: Rejection]
    /// Records that the remote refused before.
    private let refused: Set<Pusher.Item>

    init(entities: [String: EntityDescriptor], transaction: any StoreTransaction, now: Timestamp) throws {
        self.entities = entities
        self.transaction = transaction
        self.now = now
        let known = try transaction.rejections().map {
            (Pusher.Item(entity: $0.entity, key: $0.key), $0)
        }
        rejections = Dictionary(known, uniquingKeysWith: { first, _ in first })
        refused = Set(rejections.filter { $0.value.raw == nil || $0.value.isTriedAgain }.keys)
    }

    /// Records one result. Returns whether the change is with the remote now.
    func record(_ sent: Pusher.Outgoing, _ result: PushReceipt.Result, _ puller: inout Puller) throws -> Bool
    {
        guard let entity = entities[sent.change.entity] else { return false }
        if case .accepted(let mark, let revision) = result {
            guard mark == sent.change.stamp.mark else { return false }
            try accept(sent, revision, entity, &puller)
            if !sent.isEdit { try transaction.setSide(entity, sent.change.key, .agreed, nil) }
            return sent.isEdit
        }
        let change = sent.change
        switch result {
        case .altered(let mark, let item, let bytes):
            guard mark == change.stamp.mark else { return false }
            try acceptAltered(change, item, bytes, entity, puller)
            return sent.isEdit
        case .missing: try puller.takeAbsence(entity, change.key, transaction)
        case .refused(let reason): try refuse(change, reason, entity)
        case .accepted, .conflict, .entityRefused, .notSent, .failed: break
        }
        return false
    }

    private func accept(
        _ sent: Pusher.Outgoing,
        _ revision: Revision?,
        _ entity: EntityDescriptor,
        _ puller: inout Puller
    ) throws {
        if refused.isEmpty, Guard.isOn(.acknowledgementByEdit),
            try transaction.acknowledge(
                entity,
                sent.change.key,
                row: sent.row,
                sent.change.stamp,
                revision
            )
        {
            // The usual case needs no look at the record.
            if sent.hasBase { try transaction.setSide(entity, sent.change.key, .base, nil) }
            return
        }
        let change = sent.change
        guard let header = try transaction.header(entity, change.key) else { return }
        if refused.contains(Pusher.Item(entity: entity.name, key: change.key)) {
            try transaction.removeRejection(entity: entity.name, key: change.key)
        }
        if let revision { try transaction.setRevision(entity, change.key, revision) }
        let isUsual = header.stamp == change.stamp && !header.hasHeads
        if isUsual || !Guard.isOn(.acknowledgementByEdit) {
            // The usual case needs no value.
            var header = header
            header.state = .synced
            try transaction.update(entity, change.key, header)
            try transaction.setSide(entity, change.key, .base, nil)
        } else if header.stamp == change.stamp {
            // What others published meets it now, as if it had come back with them.
            try puller.plan(entity, try version(change, entity), isLinear: revision != nil, transaction)
        } else {
            let before = try transaction.trees(entity, change.key)
            let after = before.acknowledged(try version(change, entity))
            try transaction.save(entity, change.key, after, before: before)
        }
    }

    /// The remote stored the edit with another time: so it is stored here, too, or edits made meanwhile stand on that.
    private func acceptAltered(
        _ change: OutgoingChange,
        _ item: RemoteItem,
        _ bytes: [UInt8],
        _ entity: EntityDescriptor,
        _ puller: Puller
    ) throws {
        guard let header = try transaction.header(entity, change.key) else { return }
        try bytes.withUnsafeBufferPointer { buffer in
            if header.stamp == change.stamp {
                try puller.takeAltered(item, PageBytes(buffer), entity, transaction)
            } else if header.state != .synced {
                let stored = try puller.version(item, entity, PageBytes(buffer))
                try transaction.setSide(entity, change.key, .base, stored)
                try transaction.setRevision(entity, change.key, item.revision)
            }
        }
    }

    private func version(_ change: OutgoingChange, _ entity: EntityDescriptor) throws -> SyncRecord {
        var writer = JSONWriter()
        EntryCodec.append(change, to: &writer)
        return try EntryCodec.decode(writer.bytes, entity)
    }

    private func refuse(_ change: OutgoingChange, _ reason: String, _ entity: EntityDescriptor) throws {
        guard var header = try transaction.header(entity, change.key), header.stamp == change.stamp else {
            return
        }
        header.state = .rejected
        try transaction.update(entity, change.key, header)
        let earlier = rejections[Pusher.Item(entity: entity.name, key: change.key)]
        try transaction.setRejection(
            Rejection(
                entity: entity.name,
                key: change.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                // What came and could not be taken in is kept with it.
                raw: earlier?.isTriedAgain == true ? nil : earlier?.raw,
                since: earlier?.since ?? now
            )
        )
    }
}
