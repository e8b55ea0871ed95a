import SyncCore

/// What a delete does to children, and what forbids it.
extension Consequences {
    /// The most records that one delete of a person may take along.
    static let mostCascaded = 100_000

    /// Rejects a local delete that the schema restricts while there are live children, at any depth, that would stay.
    func checkDelete(of parent: RecordPlace) throws {
        let going = try cascade(from: parent)
        guard going.count <= Self.mostCascaded else {
            throw SyncError.cascadeTooLarge(entity: parent.entity.name, limit: Self.mostCascaded)
        }
        if let found = try restriction(of: going) {
            throw SyncError.restricted(entity: found.parent, by: found.child, count: found.count)
        }
    }

    /// Rejects a local edit that puts a record under a parent which this device knows to be deleted, if other devices would
    /// delete the record with it. A record that is under such a parent already, because a person has to decide about
    /// it, stays editable.
    func checkParents(of version: SyncRecord, entity: EntityDescriptor, current: LocalRecord?) throws {
        guard !version.isDeleted, entity.strategy == .lastWriteWins
        else {
            return
        }
        let shown = current?.visibility.exists == true ? current?.version.record : nil
        for reference in entity.references where reference.onDelete == .cascade {
            let before = shown.map { entity.keys(of: reference, in: $0) } ?? []
            for parent in try deletedKeys(of: reference, in: version.record, entity: entity)
            where !before.contains(parent) {
                if reference.entity == entity.name, parent == version.key { continue }
                throw SyncError.underDeleted(
                    entity: entity.name,
                    field: reference.field,
                    parent: reference.entity
                )
            }
        }
    }

    /// Whether a record refers to one that this device knows to be deleted, which matters to it.
    func hasDeletedParent(record: Record, entity: EntityDescriptor) throws -> Bool {
        return try entity.references.contains { reference in
            try reference.onDelete != .keep
                && !deletedKeys(of: reference, in: record, entity: entity).isEmpty
        }
    }

    /// The keys of a reference whose records, or the ones into which those were merged, are deleted.
    private func deletedKeys(
        of reference: ReferenceDescriptor,
        in record: Record,
        entity: EntityDescriptor
    ) throws -> [RecordKey] {
        guard let parents = entities.first(where: { $0.name == reference.entity }) else { return [] }
        return try entity.keys(of: reference, in: record).filter { key in
            guard try transaction.header(entity: parents, key: key)?.visibility == .deleted else {
                return false
            }
            let survivor = try transaction.survivor(entity: parents, key: key)
            return try transaction.header(entity: parents, key: survivor)?.visibility == .deleted
        }
    }

    /// Whether live children, at any depth, forbid a delete of the record that nobody asked for: they restrict it, or
    /// their strategy brings their parents back.
    func isNeeded(_ place: RecordPlace) throws -> Bool {
        if going[place.entity.name]?.contains(place.key) == true { return false }
        let members = try cascade(from: place)
        if members.dropFirst().contains(where: { $0.entity.strategy == .setUnion }) { return true }
        if try restriction(of: members) != nil { return true }
        // All of them go together, so the question is not asked again for each.
        for member in members { going[member.entity.name, default: []].insert(member.key) }
        return false
    }

    /// Cascades a delete to all children that this device sees, or clears their references.
    func deleteChildren(of parent: RecordPlace, editTimestamp: EditTimestamp) throws {
        let cause = DeleteCause(entity: parent.entity.name, key: parent.key, editTimestamp: editTimestamp)
        try run {
            for link in links(to: parent.entity) where link.reference.onDelete.changesChild {
                for child in try children(link, of: parent.key) {
                    try follow(link, child: child, cause: cause)
                }
            }
        }
    }

    /// The live children of a record by one reference.
    func children(_ link: Link, of parent: RecordKey) throws -> [RecordKey] {
        try transaction.children(entity: link.child, reference: link.reference, parent: parent)
    }

    private func follow(_ link: Link, child: RecordKey, cause: DeleteCause) throws {
        guard let local = try transaction.load(entity: link.child, key: child) else { return }
        switch link.reference.onDelete {
        case .nullify: try clear(link, local: local, cause: cause)
        case .cascade: try cascade(entity: link.child, local: local, cause: cause, isSeen: true)
        case .restrict, .keep: break
        }
    }
}

/// What a delete would reach.
extension Consequences {
    /// A record and all that a delete of it takes along: each once, though references may form circles. A delete of
    /// more records than a person's may take along is not followed to its end.
    private func cascade(from place: RecordPlace) throws -> [RecordPlace] {
        var members = [place]
        var seen: [String: Set<RecordKey>] = [place.entity.name: [place.key]]
        var next = 0
        while next < members.count, members.count <= Self.mostCascaded {
            let member = members[next]
            next += 1
            for link in links(to: member.entity) where link.reference.onDelete == .cascade {
                for child in try children(link, of: member.key)
                where seen[link.child.name, default: []].insert(child).inserted {
                    members.append(self.place(entity: link.child, key: child))
                }
            }
        }
        return members
    }

    /// The first reference that forbids a delete of some records: live children that do not go with them.
    private func restriction(of members: [RecordPlace]) throws -> (parent: String, child: String, count: Int)?
    {
        let restricting = entities.contains { $0.references.contains { $0.onDelete == .restrict } }
        guard restricting else { return nil }
        var going: [String: Set<RecordKey>] = [:]
        for member in members { going[member.entity.name, default: []].insert(member.key) }
        for member in members {
            for link in links(to: member.entity) where link.reference.onDelete == .restrict {
                let staying = try children(link, of: member.key)
                    .filter { going[link.child.name]?.contains($0) != true }
                if !staying.isEmpty { return (member.entity.name, link.child.name, staying.count) }
            }
        }
        return nil
    }
}

/// Edits that follow from others.
extension Consequences {
    /// Deletes a record with its parent, whose author saw it or not.
    func cascade(entity: EntityDescriptor, local: LocalRecord, cause: DeleteCause, isSeen: Bool) throws {
        let place = place(entity: entity, key: local.version.key)
        let before = try place.state()
        var edit = Editor.Edit(current: local.version, record: local.version.record)
        edit.isDeleted = true
        edit.alsoSeen = before.seenByDelete
        _ = try apply(
            edit,
            at: place,
            before: before,
            origin: isSeen ? .consequence : .unseenConsequence,
            resolvesConflict: true,
            cause: cause
        )
        try place.addHistory("reference", detail: "deleted with its \(cause.entity)", at: now)
    }

    /// Restores a tombstone with its last value.
    func revive(entity: EntityDescriptor, local: LocalRecord, why: String) throws {
        var edit = Editor.Edit(
            current: local.version,
            record: local.version.beforeDelete(in: entity).record
        )
        edit.isDeleted = false
        going = [:]
        let place = place(entity: entity, key: local.version.key)
        try run {
            _ = try apply(edit, at: place, before: try place.state(), origin: .consequence)
            try place.addHistory("reference", detail: why, at: now)
        }
    }
}
