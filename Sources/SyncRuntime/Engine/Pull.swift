import SyncCore

/// Takes pages in, in the transaction that also saves the cursor.
struct Pull {
    let entities: [String: EntityDescriptor]
    /// The entities, parents before children.
    let ordered: [EntityDescriptor]
    /// Names of entities that refer to another one, or that another one refers to.
    let linked: Set<String>
    let device: DeviceID
    /// The remote of the pages.
    var remote = PulledRemote()
    /// Whether a person agreed that what a remote without tombstones lacks is deleted
    /// (`SyncOptions.acceptsMissing`).
    var acceptsMissing = false
    /// How many clean records the store had when a listing of a remote without tombstones began, by scope.
    var knownBefore: [SnapshotScope: Int] = [:]
    /// By entity, how many records left the device's scope but are kept because they are pending.
    var keptOutOfScope: [String: Int] = [:]
    /// By entity, how many records are missing at the remote and were not taken for deleted, and of how many.
    var missing: [String: (absent: Int, known: Int)] = [:]
    let now: Timestamp
    /// The strategy tables used so far.
    private var tables: [RemoteKind: [String: Reconcile]] = [:]
    /// Counts so far.
    var reports: [String: EntityReport] = [:]
    /// Records whose unique values or references must be checked before the pull ends.
    var touched: [String: Set<RecordKey>] = [:]
    /// Records of the current transaction that may have to be checked.
    var fresh: [String: Set<RecordKey>] = [:]
    /// How many records of an entity the current transaction has inserted.
    var inserted: [String: Int] = [:]
    /// Entities with inserted records that were not yet checked for shared unique values.
    var unchecked: Set<String> = []
    /// Whether trees must be looked through for circles that are there already.
    var checksTrees = false
    /// Whether the next record is probably unknown here, as the last one was.
    private var expectsNew = true
    /// The stored form of `touched`, for a later sync if this one ends early.
    var remembered: String?
    /// Versions applied so far.
    var applied = 0
    /// Sequence numbers of the edits that this sync made itself, such as merges, in order.
    private(set) var ownEdits: [ClosedRange<Int64>] = []
    /// The lowest sequence of this device that the remote knows and this store does not; nil if there is none.
    var unknownOwn: Int64?
    /// Whether to look for unknown edits of this device before anything is taken in.
    var findsOwnVersions = false
    /// Whether the store has never synced, so that the remote cannot have edits of this device.
    var neverMet = false
    /// The fingerprint under which this pull refuses records; nil before the first one.
    var checks: String?
    /// Rejections from earlier syncs.
    var earlier: [Push.Item: Rejection] = [:]

    init(entities: [EntityDescriptor], device: DeviceID, now: Timestamp) {
        self.entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        ordered = entities
        linked = Set(entities.flatMap { entity in entity.references.flatMap { [entity.name, $0.entity] } })
        self.device = device
        self.now = now
        for entity in entities { reports[entity.name] = EntityReport(entity: entity.name) }
    }

    /// Applies pages. After the last page of a full state, also handles the records that were missing from it.
    mutating func take(_ pages: [RemotePage], transaction: any StoreTransaction) throws {
        let scopes = ordered.map { SnapshotScope(entity: $0.name) }
        let whole = PageKind.snapshot(of: scopes, isFirst: true, isComplete: true)
        var waiting: [RemotePage] = []
        for page in pages {
            let kind = !Mutation.disables(.pageKind) ? page.kind : whole
            if case .snapshot(let scopes, isFirst: true, _) = kind {
                if scopes.contains(where: { !$0.fields.isEmpty }) {
                    try remote.require(.scopes, of: "a part of an entity")
                }
                try apply(waiting, transaction: transaction)
                waiting = []
                try beginSnapshot(of: scopes, transaction: transaction)
            }
            waiting.append(page)
            guard case .snapshot(let scopes, _, isComplete: true) = kind else { continue }
            try apply(waiting, transaction: transaction)
            waiting = []
            try sweep(scopes: scopes, absence: page.absence, transaction: transaction)
        }
        try apply(waiting, transaction: transaction)
    }

    /// Applies pages change by change. A bad record is kept with its bytes and does not block others.
    mutating func apply(_ pages: [RemotePage], transaction: any StoreTransaction) throws {
        let absences = pages.map { $0.kind == .delta ? nil : $0.absence }
        for place in PageOrder.places(pages: pages) {
            // Copying a change copies a dozen references, which a pull would notice.
            try pages[place.page].changes.withUnsafeBufferPointer { changes in
                try apply(changes[place.change], absence: absences[place.page], transaction: transaction)
            }
        }
    }

    /// Applies one change. `absence`: what it means for a record that the snapshot lacks; nil outside of one.
    private mutating func apply(
        _ change: Change,
        absence: RemotePage.Absence?,
        transaction: any StoreTransaction
    ) throws {
        do {
            try apply(change, transaction: transaction)
            if let absence { try noteInSnapshot(change.header, absence: absence, transaction: transaction) }
        } catch let error as FieldError where !Mutation.disables(.rejectionApart) {
            try setAside(change, reason: error.message, transaction: transaction)
        } catch let error as JSONError where !Mutation.disables(.rejectionApart) {
            let reason = "The record is not valid JSON: \(error.kind.rawValue)."
            try setAside(change, reason: reason, transaction: transaction)
        }
        applied += 1
    }

    private mutating func apply(_ change: Change, transaction: any StoreTransaction) throws {
        guard let entity = entities[change.header.entity] else {
            throw FieldError(field: "", rule: "unknown-entity", message: "No schema describes this entity.")
        }
        let key = change.header.key
        guard change.header.kind != .outOfScope else {
            if !remote.capabilities.contains(.evictions) {
                try remote.require(.scopes, of: "records that left its scope")
            }
            let place = RecordPlace(entity: entity, key: key, transaction: transaction)
            let result = try reconcile(.outOfScope, at: place)
            if result.outcome == .removed { try place.noteHidden(nil) }
            try noteShown(entity.name, isWhole: false, transaction: transaction)
            return
        }
        guard let metadata = change.header.metadata else {
            guard !remote.capabilities.contains(.versionMetadata) else { throw FieldError.noMetadata }
            try applyDerived(change, entity: entity, transaction: transaction)
            return
        }
        if expectsNew,
            try insert(change, metadata: metadata, entity: entity, transaction: transaction)
        {
            return
        }
        let header = try transaction.header(entity: entity, key: key)
        expectsNew = header == nil
        let kind = RemoteKind(revision: change.header.revision)
        // What a person keeps to this device may go with a deleted record, or be why a record is set aside, and no
        // header tells of it.
        let mayConcernLocal = change.header.isDeleted || header?.visibility == .setAside
        let isDecided = !mayConcernLocal || entity.layout.localOnly.isEmpty
        let decision = Reconcile.decide(
            header: header,
            incoming: change.header,
            metadata: metadata,
            remote: kind
        )
        switch isDecided ? decision : nil {
        case .taken:
            try transaction.take(change, metadata: metadata, entity: entity)
            reports[entity.name]?.pulled += 1
            touch(entity: entity, key: key)
            return
        case .known: break
        case nil:
            let event = RecordEvent.remote(
                try version(of: change, metadata: metadata, entity: entity),
                isForked: change.header.isForked,
                isAltered: change.header.isAltered
            )
            let place = RecordPlace(entity: entity, key: key, transaction: transaction)
            try reconcile(event, at: place, kind: kind)
        }
        if let revision = change.header.revision {
            try transaction.setRevision(entity: entity, key: key, revision: revision)
        }
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
        if let mover { try consequences(in: transaction).keep(mover, entity: entity) }
        if result.hasLostToParent { try transaction.countDeletedWithParent() }
        if result.hasAlteration { try transaction.countAltered() }
        try note(result, event: event, at: place, before: before)
        if result.state.concernsOthers(since: before) { touch(entity: entity, key: place.key) }
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

    /// The strategy table of an entity, made once per pull.
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

    /// Fast path: inserts a record that is unknown here, without a look-up. Returns false if it is known or not
    /// plain.
    private mutating func insert(
        _ change: Change,
        metadata: VersionMetadata,
        entity: EntityDescriptor,
        transaction: any StoreTransaction
    ) throws -> Bool {
        guard !metadata.hasSiblings, !change.header.holdsWords,
            try transaction.takeUnknown(change, metadata: metadata, entity: entity)
        else { return false }
        reports[entity.name]?.pulled += 1
        inserted[entity.name, default: 0] += 1
        if linked.contains(entity.name) { touch(entity: entity, key: change.header.key) }
        return true
    }

    /// The version in a change. Throws `FieldError` or `JSONError` if its body is invalid.
    func version(of change: Change, metadata: VersionMetadata, entity: EntityDescriptor) throws -> SyncRecord
    {
        func read(change: Change) throws -> SyncRecord {
            try change.withBody { body in
                try EntryCodec.version(change.header, metadata: metadata, body: body, descriptor: entity)
            }
        }
        let version: SyncRecord
        do { version = try read(change: change) } catch let error
            where change.header.isDeleted && (error is FieldError || error is JSONError)
        {
            version = try read(change: change.withKeyOnly(entity: entity))
        }
        guard version.isDeleted || entity.key(of: version.record) == change.header.key else {
            throw FieldError(
                field: "",
                rule: "key",
                message: "The record does not hold the key under which it came."
            )
        }
        return version
    }

    /// Runs `body` in a transaction of the store. Changes to the pull count only if the transaction is committed.
    mutating func write(
        to store: any LocalStore,
        _ durability: Durability,
        body: (inout Pull, any StoreTransaction) throws -> Void
    ) throws {
        var next = self
        try store.write(durability) { transaction in
            next = self
            let before = try transaction.lastSequence()
            try body(&next, transaction)
            try next.remember(transaction)
            let last = try transaction.lastSequence()
            if last > before { next.ownEdits.append((before + 1)...last) }
        }
        self = next
    }

    mutating func touch(entity: EntityDescriptor, key: RecordKey) {
        guard !entity.unique.isEmpty || linked.contains(entity.name) else { return }
        fresh[entity.name, default: []].insert(key)
    }
}

extension Change {
    /// The delete without the last values that came with it: it counts, although they do not fit.
    func withKeyOnly(entity: EntityDescriptor) -> Change {
        let record = entity.record(withKeyOnly: header.key)
        return Change(header, body: RecordEncoder(descriptor: entity, form: .wire).bytes(record)[...])
    }
}
