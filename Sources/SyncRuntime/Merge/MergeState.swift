import SyncCore

/// A version with every mark written out, so that two versions can meet unit by unit.
struct MergeState: Equatable {
    /// The mark of everything that neither schema nor marks name.
    var origin: EditMark
    /// Marks and values of each unit, by its position in the layout. Usually one sibling. For a union the value says
    /// only whether the empty set is absent, null or `[]`; what is in it stands in `elements`.
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
        let origin = detail?.origin ?? version.stamp.mark
        self.origin = origin
        units = []
        elements = []
        for unit in descriptor.layout.units {
            let own = UnitValue(
                mark: origin,
                values: unit.fields.map { version.record.values[$0] },
                unknown: unit.holdsUnknown
                    ? version.record.unknown.filter { !known.names.contains($0.path) } : []
            )
            let type = unit.name.isEmpty ? nil : unit.fields.first.map { descriptor.fields[$0].type }
            guard unit.rule == .union else {
                units.append(Self.siblings(detail?.units[unit.name], own, type))
                elements.append(nil)
                continue
            }
            var presence = own
            if case .json? = own.values[0] { presence.values = [Self.emptySet] }
            units.append(Self.siblings(detail?.units[unit.name], presence, type))
            elements.append(Self.marks(SetElements.read(own.values[0]), detail?.elements[unit.name], origin))
        }
        self.strangers = known.names.reduce(into: [:]) { strangers, name in
            strangers[name] = Stranger(version, name, isSet: known.sets.contains(name))
        }
        life = detail?.life ?? (version.isDeleted ? [] : [version.stamp.mark])
    }

    /// The value of a set that is there and holds nothing.
    static let emptySet = FieldValue.json("[]")

    /// The marks of elements, of which those are listed that do not just carry the origin.
    static func marks(
        _ elements: [ElementKey],
        _ listed: [ElementKey: [EditMark]]?,
        _ origin: EditMark
    ) -> [ElementKey: [EditMark]] {
        elements.reduce(into: [:]) { $0[$1] = listed?[$1] ?? [origin] }
    }

    private static func siblings(_ listed: [Sibling]?, _ own: UnitValue, _ type: FieldType?) -> [UnitValue] {
        guard let listed, !listed.isEmpty else { return [own] }
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
    func detail(mark: EditMark, isDeleted: Bool, _ descriptor: EntityDescriptor) -> StampDetail? {
        var detail = StampDetail(origin: origin)
        var sets: [String: [ElementKey: [EditMark]]] = [:]
        for (position, unit) in descriptor.layout.units.enumerated() {
            let values = units[position]
            // NB: a set that shows elements can still be one that a person made null: that must not get lost.
            let isHidden = elements[position]?.isEmpty == false && values[0].values != [Self.emptySet]
            if values.count > 1 || values[0].mark != origin || isHidden {
                detail.units[unit.name] = values.enumerated().map { index, value in
                    Sibling(mark: value.mark, value: index == 0 && !isHidden ? .own : Self.sibling(value))
                }
            }
            sets[unit.name] = elements[position]
        }
        for (name, stranger) in strangers {
            sets[name] = stranger.elements
            if stranger.siblings != [Sibling(mark: origin)] { detail.units[name] = stranger.siblings }
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

/// Sets as they stand in a column: a JSON array of canonical elements sorted by bytes.
enum SetElements {
    /// The elements' texts; none for null, absent, or a column that does not hold an array.
    static func read(_ value: FieldValue?) -> [ElementKey] {
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
