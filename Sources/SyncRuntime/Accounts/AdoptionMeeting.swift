import SyncCore

/// How a guest's record meets the account's record of the same key: as edits that have not seen each other. Pure.
struct AdoptionMeeting {
    let entity: EntityDescriptor
    let device: DeviceID
    private let merge: Merge

    init(entity: EntityDescriptor, device: DeviceID) {
        self.entity = entity
        self.device = device
        merge = Merge(descriptor: entity)
    }

    /// What comes of the two.
    struct Outcome {
        var recordState: Planner.RecordState
        var losses: [Planner.Loss] = []
        /// Whether a conflict is left to a person.
        var needsPerson = false
    }

    func meet(_ before: Planner.RecordState, account: LocalRecord, guest: SyncRecord) -> Outcome {
        let mine = account.version
        return account.state == .synced
            ? meetClean(before, account: mine, guest: guest)
            : meetDirty(before, state: account.state, account: mine, guest: guest)
    }

    /// The account's version is what the remote has: the guest's is a local edit that had not seen it.
    private func meetClean(_ before: Planner.RecordState, account: SyncRecord, guest: SyncRecord) -> Outcome {
        let recordState = Planner.RecordState(local: LocalRecord(version: guest, state: .pending))
        let plan = Planner(descriptor: entity, own: OwnDevices(current: device), isLinear: true).plan(
            recordState: recordState,
            incoming: account
        )
        var outcome = Outcome(recordState: plan.recordState, losses: plan.losses)
        outcome.recordState.heads = before.heads
        outcome.recordState.local?.hasHeads = !before.heads.isEmpty
        outcome.needsPerson = plan.recordState.local?.state == .conflict
        return outcome
    }

    /// The account's version is an edit of this device, too, which no remote is known to hold.
    private func meetDirty(
        _ before: Planner.RecordState,
        state: SyncState,
        account: SyncRecord,
        guest: SyncRecord
    ) -> Outcome {
        var outcome = Outcome(recordState: before)
        if merge.isAgreement(left: account, right: guest) { return outcome }
        if case .merged(let result, let lost) = merge(account, right: guest),
            result.isDeleted || RecordCheck.problem(record: result.record, descriptor: entity) == nil
        {
            outcome.losses = lost.map { Planner.Loss(kept: result, lost: $0) }
            // The account's edit won as a whole: it stays as it is, on its way or refused.
            if merge.isAgreement(left: result, right: account) { return outcome }
            outcome.recordState.local = LocalRecord(
                version: result,
                state: state == .conflict ? .conflict : .pending,
                hasHeads: !before.heads.isEmpty
            )
            outcome.recordState.agreed = nil
            return outcome
        }
        outcome.needsPerson = true
        if state == .conflict {
            // Three values, of which a conflict shows two: the guest's can be brought back from the journal.
            outcome.losses = [Planner.Loss(kept: account, lost: guest)]
            return outcome
        }
        // NB: the account's edit is not with the remote, so the remote's next version would take its place in the
        // conflict: the journal keeps it.
        outcome.losses = [Planner.Loss(kept: guest, lost: account)]
        outcome.recordState.local = LocalRecord(
            version: guest,
            state: .conflict,
            hasHeads: !before.heads.isEmpty
        )
        outcome.recordState.remote = account
        outcome.recordState.agreed = nil
        return outcome
    }
}
