import SyncCore

/// Answers of the remote to what was sent: nothing leaves the outbox but exactly what was acknowledged.
extension Reconcile {
    /// The remote has stored what was sent. An edit that was made meanwhile now stands on that.
    func accepted(_ state: RecordState, sent: SyncRecord) -> Reconciliation {
        guard let local = state.local else { return Reconciliation(state, outcome: .known) }
        let isSent = local.version.metadata == sent.metadata
        if isSent, !state.heads.isEmpty {
            // What others published meets it now, as if it had come back with them.
            var sentState = state
            sentState.agreed = nil
            return remote(sentState, incoming: sent, isForked: false)
        }
        if isSent || Mutation.disables(.acknowledgementByEdit) { return acknowledged(local) }
        var result = Reconciliation(state, outcome: .acknowledged)
        guard local.state != .synced else { return result }
        // What was sent is a head now, and what it had seen is none.
        let left = state.heads.filter { !sent.metadata.vector.covers($0.metadata.vector) }
        result.state.base = sent
        result.state.agreed = nil
        result.state.heads = left.isEmpty ? [] : left + [sent]
        result.state.local?.hasHeads = !left.isEmpty
        return result
    }

    /// The state of a record once the remote holds what it shows.
    func acknowledged(_ local: LocalRecord) -> Reconciliation {
        var result = Reconciliation(RecordState(clean: local.version), outcome: .acknowledged)
        result.state.local?.visibility = local.visibility
        return result
    }

    /// The remote has stored the edit with another time: so it is stored here, too, or edits made meanwhile stand on it.
    func altered(_ state: RecordState, stored version: SyncRecord, sent: VersionMetadata) -> Reconciliation {
        guard let local = state.local else { return Reconciliation(state, outcome: .known) }
        if local.version.metadata == sent { return stored(version, over: local) }
        guard local.state != .synced else { return Reconciliation(state, outcome: .known) }
        var result = Reconciliation(state, outcome: .acknowledged)
        result.state.base = version
        return result
    }

    /// The remote has refused what was sent. An edit that was made meanwhile is another try.
    func refused(_ state: RecordState, sent: VersionMetadata) -> Reconciliation {
        guard let local = state.local, local.version.metadata == sent else {
            return Reconciliation(state, outcome: .known)
        }
        var result = Reconciliation(state, outcome: .rejected)
        result.state.local?.state = .rejected
        return result
    }
}
