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

    /// What an answer came to.
    struct Answer {
        /// Whether the change is with the remote now, and was an edit.
        var isPushed = false
        /// Whether the record does not wait any more, or waits to be sent again as it was. False where the remote has taken
        /// something of it, and it may be another one by now.
        var isAsSent = true
    }

    /// Records one result.
    func record(sent: PendingChange, result: PushReceipt.Result, pulling: inout Pull) throws -> Answer {
        let header = sent.change.header
        guard let entity = entities[header.entity] else { return Answer() }
        switch result {
        case .accepted(let editTimestamp, let revision):
            guard editTimestamp == header.metadata?.editTimestamp else { return Answer(isAsSent: false) }
            let isAsSent = try accept(sent, revision: revision, entity: entity, pulling: &pulling)
            return Answer(isPushed: sent.isEdit, isAsSent: isAsSent)
        case .altered(let editTimestamp, let change):
            guard editTimestamp == header.metadata?.editTimestamp else { return Answer(isAsSent: false) }
            let stored = try pulling.version(
                of: change,
                metadata: change.header.metadata ?? header.writtenMetadata,
                entity: entity
            )
            let decided = try pulling.perform(
                .altered(stored, sent: header.writtenMetadata),
                entity: entity,
                key: header.key,
                transaction: transaction
            )
            if decided.outcome == .acknowledged {
                try transaction.setRevision(
                    entity: entity,
                    key: header.key,
                    revision: change.header.revision
                )
            }
            return Answer(isPushed: sent.isEdit, isAsSent: false)
        case .missing:
            try pulling.perform(.absent, entity: entity, key: header.key, transaction: transaction)
        case .refused(let reason): try refuse(header, reason: reason, entity: entity, pulling: &pulling)
        case .conflict, .entityRefused, .notSent, .failed: break
        }
        return Answer()
    }

    /// Returns whether the record was as it was sent.
    private func accept(
        _ sent: PendingChange,
        revision: Revision?,
        entity: EntityDescriptor,
        pulling: inout Pull
    ) throws -> Bool {
        let (key, metadata) = (sent.change.header.key, sent.change.header.writtenMetadata)
        if refused.isEmpty, !Mutation.disables(.acknowledgementByEdit),
            try transaction.acknowledge(entity: entity, sent: sent, revision: revision)
        {
            // The record is as it was sent, which needs no look at it.
            if sent.hasBase {
                try transaction.setSide(entity: entity, key: key, kind: .base, version: nil)
            }
            if !sent.isEdit {
                try transaction.setSide(entity: entity, key: key, kind: .agreed, version: nil)
            }
            return true
        }
        guard try transaction.header(entity: entity, key: key) != nil else { return false }
        if refused.contains(Push.Item(sent)) {
            try transaction.removeRejection(entity: entity.name, key: key)
        }
        if let revision { try transaction.setRevision(entity: entity, key: key, revision: revision) }
        let version = try sent.change.withBody { body in
            try EntryCodec.version(
                sent.change.header,
                metadata: metadata,
                body: body,
                descriptor: entity,
                requiresAll: false
            )
        }
        try pulling.perform(
            .accepted(version),
            entity: entity,
            key: key,
            isLinear: revision != nil,
            transaction: transaction
        )
        return false
    }

    private func refuse(
        _ header: Change.Header,
        reason: String,
        entity: EntityDescriptor,
        pulling: inout Pull
    ) throws {
        let result = try pulling.perform(
            .refused(sent: header.writtenMetadata),
            entity: entity,
            key: header.key,
            transaction: transaction
        )
        guard result.outcome == .rejected else { return }
        let earlier = rejections[Push.Item(header)]
        try transaction.setRejection(
            Rejection(
                entity: entity.name,
                key: header.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                // What came and could not be taken in is kept with it.
                raw: earlier?.isTriedAgain == true ? nil : earlier?.raw,
                since: earlier?.since ?? now
            )
        )
    }
}
