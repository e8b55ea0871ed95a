package import SyncCore

/// Turns what a person wrote into the next version of a record. Pure: time and sequence numbers are passed in.
package struct Editor: Sendable {
    let descriptor: EntityDescriptor
    let now: Timestamp
    let device: DeviceID

    package init(descriptor: EntityDescriptor, now: Timestamp, device: DeviceID) {
        self.descriptor = descriptor
        self.now = now
        self.device = device
    }

    /// An edit and the version that it is based on.
    package struct Edit: Sendable {
        /// The version that the person saw; nil for a new record.
        package var current: SyncRecord?
        /// Other versions that the person saw, as when a conflict is resolved.
        package var alsoSeen: [VersionMetadata] = []
        /// The new value, whole.
        package var record: Record
        /// Whether the person deleted the record.
        package var isDeleted = false
        /// The survivor, when the record was merged into another.
        package var mergedInto: RecordKey?
        /// Whether the person gave the `updated` field.
        package var givesUpdated = false
        /// What the edit means beside its values.
        package var intent = Intent.write

        package init(current: SyncRecord?, record: Record) {
            self.current = current
            self.record = record
        }
    }

    /// What an edit means beside its values.
    package enum Intent: Sendable, Hashable {
        /// A person writes: what differs from the version that the person saw counts as written.
        case write
        /// Every field and element counts as newly written.
        case startAnew
        /// A person decides a conflict, which counts without any change, too. `units` are the positions of the units
        /// decided on; nil if every difference from the base counts as written.
        case decide(units: Set<Int>?)
        /// A person decides, and every field and element counts as newly written.
        case decideAnew
        /// A change of another record leads to it. What a person wrote or deleted meanwhile wins then: it counts as
        /// made right after the version that it changes, and does not keep the record alive.
        case follow
        /// An app writes values of its own, which give way to any person's.
        case seed

        /// Whether an edit without any change still counts.
        var isDecision: Bool {
            switch self {
            case .decide, .decideAnew: true
            case .write, .startAnew, .follow, .seed: false
            }
        }

        /// Whether every field and element counts as newly written.
        var rewritesAll: Bool { self == .startAnew || self == .decideAnew }

        /// The same, with every field and element counting as newly written.
        package var anew: Intent { isDecision ? .decideAnew : .startAnew }

        /// Positions of the units that a person decided on; nil if no units were told apart.
        var units: Set<Int>? {
            if case .decide(let units) = self { units } else { nil }
        }
    }

    /// The result of an edit.
    package enum Outcome: Sendable {
        /// Nothing changed, so there is no edit.
        case unchanged
        /// Only values that stay on this device changed.
        case localOnly(SyncRecord)
        /// A new version.
        case edited(SyncRecord)
    }

    /// The next version. `sequence` is called only if there is one.
    package func callAsFunction(
        _ edit: Edit,
        key: RecordKey,
        sequence: () throws -> Int64
    ) rethrows -> Outcome {
        let edit = ruled(edit: edit)
        var record = edit.record
        if let current = edit.current, !edit.intent.isDecision {
            if isSame(current: current, edit: edit) { return .unchanged }
            if differsOnlyLocally(current: current, edit: edit) {
                var local = current
                for index in descriptor.layout.localOnly { local.record.values[index] = record.values[index] }
                return .localOnly(local)
            }
        }
        let editTimestamp = EditTimestamp(time: time(edit: edit), device: device, sequence: try sequence())
        fillTimes(&record, editTimestamp: editTimestamp, edit: edit)
        var vector = edit.current?.metadata.vector ?? VersionVector()
        for metadata in edit.alsoSeen { vector.formUnion(metadata.vector) }
        vector.insert(editTimestamp)
        var next = SyncRecord(
            entity: descriptor.name,
            key: key,
            record: record,
            isDeleted: edit.isDeleted,
            mergedInto: edit.isDeleted ? edit.mergedInto : nil,
            metadata: VersionMetadata(editTimestamp: editTimestamp, vector: vector)
        )
        if let detail = detail(of: next, edit: edit, editTimestamp: editTimestamp) {
            next.metadata.detail = detail
        }
        next.metadata = next.metadata.clearing(cleared(in: next, edit: edit)).moving(
            moved(in: next, edit: edit)
        )
        return .edited(next)
    }

    /// Where the record was before it was moved in its trees: what follows from other edits moves nothing.
    private func moved(in next: SyncRecord, edit: Edit) -> [String: Move] {
        guard let current = edit.current else { return [:] }
        var moved = current.metadata.moved
        if edit.intent == .follow { return moved }
        for tree in descriptor.trees {
            let former = descriptor.keys(of: tree, in: current.record).first
            guard former != descriptor.keys(of: tree, in: next.record).first,
                let name = descriptor.markName(of: tree)
            else { continue }
            let startsAnew = edit.intent.rewritesAll && current.isDeleted
            moved[name] = Move(edit: next.metadata.editTimestamp, from: startsAnew ? nil : former)
        }
        return moved
    }

    /// The references that deletes have cleared and that the edit leaves empty. A record that starts anew has none.
    private func cleared(in next: SyncRecord, edit: Edit) -> [ClearedReference] {
        guard let current = edit.current else { return [] }
        var cleared = current.metadata.cleared
        for other in edit.alsoSeen.flatMap(\.cleared) where descriptor.isPending(other, in: current) {
            cleared = cleared.union([other])
        }
        if cleared.isEmpty || edit.intent.rewritesAll && current.isDeleted { return [] }
        return cleared.filter { !descriptor.isFilled($0, in: next.record) }
    }

    /// The edit on top of what the merge rules show. After an update to a schema with rules, the person may have seen
    /// what an app without rules shows. A field that the edit left as it was shown is not overwritten.
    private func ruled(edit: Edit) -> Edit {
        guard let current = edit.current else { return edit }
        let shown = Merge(descriptor: descriptor).applyingRules(to: current)
        guard shown != current else { return edit }
        var edit = edit
        for index in shown.record.values.indices
        where edit.record.values[index] == current.record.values[index] {
            edit.record.values[index] = shown.record.values[index]
        }
        edit.current = shown
        return edit
    }

    /// At least one tick after everything that the person saw, so that whoever sees an edit can overwrite it.
    private func time(edit: Edit) -> Timestamp {
        var time = edit.intent == .follow ? edit.current?.metadata.editTimestamp.time ?? now : now
        if edit.givesUpdated, let updated = descriptor.layout.updated,
            case .timestamp(let given)? = edit.record.values[updated]
        {
            time = given
        }
        let seen = ([edit.current?.metadata].compactMap { $0 } + edit.alsoSeen).map(\.editTimestamp.time)
        for other in seen { time = max(time, other.next) }
        // At the last representable instant, the later version is recognised by its vector.
        return min(time, Timestamp.written.upperBound)
    }

    private func fillTimes(_ record: inout Record, editTimestamp: EditTimestamp, edit: Edit) {
        let layout = descriptor.layout
        let living = edit.current.flatMap { $0.isDeleted ? nil : $0 }
        if let created = layout.created, record.values[created] == nil {
            record.values[created] = living?.record.values[created] ?? .timestamp(editTimestamp.time)
        }
        if let updated = layout.updated {
            if !edit.givesUpdated || record.values[updated] == nil {
                record.values[updated] = .timestamp(editTimestamp.time)
            } else if descriptor.meetsByField, let before = living?.record.values[updated],
                ValueOrder.isLess(left: record.values[updated], right: before)
            {
                // When versions merge, the later time counts. Devices that saw only this version must get the same
                // result.
                record.values[updated] = before
            }
        }
        guard let deleted = layout.deleted else { return }
        let field = descriptor.fields[deleted]
        let isSet = record.isSet(deleted)
        if edit.isDeleted, !isSet {
            record.values[deleted] = field.type == .boolean ? .boolean(true) : .timestamp(editTimestamp.time)
        } else if !edit.isDeleted, isSet, living?.record.values[deleted] != record.values[deleted] {
            if field.type == .boolean {
                record.values[deleted] = .boolean(false)
            } else {
                record.values[deleted] = field.isNullable ? .null : nil
            }
        }
    }

    private func isSame(current: SyncRecord, edit: Edit) -> Bool {
        guard current.isDeleted == edit.isDeleted, current.mergedInto == edit.mergedInto else { return false }
        var record = edit.record
        if !edit.givesUpdated, let updated = descriptor.layout.updated {
            record.values[updated] = current.record.values[updated]
        }
        if let created = descriptor.layout.created, record.values[created] == nil {
            record.values[created] = current.record.values[created]
        }
        return record == current.record
    }

    private func differsOnlyLocally(current: SyncRecord, edit: Edit) -> Bool {
        guard !descriptor.layout.localOnly.isEmpty else { return false }
        var edit = edit
        for index in descriptor.layout.localOnly { edit.record.values[index] = current.record.values[index] }
        return isSame(current: current, edit: edit)
    }

    /// Gives changed units a new edit timestamp. Unchanged units keep theirs.
    private func detail(of next: SyncRecord, edit: Edit, editTimestamp: EditTimestamp) -> FieldTimestamps? {
        guard let current = edit.current else {
            return FieldTimestamps(
                ofFirst: next.record,
                by: editTimestamp,
                isSeed: edit.intent == .seed,
                entity: descriptor
            )
        }
        let layout = descriptor.layout
        let unknownFields = UnknownFieldPaths(version: current, descriptor: descriptor).union(
            UnknownFieldPaths(version: next, descriptor: descriptor)
        )
        let isByField = descriptor.meetsByField
        // A member that this schema does not know may be a unit for another app. This edit must not touch it.
        let isWhole = unknownFields.names.isEmpty && current.record.unknown.isEmpty && layout.units.count < 2
        guard isByField || !isWhole else { return nil }
        let before = MergeState(version: current, descriptor: descriptor, unknownFields: unknownFields)
        var after = MergeState(version: next, descriptor: descriptor, unknownFields: unknownFields)
        after.seeds = before.seeds
        after.sayAll(next.record, editTimestamp: editTimestamp, descriptor: descriptor)
        if edit.intent.rewritesAll {
            return after.detail(
                editTimestamp: editTimestamp,
                of: next.record,
                isDeleted: edit.isDeleted,
                descriptor: descriptor
            )
        }
        after.origin = before.origin
        for (position, unit) in layout.timestamped.enumerated() {
            if let elements = after.elements[position] {
                let kept = before.elements[position] ?? [:]
                after.elements[position] = elements.reduce(into: [:]) {
                    $0[$1.key] = kept[$1.key] ?? [editTimestamp]
                }
            }
            let (old, new) = (before.units[position], after.units[position])
            let isUnchanged = shows(old: old, current: current, as: new, unit: unit)
            // NB: a delete is an edit of the record as a whole, but not of any single field.
            let isTouched = !isByField && unit.name.isEmpty && edit.isDeleted != current.isDeleted
            let isDecided = edit.intent.units?.contains(position) ?? !edit.alsoSeen.isEmpty
            if isUnchanged, !isTouched, !isDecided { after.units[position] = old }
        }
        for (name, old) in before.unknownFields {
            let isUnchanged = after.unknownFields[name]?.json == old.json && edit.alsoSeen.isEmpty
            if isUnchanged { after.unknownFields[name] = old }
        }
        after.untouched = before.untouched.filter { name in
            let members = next.record.unknown.filter { $0.path == name }
            return !members.isEmpty && members == current.record.unknown.filter { $0.path == name }
        }
        after.life =
            edit.isDeleted ? [] : edit.intent == .follow && !current.isDeleted ? before.life : [editTimestamp]
        return after.detail(
            editTimestamp: editTimestamp,
            of: next.record,
            isDeleted: edit.isDeleted,
            descriptor: descriptor
        )
    }

    /// Whether a unit shows the same value before and after the edit.
    private func shows(
        old: [MergeState.UnitValue],
        current: SyncRecord,
        as new: [MergeState.UnitValue],
        unit: MergeUnit
    ) -> Bool {
        guard let new = new.first else { return true }
        guard let old = old.first else { return new.values == unit.fields.map { current.record.values[$0] } }
        return old.values == new.values && old.unknown == new.unknown
    }
}

extension Record {
    /// Whether a field that mirrors the tombstone (a date-time or a boolean) is set.
    package func isSet(_ field: Int) -> Bool {
        switch values[field] {
        case nil, .null, .boolean(false): false
        default: true
        }
    }
}
