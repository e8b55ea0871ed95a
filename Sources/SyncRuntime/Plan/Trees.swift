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
        // NB: a record that hides behind another is live at the remote.
        if !mine.version.isDeleted { mine.version.mergedInto = nil }
        trees.local = mine
        trees.base = nil
        return trees
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
            let name =
                "\(loss.lost.entity)\n\(loss.lost.key)\n\(loss.kept.stamp.mark)\n\(loss.lost.stamp.mark)\n\(rule)"
            let id = String(Digest(Array(name.utf8)).description.prefix(16))
            try addJournal(JournalEntry(id: id, at: at, rule: rule, kept: loss.kept, lost: loss.lost))
        }
    }
}
