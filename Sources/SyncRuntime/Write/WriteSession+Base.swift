public import SyncCore

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
    /// - Throws: `SyncError` `invalidInput` if the record does not fit its schema, would duplicate unique values, or
    ///   has another key than the base.
    public func save(entity: EntityDescriptor, record: Record, since base: Record) throws -> RecordKey {
        let mirror = entity.layout.deleted
        return try save(
            entity: entity,
            record: record,
            isDeleted: mirror.map { record.isSet($0) } ?? false,
            since: base,
            wasDeleted: mirror.map { base.isSet($0) } ?? false
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
            wasDeleted: version.isDeleted
        )
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
            wasDeleted: version.isDeleted
        )
    }

    /// The values of a version that can be saved here.
    private func base(of version: RecordVersion, entity: EntityDescriptor) throws -> Record {
        guard version.entity == entity.name, try transaction.holds(versionsOf: version.store) else {
            throw SyncError.otherStore(entity: entity.name)
        }
        return try fitting(entity: entity) { try version.base(of: entity) }
    }

    private func save(
        entity: EntityDescriptor,
        record: Record,
        isDeleted: Bool,
        since base: Record,
        wasDeleted: Bool
    ) throws -> RecordKey {
        let mine = try references.resolved(record: record, entity: entity)
        let base = try references.resolved(record: base, entity: entity)
        guard let key = entity.key(of: base), key == entity.key(of: mine) else {
            throw SyncError.keyChange(entity: entity.name)
        }
        let (target, state) = try transaction.survivingState(entity: entity, key: key)
        guard base != mine || isDeleted != wasDeleted else { return target }
        let save = StaleSave(
            entity: entity,
            key: target,
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
            let isOvertaken = !losses.isEmpty || state.local?.visibility != .live
            if isOvertaken { try checkUnique(save) }
            if let edit {
                let origin = isOvertaken ? EditOrigin.choice : .person
                _ = try apply(edit, entity: entity, key: target, before: state, origin: origin)
            }
            try journal(losses, of: save)
        case .conflict(let edit, let vector):
            try checkUnique(save)
            try conflict(edit, vector: vector, of: save)
        }
        return target
    }

    /// Puts the values in the journal that a record had before it was overwritten by somebody who may not have seen
    /// them.
    package func journal(overwritten version: SyncRecord, entity: EntityDescriptor) throws {
        guard let kept = try transaction.load(entity: entity, key: version.key)?.version,
            !entity.hasSameContent(left: version, right: kept)
        else { return }
        try transaction.journal([Loss(kept: kept, lost: version)], rule: "overwritten", at: now)
    }

    /// Refuses values of a `unique` list that the person has given and that another record has.
    private func checkUnique(_ save: StaleSave) throws {
        let seen = save.version(record: save.base, editTimestamp: save.editTimestamp(device: device))
        let given = save.version(record: save.mine, editTimestamp: save.editTimestamp(device: device))
        try checkUnique(
            given,
            entity: save.entity,
            current: LocalRecord(version: seen, state: .synced)
        )
    }

    private func journal(_ losses: StaleSave.Losses, of save: StaleSave) throws {
        guard !losses.isEmpty, let kept = try transaction.load(entity: save.entity, key: save.key)?.version
        else { return }
        var lost: [SyncRecord] = []
        if let theirs = losses.theirs, let current = save.state.local?.version {
            lost.append(current.replacing(record: theirs))
        }
        if let mine = losses.mine {
            var version = save.version(record: mine, editTimestamp: try formTimestamp(of: save))
            version.isDeleted = losses.isDeleted
            lost.append(version)
        }
        try transaction.journal(
            lost.map { Loss(kept: kept, lost: $0) },
            rule: save.entity.strategy.rawValue,
            at: now
        )
    }

    /// Keeps the edit beside what the record is now, until a person decides.
    private func conflict(_ edit: Editor.Edit, vector: VersionVector, of save: StaleSave) throws {
        let edited = try formTimestamp(of: save)
        let editor = Editor(descriptor: save.entity, now: save.time, device: edited.device)
        guard case .edited(var version) = editor(edit, key: save.key, sequence: { edited.sequence }) else {
            return
        }
        try check(&version, entity: save.entity, current: save.state.local, origin: .choice)
        version.metadata.vector = vector
        version.metadata.vector.insert(version.metadata.editTimestamp)
        var base = save.version(record: save.base, editTimestamp: version.metadata.editTimestamp)
        base.metadata.vector = vector
        try perform(
            .editedApart(version, base: base),
            entity: save.entity,
            key: save.key,
            before: save.state
        )
        try follow(
            version,
            entity: save.entity,
            current: save.state.local,
            origin: .choice,
            resolvesConflict: false
        )
    }

    /// Names an edit that has not seen what this device wrote since: not by this device, whose later edits count as
    /// having seen its earlier ones.
    private func formTimestamp(of save: StaleSave) throws -> EditTimestamp {
        let author = device.form(sequence: try transaction.nextSequence())
        return save.editTimestamp(device: author)
    }
}

/// A save of a version that was read earlier, and what it meets. Pure.
private struct StaleSave {
    let entity: EntityDescriptor
    /// The key of the record that the edit meets.
    let key: RecordKey
    let state: RecordState
    let base: Record
    let mine: Record
    /// Whether the edit deletes the record, or leaves it deleted.
    let deletes: Bool
    /// Whether the person saw that it was deleted.
    let wasDeleted: Bool
    /// When the edit was made.
    let time: Timestamp

    /// What becomes of the edit.
    enum Decision {
        case nothing
        /// An edit on top of the present version, and values that lose. No edit if all of it loses.
        case edit(Editor.Edit?, Losses)
        /// A person must decide. The vector says what the edit has seen.
        case conflict(Editor.Edit, vector: VersionVector)
    }

    /// Values that lose by the strategy.
    struct Losses {
        var mine: Record?
        var theirs: Record?
        /// Whether what the edit loses is a delete.
        var isDeleted = false

        var isEmpty: Bool { mine == nil && theirs == nil }
    }

    /// The time of an edit: the one that the person gave, or now.
    static func time(of mine: Record, since base: Record, entity: EntityDescriptor, now: Timestamp)
        -> Timestamp
    {
        guard let updated = entity.layout.updated, mine.values[updated] != base.values[updated],
            case .timestamp(let given)? = mine.values[updated]
        else { return now }
        return given
    }

    var decision: Decision {
        guard let theirs = state.local?.version else {
            return deletes ? .nothing : .edit(edit(of: nil, record: mine), Losses())
        }
        switch (deletes, theirs.isDeleted) {
        case (true, true): return .nothing
        case (true, false) where wasDeleted: return .nothing
        case (true, false): return deletion(of: theirs)
        case (false, true): return revival(of: theirs)
        case (false, false): return merged(with: theirs)
        }
    }

    /// The first edit of a version that holds these values.
    func version(record: Record, editTimestamp: EditTimestamp) -> SyncRecord {
        SyncRecord(
            entity: entity.name,
            key: key,
            record: record,
            metadata: VersionMetadata(first: editTimestamp)
        )
    }

    func editTimestamp(device: DeviceID) -> EditTimestamp {
        EditTimestamp(time: time, device: device, sequence: 1)
    }

    private var merge: ThreeWayMerge { ThreeWayMerge(descriptor: entity, time: time) }

    private func merged(with theirs: SyncRecord) -> Decision {
        let result = merge(base: base, mine: mine, theirs: theirs)
        let edit = edit(of: theirs, record: result.record)
        if !result.undecided.isEmpty {
            let units = MergeState(version: theirs, descriptor: entity).units
            let unseen = result.undecided.flatMap { units[$0].map(\.editTimestamp) }
            return .conflict(edit, vector: vector(of: theirs, withoutSeeing: unseen))
        }
        if isChanged(theirs), !RecordCheck.fits(record: result.record, descriptor: entity),
            RecordCheck.fits(record: mine, descriptor: entity)
        {
            return .conflict(self.edit(of: theirs, record: mine), vector: vector(of: theirs))
        }
        let losses = Losses(mine: result.lostMine, theirs: result.lostTheirs)
        return .edit(result.record == theirs.record ? nil : edit, losses)
    }

    /// The record was deleted since; by a person who saw that, it is restored.
    private func revival(of theirs: SyncRecord) -> Decision {
        let edit = edit(of: theirs, record: mine)
        if wasDeleted || entity.strategy == .setUnion { return .edit(edit, Losses()) }
        if entity.strategy == .preserveLocal { return .conflict(edit, vector: vector(of: theirs)) }
        return theirs.metadata.editTimestamp.time <= time
            ? .edit(edit, Losses(theirs: theirs.record)) : .edit(nil, Losses(mine: mine))
    }

    private func deletion(of theirs: SyncRecord) -> Decision {
        let edit = edit(of: theirs, record: mine)
        guard isChanged(theirs) else { return .edit(edit, Losses()) }
        switch entity.strategy {
        case .setUnion: return .nothing
        case .preserveLocal: return .conflict(edit, vector: vector(of: theirs))
        case .lastWriteWins:
            return theirs.metadata.editTimestamp.time <= time
                ? .edit(edit, Losses(theirs: theirs.record))
                : .edit(nil, Losses(mine: mine, isDeleted: true))
        }
    }

    /// Whether others have changed the record since it was read.
    private func isChanged(_ theirs: SyncRecord) -> Bool {
        entity.layout.units.contains { unit in
            unit.fields.contains { theirs.record.values[$0] != base.values[$0] }
        }
    }

    private func edit(of theirs: SyncRecord?, record: Record) -> Editor.Edit {
        var edit = Editor.Edit(current: theirs, record: record)
        if let theirs {
            for field in entity.layout.key { edit.record.values[field] = theirs.record.values[field] }
        }
        if let updated = entity.layout.updated {
            edit.givesUpdated = mine.values[updated] != nil && mine.values[updated] != base.values[updated]
        }
        edit.isDeleted = deletes
        // A field that mirrors the tombstone may have been cleared, which restores the record as it was.
        edit.rewritesAll = theirs?.isDeleted == true && entity.layout.deleted == nil
        return edit
    }

    /// What the edit has seen of a version: all but these edits, and but the version itself if none is given.
    private func vector(of theirs: SyncRecord, withoutSeeing unseen: [EditTimestamp] = []) -> VersionVector {
        var vector = theirs.metadata.vector
        for edit in unseen.isEmpty ? [theirs.metadata.editTimestamp] : unseen {
            vector.truncate(edit.device, to: edit.sequence - 1)
        }
        return vector
    }
}

extension SyncRecord {
    /// The version with other values.
    fileprivate func replacing(record: Record) -> SyncRecord {
        var version = self
        version.record = record
        return version
    }
}
