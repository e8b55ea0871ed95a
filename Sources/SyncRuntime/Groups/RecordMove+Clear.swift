package import SyncCore

/// References that are cleared because their records were deleted, and return with them, and places in trees. Pure,
/// and the same on every device.
extension RecordMove {
    /// The version without the key of a deleted record in a reference. It remembers the key and the delete. Nil if it
    /// does not hold the key.
    package func cleared(
        version: SyncRecord,
        reference: ReferenceDescriptor,
        cause: DeleteCause
    ) -> SyncRecord? {
        guard let field = descriptor.markName(of: reference) else { return nil }
        var edit = Editor.Edit(current: version, record: version.record)
        edit.record = descriptor.replacingKeys(of: reference, in: version.record) {
            $0 == cause.key ? nil : $0
        }
        edit.intent = .follow
        let cleared = ClearedReference(
            field: field,
            cause: cause,
            edits: edits(of: reference, in: version, without: edit.record)
        )
        guard var next = concluded(edit: edit, version: version, by: author("cleared", cleared, of: version))
        else { return nil }
        let all = next.metadata.cleared.union([cleared])
        // The empty value stands where the key stood, so that it wins over nothing that a person sets meanwhile.
        if let last = cleared.edits.max() {
            let name = next.metadata.editTimestamp
            let edit = EditTimestamp(time: last.time, device: name.device, sequence: name.sequence)
            next.metadata.detail = detail(of: next, over: version, reference: reference, edits: [edit])
        }
        next.metadata = next.metadata.clearing(all).moving(version.metadata.moved)
        return next
    }

    /// The version with a key in a reference from which a delete had taken it. The edits that set it count again, so
    /// that what a person set meanwhile wins. Nil if nothing changes.
    package func returned(version: SyncRecord, cleared: ClearedReference, to key: RecordKey) -> SyncRecord? {
        guard let reference = descriptor.reference(of: cleared),
            !descriptor.isFilled(cleared, in: version.record)
        else { return nil }
        var edit = Editor.Edit(current: version, record: version.record)
        edit.record = descriptor.adding(key, to: reference, in: version.record)
        edit.intent = .follow
        guard var next = concluded(edit: edit, version: version, by: author("returned", cleared, of: version))
        else { return nil }
        let rest = next.metadata.cleared.filter { $0.field != cleared.field || $0.cause != cleared.cause }
        if !cleared.edits.isEmpty {
            next.metadata.detail = detail(
                of: next,
                over: version,
                reference: reference,
                edits: cleared.edits
            )
        }
        next.metadata = next.metadata.clearing(rest).moving(version.metadata.moved)
        return next
    }

    /// The version with another parent in a tree, or none, because its move made a circle. Nil if nothing changes.
    package func taken(
        version: SyncRecord,
        to parent: RecordKey?,
        tree: ReferenceDescriptor
    ) -> SyncRecord? {
        guard let name = descriptor.markName(of: tree) else { return nil }
        var edit = Editor.Edit(current: version, record: version.record)
        edit.record =
            parent.map { descriptor.adding($0, to: tree, in: version.record) }
            ?? descriptor.replacingKeys(of: tree, in: version.record) { _ in nil }
        edit.intent = .follow
        let author = DeviceID.conclusion(
            names: "circle",
            version.entity,
            version.key.text,
            name,
            parent?.text ?? ""
        )
        let edits = unit(of: tree).map { position in
            MergeState(version: version, descriptor: descriptor).units[position].map(\.editTimestamp)
        }
        guard var next = concluded(edit: edit, version: version, by: author) else { return nil }
        if let last = edits?.max() {
            let edit = next.metadata.editTimestamp
            next.metadata.detail = detail(
                of: next,
                over: version,
                reference: tree,
                edits: [EditTimestamp(time: last.time, device: edit.device, sequence: edit.sequence)]
            )
        }
        // Later than the undone move, so that it is remembered instead of that in every order of merges.
        var moved = version.metadata.moved
        moved[name] = Move(edit: next.metadata.editTimestamp, from: nil)
        next.metadata = next.metadata.clearing(version.metadata.cleared).moving(moved)
        return next
    }

    /// A record that was deleted with its parent, but that somebody had moved elsewhere meanwhile: as it was moved.
    package func kept(tombstone: SyncRecord, movedBy mover: SyncRecord) -> SyncRecord? {
        let isWhole = !descriptor.meetsByField
        var edit = Editor.Edit(current: tombstone, record: tombstone.beforeDelete(in: descriptor).record)
        if isWhole {
            edit.record = Merge(descriptor: descriptor).keepingLocalOnly(mover, of: tombstone).record
        }
        edit.intent = .follow
        let author = DeviceID.conclusion(
            names: "moved",
            tombstone.entity,
            tombstone.key.text,
            mover.metadata.editTimestamp.description
        )
        guard var next = concluded(edit: edit, version: tombstone, by: author) else { return nil }
        if isWhole {
            next.metadata = next.metadata.clearing(mover.metadata.cleared).moving(mover.metadata.moved)
        }
        return next
    }

    /// A record that was deleted with its parent, though that delete did not last: as it was. A person's later delete
    /// wins over it.
    package func revived(tombstone: SyncRecord) -> SyncRecord? {
        var edit = Editor.Edit(current: tombstone, record: tombstone.beforeDelete(in: descriptor).record)
        edit.intent = .follow
        let author = DeviceID.conclusion(
            names: "revived",
            tombstone.entity,
            tombstone.key.text,
            tombstone.metadata.editTimestamp.description
        )
        return concluded(edit: edit, version: tombstone, by: author)
    }

    private func author(_ name: String, _ cleared: ClearedReference, of version: SyncRecord) -> DeviceID {
        let cause = cleared.cause
        return .conclusion(
            names: name,
            version.entity,
            version.key.text,
            cleared.field,
            cause.entity,
            cause.key.text,
            cause.editTimestamp.description
        )
    }

    /// The unit of a reference, unless it is the record as a whole.
    private func unit(of reference: ReferenceDescriptor) -> Int? {
        guard let field = descriptor.layout.position(of: reference.field) else { return nil }
        return descriptor.layout.timestamped.firstIndex { !$0.name.isEmpty && $0.fields.contains(field) }
    }

    /// The edits that set the value of a reference, or the elements that `record` lacks.
    private func edits(
        of reference: ReferenceDescriptor,
        in version: SyncRecord,
        without record: Record
    ) -> [EditTimestamp] {
        guard let position = unit(of: reference) else { return [] }
        let state = MergeState(version: version, descriptor: descriptor)
        guard let elements = state.elements[position] else {
            return state.units[position].map(\.editTimestamp)
        }
        let field = descriptor.layout.timestamped[position].fields[0]
        let gone = Set(elements.keys).subtracting(SetElements.read(value: record.values[field]))
        return Set(gone.flatMap { elements[$0] ?? [] }).sorted()
    }

    /// The field timestamps of a version in which the value of a reference, or each added element, has the given ones.
    private func detail(
        of next: SyncRecord,
        over version: SyncRecord,
        reference: ReferenceDescriptor,
        edits: [EditTimestamp]
    ) -> FieldTimestamps? {
        guard let position = unit(of: reference) else { return next.metadata.detail }
        var state = MergeState(version: next, descriptor: descriptor)
        let field = descriptor.layout.timestamped[position].fields[0]
        if state.elements[position] != nil {
            let former = Set(SetElements.read(value: version.record.values[field]))
            for element in SetElements.read(value: next.record.values[field]) where !former.contains(element)
            {
                state.elements[position]?[element] = edits
            }
        } else if let shown = state.units[position].first {
            state.units[position] = edits.map { shown.edited(at: $0) }
        }
        return state.detail(
            editTimestamp: next.metadata.editTimestamp,
            of: next.record,
            isDeleted: next.isDeleted,
            descriptor: descriptor
        )
    }
}

extension EntityDescriptor {
    /// Whether a cleared reference is still to be cleared in a version that has not seen the delete: it holds the key,
    /// or has not seen the edit that set it. Otherwise a person has taken the key away.
    func isPending(_ cleared: ClearedReference, in version: SyncRecord) -> Bool {
        if version.metadata.cleared.entry(like: cleared) != nil { return true }
        guard let reference = reference(of: cleared) else { return true }
        return keys(of: reference, in: version.record).contains(cleared.cause.key)
            || !cleared.edits.allSatisfy { version.metadata.vector.covers($0) }
    }
}
