package import SyncCore

/// A person's options for rejected records. Editing one is an ordinary write, and tries again.
extension WriteSession {
    /// Sends a rejected record again unchanged, with the next sync. Throws `notFound` if the remote did not reject
    /// it.
    package func retry(entity: EntityDescriptor, key: RecordKey) throws {
        guard
            try performIfRejected(.retried, at: consequences.place(entity: entity, key: key))?.state
                == .rejected
        else {
            throw SyncError.notRejected(entity: entity.name)
        }
    }

    /// Gives up a rejected edit, and shows the last agreed version, or nothing. The value goes to the journal. Bytes
    /// that could not be taken in are forgotten here, and stay at the remote. Throws `notFound` if there is neither.
    package func discard(entity: EntityDescriptor, key: RecordKey) throws {
        let known = try transaction.standingRejections().first { $0.entity == entity.name && $0.key == key }
        let place = consequences.place(entity: entity, key: key)
        if try performIfRejected(.discarded, at: place)?.state == .rejected {
            return try evictIfHidden(place)
        }
        guard let known else { throw SyncError.notRejected(entity: entity.name) }
        if known.isSetAside { throw SyncError.isSetAside(entity: entity.name) }
        try transaction.removeRejection(entity: entity.name, key: key, seenBy: nil)
    }

    /// The record leaves the store if the remote has said meanwhile that it shows it no more: nobody says it again.
    private func evictIfHidden(_ place: RecordPlace) throws {
        let before = try place.state()
        guard let shown = before.local?.version, try place.isHidden(shown) else { return }
        try consequences.write(.outOfScope, at: place, before: before)
        try place.noteHidden(nil)
    }

    /// Reconciles a rejected record with its person's event, and writes the result. Returns the previous record.
    private func performIfRejected(_ event: RecordEvent, at place: RecordPlace) throws -> LocalRecord? {
        let before = try place.state()
        guard before.local?.state == .rejected else { return before.local }
        try consequences.write(event, at: place, before: before)
        return before.local
    }
}

extension LocalWriter {
    /// Sends a rejected record again. See `WriteSession.retry`.
    package func retry(entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.retry(entity: entity, key: key) }
    }

    /// Gives up a rejected edit. See `WriteSession.discard`.
    package func discard(entity: EntityDescriptor, key: RecordKey) throws {
        try write { try $0.discard(entity: entity, key: key) }
    }
}
