package import SyncCore

/// A version with every mark written out, so that two versions can meet unit by unit.
struct MergeState: Equatable {
    /// The mark of everything that neither schema nor marks name.
    var origin: EditMark
    /// Marks and values of each unit, by its position in the layout. Usually one sibling; none where nobody has said
    /// anything: the version came without it, or with its default, and no mark of its own. So says an app that does not
    /// know the field. For a union the value says only whether the empty set is absent, null or `[]`; what is in it
    /// stands in `elements`.
    var units: [[UnitValue]]
    /// Elements of each set with their marks, by the unit's position; nil where the unit is no union.
    var elements: [[ElementKey: [EditMark]]?]
    /// Members that the schema does not know and that meet on their own, by name.
    var strangers: [String: Stranger]
    /// The edits that keep the record alive under add-wins; empty for a tombstone.
    var life: [EditMark]

    /// One value of a unit and the edit that gave it.
    struct UnitValue: Equatable {
        var mark: EditMark
        var values: [FieldValue?]
        var unknown: [UnknownField]
    }
}

extension MergeState {
    /// `strangers` are those of every version that this one shall meet.
    init(_ version: SyncRecord, _ descriptor: EntityDescriptor, _ strangers: Strangers? = nil) {
        let known = strangers ?? Strangers(version, descriptor)
        let detail = version.stamp.detail
        let origin = version.stamp.origin
        self.origin = origin
        units = []
        elements = []
        for unit in descriptor.layout.marked {
            let own = UnitValue(
                mark: origin,
                values: unit.fields.map { version.record.values[$0] },
                unknown: unit.holdsUnknown
                    ? version.record.unknown.filter { !known.names.contains($0.path) } : []
            )
            let type = unit.name.isEmpty ? nil : unit.fields.first.map { descriptor.fields[$0].type }
            let isUnsaid = Self.isUnsaid(unit, version.record.values, descriptor)
            let listed = detail?.units[unit.name]
            guard unit.rule == .union else {
                let siblings = Self.siblings(listed, isUnsaid ? nil : own, own, type)
                units.append(UnitMerge.ruled(siblings, unit.rule))
                elements.append(nil)
                continue
            }
            var presence = own
            if case .json? = own.values[0] { presence.values = [Self.emptySet] }
            var siblings = Self.siblings(listed, isUnsaid ? nil : presence, presence, type)
            for index in siblings.indices {
                if case .json? = siblings[index].values[0] { siblings[index].values = [Self.emptySet] }
            }
            units.append(UnitMerge.ruled(siblings, unit.rule))
            let shown = SetElements.read(own.values[0])
            elements.append(Self.marks(shown, detail?.elements[unit.name], listed, origin))
        }
        self.strangers = known.names.reduce(into: [:]) { strangers, name in
            strangers[name] = Stranger(version, name, isSet: known.sets.contains(name))
        }
        life = version.life
    }

    /// Whether a unit without a mark of its own says nothing: the field is absent, or has the default that it gets where
    /// a record comes without it.
    static func isUnsaid(_ unit: MergeUnit, _ values: [FieldValue?], _ descriptor: EntityDescriptor) -> Bool {
        guard !unit.name.isEmpty, let index = unit.fields.first else { return false }
        guard let value = values[index] else { return true }
        guard value == descriptor.layout.defaults[index] else { return false }
        return unit.rule != .union || SetElements.read(value).isEmpty
    }

    /// Writes a mark for every unit that has none, so that an absent field counts as taken away.
    mutating func sayAll(_ record: Record, _ mark: EditMark, _ descriptor: EntityDescriptor) {
        for (position, unit) in descriptor.layout.marked.enumerated() where units[position].isEmpty {
            let values = unit.fields.map { record.values[$0] }
            units[position] = [UnitValue(mark: mark, values: values, unknown: [])]
        }
        for (name, stranger) in strangers where stranger.siblings.isEmpty {
            strangers[name]?.siblings = [Sibling(mark: mark)]
        }
    }

    /// The value of a set that is there and holds nothing.
    static let emptySet = FieldValue.json("[]")

    /// The marks of elements, of which those are listed that do not just carry the origin.
    ///
    /// NB: only an app that does not know the field marks it and names no elements, also not that there are none: all have
    /// the mark of the value that they stand in, and values that it kept beside the shown one hold elements, too.
    static func marks(
        _ shown: [ElementKey],
        _ listed: [ElementKey: [EditMark]]?,
        _ siblings: [Sibling]?,
        _ origin: EditMark
    ) -> [ElementKey: [EditMark]] {
        if let listed { return shown.reduce(into: [:]) { $0[$1] = listed[$1] ?? [origin] } }
        var marks: [ElementKey: Set<EditMark>] = [:]
        for sibling in siblings ?? [Sibling(mark: origin)] {
            var elements: [ElementKey] = []
            switch sibling.value {
            case .own: elements = shown
            case .absent: break
            case .value(let value): elements = SetElements.read(value)
            }
            for element in elements { marks[element, default: []].insert(sibling.mark) }
        }
        return marks.mapValues { $0.sorted() }
    }

    private static func siblings(
        _ listed: [Sibling]?,
        _ unlisted: UnitValue?,
        _ own: UnitValue,
        _ type: FieldType?
    ) -> [UnitValue] {
        guard let listed, !listed.isEmpty else { return unlisted.map { [$0] } ?? [] }
        return listed.map { sibling in
            var value = own
            value.mark = sibling.mark
            switch sibling.value {
            case .own: break
            case .absent: value.values = [nil]
            case .value(let other): value.values = [type?.adopting(other) ?? other]
            }
            return value
        }
    }

    /// The marks as they travel: only what differs from the origin. Nil when nothing does.
    func detail(mark: EditMark, of record: Record, isDeleted: Bool, _ descriptor: EntityDescriptor)
        -> StampDetail?
    {
        var detail = StampDetail(origin: origin)
        var sets: [String: [ElementKey: [EditMark]]] = [:]
        for (position, unit) in descriptor.layout.marked.enumerated() {
            let values = units[position]
            sets[unit.name] = elements[position]
            if values.isEmpty { continue }
            // NB: a set that shows elements can still be one that a person made null: that must not get lost.
            let isHidden = elements[position]?.isEmpty == false && values[0].values != [Self.emptySet]
            let isImplied = values == [values[0]] && values[0].mark == origin
            if !isImplied || isHidden || Self.isUnsaid(unit, record.values, descriptor) {
                detail.units[unit.name] = values.enumerated().map { index, value in
                    Sibling(mark: value.mark, value: index == 0 && !isHidden ? .own : Self.sibling(value))
                }
            }
        }
        for (name, stranger) in strangers {
            sets[name] = stranger.elements
            if stranger.needsMark(origin) { detail.units[name] = stranger.siblings }
        }
        detail.elements = sets.compactMapValues { elements in
            let listed = elements.filter { $0.value != [origin] }
            return listed.isEmpty ? nil : listed
        }
        if life != (isDeleted ? [] : [mark]), descriptor.strategy == .setUnion { detail.life = life }
        if origin == mark, detail == StampDetail(origin: mark) { return nil }
        for name in sets.keys where detail.elements[name] == nil { detail.elements[name] = [:] }
        // A record that meets as one whole has no mark but its own, unless a delete came after the last edit.
        return detail
    }

    private static func sibling(_ value: UnitValue) -> SiblingValue {
        guard let field = value.values.first, let field else { return .absent }
        return .value(field)
    }
}

extension SyncRecord {
    /// The edits that keep the record alive under add-wins; empty for a tombstone.
    var life: [EditMark] { stamp.detail?.life ?? (isDeleted ? [] : [stamp.mark]) }
}

/// Sets as they stand in a column: a JSON array of canonical elements sorted by bytes.
package enum SetElements {
    /// The elements' texts; none for null, absent, or a column that does not hold an array.
    package static func read(_ value: FieldValue?) -> [ElementKey] {
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

    /// The column's value for these elements.
    static func write(_ elements: some Sequence<ElementKey>) -> FieldValue { .json(text(elements)) }

    /// The JSON of these elements.
    static func text(_ elements: some Sequence<ElementKey>) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for element in elements.sorted() { writer.raw(element.text) }
        writer.endArray()
        return writer.text
    }
}
