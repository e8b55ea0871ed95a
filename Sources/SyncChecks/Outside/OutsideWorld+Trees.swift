import SyncCore
import SyncRuntime

/// The checks of references that deletes cleared, and of trees, at rest.
extension OutsideWorld {
    /// Records which records a person's references name.
    func noteReferences(
        of record: Record,
        entity: EntityDescriptor,
        place: RecordID,
        fields: Set<Int>
    ) {
        for reference in entity.references {
            let positions = reference.fields.compactMap { entity.layout.position(of: $0) }
            guard !fields.isDisjoint(with: positions) else { continue }
            let field = versions.firstName(reference.field, of: entity.name)
            let keys = Set(entity.keys(of: reference, in: record))
            oracle.references[PersonOracle.Spot(place: place, field: field)] = keys
            let isNew = oracle.writes[place, default: []].count == 1
            if !isNew, entity.trees.contains(reference) { oracle.noteMove(place, to: keys) }
        }
    }

    /// Notes that a person's delete took a record, where it was shown at the place to which it had been moved.
    func noteDeleted(_ place: RecordID, shown record: Record) {
        guard let entity = entities.first(where: { $0.name == place.entity }) else { return }
        let parents = Set(entity.trees.flatMap { entity.keys(of: $0, in: record) })
        if oracle.moves[place]?.isSubset(of: parents) ?? false { oracle.forgetMove(place) }
    }

    /// Checks that no record is gone that a person moved and nobody deleted where that was seen.
    func checkMoves(_ views: [DeviceView]) throws {
        guard !losesMedia, story.changes == nil else { return }
        for place in oracle.moves.keys.sorted() {
            guard let entity = entities.first(where: { $0.name == place.entity }),
                entity.layout.unique.isEmpty
            else { continue }
            let isFound = try views.contains { view in
                try view.shown[place] != nil || view.conflicts[place] != nil || view.rejected[place] != nil
                    || view.device.journal().contains {
                        $0.lost.entity == place.entity && $0.lost.key == place.key
                    }
            }
            guard !isFound else { continue }
            report(
                .movesStay,
                text: "A person moved \(place), nobody deleted it there, and it is gone without a word."
            )
        }
    }

    /// Puts a record of a tree below another one.
    func move(_ device: OutsideDevice, draw: inout Seed) throws {
        let shown = try device.shown()
        guard let entity = device.entities.filter({ !$0.trees.isEmpty }).randomElement(using: &draw),
            let tree = entity.trees.filter({ $0.fields.count == 1 }).randomElement(using: &draw),
            let position = entity.layout.position(of: tree.field), !entity.layout.key.contains(position)
        else { return }
        let places = shown.keys.filter { $0.entity == entity.name }.sorted()
        guard places.count > 1, let row = shown[places[focus % places.count]] else { return }
        let parents = places.filter { $0 != places[focus % places.count] }
        guard let parent = parents.randomElement(using: &draw) else { return }
        var record = Record(empty: entity)
        for index in entity.layout.key { record.values[index] = row.record.values[index] }
        record.values[position] = entity.fields[position].type.value(ofKey: parent.key.text)
        try put(device, entity: entity, record: record, verb: "moves")
    }

    /// Whether a medium may have been lost with an edit on it.
    var losesMedia: Bool {
        let kinds: Set<OutsideStep.Kind> = [
            .putBack, .reinstall, .leave, .emptyFolder, .loseFiles, .retire, .oldFile, .purge, .pass,
        ]
        return isStrict || isPoisoned || story.steps.contains { kinds.contains($0.kind) }
    }

    /// Checks that a reference that one person set once, and that nobody changed, leads to its record while both live.
    func checkReferences(_ view: DeviceView, waiting: Set<RecordID>) throws {
        guard !losesMedia else { return }
        for (spot, keys) in oracle.references.sorted(by: { $0.key.place < $1.key.place }) {
            guard let row = view.shown[spot.place], !waiting.contains(spot.place),
                let entity = entities.first(where: { $0.name == spot.place.entity }),
                let reference = entity.references.first(where: {
                    versions.firstName($0.field, of: entity.name) == spot.field
                }),
                reference.onDelete == .nullify, isAlone(spot.place, entity: entity, reference: reference)
            else { continue }
            let held = entity.keys(of: reference, in: row.record)
            for key in keys.sorted() where !held.contains(key) {
                let target = RecordID(entity: reference.entity, key: key)
                guard view.shown[target] != nil, !waiting.contains(target) else { continue }
                report(
                    .referencesReturn,
                    text:
                        "\(spot.field) of \(spot.place) named \(target), which lives, and does not on \(view.device.name)."
                )
            }
        }
    }

    /// Whether only one write can have decided what the reference holds.
    private func isAlone(_ place: RecordID, entity: EntityDescriptor, reference: ReferenceDescriptor)
        -> Bool
    {
        guard entity.layout.unique.isEmpty, !oracle.deletes.contains(where: { $0.place == place }) else {
            return false
        }
        let positions = reference.fields.compactMap { entity.layout.position(of: $0) }
        let isSetOnce = positions.allSatisfy {
            oracle.changeCount(place, field: firstName(of: $0, in: entity)) <= 1
        }
        let isByField = entity.meetsByField && entity.fields[positions[0]].merge == nil
        return isSetOnce && (isByField || oracle.writes[place, default: []].count == 1)
    }

    /// Checks that no record of a tree is below itself.
    func checkTrees(_ view: DeviceView) {
        for entity in entities {
            for tree in entity.trees {
                let rows = view.shown.filter { $0.key.entity == entity.name }
                // A circle stays while a person has to decide about a record of it.
                let parents = rows.reduce(into: [RecordKey: RecordKey]()) { parents, row in
                    guard view.conflicts[row.key] == nil else { return }
                    parents[row.key.key] = entity.keys(of: tree, in: row.value.record).first
                }
                for key in parents.keys.sorted() {
                    var next = parents[key]
                    for _ in 0..<parents.count where next != key { next = next.flatMap { parents[$0] } }
                    guard next == key else { continue }
                    report(
                        .treesStand,
                        text: "\(entity.name) \(key.text) is below itself on \(view.device.name)."
                    )
                }
            }
        }
    }
}
