package import SyncCore

extension StoreSnapshot {
    /// The trees of one record.
    func trees(_ entity: EntityDescriptor, _ key: RecordKey) throws -> Planner.Trees {
        guard let local = try load(entity, key) else { return Planner.Trees() }
        var trees = Planner.Trees(local: local)
        if local.state != .synced { trees.base = try side(entity, key, .base) }
        if local.state == .pending { trees.agreed = try side(entity, key, .agreed) }
        if local.state == .conflict { trees.remote = try side(entity, key, .remote) }
        if local.hasHeads { trees.heads = try heads(entity, key) }
        return trees
    }

    /// The key under which a record is found: itself, or the one that it was merged into.
    package func survivor(_ entity: EntityDescriptor, _ key: RecordKey) throws -> RecordKey {
        var key = key
        // NB: chains are short (each merge leads to a smaller key) but a damaged store might hold a ring.
        for _ in 0..<64 {
            guard let local = try load(entity, key), local.visibility != .live,
                let next = local.version.mergedInto
            else { return key }
            key = next
        }
        return key
    }
}

extension Planner.Trees {
    /// The trees before a version that is all that the remote holds. A clean record that it has not seen is one that the
    /// remote forgot, such as a delete whose tombstone was purged: it is an edit like any other that the remote lacks.
    package func forgotten(by incoming: SyncRecord) -> Planner.Trees {
        guard var mine = local, mine.state == .synced, heads.isEmpty,
            !incoming.stamp.vector.covers(mine.version.stamp.vector),
            !mine.version.stamp.vector.covers(incoming.stamp.vector)
        else { return self }
        var trees = self
        mine.state = .pending
        trees.local = mine
        trees.base = nil
        return trees
    }

    /// The trees of a clean record once the remote holds only a version that this one has seen: it forgot what it held
    /// since, such as a delete whose tombstone was purged before an older edit came late. So this one waits again.
    package func sentAgain(over incoming: SyncRecord) -> Planner.Trees {
        var after = self
        after.local?.state = .pending
        after.base = incoming
        return after
    }
}

extension Planner.Trees {
    /// The trees once a person has written a version, which keeps the base of a record that was clean until now.
    package func edited(_ version: SyncRecord, settlesConflict: Bool = false) -> Planner.Trees {
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
    package func acknowledged(_ sent: SyncRecord) -> Planner.Trees {
        var after = self
        guard let local else { return self }
        if local.version.stamp == sent.stamp {
            after.local?.state = .synced
            after.base = nil
            after.agreed = nil
            after.remote = nil
        } else if local.state != .synced {
            after.base = sent
            // What was sent is a head now, and what it had seen is none.
            let left = heads.filter { !sent.stamp.vector.covers($0.stamp.vector) }
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
        let mark = EditMark(
            time: stamp.mark.time.next,
            device: nobody,
            sequence: stamp.vector[nobody] + 1
        )
        version.isDeleted = true
        version.mergedInto = nil
        version.stamp.mark = mark
        version.stamp.vector.insert(mark)
        return version
    }
}

extension StoreTransaction {
    /// Writes the trees of one record as a plan has them; `before` tells what is there already.
    func save(_ entity: EntityDescriptor, _ key: RecordKey, _ trees: Planner.Trees, before: Planner.Trees)
        throws
    {
        guard let local = trees.local else { return }
        if local != before.local { try save(entity, local) }
        let keepsBase = local.state != .synced
        let base = keepsBase ? trees.base : nil
        if base != before.base { try setSide(entity, key, .base, base) }
        let remote = local.state == .conflict ? trees.remote : nil
        if remote != before.remote { try setSide(entity, key, .remote, remote) }
        let agreed = local.state == .pending ? trees.agreed : nil
        if agreed != before.agreed { try setSide(entity, key, .agreed, agreed) }
        if trees.heads != before.heads { try setHeads(entity, key, trees.heads) }
    }

    /// Writes what automatic decisions took away.
    func record(_ losses: [Planner.Loss], rule: String, at: Timestamp) throws {
        for loss in losses where Guard.isOn(.journal) {
            // NB: the vector tells two losers apart that have one mark.
            let (kept, lost) = (loss.kept.stamp, loss.lost.stamp)
            let name =
                "\(loss.lost.entity)\n\(loss.lost.key)\n\(kept.mark)\n\(lost.mark)\n\(lost.vector)\n\(rule)"
            let id = String(Digest(Array(name.utf8)).description.prefix(16))
            try addJournal(JournalEntry(id: id, at: at, rule: rule, kept: loss.kept, lost: loss.lost))
        }
    }
}
