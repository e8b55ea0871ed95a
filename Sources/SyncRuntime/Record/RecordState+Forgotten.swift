package import SyncCore

/// Forgotten versions, and forks: two edits under one name.
extension RecordState {
    /// The state before an incoming version that is all the remote has. If the remote has not seen a clean record's
    /// version, it has forgotten it, such as a delete whose tombstone was purged. That version counts as an edit that
    /// the remote lacks.
    func forgotten(by incoming: SyncRecord) -> RecordState {
        guard unseen(by: incoming) != nil else { return self }
        var state = self
        state.local?.state = .pending
        state.base = nil
        return state
    }

    /// The version of a clean record that an incoming one has not seen, nor it that one; nil if there is none.
    func unseen(by incoming: SyncRecord) -> SyncRecord? {
        guard let local, local.state == .synced, heads.isEmpty,
            !incoming.metadata.vector.covers(local.version.metadata.vector),
            !local.version.metadata.vector.covers(incoming.metadata.vector)
        else { return nil }
        return local.version
    }

    /// For a record that is not clean: the known tombstone that the remote no longer holds; nil if there is none. A
    /// pending change must not name a state that the remote has forgotten.
    package var purged: SyncRecord? {
        guard let known = remote ?? base, !known.isDeleted else { return nil }
        return known.deletedByNobody(time: known.metadata.editTimestamp.time.next)
    }

    private var others: [SyncRecord] { [base, remote].compactMap { $0 } + heads }

    /// Whether the remote is known to have an earlier edit of the same name as the incoming one.
    func hasEarlierFork(of incoming: SyncRecord) -> Bool {
        others.contains {
            $0.metadata.isForked(from: incoming.metadata)
                && $0.metadata.editTimestamp.time < incoming.metadata.editTimestamp.time
        }
    }

    /// The state without later edits of the same name as the incoming one.
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
    /// A tombstone of this version by no known device. It only says that the delete has seen this version.
    func deletedByNobody(time: Timestamp) -> SyncRecord {
        var version = self
        let editTimestamp = EditTimestamp(
            time: time,
            device: .nobody,
            sequence: metadata.vector[.nobody] + 1
        )
        version.isDeleted = true
        version.mergedInto = nil
        version.metadata.editTimestamp = editTimestamp
        version.metadata.vector.insert(editTimestamp)
        return version
    }
}

extension DeviceID {
    /// No device has this id.
    static let nobody = DeviceID(bits: 0)
}
