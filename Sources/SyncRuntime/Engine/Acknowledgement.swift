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
    func record(sent: Push.Outgoing, result: PushReceipt.Result, pulling: inout Pull) throws -> Bool {
        let change = sent.change
        guard let entity = entities[change.entity] else { return false }
        switch result {
        case .accepted(let editTimestamp, let revision):
            guard editTimestamp == change.metadata.editTimestamp else { return false }
            try accept(sent, revision: revision, entity: entity, pulling: &pulling)
            return sent.isEdit
        case .altered(let editTimestamp, let item, let bytes):
            guard editTimestamp == change.metadata.editTimestamp else { return false }
            let stored = try bytes.withUnsafeBufferPointer { buffer in
                try pulling.version(item: item, entity: entity, bytes: PageBytes(buffer))
            }
            let decided = try pulling.perform(
                .altered(stored, sent: change.metadata),
                entity: entity,
                key: change.key,
                transaction: transaction
            )
            if decided.outcome == .acknowledged {
                try transaction.setRevision(entity: entity, key: change.key, revision: item.revision)
            }
            return sent.isEdit
        case .missing:
            try pulling.perform(.absent, entity: entity, key: change.key, transaction: transaction)
        case .refused(let reason): try refuse(change, reason: reason, entity: entity, pulling: &pulling)
        case .conflict, .entityRefused, .notSent, .failed: break
        }
        return false
    }

    private func accept(
        _ sent: Push.Outgoing,
        revision: Revision?,
        entity: EntityDescriptor,
        pulling: inout Pull
    ) throws {
        let change = sent.change
        if refused.isEmpty, !Mutation.disables(.acknowledgementByEdit),
            try transaction.acknowledge(
                entity: entity,
                key: change.key,
                row: sent.row,
                metadata: change.metadata,
                revision: revision
            )
        {
            // The record is as it was sent, which needs no look at it.
            if sent.hasBase {
                try transaction.setSide(entity: entity, key: change.key, kind: .base, version: nil)
            }
            if !sent.isEdit {
                try transaction.setSide(entity: entity, key: change.key, kind: .agreed, version: nil)
            }
            return
        }
        guard try transaction.header(entity: entity, key: change.key) != nil else { return }
        if refused.contains(Push.Item(entity: entity.name, key: change.key)) {
            try transaction.removeRejection(entity: entity.name, key: change.key)
        }
        if let revision { try transaction.setRevision(entity: entity, key: change.key, revision: revision) }
        try pulling.perform(
            .accepted(try version(change: change, entity: entity)),
            entity: entity,
            key: change.key,
            isLinear: revision != nil,
            transaction: transaction
        )
    }

    private func version(change: OutgoingChange, entity: EntityDescriptor) throws -> SyncRecord {
        var writer = JSONWriter()
        EntryCodec.append(change, to: &writer)
        return try EntryCodec.decode(writer.bytes, descriptor: entity)
    }

    private func refuse(
        _ change: OutgoingChange,
        reason: String,
        entity: EntityDescriptor,
        pulling: inout Pull
    ) throws {
        let result = try pulling.perform(
            .refused(sent: change.metadata),
            entity: entity,
            key: change.key,
            transaction: transaction
        )
        guard result.outcome == .rejected else { return }
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
