import SyncCore

/// Versions of an app whose schema merges a record in other parts: field by field instead of as a whole, or the other
/// way round. An edit that was made before such a change must still count as an edit after it.
extension MergeState {
    /// The timestamps of a unit that a version does not list, the latest first.
    ///
    /// A record as a whole that an app wrote field by field has been edited as often as its fields. Each of these edits
    /// counts, because another version may have seen only some of them.
    static func unlisted(
        unit: MergeUnit,
        in metadata: VersionMetadata,
        descriptor: EntityDescriptor
    ) -> [EditTimestamp] {
        guard let detail = metadata.detail else { return [metadata.origin] }
        if unit.name.isEmpty { return edits(of: unit, in: detail, of: metadata, descriptor: descriptor) }
        if isElementwise(unit: unit, in: detail) {
            let listed = detail.units[unit.name].map { $0.map(\.editTimestamp) } ?? [detail.origin]
            return Set(listed).union((detail.elements[unit.name] ?? [:]).values.joined()).sorted(by: >)
        }
        let hasOwnRule = unit.fields.contains { descriptor.fields[$0].merge != nil }
        // An app that merges the field by a rule of its own, or by element, lists it unless it has the origin.
        if hasOwnRule || detail.elements[unit.name] != nil { return [detail.origin] }
        return [unlistedField(in: metadata, descriptor: descriptor)]
    }

    /// Whether a version's app merges a unit by element, although it is one value here.
    static func isElementwise(unit: MergeUnit, in detail: FieldTimestamps?) -> Bool {
        unit.rule != .union && !unit.name.isEmpty && detail?.elements[unit.name] != nil
    }

    /// The timestamp of a field without its own: that of the record as a whole, if an app wrote it so.
    static func unlistedField(in metadata: VersionMetadata, descriptor: EntityDescriptor) -> EditTimestamp {
        guard descriptor.meetsByField else { return metadata.origin }
        return metadata.detail?.units[""]?.first?.editTimestamp ?? metadata.origin
    }

    private static func edits(
        of whole: MergeUnit,
        in detail: FieldTimestamps,
        of metadata: VersionMetadata,
        descriptor: EntityDescriptor
    ) -> [EditTimestamp] {
        var edits: Set<EditTimestamp> = []
        for name in whole.fields.map({ descriptor.fields[$0].markName }) {
            edits.formUnion((detail.units[name] ?? []).map(\.editTimestamp))
            // An element that was removed has left no timestamp but the version's.
            if let elements = detail.elements[name] {
                edits.formUnion(elements.values.joined())
                edits.insert(metadata.editTimestamp)
            }
        }
        return edits.isEmpty ? [detail.origin] : edits.sorted(by: >)
    }
}

extension MergeState.UnitValue {
    /// The same value of another edit.
    func edited(at editTimestamp: EditTimestamp) -> Self {
        var value = self
        value.editTimestamp = editTimestamp
        return value
    }
}
