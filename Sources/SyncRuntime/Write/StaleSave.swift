import SyncCore

/// A save of a version that was read earlier, and what it meets. Pure.
struct StaleSave {
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
        /// A person must decide. The vector says what the edit has seen. Values beside those may lose by the strategy.
        case conflict(Editor.Edit, vector: VersionVector, Losses = Losses())
    }

    /// Values that lose by the strategy.
    struct Losses {
        var mine: Record?
        var theirs: SyncRecord?
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
            // What the present version loses is the other side of the conflict.
            let losses = Losses(mine: result.lostMine)
            return .conflict(edit, vector: vector(of: theirs, withoutSeeing: unseen), losses)
        }
        if isChanged(theirs), !RecordCheck.fits(record: result.record, descriptor: entity),
            RecordCheck.fits(record: mine, descriptor: entity)
        {
            return .conflict(self.edit(of: theirs, record: mine), vector: vector(of: theirs))
        }
        let losses = Losses(
            mine: result.lostMine,
            theirs: result.lostTheirs.map { theirs.replacing(record: $0) }
        )
        return .edit(result.record == theirs.record ? nil : edit, losses)
    }

    /// The record was deleted since; by a person who saw that, it is restored.
    private func revival(of theirs: SyncRecord) -> Decision {
        let edit = edit(of: theirs, record: mine)
        // What somebody wrote into it before or after it was deleted, and this person has not seen.
        let seen = [base, mine].map { version(record: $0, editTimestamp: theirs.metadata.editTimestamp) }
        let words = theirs.lastWords(beyond: seen, in: entity)
        if wasDeleted || entity.strategy == .setUnion { return .edit(edit, Losses(theirs: words)) }
        if entity.strategy == .preserveLocal { return .conflict(edit, vector: vector(of: theirs)) }
        return theirs.metadata.editTimestamp.time <= time
            ? .edit(edit, Losses(theirs: words ?? theirs)) : .edit(nil, Losses(mine: mine))
    }

    private func deletion(of theirs: SyncRecord) -> Decision {
        let edit = edit(of: theirs, record: mine)
        guard isChanged(theirs) else { return .edit(edit, Losses()) }
        switch entity.strategy {
        case .setUnion: return .nothing
        case .preserveLocal: return .conflict(edit, vector: vector(of: theirs))
        case .lastWriteWins:
            return theirs.metadata.editTimestamp.time <= time
                ? .edit(edit, Losses(theirs: theirs))
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
        if theirs?.isDeleted == true, entity.layout.deleted == nil { edit.intent = .startAnew }
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
