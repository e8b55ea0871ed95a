import SyncCore

/// What a sync knows and has done so far. Pulls and pushes both go on from it.
struct SyncRunState {
    let entities: [String: EntityDescriptor]
    /// The entities, parents before children.
    let ordered: [EntityDescriptor]
    let device: DeviceID
    let remote: PulledRemote
    let now: Timestamp
    /// Counts so far.
    var reports: [String: EntityReport] = [:]
    /// How many versions were taken in so far.
    var pulled: Int { reports.values.reduce(0) { $0 + $1.pulled } }
    /// By entity, how many records left the device's scope but are kept because they are pending.
    private(set) var keptOutOfScope: [String: Int] = [:]
    /// Sequence numbers of the edits that this sync made itself, such as merges, in order.
    private(set) var ownEdits: [ClosedRange<Int64>] = []
    /// The records to resolve once all pages are in.
    var unresolved: PendingResolution
    /// The strategy tables used so far.
    private var tables: [RemoteKind: [String: Reconcile]] = [:]

    init(
        entities: [EntityDescriptor],
        device: DeviceID,
        remote: PulledRemote = PulledRemote(),
        now: Timestamp
    ) {
        self.entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        ordered = entities
        self.device = device
        self.remote = remote
        self.now = now
        unresolved = PendingResolution(entities: entities)
        for entity in entities { reports[entity.name] = EntityReport(entity: entity.name) }
    }

    /// Runs `body` in a transaction of the store. Changes to the state count only if the transaction is committed.
    mutating func write(
        to store: any LocalStore,
        _ durability: Durability,
        body: (inout SyncRunState, any StoreTransaction) throws -> Void
    ) throws {
        var next = self
        try store.write(durability) { transaction in
            next = self
            let before = try transaction.lastSequence()
            try body(&next, transaction)
            try next.unresolved.remember(next.consequences(in: transaction))
            let last = try transaction.lastSequence()
            if last > before { next.ownEdits.append((before + 1)...last) }
        }
        self = next
    }

    /// Resolves unique conflicts and applies referential actions for all records that are left to resolve.
    mutating func resolve(_ transaction: any StoreTransaction) throws {
        try unresolved.remember(consequences(in: transaction))
        try unresolved.resolve(consequences(in: transaction))
    }

    /// The worklist of a transaction.
    private func consequences(in transaction: any StoreTransaction) -> Consequences {
        Consequences(transaction: transaction, entities: ordered, device: device, now: now)
    }

    /// Reconciles a record with an event of the remote, and writes and returns the result. `before` is its state, if
    /// that was read already. `kind`: of the version, if that tells more than the remote.
    @discardableResult
    mutating func reconcile(
        _ event: RecordEvent,
        at place: RecordPlace,
        before: RecordState? = nil,
        kind: RemoteKind? = nil
    ) throws -> Reconciliation {
        let (entity, transaction, kind) = (place.entity, place.transaction, kind ?? remote.kind)
        let before = try before ?? place.state()
        let reconcile = try table(of: entity, kind: kind, snapshot: transaction)
        var result = reconcile(before, on: event)
        if let own = try movedWriter(of: result, at: place) {
            result = Reconcile(entity, own: own, remote: kind)(before, on: event)
        }
        let mover = result.takeMover(entity: entity)
        try place.perform(result, before: before, at: now)
        if result.displaces { unresolved.noteDisplaced(entity: entity, key: place.key) }
        if let mover { try consequences(in: transaction).keep(mover, entity: entity) }
        if result.hasLostToParent { try transaction.countDeletedWithParent() }
        if result.hasAlteration { try transaction.countAltered() }
        try note(result, event: event, at: place, before: before)
        if result.state.concernsOthers(since: before) {
            unresolved.touch(entity: entity, key: place.key)
        }
        return result
    }

    /// The names of this store in a record with versions about which somebody has to be asked, where records were merged
    /// into it: their edits have other names there. Nil if there are none.
    private func movedWriter(of result: Reconciliation, at place: RecordPlace) throws -> OwnDevices? {
        let entity = place.entity
        guard result.state.local?.state == .synced, result.state.heads.count > 1, !entity.unique.isEmpty
        else { return nil }
        let own = try place.transaction.ownDevices(current: device)
        let moved = try place.transaction.allMerged(entity: entity, into: place.key).flatMap { other in
            ([own.current] + own.former).map { $0.moved(from: other, entity: entity.name) }
        }
        return moved.isEmpty ? nil : OwnDevices(current: own.current, former: own.former + moved)
    }

    /// The strategy table of an entity, made once per sync.
    private mutating func table(
        of entity: EntityDescriptor,
        kind: RemoteKind,
        snapshot: any StoreSnapshot
    ) throws -> Reconcile {
        if let table = tables[kind]?[entity.name] { return table }
        let own = try snapshot.ownDevices(current: device)
        let table = Reconcile(entity, own: own, remote: kind)
        tables[kind, default: [:]][entity.name] = table
        return table
    }

    /// Counts what became of a record, and adds it to the record's history.
    private mutating func note(
        _ result: Reconciliation,
        event: RecordEvent,
        at place: RecordPlace,
        before: RecordState
    ) throws {
        let entity = place.entity
        switch result.outcome {
        case .taken, .conflict, .merged: reports[entity.name]?.pulled += 1
        case .removed where before.local?.visibility.exists == true: reports[entity.name]?.pulled += 1
        case .known, .acknowledged, .agreed, .waiting, .rejected, .removed: break
        }
        if result.outcome == .merged { reports[entity.name]?.merged += 1 }
        let incoming: SyncRecord
        switch event {
        case .outOfScope where result.outcome == .known && before.local != nil:
            keptOutOfScope[entity.name, default: 0] += 1
            try place.noteHidden(before.seenAtRemote)
            return
        case .remote(let version, _, _):
            try place.noteShown()
            incoming = version
        case .accepted(let version): incoming = version
        default: return
        }
        guard [.agreed, .merged, .conflict].contains(result.outcome) else { return }
        let mine = before.local?.version.metadata.editTimestamp.description ?? "none"
        let theirs = incoming.metadata.editTimestamp
        let detail = "\(entity.strategy.rawValue): local \(mine), remote \(theirs)"
        try place.addHistory(result.outcome.rawValue, detail: detail, at: now)
    }
}
