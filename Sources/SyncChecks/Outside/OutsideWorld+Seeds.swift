import SyncCore
import SyncRuntime

/// Values that apps bring along.
extension OutsideWorld {
    /// Writes a record that an app brings along, under one of two keys that all apps use. Nobody wrote it.
    func seed(_ device: OutsideDevice, draw: inout Seed) throws {
        let suited = device.entities.filter { entity in
            entity.layout.key.count == 1 && roles(of: entity)?.roles[entity.layout.key[0]] == .key
                && entity.references.isEmpty && entity.layout.unique.isEmpty
        }
        guard let entity = suited.randomElement(using: &draw), let roles = roles(of: entity) else { return }
        var record = newRecord(entity: entity, device: device, shown: [:], draw: &draw)
        let number = Int.random(in: 1...2, using: &draw)
        let key = entity.layout.key[0]
        guard let value = seedKey(field: entity.fields[key], number: number) else { return }
        record.values[key] = value
        for index in roles.positions(where: { [.number, .flag, .words].contains($0) }) {
            if !entity.fields[index].isRequired { record.values[index] = nil }
        }
        let given = record
        do {
            let made = try device.write { try $0.seed(entity: entity, record: given) }
            log(device: device, text: "seeds \(entity.name) \(json(record: given, entity: entity))")
            for index in roles.positions(where: { $0 == .word }) {
                guard case .text(let text)? = given.values[index] else { continue }
                let place = RecordID(entity: entity.name, key: made)
                oracle.noteSeed(
                    text,
                    at: PersonOracle.Spot(place: place, field: firstName(of: index, in: entity))
                )
            }
        } catch let error as SyncError {
            log(device: device, text: "seeds \(entity.name), and is refused: \(error.message)")
        }
    }

    /// The key of a seed: the same in all apps.
    private func seedKey(field: FieldDescriptor, number: Int) -> FieldValue? {
        switch field.type {
        case .string: .text("s\(number)")
        case .uuid: .text("00000000-0000-4000-8000-00000000000\(number)")
        case .integer(let least, _): .integer((least ?? 0) + Int64(number))
        default: nil
        }
    }

    /// Checks that no seed stands where a person wrote a word, and that none is in a journal.
    func checkSeeds(_ view: DeviceView) throws {
        guard !oracle.seeds.isEmpty, !losesMedia else { return }
        var written: [PersonOracle.Spot: String] = [:]
        for text in oracle.order {
            guard let word = oracle.words[text], word.fate == .standing else { continue }
            written[PersonOracle.Spot(place: word.place, field: word.field)] = text
        }
        for (place, row) in view.shown.sorted(by: { $0.key < $1.key }) where view.conflicts[place] == nil {
            guard let entity = entities.first(where: { $0.name == place.entity }) else { continue }
            for (index, value) in row.record.values.enumerated() {
                let field = firstName(of: index, in: entity)
                guard case .text(let text)? = value, oracle.seeds[text]?.place == place,
                    oracle.words[text] == nil,
                    !oracle.deletes.contains(where: { $0.place == place }),
                    try !isBetweenPeople(place, field: index, of: entity),
                    let word = written[PersonOracle.Spot(place: place, field: field)]
                else { continue }
                report(
                    .seedsGiveWay,
                    text:
                        "\(place) shows \(text) of an app on \(view.device.name), and a person wrote \(word)."
                )
            }
        }
    }

    /// Whether what two people wrote met in a record as a whole, or waits for a decision: what one of them left as the app
    /// had brought it is then part of their version.
    private func isBetweenPeople(_ place: RecordID, field: Int, of entity: EntityDescriptor) throws
        -> Bool
    {
        guard Set(oracle.writes[place, default: []].map(\.device)).count > 1 else { return false }
        let unit = entity.layout.units.first { $0.fields.contains(field) }
        if unit?.name.isEmpty == true { return true }
        return try present.contains { device in
            // What the newer version of an app refuses is rejected where it was written.
            try device.rejected()[place] != nil || device.conflicts().contains { $0.place == place }
        }
    }
}
