package import SyncCore

/// What becomes of a record that is merged into another one. Pure, and the same on every device.
package struct RecordMove: Sendable {
    let descriptor: EntityDescriptor

    package init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// The version under another key, as an edit that is concurrent with those of the record that has the key.
    ///
    /// Its authors get names of their own there: sequence numbers of edits of different records must never be compared.
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

    /// The tombstone of a record that was merged into another one. `alsoSeen` are other versions of it that went along.
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

    /// The record with other values of its own, because a record that it refers to was merged into another one; nil where
    /// nothing changes.
    package func redirected(version: SyncRecord, to record: Record) -> SyncRecord? {
        let edit = Editor.Edit(current: version, record: record)
        let target = descriptor.references.compactMap { reference in
            descriptor.layout.position(of: reference.field).map { "\(record.values[$0]?.json ?? "")" }
        }
        let author = DeviceID.conclusion(
            names: "reference",
            version.entity,
            version.key.text,
            target.joined(separator: "\n")
        )
        return concluded(edit: edit, version: version, by: author)
    }

    private func concluded(edit: Editor.Edit, version: SyncRecord, by author: DeviceID) -> SyncRecord? {
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
}

extension SyncRecord {
    /// Whether nobody wrote the version: it follows from other edits.
    package var isConclusion: Bool { metadata.editTimestamp.device.isConclusion }

    /// Whether the version stands for a record that was merged into another one, and nobody else deleted it.
    package var isMergeTombstone: Bool { isConclusion && isDeleted && mergedInto != nil }

    /// The value that a merge took along.
    package var beforeMerge: SyncRecord {
        var version = self
        version.isDeleted = false
        version.mergedInto = nil
        return version
    }

    /// Whether nobody wrote the version and it follows only from what the other one has seen, too.
    package func isConclusion(from other: SyncRecord) -> Bool {
        guard isConclusion else { return false }
        return metadata.vector.entries.allSatisfy { entry in
            entry.device == metadata.editTimestamp.device
                || other.metadata.vector[entry.device] >= entry.sequence
        }
    }
}
