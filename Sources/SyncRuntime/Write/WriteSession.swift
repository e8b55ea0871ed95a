public import SyncCore

/// Writes of one transaction.
public struct WriteSession: ~Copyable {
    let transaction: any StoreTransaction
    let entities: [EntityDescriptor]
    let device: DeviceID
    let now: Timestamp
    let random: any RandomSource

    /// Reads and writes of the same transaction.
    public var store: any StoreTransaction { transaction }

    /// Replaces the top-level members that `json` holds and keeps the others; creates the record if the key is new.
    /// A missing uuid key, `created` and `updated` are filled in. Returns the key.
    public func put(_ entity: EntityDescriptor, json: [UInt8]) throws -> RecordKey {
        var decoder = RecordDecoder(entity, form: .plain)
        decoder.requiresAll = false
        decoder.refusesUnknown = true
        var given = try references.resolved(try fitting(entity) { try decoder.record(json) }, entity)
        let key = try key(of: &given, entity)
        let target = try transaction.survivor(entity, key)
        let current = try transaction.load(entity, target)
        var edit = Editor.Edit(current: current?.version, record: given)
        edit.givesUpdated = entity.layout.updated.map { given.values[$0] != nil } ?? false
        edit.record = merged(given, over: current?.version, key: target, entity)
        edit.isDeleted = entity.layout.deleted.map { edit.record.isSet($0) } ?? false
        edit.rewritesAll = startsAnew(given, over: current?.version, entity)
        return try apply(edit, entity, target, current)
    }

    /// Replaces a whole record by its key. Returns the key.
    ///
    /// An `updated` that is still the stored one says nothing of this edit, as when an app loads a record, changes it
    /// and writes it back; `keepsTimes` takes it as given all the same, as an import does.
    public func replace(
        _ entity: EntityDescriptor,
        _ record: Record,
        keepsTimes: Bool = false
    ) throws -> RecordKey {
        var record = try references.resolved(record, entity)
        let key = try key(of: &record, entity)
        let target = try transaction.survivor(entity, key)
        let current = try transaction.load(entity, target)
        if target != key { record = withKey(of: current?.version, record, entity) }
        var edit = Editor.Edit(current: current?.version, record: record)
        edit.givesUpdated =
            entity.layout.updated.map {
                record.values[$0] != nil
                    && (keepsTimes || record.values[$0] != current?.version.record.values[$0])
            } ?? false
        edit.isDeleted = entity.layout.deleted.map { record.isSet($0) } ?? false
        // NB: a field that mirrors the tombstone may have been cleared, which restores the record as it was.
        edit.rewritesAll = entity.layout.deleted == nil && current?.version.isDeleted == true
        return try apply(edit, entity, target, current)
    }

    /// Deletes a live record, the one that it was merged into if need be. `notFound` when there is none.
    public func delete(_ entity: EntityDescriptor, _ key: RecordKey) throws {
        let target = try transaction.survivor(entity, key)
        guard let current = try transaction.load(entity, target), current.visibility == .live else {
            throw SyncError.noSuchRecord(entity.name)
        }
        var edit = Editor.Edit(current: current.version, record: current.version.record)
        edit.isDeleted = true
        let trees = try transaction.trees(entity, target)
        edit.alsoSeen = trees.seenByDelete
        _ = try apply(edit, entity, target, current, settlesConflict: true)
        try journal(entity, target, givenUp: trees)
    }

    /// Resolves a conflict by an edit on top of what both sides show; what that gives up is in the journal. `notFound` when
    /// there is none.
    ///
    /// `answered` names the version of the other side that the person was shown. `conflictChanged` when another stands
    /// there meanwhile.
    public func resolve(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ resolution: Resolution,
        answering answered: EditMark? = nil
    ) throws {
        let isOwn = try transaction.header(entity, key)?.state == .conflict
        let target = isOwn ? key : try transaction.survivor(entity, key)
        let trees = try transaction.trees(entity, target)
        guard let current = trees.local, let edit = Editor.Edit(deciding: trees, resolution, entity) else {
            throw SyncError.noConflict(entity.name)
        }
        if let answered, answered != trees.remote?.stamp.mark, Guard.isOn(.answeredVersion) {
            throw SyncError.conflictChanged(entity.name)
        }
        var cause: DeleteCause?
        // NB: who chooses between two values wrote neither of them anew, and must be able to choose.
        var origin = EditOrigin.choice
        switch resolution {
        case .local: break
        case .remote: cause = trees.remote?.stamp.detail?.cause
        case .value(let record):
            origin = .person
            guard entity.key(of: record) == target else { throw SyncError.keyChange(entity.name) }
        }
        _ = try apply(
            edit,
            entity,
            target,
            current,
            origin: origin,
            settlesConflict: true,
            cause: cause
        )
        try journal(entity, target, givenUp: trees)
        try transaction.addHistory(
            entity,
            target,
            HistoryEntry(at: now, event: "resolved", detail: resolution.word)
        )
    }

    /// Keeps what a person's decision about a conflict took away.
    private func journal(_ entity: EntityDescriptor, _ key: RecordKey, givenUp before: Planner.Trees) throws {
        guard Guard.isOn(.decisionJournaled), before.local?.state == .conflict,
            let version = try transaction.load(entity, key)?.version
        else { return }
        try transaction.record(before.givenUp(by: version, entity), rule: "resolution", at: now)
    }
}

extension Resolution {
    /// The word that the history keeps.
    var word: String {
        switch self {
        case .local: "kept local"
        case .remote: "kept remote"
        case .value: "kept a value that was given"
        }
    }
}
