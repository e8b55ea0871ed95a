package import SyncCore

/// Versions of a record that is merged into another one. Pure, and the same on every device.
package struct RecordMove: Sendable {
    let descriptor: EntityDescriptor

    package init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// The version under another key, as an edit that is concurrent with the edits of that key's record.
    ///
    /// Its authors get new names there, because sequence numbers of edits of different records must not be compared.
    package func version(version: SyncRecord, as key: RecordKey, keyValues: [FieldValue?]) -> SyncRecord {
        var result = version
        result.key = key
        result.mergedInto = version.isDeleted ? version.mergedInto : nil
        for (index, value) in zip(descriptor.layout.key, keyValues) { result.record.values[index] = value }
        func moved(editTimestamp: EditTimestamp) -> EditTimestamp {
            editTimestamp.moved(from: version.key, entity: version.entity)
        }
        var vector = VersionVector()
        for entry in version.metadata.vector.entries {
            let editTimestamp = EditTimestamp(
                time: version.metadata.editTimestamp.time,
                device: entry.device,
                sequence: entry.sequence
            )
            vector.insert(moved(editTimestamp: editTimestamp))
        }
        var detail = version.metadata.detail?.mapping(exchange: moved)
        detail?.cause = nil
        result.metadata = VersionMetadata(
            editTimestamp: moved(editTimestamp: version.metadata.editTimestamp),
            vector: vector,
            detail: detail
        )
        return result
    }

    /// The tombstone of a record that was merged into another one. `alsoSeen` are its other versions that were
    /// merged.
    package func tombstone(
        of version: SyncRecord,
        alsoSeen: [VersionMetadata] = [],
        into survivor: RecordKey
    ) -> SyncRecord {
        var edit = Editor.Edit(current: version, record: version.record)
        edit.isDeleted = true
        edit.mergedInto = survivor
        edit.alsoSeen = alsoSeen
        let author = DeviceID.conclusion(names: "merge", version.entity, version.key.text, survivor.text)
        return concluded(edit: edit, version: version, by: author) ?? version
    }

    /// The version with redirected references, after a record that it refers to was merged into another one. Nil if
    /// nothing changes.
    package func redirected(version: SyncRecord, to record: Record) -> SyncRecord? {
        var edit = Editor.Edit(current: version, record: record)
        edit.intent = .follow
        let target = descriptor.references.flatMap(\.fields).compactMap { field in
            descriptor.layout.position(of: field).map { "\(record.values[$0]?.json ?? "")" }
        }
        let author = DeviceID.conclusion(
            names: "reference",
            version.entity,
            version.key.text,
            target.joined(separator: "\n")
        )
        return concluded(edit: edit, version: version, by: author)
    }

    func concluded(edit: Editor.Edit, version: SyncRecord, by name: DeviceID) -> SyncRecord? {
        let author = edit.isDeleted ? name : author(name, of: edit.record, before: version.record)
        let editor = Editor(descriptor: descriptor, now: version.metadata.editTimestamp.time, device: author)
        let seen = edit.alsoSeen.map { $0.vector[author] } + [version.metadata.vector[author]]
        guard
            case .edited(let next) = editor(
                edit,
                key: version.key,
                sequence: { (seen.max() ?? 0) + 1 }
            )
        else { return nil }
        return next
    }

    /// The author of a conclusion from its name, and from all that the changed parts hold: devices that draw the same
    /// conclusion from versions that differ there must not write two values as one edit, of which each would be taken
    /// for the other.
    private func author(_ name: DeviceID, of record: Record, before: Record) -> DeviceID {
        let changed = descriptor.layout.units.filter { unit in
            unit.fields.contains { record.values[$0] != before.values[$0] }
        }
        if changed.isEmpty { return name }
        let texts = changed.flatMap { unit in
            unit.fields.map { record.values[$0]?.json ?? "" }
                + (unit.holdsUnknown ? record.unknown.flatMap { [$0.path, $0.json] } : [])
        }
        return .conclusion(names: name.description, texts.joined(separator: "\n"))
    }
}

extension SyncRecord {
    /// Whether the version is a conclusion: nobody wrote it, and it follows from other edits.
    package var isConclusion: Bool { metadata.editTimestamp.device.isConclusion }

    /// Whether the version is the tombstone of a merged record that nobody else deleted.
    package var isMergeTombstone: Bool { isConclusion && isDeleted && mergedInto != nil }

    /// The record's value before the merge.
    package var beforeMerge: SyncRecord {
        var version = self
        version.isDeleted = false
        version.mergedInto = nil
        return version
    }

    /// A tombstone's last value as a live version.
    package func beforeDelete(in descriptor: EntityDescriptor) -> SyncRecord {
        var version = beforeMerge
        if let mirror = descriptor.layout.deleted {
            let field = descriptor.fields[mirror]
            let isFlag = field.isRequired && field.type == .boolean
            version.record.values[mirror] = field.isNullable ? .null : isFlag ? .boolean(false) : nil
        }
        return version
    }

    /// The last value of a tombstone, if somebody wrote into it what the versions seen do not say; nil otherwise, and for a
    /// live version. A tombstone with nothing but a key says nothing.
    package func lastWords(beyond seen: [SyncRecord], in descriptor: EntityDescriptor) -> SyncRecord? {
        guard isDeleted, mergedInto == nil else { return nil }
        let words = beforeDelete(in: descriptor)
        let layout = descriptor.layout
        let silent = layout.key + [layout.deleted].compactMap { $0 }
        let isBare = words.record.values.indices.allSatisfy {
            silent.contains($0) || words.record.values[$0] == nil
        }
        let isSeen = seen.contains {
            descriptor.hasSameContent(left: words, right: $0.beforeDelete(in: descriptor))
        }
        return isSeen || isBare && words.record.unknown.isEmpty ? nil : words
    }

    /// Whether the version is a conclusion only from what the other version has seen, too.
    package func isConclusion(from other: SyncRecord) -> Bool {
        guard isConclusion else { return false }
        return metadata.vector.entries.allSatisfy { entry in
            entry.device == metadata.editTimestamp.device || entry.device.isConclusion
                || other.metadata.vector[entry.device] >= entry.sequence
        }
    }
}
