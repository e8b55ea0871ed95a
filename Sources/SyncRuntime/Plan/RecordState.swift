package import SyncCore

extension StoreSnapshot {
    /// The trees of one record.
    func recordState(entity: EntityDescriptor, key: RecordKey) throws -> Planner.RecordState {
        guard let local = try load(entity, key: key) else { return Planner.RecordState() }
        var recordState = Planner.RecordState(local: local)
        if local.state != .synced { recordState.base = try side(entity: entity, key: key, kind: .base) }
        if local.state == .pending { recordState.agreed = try side(entity: entity, key: key, kind: .agreed) }
        if local.state == .conflict { recordState.remote = try side(entity: entity, key: key, kind: .remote) }
        if local.hasHeads { recordState.heads = try heads(entity: entity, key: key) }
        return recordState
    }

    /// The key under which a record is found: itself, or the one that it was merged into.
    package func survivor(entity: EntityDescriptor, key: RecordKey) throws -> RecordKey {
        var key = key
        // NB: chains are short (each merge leads to a smaller key) but a damaged store might hold a ring.
        for _ in 0..<64 {
            guard let local = try load(entity, key: key), local.visibility != .live,
                let next = local.version.mergedInto
            else { return key }
            key = next
        }
        return key
    }
}

extension Planner.RecordState {
    /// The trees before a version that is all that the remote holds. A clean record that it has not seen is one that the
    /// remote forgot, such as a delete whose tombstone was purged: it is an edit like any other that the remote lacks.
    package func forgotten(by incoming: SyncRecord) -> Planner.RecordState {
        guard var mine = local, mine.state == .synced, heads.isEmpty,
            !incoming.metadata.vector.covers(mine.version.metadata.vector),
            !mine.version.metadata.vector.covers(incoming.metadata.vector)
        else { return self }
        var recordState = self
        mine.state = .pending
        recordState.local = mine
        recordState.base = nil
        return recordState
    }

    /// The trees of a clean record once the remote holds only a version that this one has seen: it forgot what it held
    /// since, such as a delete whose tombstone was purged before an older edit came late. So this one waits again.
    package func sentAgain(over incoming: SyncRecord) -> Planner.RecordState {
        var after = self
        after.local?.state = .pending
        after.base = incoming
        return after
    }
}

extension Planner.RecordState {
    /// The trees once a person has written a version, which keeps the base of a record that was clean until now.
    package func edited(version: SyncRecord, settlesConflict: Bool = false) -> Planner.RecordState {
        var after = self
        var state = SyncState.pending
        switch local?.state {
        case .synced?: after.base = local?.version
        case .conflict? where !settlesConflict: state = .conflict
        case .conflict?: after.base = remote
        case .pending?, .rejected?, nil: break
        }
        if state != .conflict { after.remote = nil }
        after.agreed = nil
        // NB: what the edit has seen stays a head of the remote until the edit is published.
        after.local = LocalRecord(version: version, state: state, hasHeads: !heads.isEmpty)
        return after
    }

    /// The trees once the remote has taken what was sent. An edit that was made meanwhile now stands on that. Where other
    /// heads stand beside it, what they come to is the planner's to say.
    package func acknowledged(sent: SyncRecord) -> Planner.RecordState {
        var after = self
        guard let local else { return self }
        if local.version.metadata == sent.metadata {
            after.local?.state = .synced
            after.base = nil
            after.agreed = nil
            after.remote = nil
        } else if local.state != .synced {
            after.base = sent
            // What was sent is a head now, and what it had seen is none.
            let left = heads.filter { !sent.metadata.vector.covers($0.metadata.vector) }
            after.heads = left.isEmpty ? [] : left + [sent]
            after.local?.hasHeads = !left.isEmpty
        }
        return after
    }

    /// The tombstone that somebody wrote and that the remote does not hold any more, for a record that is not clean; nil
    /// where none is known of. Who waits must not name a state that the remote has forgotten, be it a tombstone.
    package var purged: SyncRecord? {
        guard let known = remote ?? base, !known.isDeleted else { return nil }
        return known.deletedUnseen()
    }
}

extension SyncRecord {
    /// The tombstone that somebody wrote on top of this version, and that nobody holds any more.
    fileprivate func deletedUnseen() -> SyncRecord {
        // NB: no device has this id, so the mark is nobody's; it only says that the delete saw this version.
        let nobody = DeviceID(bits: 0)
        var version = self
        let editTimestamp = EditTimestamp(
            time: metadata.editTimestamp.time.next,
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

extension StoreTransaction {
    /// Writes the trees of one record as a plan has them; `before` tells what is there already.
    func save(
        _ entity: EntityDescriptor,
        key: RecordKey,
        recordState: Planner.RecordState,
        before: Planner.RecordState
    )
        throws
    {
        guard let local = recordState.local else { return }
        if local != before.local { try save(entity, record: local) }
        let keepsBase = local.state != .synced
        let base = keepsBase ? recordState.base : nil
        if base != before.base { try setSide(entity, key: key, kind: .base, version: base) }
        let remote = local.state == .conflict ? recordState.remote : nil
        if remote != before.remote { try setSide(entity, key: key, kind: .remote, version: remote) }
        let agreed = local.state == .pending ? recordState.agreed : nil
        if agreed != before.agreed { try setSide(entity, key: key, kind: .agreed, version: agreed) }
        if recordState.heads != before.heads { try setHeads(entity, key: key, heads: recordState.heads) }
    }

    /// Writes what automatic decisions took away.
    func record(_ losses: [Planner.Loss], rule: String, at: Timestamp) throws {
        for loss in losses where !Mutation.disables(.journal) {
            // NB: the vector tells two losers apart that have one mark.
            let (kept, lost) = (loss.kept.metadata, loss.lost.metadata)
            let name =
                "\(loss.lost.entity)\n\(loss.lost.key)\n\(kept.editTimestamp)\n\(lost.editTimestamp)\n\(lost.vector)\n\(rule)"
            let id = String(Digest(Array(name.utf8)).description.prefix(16))
            try addJournal(JournalEntry(id: id, at: at, rule: rule, kept: loss.kept, lost: loss.lost))
        }
    }
}
