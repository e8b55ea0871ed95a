import SyncCore
import SyncRuntime

/// Forms that people hold open while others write and devices sync, and records that they bring back.
extension OutsideWorld {
    /// A form: a record as it was read, and its version.
    struct Form {
        var place: RecordID
        var record: Record
        var version: RecordVersion
    }

    /// Opens a form of a shown record.
    func openForm(_ device: OutsideDevice) throws {
        guard let (place, row) = pick(try device.shown()), let entity = device.descriptor(name: place.entity)
        else { return }
        let version = try device.version(of: row.record, entity: entity)
        device.forms.append(Form(place: place, record: row.record, version: version))
        device.known.formUnion(words(record: row.record))
        log(device: device, text: "opens a form of \(place)")
    }

    /// Saves a form whole, with changes in a few of its fields.
    func saveForm(_ device: OutsideDevice, draw: inout Seed) throws {
        guard !device.forms.isEmpty else { return }
        let form = device.forms.remove(at: Int.random(in: 0..<device.forms.count, using: &draw))
        guard let entity = device.descriptor(name: form.place.entity) else { return }
        let before = try device.shown()
        let whole = edited(record: form.record, entity: entity, device: device, shown: before, draw: &draw)
            .whole
        let fields = Set(whole.values.indices.filter { whole.values[$0] != form.record.values[$0] })
        let text = json(record: whole, entity: entity)
        var encoder = RecordLineEncoder(entity)
        let version = formsForget ? nil : form.version
        let bytes = encoder.bytes(RecordLine(record: whole, isDeleted: false, version: version))
        let key: RecordKey
        do { key = try device.write { try $0.put(entity: entity, json: bytes) } } catch {
            return refused(
                device: device,
                entity: entity,
                record: whole,
                fields: fields,
                before: before,
                what: "saves its form of \(entity.name) \(text)",
                message: (error as? SyncError)?.message ?? "\(error)"
            )
        }
        log(device: device, text: "saves its form of \(entity.name) \(text)")
        try note(
            form: form,
            saved: whole,
            fields: fields,
            place: RecordID(entity: entity.name, key: key),
            by: device
        )
    }

    /// Records what a person wrote into a form, over what they saw in it: whatever else the record holds by now, they
    /// have not seen.
    private func note(
        form: Form,
        saved: Record,
        fields: Set<Int>,
        place: RecordID,
        by device: OutsideDevice
    )
        throws
    {
        guard let entity = device.descriptor(name: place.entity), !fields.isEmpty else { return }
        let wanted = said(record: saved, entity: entity, fields: fields)
        let old = words(record: form.record, fields: fields)
        let new = wanted.filter { !old.contains($0.word) }
        let isFresh = new.contains { oracle.words[$0.word] == nil }
        oracle.noteWords(new, place: place, device: device.name, step: step)
        oracle.noteWrite(place, by: device.index, hasWord: isFresh)
        oracle.giveUp(old.subtracting(wanted.map(\.word)))
        // What the form shows again may be a former value by now.
        let names = firstNames(of: fields.sorted(), in: entity)
        for _ in 0..<2 { oracle.noteChange(place, fields: names, by: device.index) }
        oracle.forgetFlags(place)
        let found = try device.found(oracle: oracle)
        for (field, word) in new where field.merge != .max && field.merge != .min && !found.contains(word) {
            report(
                .writesShow,
                text: "\(device.name) saved \(word) in its form of \(place), and it is nowhere."
            )
        }
    }

    /// Writes a deleted record anew, or clears the field that marks it as deleted.
    func undelete(_ device: OutsideDevice, draw: inout Seed) throws {
        let shown = try device.shown()
        let places = Set(oracle.deletes.map(\.place)).filter { shown[$0] == nil }.sorted()
        guard let place = places.randomElement(using: &draw),
            let entity = device.descriptor(name: place.entity)
        else { return }
        let key = entity.record(withKeyOnly: place.key)
        guard let mirror = entity.layout.deleted, Bool.random(using: &draw) else {
            var record = newRecord(entity: entity, device: device, shown: shown, draw: &draw)
            for index in entity.layout.key { record.values[index] = key.values[index] }
            return try put(device, entity: entity, record: record, verb: "puts anew")
        }
        var record = key
        record.values[mirror] = entity.fields[mirror].type == .boolean ? .boolean(false) : .null
        let bytes = RecordEncoder(descriptor: entity, form: .plain).bytes(record)
        do { _ = try device.write { try $0.put(entity: entity, json: bytes) } } catch let error as SyncError {
            return log(device: device, text: "brings back \(place), and is refused: \(error.message)")
        }
        log(device: device, text: "brings back \(place)")
        oracle.noteWrite(place, by: device.index)
        oracle.noteDecision(place, fields: firstNames(of: entity), by: device.index)
        oracle.noteWordsAgain(words(record: try device.shown()[place]?.record))
        oracle.forgetFlags(place)
    }
}
