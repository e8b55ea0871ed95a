import SyncCore

/// Edits: checked, written, and followed.
extension Consequences {
    /// Checks an edit, makes its edit timestamp, and writes it with its outbox state. Returns the key.
    ///
    /// An edit that follows from another one (`isConsequence`) is not checked: nobody could correct it.
    func apply(
        _ edit: Editor.Edit,
        at place: RecordPlace,
        before: RecordState,
        origin: EditOrigin = .person,
        resolvesConflict: Bool = false,
        cause: DeleteCause? = nil
    ) throws -> RecordKey {
        var edit = edit
        let (entity, key, current) = (place.entity, place.key, before.local)
        // While heads conflict, no shown value belongs to one of them alone: all count as written by this edit.
        if !before.heads.isEmpty, HeadSet(entity).isDivided(before.heads) { edit.intent = edit.intent.anew }
        let author = try edit.intent == .seed ? device : author(at: place, before: before)
        let editor = Editor(descriptor: entity, now: now, device: author)
        let outcome = try editor(edit, key: key) { try transaction.nextSequence() }
        switch outcome {
        case .unchanged: return key
        case .localOnly(let version):
            try write(.localValues(version), at: place, before: before)
            return key
        case .edited(var version):
            version.metadata = version.metadata.caused(by: cause)
            let isChecked = !origin.isConsequence
            if isChecked { try check(&version, entity: entity, current: current, origin: origin) }
            if origin == .person, !resolvesConflict {
                if !version.isDeleted, edit.intent != .seed {
                    try checkLimit(entity: entity, current: current)
                }
                try checkParents(of: version, entity: entity, current: current)
                try checkTrees(of: version, entity: entity, current: current)
            } else {
                noteMove(of: place)
            }
            try write(.edited(version, decides: resolvesConflict), at: place, before: before)
            try follow(
                version,
                at: place,
                current: current,
                origin: origin,
                resolvesConflict: resolvesConflict
            )
            return key
        }
    }

    /// Who writes an edit: this device, whose later edits count as having seen its earlier ones. But a record that left the
    /// store, because the remote showed it no more, may be made anew by somebody who does not see it.
    private func author(at place: RecordPlace, before: RecordState) throws -> DeviceID {
        guard before.base == nil, before.local?.version.metadata.vector[device] ?? 0 == 0,
            before.local.map({ $0.state == .pending }) ?? true,
            try hasHidden(), try place.isHidden(nil)
        else { return device }
        return device.form(sequence: try transaction.nextSequence())
    }

    /// The origin of an edit.
    enum EditOrigin {
        /// A person wrote it and gets validation errors.
        case person
        /// A person chose an existing value. It may share its unique values with another record; then the two are
        /// merged.
        case choice
        /// It follows from another edit.
        case consequence
        /// It follows from a delete whose author had not seen the record.
        case unseenConsequence

        var isConsequence: Bool { self == .consequence || self == .unseenConsequence }
    }

    /// Validates a person's edit against the schema and the stored records.
    func check(
        _ version: inout SyncRecord,
        entity: EntityDescriptor,
        current: LocalRecord?,
        origin: EditOrigin
    ) throws {
        if version.isDeleted {
            guard current?.visibility.exists == true else { return }
            return try checkDelete(of: place(entity: entity, key: version.key))
        }
        version.record = try checked(record: version.record, entity: entity, current: current)
        if origin == .person {
            try checkUnique(version, entity: entity, current: current)
            try checkSize(of: version.record, entity: entity)
        }
    }

    /// Writes what follows from an edit: for children, for parents, and for duplicates.
    func follow(
        _ version: SyncRecord,
        at place: RecordPlace,
        current: LocalRecord?,
        origin: EditOrigin,
        resolvesConflict: Bool
    ) throws {
        let entity = place.entity
        if origin.isConsequence {
            if version.isDeleted, current?.visibility.exists != true { return }
            let change: Change =
                switch (version.isDeleted, current?.visibility) {
                case (true, _) where origin == .unseenConsequence: .deletedUnseen
                case (true, _): .deleted(version.metadata.editTimestamp)
                case (false, .deleted): .revived
                case (false, _): .edited
                }
            return add(place, change: change)
        }
        if version.isDeleted {
            // Who decides for a delete decides about the children that have come since, too.
            if current?.visibility.exists == true || resolvesConflict && version.mergedInto == nil {
                try deleteChildren(of: place, editTimestamp: version.metadata.editTimestamp)
            }
            return
        }
        if resolvesConflict { try reviveParents(of: version, entity: entity) }
        if try current?.visibility == .deleted || current?.state == .rejected || resolvesConflict
            || hasDeletedParent(record: version.record, entity: entity)
        {
            try applyActions([entity.name: [place.key]])
        } else if current == nil {
            // Its tombstone may have been dropped since it was deleted.
            try run { try fillReferences(to: place) }
        }
        // A person's edit was already checked for shared unique values, and for circles.
        if origin == .person, !resolvesConflict { return }
        try run { try mergeDuplicates(entity: entity, touched: [place.key]) }
    }

    /// The record in canonical form with its defaults. Throws if it does not fit its schema.
    ///
    /// NB: existing unknown members come from a newer app. They never block an edit.
    private func checked(record: Record, entity: EntityDescriptor, current: LocalRecord?) throws
        -> Record
    {
        let known = current?.version.record.unknown.map { RecordKey($0.path) } ?? []
        let new = record.unknown.first { !known.contains(RecordKey($0.path)) }
        return try entity.fitting {
            if current == nil, let error = emptyKey(record: record, entity: entity) { throw error }
            if let new, entity.forbidsUnknownFields { throw FieldError.notAllowed(field: new.path) }
            var decoder = RecordDecoder(descriptor: entity, form: .plain)
            decoder.refusesUnknown = new != nil
            // In the plain form, a field has the name of such a member.
            let carried = entity.carried(record: record, over: current?.version.record)
            var record = record
            record.unknown.removeAll { entity.layout.carriedPaths.contains($0.path) }
            var checked = try decoder.record(
                RecordEncoder(descriptor: entity, form: .plain).bytes(record)
            )
            if !carried.isEmpty {
                checked.unknown += carried
                checked.unknown.sort { $0.path.precedesByBytes(other: $1.path) }
            }
            checked.unknown = entity.withoutFormerNames(checked, over: current?.version.record)
            return checked
        }
    }

    /// A record needs a key that can be named, and that servers take.
    private func emptyKey(record: Record, entity: EntityDescriptor) -> FieldError? {
        guard entity.key(of: record)?.text.isEmpty == true, let field = entity.key.first else { return nil }
        return FieldError(
            field: field,
            rule: "key",
            message: "'\(field)' must not be empty, because it is the key."
        )
    }

    /// Rejects values of a `unique` list that another record has. A list that the edit does not change is not
    /// checked: two records may have got the same values on different devices, and their other fields must stay
    /// editable.
    func checkUnique(_ version: SyncRecord, entity: EntityDescriptor, current: LocalRecord?)
        throws
    {
        for (position, fields) in entity.layout.unique.enumerated() {
            let isKept =
                current?.visibility.exists == true
                && fields.allSatisfy { current?.version.record.values[$0] == version.record.values[$0] }
            if isKept { continue }
            let others = try transaction.keysSharing(entity: entity, unique: position, record: version.record)
            if others.contains(where: { $0 != version.key }) {
                throw SyncError.notUnique(entity: entity.name, fields: entity.unique[position])
            }
        }
    }

    /// Refuses one more live record than a person may have.
    private func checkLimit(entity: EntityDescriptor, current: LocalRecord?) throws {
        guard current?.visibility.exists != true else { return }
        let own = limit(entity)
        guard let most = own ?? entity.limit else { return }
        if try transaction.counts(entity: entity).records >= most {
            throw SyncError.overLimit(entity: entity.name, limit: most, isOfSchema: own == nil)
        }
    }

    /// Reconciles a record with a write, and writes the result.
    func write(_ event: RecordEvent, at place: RecordPlace, before: RecordState) throws {
        // Earlier authorship does not matter for an edit.
        try place.reconcile(event, before: before, own: OwnDevices(current: device), at: now)
    }
}
