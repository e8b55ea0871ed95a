import SyncCore

/// Records the remote's answer to a push: nothing leaves the outbox but exactly what was acknowledged.
struct Acknowledgement {
    let entities: [String: EntityDescriptor]
    let transaction: any StoreTransaction
    let now: Timestamp
    /// What could not be taken in or was refused before.
    private let rejections: [Push.Item: Rejection]
    /// Records that the remote refused before.
    private let refused: Set<Push.Item>

    init(entities: [String: EntityDescriptor], transaction: any StoreTransaction, now: Timestamp) throws {
        self.entities = entities
        self.transaction = transaction
        self.now = now
        let known = try transaction.rejections().map {
            (Push.Item(entity: $0.entity, key: $0.key), $0)
        }
        rejections = Dictionary(known, uniquingKeysWith: { first, _ in first })
        refused = Set(rejections.filter { $0.value.raw == nil || $0.value.isTriedAgain }.keys)
    }

    /// Records one result. Returns whether the change is with the remote now.
    func record(sent: Push.Outgoing, result: PushReceipt.Result, puller: inout Pull) throws -> Bool {
        guard let entity = entities[sent.change.entity] else { return false }
        if case .accepted(let editTimestamp, let revision) = result {
            guard editTimestamp == sent.change.metadata.editTimestamp else { return false }
            try accept(sent, revision: revision, entity: entity, puller: &puller)
            if !sent.isEdit {
                try transaction.setSide(entity, key: sent.change.key, kind: .agreed, version: nil)
            }
            return sent.isEdit
        }
        let change = sent.change
        switch result {
        case .altered(let editTimestamp, let item, let bytes):
            guard editTimestamp == change.metadata.editTimestamp else { return false }
            try acceptAltered(change, item: item, bytes: bytes, entity: entity, puller: puller)
            return sent.isEdit
        case .missing: try puller.takeAbsence(entity, key: change.key, transaction: transaction)
        case .refused(let reason): try refuse(change, reason: reason, entity: entity)
        case .accepted, .conflict, .entityRefused, .notSent, .failed: break
        }
        return false
    }

    private func accept(
        _ sent: Push.Outgoing,
        revision: Revision?,
        entity: EntityDescriptor,
        puller: inout Pull
    ) throws {
        if refused.isEmpty, !Mutation.disables(.acknowledgementByEdit),
            try transaction.acknowledge(
                entity,
                key: sent.change.key,
                row: sent.row,
                metadata: sent.change.metadata,
                revision: revision
            )
        {
            // The usual case needs no look at the record.
            if sent.hasBase {
                try transaction.setSide(entity, key: sent.change.key, kind: .base, version: nil)
            }
            return
        }
        let change = sent.change
        guard let header = try transaction.header(entity: entity, key: change.key) else { return }
        if refused.contains(Push.Item(entity: entity.name, key: change.key)) {
            try transaction.removeRejection(entity: entity.name, key: change.key)
        }
        if let revision { try transaction.setRevision(entity, key: change.key, revision: revision) }
        let isUsual = header.metadata == change.metadata && !header.hasHeads
        if isUsual || Mutation.disables(.acknowledgementByEdit) {
            // The usual case needs no value.
            var header = header
            header.state = .synced
            try transaction.update(entity, key: change.key, header: header)
            try transaction.setSide(entity, key: change.key, kind: .base, version: nil)
        } else if header.metadata == change.metadata {
            // What others published meets it now, as if it had come back with them.
            try puller.plan(
                entity,
                incoming: try version(change: change, entity: entity),
                isLinear: revision != nil,
                transaction: transaction
            )
        } else {
            let before = try transaction.recordState(entity: entity, key: change.key)
            let after = before.acknowledged(sent: try version(change: change, entity: entity))
            try transaction.save(entity, key: change.key, recordState: after, before: before)
        }
    }

    /// The remote stored the edit with another time: so it is stored here, too, or edits made meanwhile stand on that.
    private func acceptAltered(
        _ change: OutgoingChange,
        item: RemoteItem,
        bytes: [UInt8],
        entity: EntityDescriptor,
        puller: Pull
    ) throws {
        guard let header = try transaction.header(entity: entity, key: change.key) else { return }
        try bytes.withUnsafeBufferPointer { buffer in
            if header.metadata == change.metadata {
                try puller.takeAltered(
                    item,
                    bytes: PageBytes(buffer),
                    entity: entity,
                    transaction: transaction
                )
            } else if header.state != .synced {
                let stored = try puller.version(item: item, entity: entity, bytes: PageBytes(buffer))
                try transaction.setSide(entity, key: change.key, kind: .base, version: stored)
                try transaction.setRevision(entity, key: change.key, revision: item.revision)
            }
        }
    }

    private func version(change: OutgoingChange, entity: EntityDescriptor) throws -> SyncRecord {
        var writer = JSONWriter()
        EntryCodec.append(change, to: &writer)
        return try EntryCodec.decode(writer.bytes, descriptor: entity)
    }

    private func refuse(_ change: OutgoingChange, reason: String, entity: EntityDescriptor) throws {
        guard var header = try transaction.header(entity: entity, key: change.key),
            header.metadata == change.metadata
        else {
            return
        }
        header.state = .rejected
        try transaction.update(entity, key: change.key, header: header)
        let earlier = rejections[Push.Item(entity: entity.name, key: change.key)]
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
