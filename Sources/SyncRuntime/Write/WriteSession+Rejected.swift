public import SyncCore

/// What a person does with records that a remote refused. Editing one is an ordinary write, and another try.
extension WriteSession {
    /// Sends a refused record again as it is, with the next sync. `notFound` when the remote did not refuse it.
    public func retry(_ entity: EntityDescriptor, key: RecordKey) throws {
        guard var header = try transaction.header(entity: entity, key: key), header.state == .rejected else {
            throw SyncError.notRejected(entity: entity.name)
        }
        header.state = .pending
        try transaction.update(entity, key: key, header: header)
        try transaction.tryAgain(entity: entity.name, key: key)
    }

    /// Gives up what the remote refused, and shows what it holds: the last agreed version, or nothing. The value goes to the
    /// journal. What could not be taken in is forgotten here, and stays with the remote. `notFound` when there is neither.
    public func discard(_ entity: EntityDescriptor, key: RecordKey) throws {
        let isKnown = try transaction.standingRejections().contains {
            $0.entity == entity.name && $0.key == key
        }
        let before = try transaction.recordState(entity: entity, key: key)
        guard let local = before.local, local.state == .rejected else {
            guard isKnown else { throw SyncError.notRejected(entity: entity.name) }
            return try transaction.removeRejection(entity: entity.name, key: key)
        }
        var kept = before.base ?? local.version
        if before.base == nil { kept.isDeleted = true }
        try transaction.record([Planner.Loss(kept: kept, lost: local.version)], rule: "discarded", at: now)
        try transaction.removeRejection(entity: entity.name, key: key)
        guard let base = before.base else { return try transaction.remove(entity, key: key) }
        var after = before
        after.local = LocalRecord(
            version: Merge(descriptor: entity).keepingLocalOnly(base, of: local.version),
            state: .synced,
            hasHeads: local.hasHeads
        )
        try transaction.save(entity, key: key, recordState: after, before: before)
    }
}

extension LocalWriter {
    /// Sends a refused record again. See `WriteSession.retry`.
    public func retry(_ entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.retry(entity, key: key) }
    }

    /// Gives up what the remote refused. See `WriteSession.discard`.
    public func discard(_ entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.discard(entity, key: key) }
    }
}
