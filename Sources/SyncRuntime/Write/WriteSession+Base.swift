package import SyncCore

/// Edits of versions that were read earlier, by forms that stay open and drafts that are kept.
extension WriteSession {
    /// Writes what a person changed in a record since it was read, and leaves everything else as it is now. Returns
    /// the key: the survivor's, if the record was merged into another one meanwhile.
    ///
    /// Where the record was changed in the same places since, the two edits meet as concurrent ones, by the entity's
    /// strategy: what loses goes to the journal, and what a person must decide becomes a conflict. An edit without a
    /// change writes nothing. A record that was deleted meanwhile meets the edit like any concurrent delete.
    ///
    /// - Parameters:
    ///   - record: The values as the person left them.
    ///   - base: The values as they were read.
    ///   - store: The store from which they were read; nil for this one.
    /// - Throws: `SyncError` `invalidInput` if the record does not fit its schema, would duplicate unique values, or
    ///   has another key than the base.
    package func save(
        entity: EntityDescriptor,
        record: Record,
        since base: Record,
        from store: StoreID? = nil
    ) throws -> RecordKey {
        let mirror = entity.layout.deleted
        return try save(
            entity: entity,
            record: record,
            isDeleted: mirror.map { record.isSet($0) } ?? false,
            since: base,
            wasDeleted: mirror.map { base.isSet($0) } ?? false,
            from: store
        )
    }

    /// Writes what differs from a version that was read: a whole record, with times of its own only where they differ.
    /// Returns the key.
    ///
    /// - Throws: `SyncError` `invalidInput` for a version of another store or entity, and as for a record.
    package func save(
        entity: EntityDescriptor,
        record: Record,
        isDeleted: Bool,
        since version: RecordVersion
    ) throws -> RecordKey {
        let base = try base(of: version, entity: entity)
        var record = record
        let times = [entity.layout.created, entity.layout.updated].compactMap { $0 }
        for time in times where record.values[time] == nil { record.values[time] = base.values[time] }
        return try save(
            entity: entity,
            record: record,
            isDeleted: isDeleted,
            since: base,
            wasDeleted: version.isDeleted,
            from: version.store
        )
    }

    /// Deletes a record that was read; nil for one that was not, or not with this key. It goes whatever it is now, and the
    /// journal keeps what the person cannot have seen.
    package func delete(entity: EntityDescriptor, key: RecordKey, since base: Record?) throws {
        let (target, state) = try consequences.place(entity: entity, key: key).survivor()
        try delete(entity: entity, key: key)
        guard let base, let gone = state.local?.version, gone.record != base,
            let kept = try target.load()?.version
        else { return }
        let rule = MergeStrategy.lastWriteWins.rawValue
        try transaction.journal([Loss(kept: kept, lost: gone)], rule: rule, at: now)
    }

    /// Writes the given members as an edit of a version that was read. What equals that version is unchanged.
    func put(members given: Record, entity: EntityDescriptor, since version: RecordVersion) throws
        -> RecordKey
    {
        let base = try base(of: version, entity: entity)
        var record = base
        for (index, value) in given.values.enumerated() where value != nil { record.values[index] = value }
        for member in given.unknown { record.setUnknown(member) }
        let mirror = entity.layout.deleted
        return try save(
            entity: entity,
            record: record,
            isDeleted: mirror.map { record.isSet($0) } ?? version.isDeleted,
            since: base,
            wasDeleted: version.isDeleted,
            from: version.store
        )
    }

    /// The values of a version that can be saved here.
    private func base(of version: RecordVersion, entity: EntityDescriptor) throws -> Record {
        guard version.entity == entity.name, try transaction.holds(versionsOf: version.store) else {
            throw SyncError.otherStore(entity: entity.name)
        }
        return try entity.fitting { try version.base(of: entity) }
    }

    private func save(
        entity: EntityDescriptor,
        record: Record,
        isDeleted: Bool,
        since base: Record,
        wasDeleted: Bool,
        from store: StoreID?
    ) throws -> RecordKey {
        let adopted = try transaction.adopted(base, record, of: entity, from: store)
        let mine = try consequences.resolved(record: adopted.mine, entity: entity)
        let base = try consequences.resolved(record: adopted.base, entity: entity)
        guard let key = entity.key(of: base), key == entity.key(of: mine) else {
            throw SyncError.keyChange(entity: entity.name)
        }
        let (target, state) = try consequences.place(entity: entity, key: key).survivor()
        guard base != mine || isDeleted != wasDeleted else { return target.key }
        let save = StaleSave(
            entity: target.entity,
            key: target.key,
            state: state,
            base: base,
            mine: mine,
            deletes: isDeleted,
            wasDeleted: wasDeleted,
            time: StaleSave.time(of: mine, since: base, entity: entity, now: now)
        )
        switch save.decision {
        case .nothing: break
        case .edit(let edit, let losses):
            // Where it was overtaken, it may meet what a person's edit is refused for, such as a deleted parent.
            let isOvertaken = !losses.isEmpty || state.local?.visibility.exists != true
            if isOvertaken { try checkUnique(save) }
            if let edit {
                let origin = isOvertaken ? Consequences.EditOrigin.choice : .person
                _ = try consequences.apply(edit, at: target, before: state, origin: origin)
            }
            try journal(losses, of: save, at: target)
        case .conflict(let edit, let vector, let losses):
            try checkUnique(save)
            try conflict(edit, vector: vector, of: save, at: target)
            try journal(losses, of: save, at: target)
        }
        return target.key
    }

    /// Puts the values in the journal that a record had before it was overwritten by somebody who may not have seen
    /// them.
    func journal(overwritten version: SyncRecord, entity: EntityDescriptor) throws {
        guard let kept = try transaction.load(entity: entity, key: version.key)?.version else { return }
        var words = version
        // Whoever makes a deleted record anew takes its last values away, if there are some.
        words.isDeleted = kept.isDeleted
        let isShared = !entity.hasSameContent(left: words, right: kept)
        let isLocal = version.losesLocalValue(to: kept, in: entity)
        if !isShared && !isLocal
            || version.isDeleted && version.record == entity.record(withKeyOnly: version.key)
        {
            return
        }
        try transaction.journal(
            [Loss(kept: kept, lost: version)],
            rule: "overwritten",
            content: isLocal ? version.localContent(in: entity) : nil,
            at: now
        )
    }

    /// Refuses values of a `unique` list that the person has given and that another record has.
    private func checkUnique(_ save: StaleSave) throws {
        let author = save.editTimestamp(device: consequences.device)
        let seen = save.version(record: save.base, editTimestamp: author)
        let given = save.version(record: save.mine, editTimestamp: author)
        try consequences.checkUnique(
            given,
            entity: save.entity,
            current: LocalRecord(version: seen, state: .synced)
        )
    }

    private func journal(_ losses: StaleSave.Losses, of save: StaleSave, at place: RecordPlace) throws {
        guard !losses.isEmpty, let kept = try place.load()?.version else { return }
        var lost = [losses.theirs].compactMap { $0 }
        if let mine = losses.mine {
            var version = save.version(record: mine, editTimestamp: try formTimestamp(of: save))
            version.isDeleted = losses.isDeleted
            lost.append(version)
        }
        for version in lost {
            let isLocal = version.metadata.editTimestamp == kept.metadata.editTimestamp
            try transaction.journal(
                [Loss(kept: kept, lost: version)],
                rule: save.entity.strategy.rawValue,
                content: isLocal ? version.localContent(in: save.entity) : nil,
                at: now
            )
        }
    }

    /// Keeps the edit beside what the record is now, until a person decides.
    private func conflict(
        _ edit: Editor.Edit,
        vector: VersionVector,
        of save: StaleSave,
        at place: RecordPlace
    ) throws {
        let edited = try formTimestamp(of: save)
        let current = save.state.local
        let editor = Editor(descriptor: save.entity, now: save.time, device: edited.device)
        guard case .edited(var version) = editor(edit, key: save.key, sequence: { edited.sequence }) else {
            return
        }
        try consequences.check(&version, entity: save.entity, current: current, origin: .choice)
        version.metadata.vector = vector
        version.metadata.vector.insert(version.metadata.editTimestamp)
        var base = save.version(record: save.base, editTimestamp: version.metadata.editTimestamp)
        base.metadata.vector = vector
        try consequences.write(.editedApart(version, base: base), at: place, before: save.state)
        try consequences.follow(
            version,
            at: place,
            current: current,
            origin: .choice,
            resolvesConflict: false
        )
    }

    /// Names an edit that has not seen what this device wrote since: not by this device, whose later edits count as
    /// having seen its earlier ones.
    private func formTimestamp(of save: StaleSave) throws -> EditTimestamp {
        let author = consequences.device.form(sequence: try transaction.nextSequence())
        return save.editTimestamp(device: author)
    }
}
