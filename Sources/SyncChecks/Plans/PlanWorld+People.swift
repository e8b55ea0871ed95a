import SyncCore
import SyncRuntime

/// Actions of people.
extension PlanWorld {
    private func now(device: Int) -> Timestamp {
        Timestamp(microseconds: 1_000_000 + Int64(step) * 2_000 + devices[device].offset)
    }

    /// Whether another live record already has the unique values of an edit.
    private func keepsUnique(recordState: RecordState, record: Record) -> Bool {
        guard let version = recordState.local?.version, !version.isDeleted else { return false }
        return descriptor.layout.unique.first?
            .allSatisfy { version.record.values[$0] == record.values[$0] } ?? true
    }

    /// The record that a person means: the survivor if it was merged.
    func survivor(device: Int, key: Int) -> Int {
        var key = key
        for _ in 0..<PlanMaterial.maxKeys {
            guard let local = devices[device].records[key].recordState.local, local.visibility != .live,
                let next = local.version.mergedInto,
                let position = material.keys.firstIndex(where: { $0.key == next }), position < story.keys
            else { break }
            key = position
        }
        return key
    }

    /// Edits a record, or creates it.
    func write(_ device: Int, key: Int, draw: inout Seed) throws {
        let key = survivor(device: device, key: key)
        let recordState = devices[device].records[key].recordState
        let current = recordState.local
        var edit: Editor.Edit
        if let version = current?.version, !version.isDeleted {
            edit = Editor.Edit(current: version, record: material.edit(version.record, draw: &draw))
        } else {
            edit = Editor.Edit(current: current?.version, record: material.record(key: key, draw: &draw))
            if current != nil { edit.intent = .startAnew }
        }
        // Most edits write a unique value.
        if let index = material.texts.randomElement(using: &draw), Int.random(in: 0..<4, using: &draw) > 0 {
            edit.record.values[index] = .text("step \(step)")
        }
        for index in descriptor.layout.localOnly where Int.random(in: 0..<3, using: &draw) == 0 {
            edit.record.values[index] = material.record(key: key, draw: &draw).values[index]
        }
        if let updated = descriptor.layout.updated, Int.random(in: 0..<8, using: &draw) == 0 {
            edit.givesUpdated = true
            let time = now(device: device).microseconds + Int64.random(in: -2...2, using: &draw) * 1_000
            edit.record.values[updated] = .timestamp(Timestamp(microseconds: time))
        }
        try apply(edit, device: device, key: key, word: "writes")
    }

    func delete(_ device: Int, key: Int, draw: inout Seed) throws {
        let key = survivor(device: device, key: key)
        let recordState = devices[device].records[key].recordState
        guard let local = recordState.local, local.visibility == .live, !local.version.isDeleted else {
            return try write(device, key: key, draw: &draw)
        }
        var edit = Editor.Edit(current: local.version, record: local.version.record)
        edit.isDeleted = true
        edit.alsoSeen = recordState.seenByDelete
        let seen = local.state == .conflict ? [recordState.remote].compactMap { $0 } : []
        try apply(edit, device: device, key: key, word: "deletes", decides: true, alsoSeen: seen)
    }

    /// Resolves a conflict, if there is one.
    func resolve(device: Int, key: Int, draw: inout Seed) throws {
        let own = devices[device].records[key].recordState.local?.state == .conflict
        let key = own ? key : survivor(device: device, key: key)
        let recordState = devices[device].records[key].recordState
        guard let local = recordState.local, local.state == .conflict else { return }
        var resolution = Resolution.local
        var word = "keeps its own value"
        switch Int.random(in: 0..<3, using: &draw) {
        case 0: break
        case 1: (resolution, word) = (.remote, "keeps the other value")
        default:
            (resolution, word) = (
                .value(material.edit(local.version.record, draw: &draw)), "decides on another value"
            )
        }
        guard let edit = Editor.Edit(deciding: recordState, resolution: resolution, entity: descriptor) else {
            return
        }
        let seen = [recordState.remote].compactMap { $0 }
        var mayShare = true
        if case .value = resolution { mayShare = false }
        try apply(
            edit,
            device: device,
            key: key,
            word: word,
            decides: true,
            alsoSeen: seen,
            mayShare: mayShare
        )
    }

    private func apply(
        _ edit: Editor.Edit,
        device: Int,
        key: Int,
        word: String,
        decides: Bool = false,
        alsoSeen: [SyncRecord] = [],
        mayShare: Bool = false
    ) throws {
        var edit = edit
        let recordState = devices[device].records[key].recordState
        if HeadSet(descriptor).isDivided(recordState.heads) { edit.intent = edit.intent.anew }
        let isTaken = !edit.isDeleted && sharing(device: device, record: edit.record).contains { $0 != key }
        if isTaken, !mayShare, !keepsUnique(recordState: recordState, record: edit.record) { return }
        let id = devices[device].id
        let editor = Editor(descriptor: descriptor, now: now(device: device), device: id)
        switch editor(edit, key: material.keys[key].key, sequence: { devices[device].nextSequence() }) {
        case .unchanged: return
        case .localOnly(let version): devices[device].records[key].recordState.local?.version = version
        case .edited(let version):
            let seen = [edit.current].compactMap { $0 } + alsoSeen
            oracle.note(key: key, seen: seen, made: version, step: step)
            let event = RecordEvent.edited(version, decides: decides)
            devices[device].records[key].recordState = tables[device](recordState, on: event).state
            log(device: device, text: "\(word)\(name(key: key)): \(words(version: version))")
            for lost in decides ? recordState.givenUp(by: version, entity: descriptor) : [] {
                note(lost, device: device)
            }
            try mergeGroups(device)
        }
        mix(devices[device].records[key].recordState)
    }

    // MARK: Unique values

    /// Live records with the record's unique values.
    func sharing(device: Int, record: Record) -> [Int] {
        guard story.keys > 1, let list = descriptor.layout.unique.first else { return [] }
        guard !list.contains(where: { record.values[$0] == nil || record.values[$0] == .null }) else {
            return []
        }
        return (0..<story.keys).filter { key in
            guard let local = devices[device].records[key].recordState.local, local.visibility != .deleted
            else {
                return false
            }
            return list.allSatisfy { local.version.record.values[$0] == record.values[$0] }
        }
    }
}
