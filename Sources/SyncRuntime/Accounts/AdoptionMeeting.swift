import SyncCore

/// How a guest's record meets the account's record of the same key: as edits that have not seen each other. Pure.
struct AdoptionMeeting {
    let entity: EntityDescriptor
    let device: DeviceID
    private let merge: Merge

    init(_ entity: EntityDescriptor, device: DeviceID) {
        self.entity = entity
        self.device = device
        merge = Merge(entity)
    }

    /// What comes of the two.
    struct Outcome {
        var trees: Planner.Trees
        var losses: [Planner.Loss] = []
        /// Whether a conflict is left to a person.
        var needsPerson = false
    }

    func meet(_ before: Planner.Trees, _ account: LocalRecord, _ guest: SyncRecord) -> Outcome {
        let mine = account.version
        return account.state == .synced
            ? meetClean(before, mine, guest) : meetDirty(before, account.state, mine, guest)
    }

    /// The account's version is what the remote has: the guest's is a local edit that had not seen it.
    private func meetClean(_ before: Planner.Trees, _ account: SyncRecord, _ guest: SyncRecord) -> Outcome {
        let trees = Planner.Trees(local: LocalRecord(version: guest, state: .pending))
        let plan = Planner(entity, own: OwnDevices(device), isLinear: true).plan(trees, incoming: account)
        var outcome = Outcome(trees: plan.trees, losses: plan.losses)
        outcome.trees.heads = before.heads
        outcome.trees.local?.hasHeads = !before.heads.isEmpty
        outcome.needsPerson = plan.trees.local?.state == .conflict
        return outcome
    }

    /// The account's version is an edit of this device, too, which no remote is known to hold.
    private func meetDirty(
        _ before: Planner.Trees,
        _ state: SyncState,
        _ account: SyncRecord,
        _ guest: SyncRecord
    ) -> Outcome {
        var outcome = Outcome(trees: before)
        if merge.isAgreement(account, guest) { return outcome }
        if case .merged(let result, let lost) = merge(account, guest),
            result.isDeleted || RecordCheck.problem(result.record, entity) == nil
        {
            outcome.losses = lost.map { Planner.Loss(kept: result, lost: $0) }
            // The account's edit won as a whole: it stays as it is, on its way or refused.
            if merge.isAgreement(result, account) { return outcome }
            outcome.trees.local = LocalRecord(
                version: result,
                state: state == .conflict ? .conflict : .pending,
                hasHeads: !before.heads.isEmpty
            )
            outcome.trees.agreed = nil
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
        outcome.trees.local = LocalRecord(
            version: guest,
            state: .conflict,
            hasHeads: !before.heads.isEmpty
        )
        outcome.trees.remote = account
        outcome.trees.agreed = nil
        return outcome
    }
}
