import SyncCore
import SyncRuntime

/// What people write in an outside world.
extension OutsideWorld {
    /// Writes a new record, often with values that must be unique and that others use, too.
    func create(_ device: OutsideDevice, _ draw: inout Seed) throws {
        guard var entity = entities.randomElement(using: &draw) else { return }
        // NB: what refers to a record needs one, so the first of a kind is made first.
        let shown = try device.shown()
        while let missing = roles[entity.name]?.parents.first(where: { parent in
            entity.fields[parent.position].isRequired && !shown.keys.contains { $0.entity == parent.entity }
        }), let parent = device.descriptor(missing.entity) { entity = parent }
        var record = newRecord(entity, device, shown, &draw)
        if let key = entity.key(of: record), let known = shown[RecordPlace(entity: entity.name, key: key)] {
            record = edited(known.record, entity, device, shown, &draw).whole
        }
        try put(device, entity, record, "puts")
    }

    /// Changes one or more fields of a record that is shown.
    func edit(_ device: OutsideDevice, _ draw: inout Seed) throws {
        let shown = try device.shown()
        guard let (place, row) = pick(shown), let entity = device.descriptor(place.entity) else {
            return try create(device, &draw)
        }
        let edited = edited(row.record, entity, device, shown, &draw)
        try put(device, entity, edited.changed, "puts")
    }

    /// Changes a field of a record, and puts its value back: takes an element of a set away and adds it again, say.
    func undo(_ device: OutsideDevice, _ draw: inout Seed) throws {
        guard let (place, row) = pick(try device.shown()), let entity = device.descriptor(place.entity) else {
            return
        }
        let fields = roles[place.entity]?.positions { $0 == .word || $0 == .words } ?? []
        let filled = fields.filter { !ledger.words(in: row.record.values[$0]).isEmpty }
        guard let index = filled.randomElement(using: &draw), let old = row.record.values[index] else {
            return
        }
        var changed = Record(empty: entity)
        for position in entity.layout.key { changed.values[position] = row.record.values[position] }
        var back = changed
        back.values[index] = old
        if case .json(let text) = old {
            let elements = Self.elements(text).dropFirst()
            changed.values[index] = .json("[" + elements.map { "\"\($0)\"" }.joined(separator: ",") + "]")
        } else {
            changed.values[index] = .text(freshWord(device, &draw))
        }
        try put(device, entity, changed, "puts")
        try put(device, entity, back, "puts")
    }

    /// Takes in a whole record, new or in the place of one.
    func takeIn(_ device: OutsideDevice, _ draw: inout Seed) throws {
        let shown = try device.shown()
        let entity: EntityDescriptor
        var record: Record
        if Bool.random(using: &draw), let (place, row) = pick(shown),
            let known = device.descriptor(place.entity)
        {
            (entity, record) = (known, edited(row.record, known, device, shown, &draw).whole)
        } else {
            guard let drawn = entities.randomElement(using: &draw) else { return }
            (entity, record) = (drawn, newRecord(drawn, device, shown, &draw))
        }
        // Now and then from a program that knows no end of time.
        let isLast = Int.random(in: 0..<12, using: &draw) == 0
        let time = isLast ? Timestamp(microseconds: 253_402_300_799_999_999) : now
        if let updated = entity.layout.updated { record.values[updated] = .timestamp(time) }
        if let created = entity.layout.created, record.values[created] == nil {
            record.values[created] = .timestamp(now)
        }
        let given = record
        try write(device, entity, given, fields: Set(roles[entity.name]?.editable ?? []), "imports") {
            try $0.replace(entity, given, keepsTimes: true)
        }
    }

    func put(_ device: OutsideDevice, _ entity: EntityDescriptor, _ record: Record, _ verb: String) throws {
        let json = RecordEncoder(entity, form: .plain).bytes(record)
        let fields = record.values.indices.filter { record.values[$0] != nil }
        try write(device, entity, record, fields: Set(fields), verb) { try $0.put(entity, json: json) }
    }

    /// Runs a write, and notes what the person displayed before of the fields that they wrote, and what they wrote.
    private func write(
        _ device: OutsideDevice,
        _ entity: EntityDescriptor,
        _ record: Record,
        fields: Set<Int>,
        _ verb: String,
        _ body: (borrowing WriteSession) throws -> RecordKey
    ) throws {
        let before = try device.shown()
        let text = json(record, entity)
        let key: RecordKey
        do { key = try device.write(body) } catch {
            let message = (error as? SyncError)?.message ?? "\(error)"
            return refused(device, entity, record, fields, before, "\(verb) \(entity.name) \(text)", message)
        }
        tell(device, "\(verb) \(entity.name) \(text)")
        let place = RecordPlace(entity: entity.name, key: key)
        let wanted = said(record, entity, fields)
        let old = words(before[place]?.record, fields)
        // What stood there already, nobody wrote.
        let new = wanted.filter { !old.contains($0.word) }
        // A word that is said again tells nobody which write it came by.
        let isFresh = new.contains { ledger.words[$0.word] == nil }
        ledger.say(new, place, device.name, step)
        ledger.noteWrite(place, by: device.index, hasWord: isFresh)
        ledger.giveUp(old.subtracting(wanted.map(\.word)))
        let changed = fields.filter { before[place]?.record.values[$0] != record.values[$0] }
        ledger.noteChange(place, changed.sorted(), by: device.index)
        device.known.formUnion(old)
        let now = words(try device.shown()[place]?.record, fields)
        if let missing = wanted.first(where: { !now.contains($0.word) }) {
            report(.writesShow, "\(device.name) wrote \(missing.word) into \(place), and does not show it.")
        }
        for index in fields {
            guard let rule = entity.fields[index].merge, rule == .or || rule == .and else { continue }
            ledger.setFlag(
                PersonLedger.Flag(place: place, field: index),
                rule,
                to: record.values[index],
                over: before[place]?.record.values[index]
            )
        }
    }

    /// Tells of a write that was refused, and reports it where nothing forbids it.
    private func refused(
        _ device: OutsideDevice,
        _ entity: EntityDescriptor,
        _ record: Record,
        _ fields: Set<Int>,
        _ before: [RecordPlace: OutsideDevice.Shown],
        _ what: String,
        _ message: String
    ) {
        tell(device, "\(what), and is refused: \(message)")
        guard let roles = roles[entity.name]?.roles, let key = entity.key(of: record),
            before[RecordPlace(entity: entity.name, key: key)] != nil
        else { return }
        let keys = Set(entity.layout.key)
        let isFree = fields.allSatisfy { index in
            if case .reference = roles[index] { return keys.contains(index) }
            return keys.contains(index) || roles[index] != .shared
        }
        if isFree { report(.editsAccepted, "\(device.name) \(what), and is refused: \(message)") }
    }

    /// The words of some fields of a record.
    func words(_ record: Record?, _ fields: Set<Int>? = nil) -> Set<String> {
        guard let record else { return [] }
        var words: Set<String> = []
        for (index, value) in record.values.enumerated() where fields?.contains(index) ?? true {
            words.formUnion(ledger.words(in: value))
        }
        return words
    }

    /// What a written record says, word by word, by the roles of its fields.
    private func said(_ record: Record, _ entity: EntityDescriptor, _ fields: Set<Int>) -> [(
        field: FieldDescriptor, word: String
    )] {
        guard let roles = roles[entity.name]?.roles else { return [] }
        return fields.sorted().flatMap { index -> [(field: FieldDescriptor, word: String)] in
            let field = entity.fields[index]
            switch (roles[index], record.values[index]) {
            case (.word, .text(let text)?): return [(field, text)]
            case (.number, .integer(let number)?): return [(field, "#\(number)")]
            case (.words, .json(let text)?): return Self.elements(text).map { (field, $0) }
            default: return []
            }
        }
    }

    /// The record that is shown and that the step is about.
    func pick(_ shown: [RecordPlace: OutsideDevice.Shown]) -> (RecordPlace, OutsideDevice.Shown)? {
        let places = shown.keys.sorted()
        guard !places.isEmpty, let row = shown[places[focus % places.count]] else { return nil }
        return (places[focus % places.count], row)
    }

    // MARK: Values

    /// A whole record under a new key, or under the keys of its parents.
    private func newRecord(
        _ entity: EntityDescriptor,
        _ device: OutsideDevice,
        _ shown: [RecordPlace: OutsideDevice.Shown],
        _ draw: inout Seed
    ) -> Record {
        guard let roles = roles[entity.name] else { return Record(empty: entity) }
        var record = RecordGenerator(entity).record(number: 1, seed: &draw)
        for (index, role) in roles.roles.enumerated() {
            let field = entity.fields[index]
            switch role {
            case .kept: record.values[index] = nil
            case .key: record.values[index] = newKey(field, device, &draw)
            case .other: break
            default:
                let isLeftOut = !field.isRequired && Int.random(in: 0..<4, using: &draw) == 0
                record.values[index] =
                    isLeftOut ? nil : value(nil, index, roles, device, shown, &draw)
            }
        }
        return record
    }

    private func newKey(_ field: FieldDescriptor, _ device: OutsideDevice, _ draw: inout Seed) -> FieldValue {
        let key = freshKey(device, &draw)
        guard case .uuid = field.type else { return .text(key) }
        let digits = String(draw.next() >> 32, radix: 16)
        let first = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        return .text(
            first + "-0000-4000-8000-" + String(repeating: "0", count: 12 - key.count + 1) + key.dropFirst()
        )
    }

    /// A record with one or more fields changed: the changes with the key alone, and the whole.
    private func edited(
        _ record: Record,
        _ entity: EntityDescriptor,
        _ device: OutsideDevice,
        _ shown: [RecordPlace: OutsideDevice.Shown],
        _ draw: inout Seed
    ) -> (changed: Record, whole: Record) {
        guard let roles = roles[entity.name] else { return (record, record) }
        var (changed, whole) = (Record(empty: entity), record)
        for index in entity.layout.key { changed.values[index] = record.values[index] }
        for _ in 0..<([1, 1, 1, 2, 2, 3].randomElement(using: &draw) ?? 1) {
            guard let index = roles.editable.randomElement(using: &draw),
                let value = value(record, index, roles, device, shown, &draw)
            else { continue }
            changed.values[index] = value
            whole.values[index] = value
        }
        return (changed, whole)
    }

    /// What a person writes into a field, over what it holds.
    private func value(
        _ record: Record?,
        _ index: Int,
        _ roles: FieldRoles,
        _ device: OutsideDevice,
        _ shown: [RecordPlace: OutsideDevice.Shown],
        _ draw: inout Seed
    ) -> FieldValue? {
        let field = roles.entity.fields[index]
        if field.isNullable, Int.random(in: 0..<8, using: &draw) == 0 { return .null }
        switch roles.roles[index] {
        case .word:
            // Now and then somebody puts an old value back.
            if let record, Int.random(in: 0..<6, using: &draw) == 0,
                let old = formerWord(record, roles.entity, field, device, &draw)
            {
                return .text(old)
            }
            return .text(freshWord(device, &draw))
        case .words: return .json(elements(record?.values[index], record, roles.entity, field, device, &draw))
        case .number:
            drawn += 1
            return .integer(Int64.random(in: 1...900, using: &draw) * 1_000 + Int64(drawn % 1_000))
        case .flag: return .boolean(Bool.random(using: &draw))
        case .shared: return sharedValue(field, &draw)
        case .reference(let parent):
            let keys = shown.keys.filter { $0.entity == parent }.sorted()
            return keys.randomElement(using: &draw).map { .text($0.key.text) }
        default: return RecordGenerator(roles.entity).record(number: 1, seed: &draw).values[index]
        }
    }

    private func freshWord(_ device: OutsideDevice, _ draw: inout Seed) -> String {
        let isBad = (isStrict || isPoisoned) && Int.random(in: 0..<8, using: &draw) == 0
        drawn += 1
        return "\(device.name)\(drawn)" + (isBad ? isStrict ? "!" : "~" : "")
    }

    /// A value that the field had before, and that this person has seen there.
    private func formerWord(
        _ record: Record,
        _ entity: EntityDescriptor,
        _ field: FieldDescriptor,
        _ device: OutsideDevice,
        _ draw: inout Seed
    ) -> String? {
        guard let key = entity.key(of: record) else { return nil }
        let place = RecordPlace(entity: entity.name, key: key)
        let former = ledger.order.filter { text in
            let word = ledger.words[text]
            return word?.place == place && word?.field == field.name && device.known.contains(text)
        }
        return former.randomElement(using: &draw)
    }

    private func sharedValue(_ field: FieldDescriptor, _ draw: inout Seed) -> FieldValue? {
        let number = Int.random(in: 1...3, using: &draw)
        switch field.type {
        case .string: return .text("\(field.name)-\(number)")
        case .integer(let least, _): return .integer((least ?? 0) + Int64(number))
        default:
            return ValueGenerator(descriptor: entities[0]).value(field.type, number: number, seed: &draw)
        }
    }

    /// A set with an element more, one less, or one that was there before.
    private func elements(
        _ value: FieldValue?,
        _ record: Record?,
        _ entity: EntityDescriptor,
        _ field: FieldDescriptor,
        _ device: OutsideDevice,
        _ draw: inout Seed
    ) -> String {
        var elements: [String] = []
        if case .json(let text)? = value { elements = Self.elements(text) }
        switch Int.random(in: 0..<4, using: &draw) {
        case 0 where !elements.isEmpty:
            elements.remove(at: Int.random(in: 0..<elements.count, using: &draw))
        case 1:
            if let record, let old = formerWord(record, entity, field, device, &draw), !elements.contains(old)
            {
                elements.append(old)
            }
        default: elements.append(freshWord(device, &draw))
        }
        return "[" + elements.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    static func elements(_ json: String) -> [String] {
        json.dropFirst().dropLast().split(separator: ",").map { String($0.dropFirst().dropLast()) }
    }
}
