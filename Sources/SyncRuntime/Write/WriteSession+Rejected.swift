public import SyncCore

/// What a person does with records that a remote refused. Editing one is an ordinary write, and another try.
extension WriteSession {
    /// Sends a refused record again as it is, with the next sync. `notFound` when the remote did not refuse it.
    public func retry(entity: EntityDescriptor, key: RecordKey) throws {
        guard try performIfRejected(.retried, entity: entity, key: key)?.state == .rejected else {
            throw SyncError.notRejected(entity: entity.name)
        }
    }

    /// Gives up what the remote refused, and shows what it holds: the last agreed version, or nothing. The value goes to the
    /// journal. What could not be taken in is forgotten here, and stays with the remote. `notFound` when there is neither.
    public func discard(entity: EntityDescriptor, key: RecordKey) throws {
        let isKnown = try transaction.standingRejections().contains {
            $0.entity == entity.name && $0.key == key
        }
        if try performIfRejected(.discarded, entity: entity, key: key)?.state == .rejected { return }
        guard isKnown else { throw SyncError.notRejected(entity: entity.name) }
        try transaction.removeRejection(entity: entity.name, key: key)
    }

    /// Decides about a record by what its person does, where the remote has refused it, and writes what was decided.
    /// Returns the record as it was.
    private func performIfRejected(_ event: RecordEvent, entity: EntityDescriptor, key: RecordKey) throws
        -> LocalRecord?
    {
        let before = try transaction.recordState(entity: entity, key: key)
        guard before.local?.state == .rejected else { return before.local }
        try perform(event, entity: entity, key: key, before: before)
        return before.local
    }
}

extension LocalWriter {
    /// Sends a refused record again. See `WriteSession.retry`.
    public func retry(entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.retry(entity: entity, key: key) }
    }

    /// Gives up what the remote refused. See `WriteSession.discard`.
    public func discard(entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.discard(entity: entity, key: key) }
    }
}
