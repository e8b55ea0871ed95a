import SyncCore
import SyncRuntime

/// Deletes and decisions of people in an outside world.
extension OutsideWorld {
    /// Deletes a shown record, with the referential actions of its schema.
    func delete(_ device: OutsideDevice, draw: inout Seed) throws {
        let before = try device.shown()
        guard let (place, row) = pick(before), let entity = device.descriptor(name: place.entity) else {
            return
        }
        let conflict = try device.conflicts().first { $0.place == place }
        do { try device.write { try $0.delete(entity: entity, key: place.key) } } catch let error as SyncError
        {
            return log(device: device, text: "deletes \(place), and is refused: \(error.message)")
        }
        log(device: device, text: "deletes \(place)")
        let after = try device.shown()
        let shown = words(record: row.record)
        oracle.deletes.append(
            PersonOracle.Delete(
                place: place,
                device: device.index,
                step: step,
                shown: shown,
                writes: oracle.writes[place, default: []].count,
                hadUnseen: !oracle.standing(place: place).isSubset(of: shown),
                merged: try merged(into: place, on: device)
            )
        )
        // What this app does not know goes with the record that its person deletes.
        oracle.giveUp(oracle.words(in: row.record))
        oracle.forgetFlags(place)
        oracle.forgetMove(place)
        if let remote = conflict?.remote { oracle.decide(words(record: remote), step: step) }
        for child in descendants(of: place, shown: before, on: device) where after[child] == nil {
            oracle.giveUp(before[child].map { oracle.words(in: $0.record) } ?? [])
            if let row = before[child] { noteDeleted(child, shown: row.record) }
        }
        if after[place] != nil {
            report(.writesShow, text: "\(device.name) deleted \(place), and still shows it.")
        }
    }

    /// The records that people wrote and that a device has merged into another one.
    func merged(into place: RecordID, on device: OutsideDevice) throws -> Set<RecordID> {
        try Set(
            oracle.writes.keys.filter {
                try $0.entity == place.entity && device.survivor(place: $0) == place.key
            }
        )
    }

    /// The records that refer to a record by cascading references, directly or indirectly.
    private func descendants(
        of place: RecordID,
        shown: [RecordID: OutsideDevice.Shown],
        on device: OutsideDevice
    ) -> [RecordID] {
        var (found, next): ([RecordID], [RecordID]) = ([], [place])
        while let parent = next.popLast() {
            for entity in device.entities {
                for reference in entity.references
                where reference.entity == parent.entity && reference.onDelete == .cascade {
                    let children = shown.filter {
                        $0.key.entity == entity.name
                            && entity.keys(of: reference, in: $0.value.record).contains(parent.key)
                    }.keys.sorted().filter { !found.contains($0) }
                    found += children
                    next += children
                }
            }
        }
        return found
    }

    /// The first device in cyclic order that has something to do.
    private func first(
        from device: OutsideDevice,
        where condition: (OutsideDevice) throws -> Bool
    ) rethrows -> OutsideDevice? {
        let order = present.filter { $0.index >= device.index } + present.filter { $0.index < device.index }
        return try order.first(where: condition)
    }

    /// Looks at the conflicts in order to resolve them later.
    func look(_ device: OutsideDevice) throws {
        for conflict in try device.conflicts() {
            device.shownConflicts[conflict.place] = conflict
            log(device: device, text: "looks at the conflict of \(conflict.place)")
        }
    }

    /// Resolves a conflict with one side, or with a record made of both.
    func resolve(device: OutsideDevice, draw: inout Seed) throws {
        guard
            let conflict = try device.conflicts().sorted(by: { $0.place < $1.place }).randomElement(
                using: &draw
            ),
            let entity = device.descriptor(name: conflict.place.entity)
        else { return }
        let decision: Resolution
        let text: String
        switch (Int.random(in: 0..<3, using: &draw), conflict.local, conflict.remote) {
        case (0, _, _): (decision, text) = (.local, "its own side")
        case (2, let local?, let remote?):
            var merged = local
            for index in roles(of: entity)?.editable ?? [] where Bool.random(using: &draw) {
                merged.values[index] = remote.values[index]
            }
            (decision, text) = (.value(merged), json(record: merged, entity: entity))
        default: (decision, text) = (.remote, "the other side")
        }
        // NB: a person who looked at a conflict before decides by what they saw then.
        let seen = device.shownConflicts.removeValue(forKey: conflict.place) ?? conflict
        let unseen = words(record: conflict.remote).subtracting(words(record: seen.remote)).subtracting(
            words(record: conflict.local)
        )
        let sides = words(record: conflict.local).union(words(record: conflict.remote)).subtracting(unseen)
        let before = words(record: try device.shown()[conflict.place]?.record)
        do {
            try device.write {
                try $0.resolve(entity: entity, key: conflict.place.key, with: decision, answering: seen.shown)
            }
        } catch let error as SyncError {
            return log(
                device: device,
                text: "resolves \(conflict.place) with \(text), and is refused: \(error.message)"
            )
        }
        log(
            device: device,
            text:
                "resolves \(conflict.place) with \(text); own side \(side(record: conflict.local, entity: entity)), other side \(side(record: conflict.remote, entity: entity))"
        )
        let after = words(record: try device.shown()[conflict.place]?.record)
        oracle.noteWrite(conflict.place, by: device.index)
        oracle.noteDecision(conflict.place, fields: firstNames(of: entity), by: device.index)
        oracle.noteWordsAgain(after.subtracting(before))
        oracle.swap(unseen.subtracting(after), step: step)
        oracle.forgetFlags(conflict.place)
        let given = sides.subtracting(after)
        if case .value = decision {
            oracle.decide(given, step: step)
        } else {
            decide(entity: entity, conflict: conflict, given: given)
        }
    }

    /// Records the words that a decision gave up. Parts without a conflict merge by themselves, and a
    /// decision on other parts gives up nothing of them.
    private func decide(entity: EntityDescriptor, conflict: OutsideDevice.Conflict, given: Set<String>) {
        guard let local = conflict.local, let remote = conflict.remote else {
            return oracle.decide(given, step: step)
        }
        var merging: Set<String> = []
        for unit in entity.layout.units {
            func values(record: Record?) -> [FieldValue?] { unit.fields.map { record?.values[$0] ?? nil } }
            let base = values(record: conflict.base)
            let isContested =
                conflict.base == nil || (values(record: local) != base && values(record: remote) != base)
            if unit.rule != .preserveLocal || !isContested {
                let fields = Set(unit.fields)
                merging.formUnion(
                    words(record: local, fields: fields).union(words(record: remote, fields: fields))
                )
            }
        }
        oracle.decide(given.subtracting(merging), step: step)
    }

    private func side(record: Record?, entity: EntityDescriptor) -> String {
        record.map { json(record: $0, entity: entity) } ?? "deleted"
    }

    /// Restores the losing version of a journal entry.
    func restore(_ device: OutsideDevice, draw: inout Seed) throws {
        guard let device = try first(from: device, where: { try !$0.journal().isEmpty }),
            let entry = try device.journal().randomElement(using: &draw),
            let entity = device.descriptor(name: entry.lost.entity)
        else { return }
        let before = try device.shown()
        let what =
            "\(entity.name) \(entry.lost.key.text) \(entry.lost.isDeleted ? "(deleted)" : json(record: entry.lost.record, entity: entity))"
        let key: RecordKey
        do {
            key = try device.write { try $0.restore(journal: entry.id).key }
        } catch let
            error
            as SyncError
        {
            return log(device: device, text: "restores \(what), and is refused: \(error.message)")
        }
        log(device: device, text: "restores \(what)")
        let place = RecordID(entity: entity.name, key: key)
        let after = try device.shown()[place]?.record
        let (old, new) = (words(record: before[place]?.record), words(record: after))
        oracle.noteWrite(place, by: device.index)
        oracle.noteDecision(place, fields: firstNames(of: entity), by: device.index)
        // What the restored value replaces is in the journal; nobody gave it up.
        if entry.lost.isDeleted {
            let all = before[place].map { oracle.words(in: $0.record) } ?? []
            oracle.giveUp(all.subtracting(new))
        }
        oracle.noteWordsAgain(new.subtracting(old))
        oracle.forgetFlags(place)
        if entry.lost.isDeleted {
            for child in descendants(of: place, shown: before, on: device) {
                oracle.giveUp(before[child].map { oracle.words(in: $0.record) } ?? [])
            }
            return
        }
        if let missing = returning(entry, to: place, shown: after, entity: entity).subtracting(new).min() {
            report(.writesShow, text: "\(device.name) restored \(missing) in \(place), and does not show it.")
        }
    }

    /// The words that must be shown once a journal entry's value was brought back: all of it, or, to a record that is
    /// shown and whose fields merge separately, what was written after the first words and was taken away.
    private func returning(
        _ entry: JournalEntry,
        to place: RecordID,
        shown: Record?,
        entity: EntityDescriptor
    )
        -> Set<String>
    {
        let lost = words(record: entry.lost.record)
        guard entity.meetsByField, shown != nil else { return lost }
        let first = oracle.words.values.lazy.filter { $0.place == place }.map(\.step).min() ?? 0
        return lost.subtracting(words(record: entry.kept.record)).filter {
            (oracle.words[$0]?.step ?? 0) > first
        }
    }

    /// Retries or discards a rejected record.
    func answerRejection(_ device: OutsideDevice, draw: inout Seed, discards: Bool) throws {
        guard let device = try first(from: device, where: { try !$0.rejections().isEmpty }),
            let rejection = try device.rejections().randomElement(using: &draw),
            let entity = device.descriptor(name: rejection.entity)
        else { return }
        let place = RecordID(entity: entity.name, key: rejection.key)
        let before = words(record: try device.shown()[place]?.record)
        do {
            try device.write { session in
                if discards {
                    try session.discard(entity: entity, key: rejection.key)
                } else {
                    try session.retry(entity: entity, key: rejection.key)
                }
            }
        } catch let error as SyncError {
            return log(
                device: device,
                text: "answers the rejection of \(place), and is refused: \(error.message)"
            )
        }
        log(
            device: device,
            text: discards ? "discards the refused \(place)" : "sends the refused \(place) again"
        )
        if discards, rejection.raw != nil { forgotten.insert(place) }
        let after = words(record: try device.shown()[place]?.record)
        oracle.decide(before.subtracting(after), step: step)
        oracle.forgetFlags(place)
        oracle.forgetMove(place)
    }
}
