package import SyncCore

/// A version with an edit timestamp for every unit, so that two versions can be merged unit by unit.
struct MergeState: Equatable {
    /// The edit timestamp of everything without its own.
    var origin: EditTimestamp
    /// Edit timestamps and values of each unit, by position in the layout. Usually one sibling. None if the unit was
    /// never written: the version came without the field, or with its default, and without a timestamp of its own, as
    /// from an app that does not know the field. For a union, the value says only whether the empty set is absent,
    /// null or `[]`; its elements are in `elements`.
    var units: [[UnitValue]]
    /// Elements of each set with their edit timestamps, by the unit's position; nil if the unit is not a union.
    var elements: [[ElementKey: [EditTimestamp]]?]
    /// Unknown fields that merge separately, by name.
    var unknownFields: [String: UnknownFieldState]
    /// Members that this schema does not know, that belong to the record as a whole here, and that nobody has written
    /// since the origin. For an app that merges them apart, an edit of the whole has not touched them.
    var untouched: Set<String>
    /// The edits that keep the record alive under add-wins; empty for a tombstone.
    var life: [EditTimestamp]
    /// Edits that nobody made. Values of theirs give way to any person's.
    var seeds: Set<EditTimestamp> = []

    /// One value of a unit and the edit that gave it.
    struct UnitValue: Equatable {
        var editTimestamp: EditTimestamp
        var values: [FieldValue?]
        var unknown: [UnknownField]
    }
}

extension MergeState {
    /// `unknownFields` are those of all versions that will be merged with this one.
    init(version: SyncRecord, descriptor: EntityDescriptor, unknownFields: UnknownFieldPaths? = nil) {
        let known = unknownFields ?? UnknownFieldPaths(version: version, descriptor: descriptor)
        let detail = version.metadata.detail
        let origin = version.metadata.origin
        self.origin = origin
        units = []
        elements = []
        for unit in descriptor.layout.timestamped {
            let listed = Self.listed(unit: unit, in: detail, descriptor: descriptor)
            let unlisted = Self.unlisted(unit: unit, in: version.metadata, descriptor: descriptor)
            let own = UnitValue(
                editTimestamp: unlisted[0],
                values: unit.fields.map { version.record.values[$0] },
                unknown: unit.holdsUnknown
                    ? version.record.unknown.filter { !known.names.contains($0.path) } : []
            )
            let type = unit.name.isEmpty ? nil : unit.fields.first.map { descriptor.fields[$0].type }
            let isUnsaid = Self.isUnsaid(unit: unit, values: version.record.values, descriptor: descriptor)
            guard unit.rule == .union else {
                let siblings = Self.siblings(
                    listed: listed,
                    unlisted: isUnsaid ? [] : unlisted.map { own.edited(at: $0) },
                    own: own,
                    type: type
                )
                let isOneValue = listed?.contains { $0.value != .own } != true
                units.append(isOneValue ? siblings : ValueMerge.ruled(values: siblings, rule: unit.rule))
                elements.append(nil)
                continue
            }
            var presence = own
            if case .json? = own.values[0] { presence.values = [Self.emptySet] }
            var siblings = Self.siblings(
                listed: listed,
                unlisted: isUnsaid ? [] : [presence],
                own: presence,
                type: type
            )
            for index in siblings.indices {
                if case .json? = siblings[index].values[0] { siblings[index].values = [Self.emptySet] }
            }
            units.append(ValueMerge.ruled(values: siblings, rule: unit.rule))
            let shown = SetElements.read(value: own.values[0])
            elements.append(
                Self.editTimestamps(
                    shown: shown,
                    listed: detail?.elements[unit.name],
                    siblings: listed ?? unlisted.map { Sibling(editTimestamp: $0) },
                    origin: unlisted[0]
                )
            )
        }
        self.unknownFields = known.names.reduce(into: [:]) { unknownFields, name in
            unknownFields[name] = UnknownFieldState(
                version: version,
                name: name,
                isSet: known.sets.contains(name),
                unlisted: Self.unlistedField(in: version.metadata, descriptor: descriptor)
            )
        }
        untouched = Self.untouched(in: version, apart: known.names)
        life = version.life
        if let detail, !detail.seeds.isEmpty { seeds = Set(detail.seeds) }
    }

    /// Whether a unit without its own timestamp was never written: the field is absent, or has the default for
    /// records that come without it.
    static func isUnsaid(unit: MergeUnit, values: [FieldValue?], descriptor: EntityDescriptor) -> Bool {
        guard !unit.name.isEmpty, let index = unit.fields.first else { return false }
        guard let value = values[index] else { return true }
        guard value == descriptor.layout.defaults[index] else { return false }
        return unit.rule != .union || SetElements.read(value: value).isEmpty
    }

    /// Gives a timestamp to every unit that has none, so that an absent field counts as removed.
    mutating func sayAll(_ record: Record, editTimestamp: EditTimestamp, descriptor: EntityDescriptor) {
        for (position, unit) in descriptor.layout.timestamped.enumerated() where units[position].isEmpty {
            let values = unit.fields.map { record.values[$0] }
            units[position] = [UnitValue(editTimestamp: editTimestamp, values: values, unknown: [])]
        }
        for (name, unknownField) in unknownFields where unknownField.siblings.isEmpty {
            unknownFields[name]?.siblings = [Sibling(editTimestamp: editTimestamp)]
        }
    }

    /// The value of an empty set.
    static let emptySet = FieldValue.json("[]")

    /// The edit timestamps of elements. Lists only those that differ from the origin.
    ///
    /// NB: if a field has a timestamp but lists no elements, the writer did not know the field. Then all elements
    /// have the timestamp of the value that contains them, and values that the writer kept as siblings contain
    /// elements, too.
    static func editTimestamps(
        shown: [ElementKey],
        listed: [ElementKey: [EditTimestamp]]?,
        siblings: [Sibling]?,
        origin: EditTimestamp
    ) -> [ElementKey: [EditTimestamp]] {
        if let listed { return shown.reduce(into: [:]) { $0[$1] = listed[$1] ?? [origin] } }
        var editTimestamps: [ElementKey: Set<EditTimestamp>] = [:]
        for sibling in siblings ?? [Sibling(editTimestamp: origin)] {
            var elements: [ElementKey] = []
            switch sibling.value {
            case .own: elements = shown
            case .absent: break
            case .value(let value): elements = SetElements.read(value: value)
            }
            for element in elements { editTimestamps[element, default: []].insert(sibling.editTimestamp) }
        }
        return editTimestamps.mapValues { $0.sorted() }
    }

    private static func siblings(
        listed: [Sibling]?,
        unlisted: [UnitValue],
        own: UnitValue,
        type: FieldType?
    ) -> [UnitValue] {
        guard let listed, !listed.isEmpty else { return unlisted }
        return listed.map { sibling in
            var value = own
            value.editTimestamp = sibling.editTimestamp
            switch sibling.value {
            case .own: break
            case .absent: value.values = [nil]
            case .value(let other): value.values = [type?.adopting(value: other) ?? other]
            }
            return value
        }
    }

    /// The field timestamps to store: only those that differ from the origin. Nil if there are none.
    func detail(
        editTimestamp: EditTimestamp,
        of record: Record,
        isDeleted: Bool,
        descriptor: EntityDescriptor
    )
        -> FieldTimestamps?
    {
        var detail = FieldTimestamps(origin: origin)
        var sets: [String: [ElementKey: [EditTimestamp]]] = [:]
        for (position, unit) in descriptor.layout.timestamped.enumerated() {
            // If other parts merged before, one value can have the timestamps of several edits.
            let hasOneValue = unit.rule == .lastWriteWins || unit.rule == .preserveLocal
            let values = units[position]
            sets[unit.name] = elements[position]
            if values.isEmpty { continue }
            // A set with elements may still be one that a person made null. That must not get lost.
            let isHidden = elements[position]?.isEmpty == false && values[0].values != [Self.emptySet]
            let isImplied = values == [values[0]] && values[0].editTimestamp == origin
            if !isImplied || isHidden
                || Self.isUnsaid(unit: unit, values: record.values, descriptor: descriptor)
            {
                detail.units[unit.name] = values.enumerated().map { index, value in
                    Sibling(
                        editTimestamp: value.editTimestamp,
                        value: (index == 0 || hasOneValue) && !isHidden ? .own : Self.sibling(value: value)
                    )
                }
            }
        }
        for (name, unknownField) in unknownFields {
            sets[name] = unknownField.elements
            if unknownField.needsTimestamp(origin: origin) { detail.units[name] = unknownField.siblings }
        }
        if !seeds.isEmpty {
            let used = detail.units.values.joined().map(\.editTimestamp) + [origin, editTimestamp]
            detail.seeds = seeds.intersection(used).sorted()
        }
        listApart(in: &detail, descriptor: descriptor)
        detail.elements = sets.compactMapValues { elements in
            let listed = elements.filter { $0.value != [origin] }
            return listed.isEmpty ? nil : listed
        }
        if life != (isDeleted ? [] : [editTimestamp]), descriptor.strategy == .setUnion { detail.life = life }
        if origin == editTimestamp, detail == FieldTimestamps(origin: editTimestamp) { return nil }
        for name in sets.keys where detail.elements[name] == nil { detail.elements[name] = [:] }
        // A record that merges as a whole has no timestamp but its own, unless a delete followed the last edit.
        return detail
    }

    private static func sibling(value: UnitValue) -> SiblingValue {
        guard let field = value.values.first, let field else { return .absent }
        return .value(field)
    }
}

extension SyncRecord {
    /// The edits that keep the record alive under add-wins; empty for a tombstone.
    var life: [EditTimestamp] { metadata.detail?.life ?? (isDeleted ? [] : [metadata.editTimestamp]) }
}

/// Sets as stored in a column: a JSON array of canonical elements, sorted by bytes.
package enum SetElements {
    /// The elements' texts. Empty for null, absent, or a column without an array.
    package static func read(value: FieldValue?) -> [ElementKey] {
        guard case .json(var text)? = value else { return [] }
        return text.withUTF8 { buffer in
            var elements: [ElementKey] = []
            var reader = JSONReader(validated: buffer)
            guard (try? reader.beginArray()) == true else { return [] }
            repeat {
                guard let span = try? reader.skipValue() else { return elements }
                elements.append(ElementKey(String(decoding: span, as: UTF8.self)))
            } while (try? reader.nextElement()) == true
            return elements
        }
    }

    /// The column value for these elements.
    static func write(_ elements: some Sequence<ElementKey>) -> FieldValue { .json(text(elements: elements)) }

    /// The JSON for these elements.
    static func text(elements: some Sequence<ElementKey>) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for element in elements.sorted() { writer.raw(element.text) }
        writer.endArray()
        return writer.text
    }
}
