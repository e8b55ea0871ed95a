package import SyncCore

/// What a remote has forgotten, and what comes of one name for two edits.
extension RecordState {
    /// The state before a version that is all that the remote holds. A clean record that it has not seen is one that the
    /// remote forgot, such as a delete whose tombstone was purged: it is an edit like any other that the remote lacks.
    func forgotten(by incoming: SyncRecord) -> RecordState {
        guard let local, local.state == .synced, heads.isEmpty,
            !incoming.metadata.vector.covers(local.version.metadata.vector),
            !local.version.metadata.vector.covers(incoming.metadata.vector)
        else { return self }
        var state = self
        state.local?.state = .pending
        state.base = nil
        return state
    }

    /// The tombstone that somebody wrote and that the remote does not hold any more, for a record that is not clean; nil
    /// where none is known of. Who waits must not name a state that the remote has forgotten, be it a tombstone.
    package var purged: SyncRecord? {
        guard let known = remote ?? base, !known.isDeleted else { return nil }
        return known.deletedByNobody(time: known.metadata.editTimestamp.time.next)
    }

    private var others: [SyncRecord] { [base, remote].compactMap { $0 } + heads }

    /// Whether an earlier edit under the name of the incoming one is known of the remote.
    func hasEarlierFork(of incoming: SyncRecord) -> Bool {
        others.contains {
            $0.metadata.isForked(from: incoming.metadata)
                && $0.metadata.editTimestamp.time < incoming.metadata.editTimestamp.time
        }
    }

    /// The same without later edits under the name of the incoming one.
    func withoutForks(of incoming: SyncRecord) -> RecordState {
        guard others.contains(where: { $0.metadata.isForked(from: incoming.metadata) }) else { return self }
        var state = self
        state.heads.removeAll { $0.metadata.isForked(from: incoming.metadata) }
        if let base, base.metadata.isForked(from: incoming.metadata) { state.base = nil }
        if let remote, remote.metadata.isForked(from: incoming.metadata) { state.remote = nil }
        return state
    }
}

extension SyncRecord {
    /// The tombstone of this version that no known device wrote: it only says that the delete saw this version.
    func deletedByNobody(time: Timestamp) -> SyncRecord {
        // No device has this id.
        let nobody = DeviceID(bits: 0)
        var version = self
        let editTimestamp = EditTimestamp(
            time: time,
            device: nobody,
            sequence: metadata.vector[nobody] + 1
        )
        version.isDeleted = true
        version.mergedInto = nil
        version.metadata.editTimestamp = editTimestamp
        version.metadata.vector.insert(editTimestamp)
        return version
    }
}
