import SyncCore

extension WriteSession {
    /// Turns a decoding problem into the error that a person reads.
    func fitting<Result>(_ entity: EntityDescriptor, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let problem as FieldProblem {
            throw SyncError.doesNotFit(entity.name, problem)
        } catch let problem as JSONProblem {
            throw SyncError.notJSON("The \(entity.name) record", problem)
        }
    }

    /// The record's key; a missing uuid is made.
    func key(of record: inout Record, _ entity: EntityDescriptor) throws -> RecordKey {
        for index in entity.layout.key where record.values[index] == nil {
            guard entity.fields[index].type == .uuid else { continue }
            record.values[index] = .text(random.uuid())
        }
        guard let key = entity.key(of: record) else {
            let name = entity.key.first { name in
                entity.layout.position(of: name).map { record.values[$0] == nil } ?? true
            }
            throw SyncError.doesNotFit(
                entity.name,
                FieldProblem(
                    field: name ?? "",
                    rule: "required",
                    message: "The key field '\(name ?? "")' is required."
                )
            )
        }
        return key
    }

    /// The current value with the given members over it. A deleted record starts anew, unless its mirror is cleared.
    func merged(
        _ given: Record,
        over current: SyncRecord?,
        key: RecordKey,
        _ entity: EntityDescriptor
    ) -> Record {
        guard let current else { return given }
        if startsAnew(given, over: current, entity) { return withKey(of: current, given, entity) }
        var record = current.record
        for (index, value) in given.values.enumerated() {
            if let value, !entity.layout.key.contains(index) { record.values[index] = value }
        }
        for member in given.unknown {
            record.unknown.removeAll { $0.path.utf8.elementsEqual(member.path.utf8) }
            record.unknown.append(member)
        }
        record.unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return record
    }

    /// Whether members are those of a new record, which has nothing of the deleted one: all its values are of this edit,
    /// also those that the deleted one had.
    func startsAnew(_ given: Record, over current: SyncRecord?, _ entity: EntityDescriptor) -> Bool {
        guard let current, current.isDeleted else { return false }
        return entity.layout.deleted.map { given.values[$0] == nil } ?? true
    }

    func withKey(of current: SyncRecord?, _ record: Record, _ entity: EntityDescriptor) -> Record {
        guard let current else { return record }
        var record = record
        for index in entity.layout.key { record.values[index] = current.record.values[index] }
        return record
    }

    /// Checks an edit, mints its mark, and writes it with its outbox state. Returns the key. An edit that `mayShare` chooses
    /// a value that is there already: where it meets another record's unique values, the two settle as they do in a sync.
    func apply(
        _ edit: Editor.Edit,
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ current: LocalRecord?,
        settlesConflict: Bool = false,
        mayShare: Bool = false,
        cause: DeleteCause? = nil
    ) throws -> RecordKey {
        var edit = edit
        let hidden = try hiddenBehind(entity, key, current)
        // A conflict of a record that hides is settled where it is; it may go on to share its values with the survivor.
        let survivor = current?.visibility == .merged ? current?.version.mergedInto : nil
        if survivor != nil { edit.current?.mergedInto = nil }
        if !hidden.isEmpty || current?.hasHeads == true { edit.rewritesAll = true }
        let editor = Editor(entity, now: now, device: device)
        let outcome = try editor(edit, key: key) { try transaction.nextSequence() }
        switch outcome {
        case .unchanged: return key
        case .localOnly(let version):
            guard var local = current else { return key }
            local.version = version
            try transaction.save(entity, local)
            return key
        case .edited(var version):
            version.stamp = version.stamp.caused(by: cause)
            let references = References(
                transaction: transaction,
                entities: entities,
                device: device,
                now: now
            )
            let buries = version.isDeleted && current?.visibility == .live
            if buries { try references.checkDelete(of: entity, key) }
            if !version.isDeleted {
                version.record = try checked(version.record, entity, current)
                if !mayShare { try checkUnique(version, entity, hidden + [survivor].compactMap { $0 }) }
                try checkLimit(entity, current)
            }
            // NB: the other side of a conflict may be a hidden record's, and stays until somebody has decided.
            let buried = settlesConflict || current?.state != .conflict ? hidden : []
            let before = buried.isEmpty ? Planner.Trees() : try transaction.trees(entity, key)
            try save(version, entity, key, current, settlesConflict: settlesConflict)
            try bury(buried, behind: before, by: version, entity)
            if buries { try references.takeAlong(entity, [key] + buried, version.stamp.mark) }
            if !version.isDeleted, settlesConflict { try references.reviveParents(of: entity, version) }
            if !version.isDeleted, current?.visibility == .deleted || settlesConflict {
                try references.settle([entity.name: [key]])
            }
            // Of a new record it is known by now that it shares its values with no other.
            let isAlone = current == nil && !version.isDeleted && !mayShare
            if isAlone { return key }
            if edit.isDeleted || survivor != nil || mayShare
                || current?.version.record.uniqueValues(entity) != version.record.uniqueValues(entity)
            {
                _ = try Settler(transaction: transaction, device: device, now: now).settle(
                    entity,
                    touched: Set([key, survivor].compactMap { $0 })
                )
            }
            return key
        }
    }

    /// The record in canonical form with its defaults; throws when it does not fit its schema.
    ///
    /// NB: unknown members that the record had before are those of a newer app. They never stand in the way of an edit.
    private func checked(_ record: Record, _ entity: EntityDescriptor, _ current: LocalRecord?) throws
        -> Record
    {
        if entity.surelyKeeps(record) { return record }
        let known = current?.version.record.unknown.map { RecordKey($0.path) } ?? []
        return try fitting(entity) {
            var decoder = RecordDecoder(entity, form: .plain)
            decoder.refusesUnknown = record.unknown.contains { !known.contains(RecordKey($0.path)) }
            return try decoder.record(RecordEncoder(entity, form: .plain).bytes(record))
        }
    }

    private func checkUnique(_ version: SyncRecord, _ entity: EntityDescriptor, _ hidden: [RecordKey]) throws
    {
        for position in entity.layout.unique.indices {
            let others = try transaction.keysSharing(entity, unique: position, version.record)
            if others.contains(where: { $0 != version.key && !hidden.contains($0) }) {
                throw SyncError.notUnique(entity.name, entity.unique[position])
            }
        }
    }

    private func checkLimit(_ entity: EntityDescriptor, _ current: LocalRecord?) throws {
        guard let limit = entity.limit, current?.visibility != .live else { return }
        if try transaction.counts(entity).records >= limit { throw SyncError.overLimit(entity.name, limit) }
    }

    /// Keys of records that hide behind this one.
    private func hiddenBehind(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ current: LocalRecord?
    ) throws -> [RecordKey] {
        guard !entity.layout.unique.isEmpty, let current, current.visibility == .live else { return [] }
        var record = current.version.record
        // NB: while the survivor is in conflict it may show values under which the others are not found.
        if current.state == .conflict, let remote = try transaction.side(entity, key, .remote) {
            record = remote.record
        }
        let keys = try transaction.keysSharing(entity, unique: 0, record)
        return try keys.filter { other in
            try other != key && transaction.header(entity, other)?.visibility == .merged
        }
    }

    /// Writes tombstones for records that hid behind one that a person has now edited or deleted.
    private func bury(
        _ hidden: [RecordKey],
        behind survivor: Planner.Trees,
        by version: SyncRecord,
        _ entity: EntityDescriptor
    ) throws {
        var buried: [SyncRecord] = []
        for other in hidden {
            guard let local = try transaction.load(entity, other) else { continue }
            var current = local.version
            current.mergedInto = nil
            var edit = Editor.Edit(current: current, record: current.record)
            edit.isDeleted = true
            edit.mergedInto = version.key
            buried.append(current)
            let editor = Editor(entity, now: now, device: device)
            guard
                case .edited(let tombstone) = try editor(
                    edit,
                    key: other,
                    sequence: { try transaction.nextSequence() }
                )
            else { continue }
            try save(tombstone, entity, other, local, settlesConflict: false)
        }
        let settlement = Settlement(entity, device: device)
        let losses = settlement.losses(burying: buried, behind: survivor, by: version)
        try transaction.record(losses, rule: entity.strategy.rawValue, at: now)
    }

    /// Writes a version with its outbox state.
    private func save(
        _ version: SyncRecord,
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        _ current: LocalRecord?,
        settlesConflict: Bool
    ) throws {
        if current?.state == .rejected { try transaction.tryAgain(entity: entity.name, key: key) }
        let before = try transaction.trees(entity, key)
        let after = before.edited(version, settlesConflict: settlesConflict)
        try transaction.save(entity, key, after, before: before)
    }
}

extension Record {
    /// The values of the list that settles.
    func uniqueValues(_ entity: EntityDescriptor) -> [FieldValue?] {
        entity.layout.unique.first?.map { values[$0] } ?? []
    }
}
