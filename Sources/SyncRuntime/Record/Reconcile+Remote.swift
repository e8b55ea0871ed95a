import SyncCore

/// A version of the remote, and what the remote says by leaving a record out.
extension Reconcile {
    /// Whether this device has seen a version of the remote.
    func hasSeen(_ incoming: SyncRecord, in state: RecordState) -> Bool {
        guard let local = state.local, local.state != .conflict, state.heads.isEmpty else { return false }
        return local.version.metadata.vector.covers(incoming.metadata.vector)
    }

    /// The result with what follows from the remote's version beside the state of the record.
    func told(
        _ result: consuming Reconciliation,
        of incoming: SyncRecord,
        isForked: Bool,
        before state: RecordState
    ) -> Reconciliation {
        guard let local = state.local else {
            result.effects.append(.removeRejection)
            return result
        }
        let (mine, theirs) = (local.version.metadata, incoming.metadata)
        let isNewer = theirs.vector.covers(mine.vector)
        if isNewer, local.state == .synced, state.heads.isEmpty { result.effects.append(.removeRejection) }
        if local.state == .rejected, result.state.local?.state != .rejected {
            // The remote rejected an edit that this device no longer has.
            result.effects.append(.forgetRejection)
        }
        if isNewer, isDisplaced(local, by: incoming) { result.effects.append(.displace(local.version)) }
        let isSameWriter = mine.editTimestamp.device == theirs.editTimestamp.device
        if isNewer, isForked, isSameWriter { result.keepForked(local.version, by: incoming, in: descriptor) }
        return result
    }

    /// The remote has what this device has, or less. An own edit that comes back is an acknowledgement.
    func known(_ state: RecordState, incoming: SyncRecord) -> Reconciliation {
        guard let local = state.local else { return Reconciliation(state, outcome: .known) }
        let (mine, theirs) = (local.version.metadata, incoming.metadata)
        let isSame = mine.vector == theirs.vector
        let isWritten = local.state == .synced || local.state == .pending && !local.version.isConclusion
        if kind == .forked, isWritten, theirs.isForked(from: mine) {
            // Two edits under one name: the earlier one wins, also if a store sends it again for its author.
            guard theirs.editTimestamp.time < mine.editTimestamp.time else {
                return Reconciliation(state, outcome: .known)
            }
            return replaced(local, by: incoming)
        }
        if !isSame, kind == .linear, local.state == .synced {
            // The remote has since forgotten what it held, such as a delete whose tombstone was purged. It is sent
            // again.
            var result = waiting(state)
            result.state.base = incoming
            return result
        }
        if isSame, kind == .linear, mine.editTimestamp != theirs.editTimestamp {
            // The remote changed the edit's time when it stored it, and its answer was lost.
            return stored(incoming, over: local)
        }
        guard local.state == .pending || local.state == .rejected else {
            // Agreeing versions are joined, and then two contents can have the same vector.
            return isSame && kind == .forked
                ? meet(state, incoming: incoming) : Reconciliation(state, outcome: .known)
        }
        guard isSame else {
            return local.state == .pending
                ? meet(state, incoming: incoming) : Reconciliation(state, outcome: .known)
        }
        let isOther =
            kind == .forked && local.version.isConclusion && theirs.isForked(from: mine)
            || mine.editTimestamp == theirs.editTimestamp
                && !descriptor.hasSameContent(left: local.version, right: incoming)
        // Another content of the same name, or the same conclusion from other last values. Only the remote's is
        // published.
        if isOther { return replaced(local, by: incoming) }
        var result = acknowledged(local)
        if kind == .forked, incoming != merge.keepingLocalOnly(local.version, of: incoming) {
            // Two devices concluded the same from different last values: all devices keep the same one.
            result = meet(result.state, incoming: incoming)
            result.outcome = .acknowledged
        }
        result.effects.append(.removeRejection)
        return result
    }

    /// The state with a version as the remote has stored it.
    func stored(_ version: SyncRecord, over local: LocalRecord) -> Reconciliation {
        let shown = merge.keepingLocalOnly(version, of: local.version)
        var result = Reconciliation(RecordState(clean: shown), outcome: .acknowledged)
        result.effects = [.removeRejection]
        return result
    }

    /// Replaces an edit by the remote's different content of the same name, because other devices have that.
    private func replaced(_ local: LocalRecord, by other: SyncRecord) -> Reconciliation {
        let shown = merge.keepingLocalOnly(other, of: local.version)
        var result = Reconciliation(RecordState(clean: shown), outcome: .taken)
        result.keepForked(local.version, by: other, in: descriptor)
        return result
    }

    /// Whether this device wrote a record that another device has merged into a third one. The edit must merge with
    /// that one.
    private func isDisplaced(_ local: LocalRecord, by incoming: SyncRecord) -> Bool {
        incoming.isDeleted && incoming.mergedInto != nil && local.visibility.exists
            && local.state == .synced && descriptor.layout.letsPeopleDecide
            && own.wrote(local.version.metadata.editTimestamp)
    }

    /// Sends a delete again if it stays although an edit had not seen it: the remote may have dropped its tombstone. If the
    /// edit wins, sends what it became beside the tombstone.
    /// An edit that does not merge with it becomes a conflict on the device that wrote it.
    func keepDeleted(before: RecordState, incoming: SyncRecord, after: inout Reconciliation) {
        guard after.outcome != .known,
            let old = before.local, old.state == .synced, old.version.isDeleted,
            old.version.mergedInto == nil, !incoming.isDeleted,
            let new = after.state.local, new.state == .synced,
            new.version.mergedInto == nil
        else { return }
        let isDivided = heads.isDivided(after.state.heads)
        guard new.version.isDeleted else {
            // What the tombstone added to the edit that won, such as the time when the record was first made.
            if isDivided || merge.keepingLocalOnly(incoming, of: new.version).record == new.version.record {
                return
            }
            after.state.local?.state = .pending
            after.state.base = incoming
            return
        }
        // Beside the edit, the delete is sent as it was: the device that wrote the edit has to learn of it.
        if isDivided, new.version.metadata != old.version.metadata { return }
        after.state.local?.state = .pending
        if !isDivided { after.state.base = incoming }
    }

    // MARK: Absence

    /// The remote no longer has the record, not even as a tombstone.
    func absent(_ state: RecordState) -> Reconciliation {
        guard let local = state.local else { return Reconciliation(state, outcome: .known) }
        if local.state == .synced { return Reconciliation(RecordState(), outcome: .removed) }
        // A pending change must not name a state that the remote has forgotten. It is a create now.
        var result = Reconciliation(state, outcome: .known)
        if let tombstone = state.purged {
            // All of its versions are gone, however many the remote held.
            var known = state
            known.heads = []
            result = self(known, on: .remote(tombstone))
        }
        result.effects.append(.forgetRevision)
        return result
    }

    /// Sends again what the remote has lost, unchanged: the same edit, whoever made it.
    func lost(_ state: RecordState) -> Reconciliation {
        state.local?.state == .synced ? waiting(state) : Reconciliation(state, outcome: .known)
    }

    /// Evicts a clean record. A pending one is kept.
    func outOfScope(_ state: RecordState) -> Reconciliation {
        guard let local = state.local, local.state == .synced else {
            return Reconciliation(state, outcome: .known)
        }
        return Reconciliation(RecordState(), outcome: .removed)
    }
}

extension Reconciliation {
    /// Keeps a version that is replaced by one of the same author, which may not have seen it although its vector
    /// says so.
    fileprivate mutating func keepForked(
        _ version: SyncRecord,
        by other: SyncRecord,
        in entity: EntityDescriptor
    ) {
        guard !version.isDeleted, !entity.hasSameContent(left: version, right: other) else { return }
        effects.append(.journal(Loss(kept: other, lost: version), rule: "copied-store"))
    }
}
