import SyncCore

/// Versions of an app whose schema merges a record in other parts: field by field instead of as a whole, or the other
/// way round. An edit that was made before such a change must still count as an edit after it.
extension MergeState {
    /// The values of a unit that a version lists; nil if its timestamps follow from other units (`unlisted`).
    static func listed(
        unit: MergeUnit,
        in detail: FieldTimestamps?,
        descriptor: EntityDescriptor
    ) -> [Sibling]? {
        guard let detail, let siblings = detail.units[unit.name], !isElementwise(unit: unit, in: detail)
        else {
            return nil
        }
        guard unit.name.isEmpty else { return siblings }
        let isAlone = unit.fields.allSatisfy {
            let name = descriptor.fields[$0].markName
            return detail.units[name] == nil && detail.elements[name] == nil
        }
        return isAlone ? siblings : nil
    }

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
        // An app that merges the field by element lists elements, and what it does not list has the origin.
        return detail.elements[unit.name] == nil ? wholeEdits(in: detail) : [detail.origin]
    }

    /// Whether a version's app merges a unit by element, although it is one value here.
    static func isElementwise(unit: MergeUnit, in detail: FieldTimestamps?) -> Bool {
        unit.rule != .union && !unit.name.isEmpty && detail?.elements[unit.name] != nil
    }

    /// The timestamp of a field without its own: that of the record as a whole, if an app wrote it so.
    static func unlistedField(in metadata: VersionMetadata, descriptor: EntityDescriptor) -> EditTimestamp {
        guard descriptor.meetsByField, let detail = metadata.detail else { return metadata.origin }
        return wholeEdits(in: detail)[0]
    }

    /// The timestamps of the record as a whole. An app that merges it so lists all that an edit of it has not touched,
    /// so that others know that the rest was in it (`listApart`).
    private static func wholeEdits(in detail: FieldTimestamps) -> [EditTimestamp] {
        guard let listed = detail.units[""], !listed.isEmpty else { return [detail.origin] }
        return listed.map(\.editTimestamp)
    }

    private static func edits(
        of whole: MergeUnit,
        in detail: FieldTimestamps,
        of metadata: VersionMetadata,
        descriptor: EntityDescriptor
    ) -> [EditTimestamp] {
        var edits = Set(wholeEdits(in: detail))
        for name in whole.fields.map({ descriptor.fields[$0].markName }) {
            edits.formUnion((detail.units[name] ?? []).map(\.editTimestamp))
            // An element that was removed has left no timestamp but the version's.
            if let elements = detail.elements[name] {
                edits.formUnion(elements.values.joined())
                edits.insert(metadata.editTimestamp)
            }
        }
        return edits.sorted(by: >)
    }

    /// The members of the record as a whole that this schema does not know and that have the origin. If the whole has
    /// another timestamp, they are listed with it.
    static func untouched(in version: SyncRecord, apart: Set<String>) -> Set<String> {
        let members = version.record.unknown.map(\.path).filter { !apart.contains($0) }
        guard let detail = version.metadata.detail, detail.units[""] != nil else { return Set(members) }
        return Set(members.filter { detail.isUntouched(name: $0) })
    }

    /// Lists what has the origin although the record as a whole has another timestamp: the fields that merge apart from
    /// it, and the members that this schema does not know. For sets, `elements` says that they merge apart.
    func listApart(in detail: inout FieldTimestamps, descriptor: EntityDescriptor) {
        guard detail.units[""] != nil else { return }
        for (position, unit) in descriptor.layout.timestamped.enumerated()
        where detail.units[unit.name] == nil && unit.rule != .union && !units[position].isEmpty {
            detail.units[unit.name] = [Sibling(editTimestamp: origin)]
        }
        for (name, unknownField) in unknownFields
        where detail.units[name] == nil && unknownField.elements == nil && !unknownField.siblings.isEmpty {
            detail.units[name] = unknownField.siblings
        }
        for name in untouched where detail.units[name] == nil && detail.elements[name] == nil {
            detail.units[name] = [Sibling(editTimestamp: origin)]
        }
    }
}

extension FieldTimestamps {
    /// Whether a field is listed with the origin.
    func isUntouched(name: String) -> Bool {
        elements[name] == nil && units[name] == [Sibling(editTimestamp: origin)]
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
