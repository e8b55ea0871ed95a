import SyncCore
import SyncRuntime

/// The checks of an outside world at rest.
extension OutsideWorld {
    /// Ends all faults, transfers files, syncs all devices for three rounds, and checks all promises.
    func rest() async throws {
        log(device: nil, text: "all faults end; everybody syncs three times")
        setFaults(nil)
        try updateAll()
        var failures: [String: SyncError] = [:]
        for _ in 0..<3 {
            for device in present {
                try checkStop()
                if case .failure(let error) = await meet(device) {
                    failures[device.name] = error
                } else {
                    failures[device.name] = nil
                }
            }
        }
        for device in present { exchange(device: device) { _ in true } }
        if isPoisoned { return try await checkOthersFlow() }
        for (name, error) in failures.sorted(by: { $0.key < $1.key }) {
            report(
                .syncsSucceed,
                text: "\(name) cannot sync although nothing is wrong any more: \(error.message)"
            )
        }
        try checkStop()
        try checkPending()
        await checkRest()
        try checkStop()
        let newcomer = await newcomer()
        defer { newcomer?.close() }
        if newcomer == nil { report(.newcomerSame, text: "A fresh device cannot sync.") }
        let views = try present.map { try DeviceView(device: $0, entities: entities) }
        let fresh = try newcomer.map { try DeviceView(device: $0, entities: entities) }
        let found = differences(views, fresh: fresh)
        let all = views + (fresh.map { [$0] } ?? [])
        let waiting = views.reduce(into: Set<RecordID>()) { $0.formUnion($1.conflicts.keys) }
        for view in all { try checkRecords(view, waiting: waiting) }
        for view in all { try checkReferences(view, waiting: waiting) }
        for view in all { checkTrees(view) }
        for view in all { try checkSeeds(view) }
        try checkWords(newcomer, views: views)
        try checkDeletes(views)
        try checkMoves(views)
        checkFlags(views)
        for view in views { checkConflicts(view) }
        try await check(found, isOpen: !waiting.isEmpty)
    }

    /// Checks that a record that the server never accepts blocks no other.
    private func checkOthersFlow() async throws {
        for device in present {
            for (place, record) in try device.pending().sorted(by: { $0.key < $1.key }) {
                // Records that refer to such a record may have to wait for it.
                let isBad = record.values.contains { value in
                    if case .text(let text)? = value { text.hasSuffix("~") } else { false }
                }
                let entity = device.descriptor(name: place.entity)
                let isBelow = entity.flatMap { roles(of: $0)?.parents(of: record).isEmpty } == false
                guard !isBad, !isBelow else { continue }
                report(
                    .othersFlow,
                    text:
                        "\(place) of \(device.name) waits conflicting records that the server answers with 503."
                )
            }
        }
    }

    /// Runs a fourth round of syncs, which must change nothing.
    private func checkRest() async {
        for device in present {
            guard case .success(let report) = await meet(device) else { continue }
            let moved = report.entities.reduce(0) { $0 + $1.pushed + $1.pulled }
            if moved > 0 {
                self.report(
                    .comesToRest,
                    text: "A fourth round of sync moves \(moved) records of \(device.name)."
                )
            }
        }
        for device in present { exchange(device: device) { _ in true } }
    }

    private func checkPending() throws {
        for device in present {
            let status = try device.status()
            guard status.pending > 0 else { continue }
            report(.nothingPending, text: "\(status.pending) records of \(device.name) still wait.")
        }
    }

    // MARK: Records

    /// - Parameter waiting: Records that await a decision on some device. Records that refer to them wait,
    ///   too.
    private func checkRecords(_ view: DeviceView, waiting: Set<RecordID>) throws {
        for entity in entities {
            let rows = view.shown.filter { $0.key.entity == entity.name && view.conflicts[$0.key] == nil }
                .sorted { $0.key < $1.key }
            if let list = entity.layout.unique.first {
                checkUnique(view, entity: entity, list: list, rows: rows.map { ($0.key, $0.value) })
            }
            for (place, row) in rows where !waiting.contains(place) {
                for reference in entity.references {
                    for key in entity.keys(of: reference, in: row.record) {
                        let parent = RecordID(entity: reference.entity, key: key)
                        guard !waiting.contains(parent) else { continue }
                        try checkReference(view, place: place, parent: parent, rule: reference.onDelete)
                    }
                }
            }
        }
    }

    private func checkUnique(
        _ view: DeviceView,
        entity: EntityDescriptor,
        list: [Int],
        rows: [(RecordID, OutsideDevice.Shown)]
    ) {
        var seen: [[FieldValue]: RecordID] = [:]
        for (place, row) in rows where row.state != .rejected {
            let values = list.compactMap { row.record.values[$0] }
            guard values.count == list.count, !values.contains(.null) else { continue }
            if let other = seen.updateValue(place, forKey: values) {
                report(
                    .oneOfEach,
                    text: "\(other) and \(place) share what must be unique on \(view.device.name)."
                )
            }
        }
    }

    private func checkReference(
        _ view: DeviceView,
        place: RecordID,
        parent: RecordID,
        rule: DeleteRule
    ) throws {
        guard view.shown[parent] == nil else { return }
        if let survivor = try view.device.survivor(place: parent) {
            return report(
                .referencesMove,
                text: "\(place) refers to \(parent), which became \(survivor.text), on \(view.device.name)."
            )
        }
        // A parent that the server refuses reaches no other device, and some references outlive their record.
        if isStrict || rule == .keep { return }
        report(
            .referencesStand,
            text: "\(place) refers to \(parent), which is not there, on \(view.device.name)."
        )
    }

    // MARK: Words

    private func checkWords(_ newcomer: OutsideDevice?, views: [DeviceView]) throws {
        var found: Set<String> = try newcomer?.found(oracle: oracle) ?? []
        for view in views { found.formUnion(try view.device.found(oracle: oracle)) }
        found.formUnion(try foundByOlderApps(views))
        for text in oracle.order where !found.contains(text) {
            guard let word = oracle.words[text] else { continue }
            let origin =
                "\(word.device) wrote \(text) into \(word.field) of \(word.place) in step \(word.step)"
            switch word.fate {
            case .givenUp, .destroyed: continue
            case .decided(let step):
                report(
                    .decisionsKept,
                    text:
                        "\(origin); a person decided against it in step \(step), and it is nowhere any more."
                )
            case .swapped(let step):
                report(
                    .shownIsResolved,
                    text:
                        "\(origin); a person decided on another version in step \(step), and it is nowhere any more."
                )
            case .standing:
                switch word.rule {
                case .max?, .min?:
                    guard !isBeaten(word: word, views: views) else { continue }
                    report(
                        .ruleDecides,
                        text: "\(origin); it is nowhere, and no value is shown that beats it."
                    )
                default:
                    report(.wordsFound, text: "\(origin); nobody gave it up, and it is nowhere any more.")
                }
            }
        }
    }

    /// Checks that both sides of a conflict are equal in all parts that merge automatically.
    private func checkConflicts(_ view: DeviceView) {
        for (place, conflict) in view.conflicts.sorted(by: { $0.key < $1.key }) {
            guard let entity = entities.first(where: { $0.name == place.entity }), let base = conflict.base,
                let local = conflict.local, let remote = conflict.remote,
                // Who makes a deleted record anew writes all of it.
                !oracle.deletes.contains(where: { $0.place == place && $0.device == view.device.index })
            else { continue }
            for unit in entity.layout.units {
                func values(record: Record) -> [FieldValue?] { unit.fields.map { record.values[$0] } }
                let (mine, theirs, old) = (
                    values(record: local), values(record: remote), values(record: base)
                )
                // Local changes to other parts wait for the decision; remote changes are shown at once.
                guard mine != theirs, mine == old else { continue }
                // Restoring a former value is a write.
                let index = view.device.index
                var changed = firstNames(of: unit.fields, in: entity)
                // What the newer version does not know belongs to the record as a whole.
                if unit.holdsUnknown { changed += versions.removedFields(of: entity.name) }
                if oracle.mayHavePutBack(place: place, fields: changed, where: { $0 == index }) {
                    continue
                }
                // A value without a word does not tell who wrote it.
                let isTold = unit.fields.allSatisfy { roles(of: entity)?.tells($0) ?? false }
                if !isTold, oracle.hasChanged(place, fields: changed, on: index) { continue }
                // A word that was sent from here, and that the other side never displayed, is a side of its
                // own.
                func words(values: [FieldValue?]) -> Set<String> {
                    Set(values.flatMap { oracle.words(in: $0) })
                }
                let sent = words(values: mine).subtracting(words(values: theirs))
                if oracle.hasStanding(texts: sent, by: view.device.name) { continue }
                // Who was put back from a backup sends edits again under other names, which meet the former ones.
                let renamed = present.filter(\.wasPutBack).map(\.name)
                if sent.contains(where: { oracle.words[$0].map { renamed.contains($0.device) } ?? false }) {
                    continue
                }
                let names = unit.fields.map { entity.fields[$0].name }.joined(separator: ", ")
                report(
                    .fieldsFlow,
                    text: "\(names) of \(place) waits on \(view.device.name) for a decision on other fields."
                )
            }
        }
    }

    /// Checks that flags kept by their merge rule are set wherever the record is shown.
    private func checkFlags(_ views: [DeviceView]) {
        for flag in oracle.flags.sorted(by: { ($0.place, $0.field) < ($1.place, $1.field) }) {
            guard let entity = entities.first(where: { $0.name == flag.place.entity }) else { continue }
            guard let index = position(of: flag.field, in: entity) else { continue }
            let field = entity.fields[index]
            // A value that a server refuses reaches no other device, and a conflict awaits its decision.
            let waits = views.contains { $0.rejected[flag.place] != nil || $0.conflicts[flag.place] != nil }
            if waits { continue }
            for view in views {
                guard let row = view.shown[flag.place],
                    row.record.values[index] != .boolean(field.merge == .or)
                else { continue }
                report(
                    .ruleDecides,
                    text:
                        "\(field.name) of \(flag.place) was set by a person and taken back by nobody, and \(view.device.name) shows \(json(record: row.record, entity: entity))."
                )
            }
        }
    }

    /// Whether a record shows a number that the field's rule prefers to the word.
    private func isBeaten(word: PersonOracle.Word, views: [DeviceView]) -> Bool {
        guard let number = Int64(word.text.dropFirst()),
            let entity = entities.first(where: { $0.name == word.place.entity }),
            let index = position(of: word.field, in: entity)
        else { return false }
        return views.contains { view in
            switch view.shown[word.place]?.record.values[index] {
            case .integer(let shown)?: return word.rule == .max ? shown > number : shown < number
            case .number(let shown)?:
                return word.rule == .max ? shown > Double(number) : shown < Double(number)
            // A deleted record shows nothing, and its numbers are gone with it.
            default: return view.shown[word.place] == nil
            }
        }
    }

    /// Checks that a deleted record is shown again only after an edit that the delete had not seen, a later
    /// write, a write elsewhere, or a duplicate that was merged into it elsewhere.
    private func checkDeletes(_ views: [DeviceView]) throws {
        for delete in oracle.deletes {
            let writes = oracle.writes[delete.place, default: []]
            guard writes.count == delete.writes, !delete.hadUnseen else { continue }
            // Until its author decides, the others show what is in question.
            let isAsked = views.contains {
                $0.device.index == delete.device && $0.conflicts[delete.place] != nil
            }
            if isAsked { continue }
            for view in views {
                guard let row = view.shown[delete.place], view.conflicts[delete.place] == nil else {
                    continue
                }
                let unseen = words(record: row.record).subtracting(delete.shown)
                // An edit without a word on another device may have been unseen, too.
                guard unseen.isEmpty, !writes.contains(where: { $0.device != delete.device && !$0.hasWord })
                else { continue }
                let isParent = entities.contains {
                    $0.references.contains { $0.entity == delete.place.entity }
                }
                guard !isParent, try merged(into: delete.place, on: view.device).isSubset(of: delete.merged)
                else { continue }
                report(
                    .deletesStay,
                    text:
                        "\(devices[delete.device].name) deleted \(delete.place) in step \(delete.step), and it is back on \(view.device.name)."
                )
            }
        }
    }
}
