import SyncCore

/// The remote's answers to a push. Only acknowledged edits leave the outbox.
extension Reconcile {
    /// The remote has stored what was sent. An edit made meanwhile is now based on it.
    func accepted(_ state: RecordState, sent: SyncRecord) -> Reconciliation {
        guard let local = state.local else { return Reconciliation(state, outcome: .known) }
        let isSent = local.version.metadata == sent.metadata
        if isSent, !state.heads.isEmpty {
            // Other devices' versions are merged now, as if the sent version had come back with them.
            var sentState = state
            sentState.agreed = nil
            return self(sentState, on: .remote(sent))
        }
        if isSent { return acknowledged(local) }
        var result = Reconciliation(state, outcome: .acknowledged)
        guard local.state != .synced else { return result }
        let isOtherSide = state.unsent?.metadata == sent.metadata
        if isOtherSide { result.state.unsent = nil }
        // The sent version is a head now. The heads that it had seen no longer are.
        let left = state.heads.filter { !sent.metadata.vector.covers($0.metadata.vector) }
        if !isOtherSide { result.state.base = sent }
        result.state.agreed = nil
        result.state.heads = left.isEmpty ? [] : left + [sent]
        result.state.local?.hasHeads = !left.isEmpty
        return result
    }

    /// The state of a record once the remote has the shown version.
    func acknowledged(_ local: LocalRecord) -> Reconciliation {
        var result = Reconciliation(RecordState(clean: local.version), outcome: .acknowledged)
        result.state.local?.visibility = local.visibility
        return result
    }

    /// The remote has stored the edit with another time or other values. It is stored so here, too, or becomes the base
    /// of edits made meanwhile.
    func altered(_ state: RecordState, stored version: SyncRecord, sent: VersionMetadata) -> Reconciliation {
        guard let local = state.local else { return Reconciliation(state, outcome: .known) }
        if local.version.metadata == sent { return stored(version, over: local) }
        guard local.state != .synced else { return Reconciliation(state, outcome: .known) }
        var result = Reconciliation(state, outcome: .acknowledged)
        if state.unsent?.metadata == sent {
            (result.state.remote, result.state.unsent) = (version, nil)
        } else {
            result.state.base = version
        }
        return result
    }

    /// The remote has rejected what was sent. An edit made meanwhile is tried separately.
    func refused(_ state: RecordState, sent: VersionMetadata) -> Reconciliation {
        guard let local = state.local, local.version.metadata == sent else {
            var result = Reconciliation(state, outcome: .known)
            // It is in the journal, and a person decides about it anyway.
            if state.unsent?.metadata == sent { result.state.unsent = nil }
            return result
        }
        var result = Reconciliation(state, outcome: .rejected)
        result.state.local?.state = .rejected
        return result
    }
}
