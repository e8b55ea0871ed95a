import SyncCore
import SyncRuntime

/// Writes of people in an outside world.
extension OutsideWorld {
    /// Lets a device's person choose who wins where a record was edited twice, and change their mind every few steps.
    func letChoose(_ device: OutsideDevice) {
        device.prefersRecent = { [unowned self, unowned device] entity in
            let place = entity.name.utf8.reduce(UInt64(step / 8)) { $0 &* 31 &+ UInt64($1) }
            var draw = Seed(story.seed &+ place &* 1_000_003 &+ UInt64(device.index) &* 7919)
            return [true, false, nil].randomElement(using: &draw) ?? nil
        }
    }

    /// Lets a person write while a sync runs, now and then.
    func letWriteDuringSyncs(_ device: OutsideDevice) {
        let chance = SeededRandom(story.seed &+ 31 &* UInt64(device.index + 1))
        device.meanwhile = (
            // Whoever rests writes nothing.
            interrupts: { [unowned self] in step > 0 && chance.next() % 3 == 0 },
            write: { [unowned self, unowned device] in
                var draw = Seed(chance.next())
                log(device: device, text: "(while it syncs:)")
                isWhileSyncing = true
                defer { isWhileSyncing = false }
                do {
                    switch chance.next() % 4 {
                    case 0: break
                    case 1: try create(device, draw: &draw)
                    case 2: try delete(device, draw: &draw)
                    default: try edit(device, draw: &draw)
                    }
                } catch let error as SyncError {
                    log(device: device, text: "which fails: \(error.message)")
                }
            }
        )
    }

    /// Writes a new record, often with unique values that others use, too.
    func create(_ device: OutsideDevice, draw: inout Seed) throws {
        guard var entity = device.entities.randomElement(using: &draw) else { return }
        // NB: a child needs a parent, so missing parents are created first.
        let shown = try device.shown()
        for _ in device.entities {
            guard
                let missing = roles(of: entity)?.neededParents.first(where: { parent in
                    !shown.keys.contains { $0.entity == parent }
                }), let parent = device.descriptor(name: missing)
            else { break }
            entity = parent
        }
        var record = newRecord(entity: entity, device: device, shown: shown, draw: &draw)
        if let key = entity.key(of: record), let known = shown[RecordID(entity: entity.name, key: key)] {
            record =
                edited(record: known.record, entity: entity, device: device, shown: shown, draw: &draw).whole
        }
        try put(device, entity: entity, record: record, verb: "puts")
    }

    /// Changes one or more fields of a shown record.
    func edit(_ device: OutsideDevice, draw: inout Seed) throws {
        let shown = try device.shown()
        guard let (place, row) = pick(shown), let entity = device.descriptor(name: place.entity) else {
            return try create(device, draw: &draw)
        }
        let edited = edited(record: row.record, entity: entity, device: device, shown: shown, draw: &draw)
        try put(device, entity: entity, record: edited.changed, verb: "puts")
    }

    /// Changes a field and restores its value, for example by removing and adding an element of a set.
    func undo(_ device: OutsideDevice, draw: inout Seed) throws {
        guard let (place, row) = pick(try device.shown()), let entity = device.descriptor(name: place.entity)
        else {
            return
        }
        let fields = roles(of: entity)?.positions { $0 == .word || $0 == .words } ?? []
        let filled = fields.filter { !oracle.words(in: row.record.values[$0]).isEmpty }
        guard let index = filled.randomElement(using: &draw), let old = row.record.values[index] else {
            return
        }
        var changed = Record(empty: entity)
        for position in entity.layout.key { changed.values[position] = row.record.values[position] }
        var back = changed
        back.values[index] = old
        if case .json(let text) = old {
            let elements = Self.elements(json: text).dropFirst()
            changed.values[index] = .json("[" + elements.map { "\"\($0)\"" }.joined(separator: ",") + "]")
        } else {
            changed.values[index] = .text(freshWord(device: device, draw: &draw))
        }
        try put(device, entity: entity, record: changed, verb: "puts")
        try put(device, entity: entity, record: back, verb: "puts")
    }

    /// Imports a whole record, new or in place of an existing one.
    func takeIn(_ device: OutsideDevice, draw: inout Seed) throws {
        let shown = try device.shown()
        let entity: EntityDescriptor
        var record: Record
        if Bool.random(using: &draw), let (place, row) = pick(shown),
            let known = device.descriptor(name: place.entity)
        {
            (entity, record) = (
                known,
                edited(record: row.record, entity: known, device: device, shown: shown, draw: &draw).whole
            )
        } else {
            guard let drawn = device.entities.randomElement(using: &draw) else { return }
            (entity, record) = (drawn, newRecord(entity: drawn, device: device, shown: shown, draw: &draw))
        }
        // Sometimes with the latest possible time.
        let isLast = Int.random(in: 0..<12, using: &draw) == 0
        let time = isLast ? Timestamp(microseconds: 253_402_300_799_999_999) : now
        if let updated = entity.layout.updated { record.values[updated] = .timestamp(time) }
        if let created = entity.layout.created, record.values[created] == nil {
            record.values[created] = .timestamp(now)
        }
        let given = record
        try write(
            device,
            entity: entity,
            record: given,
            fields: Set(roles(of: entity)?.editable ?? []),
            verb: "imports"
        ) {
            try $0.replace(entity: entity, record: given, keepsTimes: true)
        }
    }

    func put(_ device: OutsideDevice, entity: EntityDescriptor, record: Record, verb: String) throws {
        let json = RecordEncoder(descriptor: entity, form: .plain).bytes(record)
        let fields = record.values.indices.filter { record.values[$0] != nil }
        try write(device, entity: entity, record: record, fields: Set(fields), verb: verb) {
            try $0.put(entity: entity, json: json)
        }
    }

    /// Runs a write, and records what was displayed in the written fields before, and the new values.
    private func write(
        _ device: OutsideDevice,
        entity: EntityDescriptor,
        record: Record,
        fields: Set<Int>,
        verb: String,
        body: (WriteSession) throws -> RecordKey
    ) throws {
        let before = try device.shown()
        let text = json(record: record, entity: entity)
        let key: RecordKey
        do { key = try device.write(body: body) } catch {
            let message = (error as? SyncError)?.message ?? "\(error)"
            return refused(
                device: device,
                entity: entity,
                record: record,
                fields: fields,
                before: before,
                what: "\(verb) \(entity.name) \(text)",
                message: message
            )
        }
        log(device: device, text: "\(verb) \(entity.name) \(text)")
        let place = RecordID(entity: entity.name, key: key)
        let wanted = said(record: record, entity: entity, fields: fields)
        let old = words(record: before[place]?.record, fields: fields)
        // Words that were already there were not written by this person.
        let new = wanted.filter { !old.contains($0.word) }
        // A repeated word does not identify its write.
        let isFresh = new.contains { oracle.words[$0.word] == nil }
        oracle.noteWords(new, place: place, device: device.name, step: step)
        oracle.noteWrite(place, by: device.index, hasWord: isFresh)
        oracle.giveUp(old.subtracting(wanted.map(\.word)))
        let changed = fields.filter { before[place]?.record.values[$0] != record.values[$0] }
        oracle.noteChange(place, fields: firstNames(of: changed.sorted(), in: entity), by: device.index)
        noteReferences(of: record, entity: entity, place: place, fields: changed)
        device.known.formUnion(old)
        let now = words(record: try device.shown()[place]?.record, fields: fields)
        // A parent whose delete has just come, or will with the next change, takes the record along into the journal.
        let isGone = try isWhileSyncing && device.shown()[place] == nil
        if !isGone, let missing = wanted.first(where: { !now.contains($0.word) }) {
            report(
                .writesShow,
                text: "\(device.name) wrote \(missing.word) into \(place), and does not show it."
            )
        }
        for index in fields {
            guard let rule = entity.fields[index].merge, rule == .or || rule == .and else { continue }
            oracle.setFlag(
                PersonOracle.Flag(place: place, field: firstName(of: index, in: entity)),
                rule: rule,
                to: record.values[index],
                over: before[place]?.record.values[index]
            )
        }
    }

    /// Records a refused write, and reports it as a violation if no rule forbids the write.
    func refused(
        device: OutsideDevice,
        entity: EntityDescriptor,
        record: Record,
        fields: Set<Int>,
        before: [RecordID: OutsideDevice.Shown],
        what: String,
        message: String
    ) {
        log(device: device, text: "\(what), and is refused: \(message)")
        // Power may fail while a person writes.
        if isWhileSyncing, device.disk.isCrashed { return }
        guard let roles = roles(of: entity)?.roles, let key = entity.key(of: record),
            before[RecordID(entity: entity.name, key: key)] != nil
        else { return }
        // A value of the other version that does not fit this one is refused at the next edit of its record.
        if versions.have(.narrowed, .required, .nullable, .field, in: entity.name) { return }
        let keys = Set(entity.layout.key)
        // Each write sets the time of the last edit, which may be one of the unique values.
        if let updated = entity.layout.updated, entity.layout.unique.joined().contains(updated) { return }
        let isFree = fields.allSatisfy { index in
            switch roles[index] {
            case .reference, .references, .part, .shared: return keys.contains(index)
            default: return true
            }
        }
        if isFree { report(.editsAccepted, text: "\(device.name) \(what), and is refused: \(message)") }
    }

    /// The words in some fields of a record.
    func words(record: Record?, fields: Set<Int>? = nil) -> Set<String> {
        guard let record else { return [] }
        var words: Set<String> = []
        for (index, value) in record.values.enumerated() where fields?.contains(index) ?? true {
            words.formUnion(oracle.words(in: value))
        }
        return words
    }

    /// The words in a written record, by the roles of its fields.
    func said(record: Record, entity: EntityDescriptor, fields: Set<Int>) -> [(
        field: FieldDescriptor, word: String
    )] {
        guard let roles = roles(of: entity)?.roles else { return [] }
        return fields.sorted().flatMap { index -> [(field: FieldDescriptor, word: String)] in
            var field = entity.fields[index]
            field.name = firstName(of: index, in: entity)
            switch (roles[index], record.values[index]) {
            case (.word, .text(let text)?): return [(field, text)]
            case (.number, .integer(let number)?): return [(field, "#\(number)")]
            case (.words, .json(let text)?): return Self.elements(json: text).map { (field, $0) }
            default: return []
            }
        }
    }

    /// The shown record that the step selects.
    func pick(_ shown: [RecordID: OutsideDevice.Shown]) -> (RecordID, OutsideDevice.Shown)? {
        let places = shown.keys.sorted()
        guard !places.isEmpty, let row = shown[places[focus % places.count]] else { return nil }
        return (places[focus % places.count], row)
    }
}
