import SyncCore

/// Writes reconciled states. Nothing else writes a record's state.
extension RecordPlace {
    /// Reconciles the record with an event of this device, and writes and returns the result. What is known of the
    /// remote stays as it is, however many versions that holds.
    @discardableResult
    func reconcile(_ event: RecordEvent, before: RecordState, own: OwnDevices, at now: Timestamp) throws
        -> Reconciliation
    {
        let result = Reconcile(entity, own: own, remote: .forked)(before, on: event)
        try perform(result, before: before, at: now)
        return result
    }

    /// Writes the record's new state and performs the effects. `before` is the stored state.
    func perform(_ result: Reconciliation, before: RecordState, at now: Timestamp) throws {
        if result.state.local == nil {
            if before.local != nil { try transaction.remove(entity: entity, key: key) }
        } else {
            try write(result.state, before: before)
        }
        let deciding = before.local?.state == .conflict ? entity.asking : entity
        try transaction.journal(result.losses, rule: deciding.strategy.rawValue, at: now)
        if let loss = result.localLoss(before: before, in: entity) {
            let content = loss.lost.localContent(in: entity)
            try transaction.journal([loss], rule: "gone-elsewhere", content: content, at: now)
        }
        for effect in result.effects {
            try apply(effect, seenBy: result.state.local?.version.metadata.vector, at: now)
        }
    }

    private func write(_ state: RecordState, before: RecordState) throws {
        guard var local = state.local else { return }
        if before.local?.visibility == .setAside, !local.version.isDeleted {
            local.visibility = RecordFit(entity).fits(local.version.record) ? .live : .setAside
        }
        if local.version != before.local?.version {
            try transaction.save(entity: entity, record: local)
        } else if local != before.local {
            // The values are unchanged and need not be written again.
            let header = RecordHeader(
                state: local.state,
                visibility: local.version.isDeleted ? .deleted : local.visibility,
                hasHeads: local.hasHeads,
                metadata: local.version.metadata
            )
            try transaction.update(entity: entity, key: key, header: header)
        }
        let base = local.state == .synced ? nil : state.base
        if base != before.base { try setSide(.base, version: base) }
        let remote = local.state == .conflict ? state.remote : nil
        if remote != before.remote { try setSide(.remote, version: remote) }
        let agreed = local.state == .pending ? state.agreed : nil
        if agreed != before.agreed { try setSide(.agreed, version: agreed) }
        // What the remote sends replaces the other side, and then that no longer waits.
        let unsent = remote?.metadata == state.unsent?.metadata ? state.unsent : nil
        if unsent != before.unsent { try setSide(.unsent, version: unsent) }
        if state.heads != before.heads {
            try transaction.setHeads(entity: entity, key: key, heads: state.heads)
        }
    }

    private func setSide(_ kind: SideKind, version: SyncRecord?) throws {
        try transaction.setSide(entity: entity, key: key, kind: kind, version: version)
    }

    /// Performs an effect. `seenBy`: what the record has seen; nil if it is gone.
    func apply(_ effect: RecordEffect, seenBy vector: VersionVector? = nil, at now: Timestamp) throws {
        switch effect {
        case .journal(let loss, let rule): try transaction.journal([loss], rule: rule, at: now)
        case .forgetRejection: try transaction.forgetRejection(entity: entity.name, key: key)
        case .removeRejection:
            let vector = vector ?? VersionVector()
            try transaction.removeRejection(entity: entity.name, key: key, seenBy: vector)
        case .tryAgain: try transaction.tryAgain(entity: entity.name, key: key)
        case .forgetRevision: try setRevision(nil)
        case .displace(let version): try setSide(.displaced, version: version)
        }
    }
}

extension StoreTransaction {
    /// Writes the values that automatic decisions took away to the journal. `content` distinguishes losers of the same
    /// name.
    func journal(_ losses: [Loss], rule: String, content: Digest? = nil, at: Timestamp) throws {
        for loss in losses {
            let rule = loss.rule ?? rule
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
