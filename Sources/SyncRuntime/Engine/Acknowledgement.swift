import SyncCore

/// Records the remote's answers to a push. Only acknowledged changes leave the outbox.
struct Acknowledgement {
    let transaction: any StoreTransaction
    let now: Timestamp
    /// Records that could not be taken in, or that were rejected before.
    private let rejections: [Push.Item: Rejection]
    /// Records that the remote rejected before.
    private let refused: Set<Push.Item>

    init(transaction: any StoreTransaction, now: Timestamp) throws {
        self.transaction = transaction
        self.now = now
        let known = try transaction.rejections().map {
            (Push.Item(entity: $0.entity, key: $0.key), $0)
        }
        rejections = Dictionary(known, uniquingKeysWith: { first, _ in first })
        refused = Set(rejections.filter { $0.value.raw == nil || $0.value.isTriedAgain }.keys)
    }

    /// The effect of one answer.
    struct Answer {
        /// Whether the remote has the change now, and the change was an edit.
        var isPushed = false
        /// Whether the record no longer waits, or waits unchanged. False if the remote took a part of it: the pending
        /// version may be a different one now.
        var isAsSent = true
    }

    /// Records one result.
    func record(sent: PendingChange, result: PushReceipt.Result, sync: inout SyncRunState) throws -> Answer {
        var header: Change.Header { sent.change.header }
        guard let entity = sync.entities[header.entity] else { return Answer() }
        let place = RecordPlace(entity: entity, key: header.key, transaction: transaction)
        switch result {
        case .accepted(let editTimestamp, let revision):
            guard editTimestamp == header.metadata?.editTimestamp else { return Answer(isAsSent: false) }
            let isAsSent = try accept(sent, revision: revision, at: place, sync: &sync)
            return Answer(isPushed: sent.isEdit, isAsSent: isAsSent)
        case .altered(let editTimestamp, let change):
            guard editTimestamp == header.metadata?.editTimestamp else { return Answer(isAsSent: false) }
            let metadata = change.header.metadata ?? header.writtenMetadata
            let stored = try version(change, metadata: metadata, entity: entity)
            let event = RecordEvent.altered(stored, sent: try version(sent.change, entity: entity))
            if try sync.reconcile(event, at: place).outcome == .acknowledged {
                try place.setRevision(change.header.revision)
            }
            return Answer(isPushed: sent.isEdit, isAsSent: false)
        case .missing: try sync.reconcile(.absent, at: place)
        case .refused(let reason): try refuse(header, reason: reason, at: place, sync: &sync)
        case .conflict, .entityRefused, .busy, .notSent, .failed: break
        }
        return Answer()
    }

    /// Applies an acceptance. Returns whether the record was still as it was sent.
    private func accept(
        _ sent: PendingChange,
        revision: Revision?,
        at place: RecordPlace,
        sync: inout SyncRunState
    ) throws -> Bool {
        let entity = place.entity
        let wasRefused = !refused.isEmpty && refused.contains(Push.Item(sent))
        if !wasRefused,
            try transaction.acknowledge(sent, revision: revision, entity: entity)
        {
            return true
        }
        guard try place.header() != nil else { return false }
        if wasRefused {
            try transaction.removeRejection(entity: entity.name, key: place.key, seenBy: nil)
        }
        if let revision { try place.setRevision(revision) }
        let event = RecordEvent.accepted(try version(sent.change, entity: entity))
        try sync.reconcile(event, at: place, kind: RemoteKind(revision: revision))
        return false
    }

    /// The version that was sent, or that the remote stored in its place. It may be from before an update of the app, and not
    /// fit any more.
    private func version(_ change: Change, metadata: VersionMetadata? = nil, entity: EntityDescriptor) throws
        -> SyncRecord
    {
        let (header, metadata) = (change.header, metadata ?? change.header.writtenMetadata)
        func read(_ entity: EntityDescriptor) throws -> SyncRecord {
            try change.withBody { body in
                try EntryCodec.version(
                    header,
                    metadata: metadata,
                    body: body,
                    descriptor: entity,
                    requiresAll: false
                )
            }
        }
        let version: SyncRecord
        do { version = try read(entity) } catch is FieldError {
            version = try entity.lenient.readingWhatFits(read)
        }
        guard version.isDeleted || entity.key(of: version.record) == header.key else {
            throw FieldError.otherKey
        }
        return version
    }

    private func refuse(
        _ header: Change.Header,
        reason: String,
        at place: RecordPlace,
        sync: inout SyncRunState
    ) throws {
        let event = RecordEvent.refused(sent: header.writtenMetadata)
        guard try sync.reconcile(event, at: place).outcome == .rejected else { return }
        let earlier = rejections[Push.Item(header)]
        try transaction.setRejection(
            Rejection(
                entity: header.entity,
                key: header.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                // Bytes that could not be taken in are kept.
                raw: earlier?.isTriedAgain == true ? nil : earlier?.raw,
                since: earlier?.since ?? now
            )
        )
    }
}
