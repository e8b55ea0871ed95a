import SyncCore
import SyncRuntime

/// What people do.
extension PlanWorld {
    private func now(_ device: Int) -> Timestamp {
        Timestamp(microseconds: 1_000_000 + Int64(step) * 2_000 + devices[device].offset)
    }

    /// The record that a person means: the one that it hides behind, if need be.
    private func survivor(_ device: Int, _ key: Int) -> Int {
        var key = key
        for _ in 0..<PlanMaterial.maxKeys {
            guard let local = devices[device].records[key].trees.local, local.visibility != .live,
                let next = local.version.mergedInto,
                let position = material.keys.firstIndex(where: { $0.key == next }), position < story.keys
            else { break }
            key = position
        }
        return key
    }

    /// Edits a record, or makes it where there is none.
    func write(_ device: Int, _ key: Int, _ draw: inout Seed) throws {
        let key = survivor(device, key)
        let trees = devices[device].records[key].trees
        let current = trees.local
        var edit: Editor.Edit
        if let version = current?.version, !version.isDeleted {
            edit = Editor.Edit(current: version, record: material.edit(version.record, &draw))
        } else {
            edit = Editor.Edit(current: current?.version, record: material.record(key, &draw))
            edit.rewritesAll = current != nil
        }
        // Most edits say something that nobody else says.
        if let index = material.texts.randomElement(using: &draw), Int.random(in: 0..<4, using: &draw) > 0 {
            edit.record.values[index] = .text("step \(step)")
        }
        for index in descriptor.layout.localOnly where Int.random(in: 0..<3, using: &draw) == 0 {
            edit.record.values[index] = material.record(key, &draw).values[index]
        }
        if let updated = descriptor.layout.updated, Int.random(in: 0..<8, using: &draw) == 0 {
            edit.givesUpdated = true
            let time = now(device).microseconds + Int64.random(in: -2...2, using: &draw) * 1_000
            edit.record.values[updated] = .timestamp(Timestamp(microseconds: time))
        }
        try apply(edit, device, key, "writes")
    }

    func delete(_ device: Int, _ key: Int, _ draw: inout Seed) throws {
        let key = survivor(device, key)
        let trees = devices[device].records[key].trees
        guard let local = trees.local, local.visibility == .live, !local.version.isDeleted else {
            return try write(device, key, &draw)
        }
        var edit = Editor.Edit(current: local.version, record: local.version.record)
        edit.isDeleted = true
        edit.alsoSeen = trees.seenByDelete
        let seen = local.state == .conflict ? [trees.remote].compactMap { $0 } : []
        try apply(edit, device, key, "deletes", settles: true, alsoSeen: seen)
    }

    /// Settles a conflict, if there is one.
    func resolve(_ device: Int, _ key: Int, _ draw: inout Seed) throws {
        let own = devices[device].records[key].trees.local?.state == .conflict
        let key = own ? key : survivor(device, key)
        let trees = devices[device].records[key].trees
        guard let local = trees.local, local.state == .conflict else { return }
        var resolution = Resolution.local
        var word = "keeps its own value"
        switch Int.random(in: 0..<3, using: &draw) {
        case 0: break
        case 1: (resolution, word) = (.remote, "keeps the other value")
        default:
            (resolution, word) = (
                .value(material.edit(local.version.record, &draw)), "decides on another value"
            )
        }
        guard let edit = Editor.Edit(deciding: trees, resolution, descriptor) else { return }
        let seen = [trees.remote].compactMap { $0 } + trees.heads
        var mayShare = true
        if case .value = resolution { mayShare = false }
        try apply(edit, device, key, word, settles: true, alsoSeen: seen, mayShare: mayShare)
    }

    private func apply(
        _ edit: Editor.Edit,
        _ device: Int,
        _ key: Int,
        _ word: String,
        settles: Bool = false,
        alsoSeen: [SyncRecord] = [],
        mayShare: Bool = false
    ) throws {
        var edit = edit
        let trees = devices[device].records[key].trees
        let hidden = hiddenBehind(device, key)
        let isHidden = trees.local?.visibility == .merged
        let ahead = isHidden ? survivor(device, key) : nil
        if isHidden { edit.current?.mergedInto = nil }
        if !hidden.isEmpty || !trees.heads.isEmpty { edit.rewritesAll = true }
        if !edit.isDeleted, !mayShare,
            sharing(device, edit.record).contains(where: { $0 != key && !hidden.contains($0) && $0 != ahead })
        {
            return
        }
        let id = devices[device].id
        let editor = Editor(descriptor, now: now(device), device: id)
        switch editor(edit, key: material.keys[key].key, sequence: { devices[device].nextSequence() }) {
        case .unchanged: return
        case .localOnly(let version): devices[device].records[key].trees.local?.version = version
        case .edited(let version):
            let seen = [edit.current].compactMap { $0 } + alsoSeen
            ledger.note(key: key, seen: seen, made: version, step: step)
            devices[device].records[key].trees = trees.edited(version, settlesConflict: settles)
            tell(device, "\(word)\(name(key)): \(words(version))")
            let decides = settles || trees.local?.state != .conflict
            if decides { bury(hidden, behind: trees, by: version, device) }
            try settle(device)
        }
        mix(devices[device].records[key].trees)
    }

    // MARK: Unique values

    /// Records that hold the record's unique values, hidden ones included.
    func sharing(_ device: Int, _ record: Record) -> [Int] {
        guard story.keys > 1, let list = descriptor.layout.unique.first else { return [] }
        guard !list.contains(where: { record.values[$0] == nil || record.values[$0] == .null }) else {
            return []
        }
        return (0..<story.keys).filter { key in
            guard let local = devices[device].records[key].trees.local, local.visibility != .deleted else {
                return false
            }
            return list.allSatisfy { local.version.record.values[$0] == record.values[$0] }
        }
    }

    private func hiddenBehind(_ device: Int, _ key: Int) -> [Int] {
        let trees = devices[device].records[key].trees
        guard story.keys > 1, let local = trees.local, local.visibility == .live else { return [] }
        let record = local.state == .conflict ? (trees.remote ?? local.version).record : local.version.record
        return sharing(device, record).filter {
            $0 != key && devices[device].records[$0].trees.local?.visibility == .merged
        }
    }

    private func bury(
        _ hidden: [Int],
        behind survivor: Planner.Trees,
        by version: SyncRecord,
        _ device: Int
    ) {
        var buried: [SyncRecord] = []
        for other in hidden {
            let trees = devices[device].records[other].trees
            guard var current = trees.local?.version else { continue }
            current.mergedInto = nil
            var edit = Editor.Edit(current: current, record: current.record)
            edit.isDeleted = true
            edit.mergedInto = version.key
            buried.append(current)
            let editor = Editor(descriptor, now: now(device), device: devices[device].id)
            guard
                case .edited(let tombstone) = editor(
                    edit,
                    key: current.key,
                    sequence: { devices[device].nextSequence() }
                )
            else { continue }
            devices[device].records[other].trees = trees.edited(tombstone)
            tell(device, "merges record \(other + 1) into the one that it hides behind")
        }
        let settlement = material.settlements[device]
        for loss in settlement.losses(burying: buried, behind: survivor, by: version) { note(loss, device) }
    }
}
