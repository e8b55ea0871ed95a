package import SyncCore

/// Writes of one transaction.
package struct WriteSession {
    let consequences: Consequences
    let random: any RandomSource

    /// The transaction itself.
    package var transaction: any StoreTransaction { consequences.transaction }
    var now: Timestamp { consequences.now }

    /// Runs a call that changes all of some records or none of them: if it throws, the transaction is given up, also if
    /// somebody catches the error. `key` names the record that is at work, for the error.
    package func whole<Result>(_ body: (_ key: inout RecordKey?) throws -> Result) throws -> Result {
        var key: RecordKey?
        do { return try body(&key) } catch {
            var error = error
            if var named = error as? SyncError, let key {
                named.record = key
                error = named
            }
            consequences.brokenOff = error
            throw error
        }
    }

    /// The entity as its records merge in this transaction.
    package func deciding(_ entity: EntityDescriptor) -> EntityDescriptor { consequences.deciding(entity) }

    /// Replaces the top-level members in `json` and keeps the others. Creates the record if the key is new. Fills in
    /// a missing UUID key, `created` and `updated`. Returns the key.
    ///
    /// With the member `"$version"`, the members are an edit of that version: what equals it is unchanged, and the rest
    /// meets what has come since; see `save`.
    package func put(entity: EntityDescriptor, json: [UInt8]) throws -> RecordKey {
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = false
        decoder.refusesUnknown = true
        decoder.takesWireNames = true
        decoder.reserved = [RecordLine.versionMember]
        var (given, version) = try entity.fitting {
            var record = try decoder.record(json)
            let version = try record.takeVersion()
            return (record, version)
        }
        given = try consequences.resolved(record: given, entity: entity)
        if let version { return try put(members: given, entity: entity, since: version) }
        let (target, state) = try place(of: &given, entity: entity).survivor()
        let current = state.local
        var edit = Editor.Edit(current: current?.version, record: given)
        edit.givesUpdated = entity.layout.updated.map { given.values[$0] != nil } ?? false
        edit.record = merged(given: given, over: current?.version, entity: entity)
        // A member that is given says what it says, also if the record has the same value already.
        let isGiven = entity.layout.deleted.map { given.values[$0] != nil && given.isSet($0) } ?? false
        edit.isDeleted = isGiven || entity.isDeleted(record: edit.record, over: current?.version)
        if startsAnew(given: given, over: current?.version, entity: entity) { edit.intent = .startAnew }
        let written = try consequences.apply(edit, at: target, before: state)
        // No list shows a record that is set aside, so a person takes its key for free.
        if let current, current.visibility == .setAside {
            try journal(overwritten: current.version, entity: entity)
        }
        return written
    }

    /// Writes a record that an app brings along, such as its settings before anybody chose any. Returns the key.
    ///
    /// It gives way to whatever a person has written or will write, here and elsewhere, at whatever time, and is in no
    /// journal then. If its key or its unique values are taken, or the record was deleted, nothing is written.
    package func seed(entity: EntityDescriptor, record: Record) throws -> RecordKey {
        var record = try consequences.resolved(record: record, entity: entity)
        let (target, state) = try place(of: &record, entity: entity).survivor()
        guard state.local == nil else { return target.key }
        for list in entity.layout.unique.indices {
            let others = try transaction.keysSharing(entity: entity, unique: list, record: record)
            if let other = others.first { return other }
        }
        var edit = Editor.Edit(current: nil, record: record)
        edit.givesUpdated = entity.layout.updated.map { record.values[$0] != nil } ?? false
        edit.isDeleted = entity.layout.deleted.map { record.isSet($0) } ?? false
        edit.intent = .seed
        return try consequences.apply(edit, at: target, before: state)
    }

    /// The same with members as JSON; see `seed(entity:record:)`.
    package func seed(entity: EntityDescriptor, json: [UInt8]) throws -> RecordKey {
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.requiresAll = false
        decoder.refusesUnknown = true
        decoder.takesWireNames = true
        return try seed(entity: entity, record: try entity.fitting { try decoder.record(json) })
    }

    /// Replaces a whole record by its key. Returns the key.
    ///
    /// An unchanged `updated` counts as not given, because an app loads a record, changes it and writes it back. With
    /// `keepsTimes` it counts as given, as for an import. With `journalsReplaced` the journal keeps the values of a
    /// record that is there, because its writer may not have seen them; for an import also of one that was deleted.
    package func replace(
        entity: EntityDescriptor,
        record: Record,
        keepsTimes: Bool = false,
        journalsReplaced: Bool = false
    ) throws -> RecordKey {
        var record = try consequences.resolved(record: record, entity: entity)
        let place = try place(of: &record, entity: entity)
        let (target, state) = try place.survivor()
        let current = state.local
        if target.key != place.key { record = withKey(of: current?.version, record: record, entity: entity) }
        var edit = Editor.Edit(current: current?.version, record: record)
        edit.givesUpdated =
            entity.layout.updated.map {
                record.values[$0] != nil
                    && (keepsTimes || record.values[$0] != current?.version.record.values[$0])
            } ?? false
        edit.isDeleted = entity.isDeleted(record: record, over: current?.version)
        // A field that mirrors the tombstone may have been cleared, which restores the record as it was.
        if entity.layout.deleted == nil, current?.version.isDeleted == true { edit.intent = .startAnew }
        let written = try consequences.apply(edit, at: target, before: state)
        // What is set aside, as in `put`.
        let isTaken = current.map { $0.visibility.exists || keepsTimes } ?? false
        if let current, current.visibility == .setAside || journalsReplaced && isTaken {
            try journal(overwritten: current.version, entity: entity)
        }
        return written
    }

    /// Deletes a record that is live or set aside, or the one that it was merged into. Throws `notFound` if there is none.
    package func delete(entity: EntityDescriptor, key: RecordKey) throws {
        let (target, state) = try consequences.place(entity: entity, key: key).survivor()
        guard let current = state.local, current.visibility.exists else {
            throw SyncError.noSuchRecord(entity: entity.name)
        }
        var edit = Editor.Edit(current: current.version, record: current.version.record)
        edit.isDeleted = true
        edit.alsoSeen = state.seenByDelete
        _ = try consequences.apply(edit, at: target, before: state, resolvesConflict: true)
        try journal(at: target, givenUp: state)
    }

    /// Throws `invalidInput` if other records do not let this one be deleted.
    package func checkDelete(entity: EntityDescriptor, key: RecordKey) throws {
        try consequences.checkDelete(of: consequences.place(entity: entity, key: key).survivor().place)
    }

    /// Writes a record that is unknown here as a deleted one, with its last values as far as they are given, as for an
    /// import. Given times are kept.
    package func putDeleted(entity: EntityDescriptor, record: Record) throws {
        var record = record
        let place = try place(of: &record, entity: entity)
        var edit = Editor.Edit(current: nil, record: record)
        edit.isDeleted = true
        edit.givesUpdated = entity.layout.updated.map { record.values[$0] != nil } ?? false
        let before = try place.state()
        guard before.local == nil else { throw SyncError.noSuchRecord(entity: entity.name) }
        _ = try consequences.apply(edit, at: place, before: before)
    }

    /// Resolves a conflict by an edit on top of both sides; the values that it gives up go to the journal. Throws
    /// `notFound` if there is no conflict.
    ///
    /// `answered` names the remote version that the person was shown. Throws `conflictChanged` if it is a different
    /// one now.
    package func resolve(
        entity: EntityDescriptor,
        key: RecordKey,
        with: Resolution,
        answering answered: EditTimestamp? = nil
    ) throws {
        let place = consequences.place(entity: entity, key: key)
        let isOwn = try place.header()?.state == .conflict
        let (target, recordState) = isOwn ? (place, try place.state()) : try place.survivor()
        guard let edit = Editor.Edit(deciding: recordState, resolution: with, entity: target.entity.asking)
        else {
            throw SyncError.noConflict(entity: entity.name)
        }
        if let answered, answered != recordState.remote?.metadata.editTimestamp {
            throw SyncError.conflictChanged(entity: entity.name)
        }
        var cause: DeleteCause?
        // Choosing between two values is not a new edit of them, and must always be possible.
        var origin = Consequences.EditOrigin.choice
        switch with {
        case .local: break
        case .remote: cause = recordState.remote?.metadata.detail?.cause
        case .value(let record):
            origin = .person
            guard entity.key(of: record) == target.key else { throw SyncError.keyChange(entity: entity.name) }
        }
        _ = try consequences.apply(
            edit,
            at: target,
            before: recordState,
            origin: origin,
            resolvesConflict: true,
            cause: cause
        )
        try journal(at: target, givenUp: recordState)
        try target.addHistory("resolved", detail: with.word, at: now)
    }

    /// Adds the values that a person's decision took away to the journal.
    private func journal(at place: RecordPlace, givenUp before: RecordState) throws {
        guard before.local?.state == .conflict,
            let version = try place.load()?.version
        else { return }
        try transaction.journal(
            before.givenUp(by: version, entity: place.entity),
            rule: "resolution",
            at: now
        )
    }
}

extension Resolution {
    /// The word in the history.
    var word: String {
        switch self {
        case .local: "kept local"
        case .remote: "kept remote"
        case .value: "kept a value that was given"
        }
    }
}
