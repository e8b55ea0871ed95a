import SyncCore

/// Writes reconciled states. Nothing else writes a record's state.
extension StoreTransaction {
    /// Reconciles a record with an event of this device, and writes and returns the result. What is known of the
    /// remote stays as it is, however many versions that holds.
    @discardableResult
    func reconcile(
        _ event: RecordEvent,
        entity: EntityDescriptor,
        key: RecordKey,
        before: RecordState,
        own: OwnDevices,
        at now: Timestamp
    ) throws -> Reconciliation {
        let result = Reconcile(entity, own: own, remote: .forked)(before, on: event)
        try perform(result, entity: entity, key: key, before: before, at: now)
        return result
    }

    /// Writes a record's new state and performs the effects. `before` is the stored state.
    func perform(
        _ result: Reconciliation,
        entity: EntityDescriptor,
        key: RecordKey,
        before: RecordState,
        at now: Timestamp
    ) throws {
        if result.state.local == nil {
            if before.local != nil { try remove(entity: entity, key: key) }
        } else {
            try write(result.state, entity: entity, key: key, before: before)
        }
        try journal(result.losses, rule: entity.strategy.rawValue, at: now)
        if let loss = result.localLoss(before: before, in: entity) {
            // An edit of such a value has no edit timestamp of its own.
            let content = Digest(EntryCodec.encode(loss.lost, descriptor: entity, keepsLocal: true))
            try journal([loss], rule: "gone-elsewhere", content: content, at: now)
        }
        for effect in result.effects { try apply(effect, entity: entity, key: key, at: now) }
    }

    private func write(
        _ state: RecordState,
        entity: EntityDescriptor,
        key: RecordKey,
        before: RecordState
    ) throws {
        guard var local = state.local else { return }
        if before.local?.visibility == .setAside, !local.version.isDeleted {
            local.visibility = RecordFit(entity).fits(local.version.record) ? .live : .setAside
        }
        if local.version != before.local?.version {
            try save(entity: entity, record: local)
        } else if local != before.local {
            // The values are unchanged and need not be written again.
            let header = RecordHeader(
                state: local.state,
                visibility: local.version.isDeleted ? .deleted : local.visibility,
                hasHeads: local.hasHeads,
                metadata: local.version.metadata
            )
            try update(entity: entity, key: key, header: header)
        }
        let base = local.state == .synced ? nil : state.base
        if base != before.base { try setSide(entity: entity, key: key, kind: .base, version: base) }
        let remote = local.state == .conflict ? state.remote : nil
        if remote != before.remote { try setSide(entity: entity, key: key, kind: .remote, version: remote) }
        let agreed = local.state == .pending ? state.agreed : nil
        if agreed != before.agreed { try setSide(entity: entity, key: key, kind: .agreed, version: agreed) }
        // What the remote sends replaces the other side, and then that no longer waits.
        let unsent = remote?.metadata == state.unsent?.metadata ? state.unsent : nil
        if unsent != before.unsent { try setSide(entity: entity, key: key, kind: .unsent, version: unsent) }
        if state.heads != before.heads { try setHeads(entity: entity, key: key, heads: state.heads) }
    }

    func apply(
        _ effect: RecordEffect,
        entity: EntityDescriptor,
        key: RecordKey,
        at now: Timestamp
    ) throws {
        switch effect {
        case .journal(let loss, let rule): try journal([loss], rule: rule, at: now)
        case .forgetRejection: try forgetRejection(entity: entity.name, key: key)
        case .removeRejection: try removeRejection(entity: entity.name, key: key)
        case .tryAgain: try tryAgain(entity: entity.name, key: key)
        case .forgetRevision: try setRevision(entity: entity, key: key, revision: nil)
        case .displace(let version): try setSide(entity: entity, key: key, kind: .displaced, version: version)
        }
    }

    /// Writes the values that automatic decisions took away to the journal. `content` distinguishes losers of the same
    /// name.
    func journal(_ losses: [Loss], rule: String, content: Digest? = nil, at: Timestamp) throws {
        for loss in losses where !Mutation.disables(.journal) {
            // The vector distinguishes two losers with the same edit timestamp.
            let (kept, lost) = (loss.kept.metadata, loss.lost.metadata)
            var name =
                "\(loss.lost.entity)\n\(loss.lost.key)\n\(kept.editTimestamp)\n\(lost.editTimestamp)\n\(lost.vector)\n\(rule)"
            if let content { name += "\n\(content)" }
            let id = String(Digest(Array(name.utf8)).description.prefix(16))
            try addJournal(JournalEntry(id: id, at: at, rule: rule, kept: loss.kept, lost: loss.lost))
        }
    }
}
