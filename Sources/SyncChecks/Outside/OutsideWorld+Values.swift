import SyncCore
import SyncRuntime

/// Generated values of outside worlds.
extension OutsideWorld {
    /// A whole record under a new key, or under the keys of its parents.
    func newRecord(
        entity: EntityDescriptor,
        device: OutsideDevice,
        shown: [RecordID: OutsideDevice.Shown],
        draw: inout Seed
    ) -> Record {
        guard let roles = roles(of: entity) else { return Record(empty: entity) }
        var record = RecordGenerator(entity).record(number: 1, seed: &draw)
        for (index, role) in roles.roles.enumerated() {
            let field = entity.fields[index]
            switch role {
            case .kept: record.values[index] = nil
            case .key: record.values[index] = newKey(field: field, device: device, draw: &draw)
            case .other: break
            case .part: if !entity.layout.key.contains(index) { record.values[index] = nil }
            default:
                let isLeftOut = !field.isRequired && Int.random(in: 0..<4, using: &draw) == 0
                record.values[index] =
                    isLeftOut
                    ? nil
                    : value(
                        record: nil,
                        index: index,
                        roles: roles,
                        device: device,
                        shown: shown,
                        draw: &draw
                    )
            }
        }
        for reference in roles.composites {
            set(reference, roles: roles, shown: shown, isKept: [], in: &record, draw: &draw)
        }
        return record
    }

    /// Lets a reference by several fields point to a shown record, or to none.
    private func set(
        _ reference: ReferenceDescriptor,
        roles: FieldRoles,
        shown: [RecordID: OutsideDevice.Shown],
        isKept: Set<Int>,
        in record: inout Record,
        draw: inout Seed
    ) {
        let positions = roles.positions(of: reference)
        let parents = shown.filter { $0.key.entity == reference.entity }.sorted { $0.key < $1.key }
        guard isKept.isDisjoint(with: positions), let parent = parents.randomElement(using: &draw)?.value,
            let layout = versions.old.first(where: { $0.name == reference.entity })?.layout
        else { return }
        let isCleared =
            Int.random(in: 0..<6, using: &draw) == 0
            && positions.contains { roles.entity.fields[$0].isNullable }
        for (position, key) in zip(positions, layout.key) {
            record.values[position] = parent.record.values[key]
            if isCleared, roles.entity.fields[position].isNullable { record.values[position] = .null }
        }
    }

    /// A new value of a key field, in the form that its type asks for.
    func newKey(field: FieldDescriptor, device: OutsideDevice, draw: inout Seed) -> FieldValue {
        let key = freshKey(device: device, draw: &draw)
        let number = Int64(key.dropFirst()) ?? 0
        switch field.type {
        case .uuid:
            let digits = String(draw.next() >> 32, radix: 16)
            let first = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
            let zeros = String(repeating: "0", count: 12 - key.count + 1)
            return .text(first + "-0000-4000-8000-" + zeros + key.dropFirst())
        case .integer(let least, _): return .integer((least ?? 0) + number)
        case .date:
            let values = ValueGenerator(descriptor: entities[0])
            return values.value(type: field.type, number: Int(number), seed: &draw) ?? .text(key)
        default: return .text(key)
        }
    }

    /// A record with changed fields: the changes with the key, and the whole record.
    func edited(
        record: Record,
        entity: EntityDescriptor,
        device: OutsideDevice,
        shown: [RecordID: OutsideDevice.Shown],
        draw: inout Seed
    ) -> (changed: Record, whole: Record) {
        guard let roles = roles(of: entity) else { return (record, record) }
        var (changed, whole) = (Record(empty: entity), record)
        for index in entity.layout.key { changed.values[index] = record.values[index] }
        for _ in 0..<([1, 1, 1, 2, 2, 3].randomElement(using: &draw) ?? 1) {
            guard let index = roles.editable.randomElement(using: &draw),
                let value = value(
                    record: record,
                    index: index,
                    roles: roles,
                    device: device,
                    shown: shown,
                    draw: &draw
                )
            else { continue }
            changed.values[index] = value
            whole.values[index] = value
        }
        if let reference = roles.composites.randomElement(using: &draw), Bool.random(using: &draw) {
            let (keys, before) = (Set(entity.layout.key), whole)
            set(reference, roles: roles, shown: shown, isKept: keys, in: &whole, draw: &draw)
            for index in roles.positions(of: reference) where whole.values[index] != before.values[index] {
                changed.values[index] = whole.values[index]
            }
        }
        return (changed, whole)
    }

    /// A person's new value of a field, given the present one.
    func value(
        record: Record?,
        index: Int,
        roles: FieldRoles,
        device: OutsideDevice,
        shown: [RecordID: OutsideDevice.Shown],
        draw: inout Seed
    ) -> FieldValue? {
        let field = roles.entity.fields[index]
        if field.isNullable, Int.random(in: 0..<8, using: &draw) == 0 { return .null }
        switch roles.roles[index] {
        case .word:
            if record == nil, let text = unwrittenDefault(of: field) { return .text(text) }
            // Sometimes an old value is written again.
            if let record, Int.random(in: 0..<6, using: &draw) == 0,
                let old = formerWord(
                    record: record,
                    entity: roles.entity,
                    field: field,
                    device: device,
                    draw: &draw
                )
            {
                return .text(old)
            }
            return .text(freshWord(device: device, draw: &draw))
        case .words:
            return .json(
                elements(
                    value: record?.values[index],
                    record: record,
                    entity: roles.entity,
                    field: field,
                    device: device,
                    draw: &draw
                )
            )
        case .number:
            drawn += 1
            return .integer(Int64.random(in: 1...900, using: &draw) * 1_000 + Int64(drawn % 1_000))
        case .flag: return .boolean(Bool.random(using: &draw))
        case .shared: return sharedValue(field: field, draw: &draw)
        case .reference(let parent):
            let keys = shown.keys.filter { $0.entity == parent }.sorted()
            return keys.randomElement(using: &draw).flatMap { field.type.value(ofKey: $0.key.text) }
        case .references(let parent):
            return .json(
                keyList(
                    value: record?.values[index],
                    field: field,
                    among: shown.keys.filter { $0.entity == parent }.map(\.key.text).sorted(),
                    draw: &draw
                )
            )
        default: return RecordGenerator(roles.entity).record(number: 1, seed: &draw).values[index]
        }
    }

    /// The text that a field has by default, for a person who writes that very text: once in a world, so that it is a
    /// word; nil otherwise.
    private func unwrittenDefault(of field: FieldDescriptor) -> String? {
        guard drawn % 3 == 1, let json = field.defaultJSON, let text = Self.text(json: json),
            oracle.words[text] == nil
        else { return nil }
        drawn += 1
        return text
    }

    /// A JSON string without escapes.
    private static func text(json: String) -> String? {
        guard json.count > 2, json.hasPrefix("\""), !json.contains("\\") else { return nil }
        return String(json.dropFirst().dropLast())
    }

    func freshWord(device: OutsideDevice, draw: inout Seed) -> String {
        let isBad = (isStrict || isPoisoned) && Int.random(in: 0..<8, using: &draw) == 0
        drawn += 1
        return "\(device.name)\(drawn)" + (isBad ? isStrict ? "!" : "~" : "")
    }

    /// A former value of the field that this person has seen there.
    func formerWord(
        record: Record,
        entity: EntityDescriptor,
        field: FieldDescriptor,
        device: OutsideDevice,
        draw: inout Seed
    ) -> String? {
        guard let key = entity.key(of: record) else { return nil }
        let place = RecordID(entity: entity.name, key: key)
        let former = oracle.order.filter { text in
            let word = oracle.words[text]
            return word?.place == place && word?.field == versions.firstName(field.name, of: entity.name)
                && device.known.contains(text)
        }
        return former.randomElement(using: &draw)
    }

    func sharedValue(field: FieldDescriptor, draw: inout Seed) -> FieldValue? {
        let number = Int.random(in: 1...3, using: &draw)
        switch field.type {
        case .string: return .text("\(field.name)-\(number)")
        case .integer(let least, _): return .integer((least ?? 0) + Int64(number))
        default:
            return ValueGenerator(descriptor: entities[0]).value(
                type: field.type,
                number: number,
                seed: &draw
            )
        }
    }

    /// A list of keys with one taken out or added.
    private func keyList(
        value: FieldValue?,
        field: FieldDescriptor,
        among known: [String],
        draw: inout Seed
    ) -> String {
        var keys: [String] = []
        let isText = if case .array(.integer, _, _, _, _) = field.type { false } else { true }
        if case .json(let text)? = value {
            keys =
                isText
                ? Self.elements(json: text)
                : text.dropFirst().dropLast().split(separator: ",").map(String.init)
        }
        if !keys.isEmpty, Int.random(in: 0..<3, using: &draw) == 0 {
            keys.remove(at: Int.random(in: 0..<keys.count, using: &draw))
        } else if let key = known.filter({ !keys.contains($0) }).randomElement(using: &draw) {
            keys.append(key)
        }
        return "[" + keys.map { isText ? "\"\($0)\"" : $0 }.joined(separator: ",") + "]"
    }

    /// A set with one element added, removed, or added again.
    func elements(
        value: FieldValue?,
        record: Record?,
        entity: EntityDescriptor,
        field: FieldDescriptor,
        device: OutsideDevice,
        draw: inout Seed
    ) -> String {
        var elements: [String] = []
        if case .json(let text)? = value { elements = Self.elements(json: text) }
        switch Int.random(in: 0..<4, using: &draw) {
        case 0 where !elements.isEmpty:
            elements.remove(at: Int.random(in: 0..<elements.count, using: &draw))
        case 1:
            if let record,
                let old = formerWord(
                    record: record,
                    entity: entity,
                    field: field,
                    device: device,
                    draw: &draw
                ), !elements.contains(old)
            {
                elements.append(old)
            }
        default: elements.append(freshWord(device: device, draw: &draw))
        }
        return "[" + elements.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    static func elements(json: String) -> [String] {
        json.dropFirst().dropLast().split(separator: ",").map { String($0.dropFirst().dropLast()) }
    }
}
