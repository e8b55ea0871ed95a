import SyncAccounts
import SyncCore
import SyncRuntime

/// Actions of people in a world.
extension SimulatedWorld {
    /// The entities of this story: usually few, so that edits are concurrent; sometimes all.
    func cast(device: SimulatedDevice) -> [EntityDescriptor] {
        let entities = device.session?.store.entities ?? []
        var draw = Seed(story.seed ^ 0xca57)
        let count = [1, 1, 2, entities.count].randomElement(using: &draw) ?? 1
        let names = entities.map(\.name).shuffled(using: &draw).prefix(count)
        return entities.filter { names.contains($0.name) }
    }

    /// The number of keys for each entity.
    private var keys: Int {
        var draw = Seed(story.seed ^ 0x4e15)
        return Int.random(in: 1...5, using: &draw)
    }

    /// Writes a new record, or over an existing one.
    func create(_ device: SimulatedDevice, draw: inout Seed) {
        guard let entity = cast(device: device).randomElement(using: &draw) else { return }
        let number = Int.random(in: 1...keys, using: &draw)
        var record = RecordGenerator(entity).record(number: number, seed: &draw)
        sign(&record, entity: entity, device: device, draw: &draw)
        write(device, entity: entity, record: record, verb: "writes")
    }

    /// Changes a shown record.
    func edit(_ device: SimulatedDevice, draw: inout Seed) {
        guard let (entity, local) = pick(device, draw: &draw, where: { $0.visibility == .live }) else {
            return create(device, draw: &draw)
        }
        var record = RecordGenerator(entity).edit(local.version.record, seed: &draw)
        sign(&record, entity: entity, device: device, draw: &draw)
        write(device, entity: entity, record: record, verb: "edits")
    }

    /// Deletes a shown record.
    func delete(_ device: SimulatedDevice, draw: inout Seed) {
        guard let (entity, local) = pick(device, draw: &draw, where: { $0.visibility == .live }) else {
            return
        }
        act(device: device, entity: entity, key: local.version.key, verb: "deletes") {
            try $0.delete(entity: entity, key: local.version.key)
        }
    }

    /// Recreates a deleted record.
    func recreate(device: SimulatedDevice, draw: inout Seed) {
        guard let (entity, local) = pick(device, draw: &draw, where: { $0.version.isDeleted }) else { return }
        var record = RecordGenerator(entity).edit(local.version.record, seed: &draw)
        if let deleted = entity.layout.deleted { record.values[deleted] = nil }
        sign(&record, entity: entity, device: device, draw: &draw)
        write(device, entity: entity, record: record, verb: "writes again")
    }

    /// Resolves a conflict.
    func resolve(device: SimulatedDevice, draw: inout Seed) {
        guard let (entity, local) = pick(device, draw: &draw, where: { $0.state == .conflict }) else {
            return
        }
        let resolution: Resolution
        switch Int.random(in: 0..<3, using: &draw) {
        case 0: resolution = .local
        case 1: resolution = .remote
        default:
            var record = RecordGenerator(entity).edit(local.version.record, seed: &draw)
            sign(&record, entity: entity, device: device, draw: &draw)
            resolution = .value(record)
        }
        act(
            device: device,
            entity: entity,
            key: local.version.key,
            verb: "resolves the conflict of",
            as: .resolve
        ) {
            try $0.resolve(entity: entity, key: local.version.key, with: resolution)
        }
    }

    /// Restores a journal entry.
    func restore(_ device: SimulatedDevice, draw: inout Seed) {
        guard let store = device.store, let entries = try? store.read({ try $0.journal() }),
            let entry = entries.randomElement(using: &draw),
            let entity = store.entities.first(where: { $0.name == entry.lost.entity })
        else { return }
        let key = (try? store.read { try $0.survivor(entity: entity, key: entry.lost.key) }) ?? entry.lost.key
        act(device: device, entity: entity, key: key, verb: "brings back what lost of") { session in
            _ = try session.restore(journal: entry.id)
        }
    }

    /// Retries a rejected record.
    func retry(_ device: SimulatedDevice, draw: inout Seed) {
        guard let (entity, local) = pick(device, draw: &draw, where: { $0.state == .rejected }) else {
            return
        }
        act(device: device, entity: entity, key: local.version.key, verb: "sends again") {
            try $0.retry(entity: entity, key: local.version.key)
        }
    }

    private func write(
        _ device: SimulatedDevice,
        entity: EntityDescriptor,
        record: Record,
        verb: String
    ) {
        guard let key = key(of: record, entity: entity, on: device) else { return }
        act(device: device, entity: entity, key: key, verb: verb) {
            _ = try $0.replace(entity: entity, record: record)
        }
    }

    /// Runs a write of a person, and records in the oracle what they saw and what was stored. The store is
    /// read for that, because only it knows the result after a crash.
    private func act(
        device: SimulatedDevice,
        entity: EntityDescriptor,
        key: RecordKey,
        verb: String,
        as kind: StoryLog.Kind = .edit,
        _ body: (WriteSession) throws -> Void
    ) {
        guard let session = device.session, device.account != nil else { return }
        // NB: a write to a merged record goes to the survivor.
        guard
            let shown = try? session.store.read({
                try $0.target(entity: entity, key: key, isDecision: kind == .resolve)
            }),
            let own = try? personalAct(device, entity: entity, key: shown, verb: verb, kind: kind),
            let below = try? actsBelow(own, device: device)
        else { return note(.fault, device: device.index, text: "cannot read its store") }
        var acts = [own] + below
        do {
            try session.writer.write(body)
            // An edit without effect is not recorded.
            guard acts.map({ record($0) }).allSatisfy(\.self),
                oracle.knows(own.place) || own.seen.contains(where: { !$0.isDeleted })
            else {
                violations.append(
                    StoryViolation(
                        rule: "durable-at-once",
                        description: "\(device.name) \(own.words), and cannot find it afterwards."
                    )
                )
                return
            }
        } catch {
            // The version may be stored all the same, because the error may have come after the commit. It is
            // not promised.
            for index in acts.indices {
                acts[index].isPromised = false
                if record(acts[index]) { lingering.append(acts[index]) } else { doubtful.append(acts[index]) }
            }
            note(
                .fault,
                device: device.index,
                text: "\(own.words), and is refused: \(Self.words(error: error))"
            )
        }
    }

    /// An action on a record, with what the person sees of it before.
    private func personalAct(
        _ device: SimulatedDevice,
        entity: EntityDescriptor,
        key: RecordKey,
        verb: String,
        kind: StoryLog.Kind
    ) throws -> PersonalAct? {
        guard let account = device.account, let store = device.store else { return nil }
        func place(of key: RecordKey) -> WriteOracle.Place {
            WriteOracle.Place(account: account, entity: entity.name, key: key)
        }
        return try store.read { snapshot in
            PersonalAct(
                device: device.index,
                place: place(of: key),
                merged: try snapshot.allMerged(entity: entity, into: key).map(place),
                entity: entity,
                seen: try snapshot.shownSides(entity: entity, key: key),
                words: "\(verb) \(entity.name) \(key.text)",
                kind: kind
            )
        }
    }

    /// What the action does to the records that are shown below its own by cascading references: a person who deletes a
    /// record knows that they go with it.
    private func actsBelow(_ act: PersonalAct, device: SimulatedDevice) throws -> [PersonalAct] {
        guard let store = device.store else { return [] }
        var (found, next) = ([act.place], [act.place])
        var acts: [PersonalAct] = []
        while let parent = next.popLast() {
            for entity in store.entities {
                let links = entity.references.filter {
                    $0.onDelete == .cascade && $0.entity == parent.entity
                }
                guard !links.isEmpty else { continue }
                var keys: [RecordKey] = []
                try store.read { snapshot in
                    try snapshot.scan(entity: entity, includeHidden: false) { local in
                        let record = local.version.record
                        if links.contains(where: { entity.keys(of: $0, in: record).contains(parent.key) }) {
                            keys.append(local.version.key)
                        }
                    }
                }
                for key in keys {
                    let below = try personalAct(
                        device,
                        entity: entity,
                        key: key,
                        verb: "takes along",
                        kind: act.kind
                    )
                    guard let below, !found.contains(below.place) else { continue }
                    acts.append(below)
                    found.append(below.place)
                    next.append(below.place)
                }
            }
        }
        return acts
    }

    /// Records what is in the store now. Returns false if the store cannot be read.
    @discardableResult
    func record(_ act: PersonalAct) -> Bool {
        let device = devices[act.device]
        guard device.account == act.place.account, let store = device.store,
            let entity = device.descriptor(name: act.entity.name),
            let found = try? store.read({ try [$0.load(entity: entity, key: act.place.key)] })
        else { return false }
        // Nothing was written.
        guard let local = found.first ?? nil else { return true }
        let isNew = !act.seen.contains {
            $0.metadata.editTimestamp.isOfSameEdit(as: local.version.metadata.editTimestamp)
        }
        // Only this device can have written since, because nothing else ran meanwhile.
        let promise = act.isPromised ? "\(device.name) \(act.words)" : nil
        oracle.note(
            place: act.place,
            merged: act.merged,
            entity: entity,
            seen: act.seen,
            made: local.version,
            words: promise
        )
        if isNew { note(local.version.isDeleted ? .delete : act.kind, device: act.device, text: act.words) }
        return true
    }

    /// Records the results of failed actions that appeared after a restart.
    ///
    /// A WAL whose last transaction could not be synced is read again after a power loss. If it survived, so
    /// did the transaction, although the app was told that it failed.
    func recordLingering(_ device: SimulatedDevice) {
        let acts = lingering.filter { $0.device == device.index }
        lingering.removeAll { $0.device == device.index }
        for act in acts {
            guard device.account == act.place.account, let store = device.store else {
                doubtful.append(act)
                continue
            }
            let entity = device.descriptor(name: act.entity.name)
            let found = try? store.read { snapshot in
                try entity.flatMap { try snapshot.load(entity: $0, key: act.place.key) }
            }
            guard let editTimestamp = found?.version.metadata.editTimestamp,
                !oracle.knows(editTimestamp: editTimestamp, of: act.place)
            else {
                continue
            }
            record(act)
        }
    }

    /// Writes a unique value to a field that accepts it, so that a lost value can be identified.
    private func sign(
        _ record: inout Record,
        entity: EntityDescriptor,
        device: SimulatedDevice,
        draw: inout Seed
    ) {
        words += 1
        guard Int.random(in: 0..<4, using: &draw) > 0 else { return }
        let fields = entity.layout.units.flatMap(\.fields).filter { index in
            guard case .string(let least, let most, nil, nil) = entity.fields[index].type else {
                return false
            }
            return (most ?? .max) >= 16 && (least ?? 0) <= 8 && entity.fields[index].merge == nil
                && !entity.layout.unique.contains { $0.contains(index) }
        }
        guard let field = fields.randomElement(using: &draw) else { return }
        let name = "\(device.account ?? "")-\(device.name)-\(words)"
        record.values[field] = .text(name + String(repeating: ".", count: max(0, 8 - name.utf8.count)))
    }

    /// A random record of the active account.
    private func pick(
        _ device: SimulatedDevice,
        draw: inout Seed,
        where condition: (LocalRecord) -> Bool
    ) -> (EntityDescriptor, LocalRecord)? {
        guard let store = device.store else { return nil }
        var found: [(EntityDescriptor, LocalRecord)] = []
        for entity in store.entities {
            // An unreadable store has no records to choose from.
            try? store.read { snapshot in
                try snapshot.scan(entity: entity, includeHidden: true) {
                    if condition($0) { found.append((entity, $0)) }
                }
            }
        }
        return found.randomElement(using: &draw)
    }

    static func words(error: any Error) -> String {
        (error as? SyncError)?.message ?? "\(type(of: error))"
    }
}

/// An action of a person, until its result is known.
struct PersonalAct {
    var device: Int
    var place: WriteOracle.Place
    /// Records that were merged into it.
    var merged: [WriteOracle.Place]
    var entity: EntityDescriptor
    var seen: [SyncRecord]
    var words: String
    /// The kind of its log entry, unless it is a delete.
    var kind: StoryLog.Kind
    /// Whether the app reported success.
    var isPromised = true
}

extension StoreSnapshot {
    /// The key that a write to a record goes to: the survivor's if it was merged, unless its own conflict is
    /// resolved.
    func target(entity: EntityDescriptor, key: RecordKey, isDecision: Bool) throws -> RecordKey {
        let isOwn = try isDecision && header(entity: entity, key: key)?.state == .conflict
        return try isOwn ? key : survivor(entity: entity, key: key)
    }

    /// The versions that a person sees: the shown one, and in a conflict also the remote one.
    func shownSides(entity: EntityDescriptor, key: RecordKey) throws -> [SyncRecord] {
        guard let local = try load(entity: entity, key: key) else { return [] }
        guard local.state == .conflict else { return [local.version] }
        return [local.version] + [try side(entity: entity, key: key, kind: .remote)].compactMap { $0 }
    }
}
