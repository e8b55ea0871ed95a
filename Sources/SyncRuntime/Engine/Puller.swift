import SyncCore

/// Takes pages in, inside the transaction that also moves the cursor.
struct Puller {
    let entities: [String: EntityDescriptor]
    /// The entities with parents before children.
    let ordered: [EntityDescriptor]
    /// Names of entities that refer to another one, or are referred to.
    let linked: Set<String>
    let device: DeviceID
    let now: Timestamp
    private var own: OwnDevices?
    /// Counts so far.
    var reports: [String: EntityReport] = [:]
    /// Records whose unique values or references must be looked at before the pull ends.
    var touched: [String: Set<RecordKey>] = [:]
    /// Records of the transaction at hand, before it is known whether they must be looked at.
    var fresh: [String: Set<RecordKey>] = [:]
    /// How many records of an entity the transaction at hand has inserted.
    var inserted: [String: Int] = [:]
    /// Rows from which on nobody has looked yet for records that share unique values, by entity.
    var unlooked: [String: Int64] = [:]
    /// Whether the next record is most likely one that is not known here, as the last one was.
    private var expectsNew = true
    /// What the store remembers of `touched` and of `unlooked`, for a sync after this one if this one ends early.
    var remembered: (touched: String?, unlooked: String?)
    /// Versions applied so far.
    var applied = 0
    /// The lowest sequence of this device that the remote knows of and this store does not; nil where there is none.
    var unknownOwn: Int64?
    /// Whether edits under this device's name are looked for before anything is taken in.
    var looksForOwn = false
    /// Whether the store has met no remote before, so that no edit under its name can be there.
    var neverMet = false
    /// What was set aside by syncs before this one.
    var earlier: [Pusher.Item: Rejection] = [:]

    init(entities: [EntityDescriptor], device: DeviceID, now: Timestamp) {
        self.entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        ordered = entities
        linked = Set(entities.flatMap { entity in entity.references.flatMap { [entity.name, $0.entity] } })
        self.device = device
        self.now = now
        for entity in entities { reports[entity.name] = EntityReport(entity: entity.name) }
    }

    /// Applies pages, and what those of a full state say by leaving records out.
    mutating func take(_ pages: [RemotePage], _ transaction: any StoreTransaction) throws {
        let whole = PageKind.snapshot(entities: ordered.map(\.name), isFirst: true, isComplete: true)
        var waiting: [RemotePage] = []
        for page in pages {
            let kind = Guard.isOn(.pageKind) ? page.kind : whole
            if case .snapshot(let entities, isFirst: true, _) = kind {
                try apply(waiting, transaction)
                waiting = []
                try beginSnapshot(entities, transaction)
            }
            waiting.append(page)
            guard case .snapshot(let entities, _, isComplete: true) = kind else { continue }
            try apply(waiting, transaction)
            waiting = []
            try sweep(entities, page.absence, transaction)
        }
        try apply(waiting, transaction)
    }

    /// Applies pages item by item. One bad record is set aside with its bytes, and blocks no other.
    mutating func apply(_ pages: [RemotePage], _ transaction: any StoreTransaction) throws {
        for place in IntakeOrder.places(pages) {
            let page = pages[place.page]
            let item = page.items[place.item]
            try page.bytes.withUnsafeBufferPointer { buffer in
                let bytes = PageBytes(buffer, isText: page.isText)
                do {
                    try apply(item, bytes, transaction)
                    if page.kind != .delta { try hold(item, page.absence, transaction) }
                } catch let problem as FieldProblem where Guard.isOn(.rejectionApart) {
                    try setAside(item, buffer, problem.message, transaction)
                } catch let problem as JSONProblem where Guard.isOn(.rejectionApart) {
                    try setAside(
                        item,
                        buffer,
                        "The record is not valid JSON: \(problem.kind.rawValue).",
                        transaction
                    )
                }
            }
            applied += 1
        }
    }

    private mutating func apply(
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws {
        guard let entity = entities[item.entity] else {
            throw FieldProblem(field: "", rule: "unknown-entity", message: "No schema describes this entity.")
        }
        if item.kind == .outOfScope { return try evict(entity, item.key, transaction) }
        if expectsNew, try insert(item, entity, bytes, transaction) { return }
        let header = try transaction.header(entity, item.key)
        expectsNew = header == nil
        if let header {
            if header.stamp.vector.covers(item.stamp.vector), header.state != .conflict, !header.hasHeads {
                if item.revision == nil, header.state == .synced, item.stamp.isForked(from: header.stamp) {
                    return try meetFork(header, entity, item, bytes, transaction)
                }
                if let revision = item.revision { try transaction.setRevision(entity, item.key, revision) }
                if header.stamp.vector != item.stamp.vector, header.state == .synced, item.revision != nil {
                    return try sendAgain(entity, item, bytes, transaction)
                }
                return try acknowledgeOlder(header, entity, item, bytes, transaction)
            }
            try keepDisplaced(header, entity, item, transaction)
            let isNewer = item.stamp.vector.covers(header.stamp.vector)
            if isNewer, item.isForked, header.stamp.mark.device == item.stamp.mark.device {
                try keepUnseen(entity, item, bytes, transaction)
            }
            guard header.state == .synced, !header.hasHeads, isNewer else {
                return try plan(entity, item, bytes, transaction)
            }
        }
        if item.stamp.detail?.hasSiblings == true {
            // An app that does not know a field's rule may have left the decision to this one.
            try plan(entity, item, bytes, transaction)
            return try transaction.removeRejection(entity: entity.name, key: item.key)
        }
        try transaction.save(entity, item, in: bytes)
        try transaction.removeRejection(entity: entity.name, key: item.key)
        reports[entity.name]?.pulled += 1
        touch(entity, item.key)
    }

    /// Takes in a record that is not known here, which saves looking for it. False for one that is, or that is not plain.
    private mutating func insert(
        _ item: RemoteItem,
        _ entity: EntityDescriptor,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws -> Bool {
        if item.stamp.detail?.hasSiblings == true { return false }
        do {
            guard try transaction.insert(entity, item, in: bytes) else { return false }
        } catch is FieldProblem {
            // NB: one that is known already, and no news, is none to complain about.
            return false
        }
        try transaction.removeRejection(entity: entity.name, key: item.key)
        reports[entity.name]?.pulled += 1
        inserted[entity.name, default: 0] += 1
        if linked.contains(entity.name) { touch(entity, item.key) }
        return true
    }

    /// The remote holds what this device has, or less. An own edit that comes back is an acknowledgement.
    private mutating func acknowledgeOlder(
        _ header: RecordHeader,
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws {
        let isSame = header.stamp.vector == item.stamp.vector
        if isSame, header.stamp.mark != item.stamp.mark, item.revision != nil {
            // The remote has changed the edit's time when it took it, and its answer was lost.
            return try takeAltered(item, bytes, entity, transaction)
        }
        guard header.state == .pending || header.state == .rejected else { return }
        if isSame, try takeOther(entity, item, bytes, transaction) { return }
        if isSame {
            var header = header
            header.state = .synced
            try transaction.update(entity, item.key, header)
            try transaction.setSide(entity, item.key, .base, nil)
            try transaction.removeRejection(entity: entity.name, key: item.key)
        } else if header.state == .pending {
            try plan(entity, item, bytes, transaction)
        }
    }

    /// A server holds only a version that this device's has seen, so it forgot what it held since: that is sent again.
    private mutating func sendAgain(
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws {
        guard Guard.isOn(.forgottenEdits) else { return }
        let before = try transaction.trees(entity, item.key)
        let after = before.sentAgain(over: try version(item, entity, bytes))
        try transaction.save(entity, item.key, after, before: before)
        touch(entity, item.key)
    }

    /// Stores an own edit as the remote has stored it.
    func takeAltered(
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ entity: EntityDescriptor,
        _ transaction: any StoreTransaction
    ) throws {
        try transaction.save(entity, item, in: bytes)
        for kind in SideKind.allCases { try transaction.setSide(entity, item.key, kind, nil) }
        try transaction.removeRejection(entity: entity.name, key: item.key)
    }

    private mutating func plan(
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ bytes: PageBytes,
        _ transaction: any StoreTransaction
    ) throws {
        let incoming = try version(item, entity, bytes)
        try plan(entity, incoming, isLinear: item.revision != nil, transaction)
        if let revision = item.revision { try transaction.setRevision(entity, item.key, revision) }
    }

    private mutating func ownDevices(_ snapshot: any StoreSnapshot) throws -> OwnDevices {
        if let own { return own }
        let found = try snapshot.ownDevices(device)
        own = found
        return found
    }

    mutating func plan(
        _ entity: EntityDescriptor,
        _ incoming: SyncRecord,
        isLinear: Bool,
        _ transaction: any StoreTransaction
    ) throws {
        let key = incoming.key
        let before = try transaction.trees(entity, key)
        if !isLinear, before.hasEarlierFork(of: incoming) { return }
        let planner = Planner(entity, own: try ownDevices(transaction), isLinear: isLinear)
        // NB: by preserve-local a clean record takes what a person decided elsewhere; else the marks decide once more.
        let isForgotten = isLinear && entity.strategy != .preserveLocal && Guard.isOn(.forgottenEdits)
        let known = isForgotten ? before.forgotten(by: incoming) : before
        let plan = planner.plan(isLinear ? known : known.withoutForks(of: incoming), incoming: incoming)
        try transaction.save(entity, key, plan.trees, before: before)
        if !isLinear { try keepDeleted(entity, incoming, before, plan.trees, transaction) }
        if before.local?.state == .rejected, plan.trees.local?.state != .rejected {
            // What the remote refused is not what this device holds now.
            try transaction.forgetRefusal(entity: entity.name, key: key)
        }
        try transaction.record(plan.losses, rule: entity.strategy.rawValue, at: now)
        try note(plan, entity, incoming, before, transaction)
        touch(entity, key)
    }

    private mutating func note(
        _ plan: Planner.Plan,
        _ entity: EntityDescriptor,
        _ incoming: SyncRecord,
        _ before: Planner.Trees,
        _ transaction: any StoreTransaction
    ) throws {
        switch plan.outcome {
        case .known, .acknowledged, .agreed: break
        case .taken, .conflict: reports[entity.name]?.pulled += 1
        case .merged:
            reports[entity.name]?.pulled += 1
            reports[entity.name]?.merged += 1
        }
        guard plan.outcome != .known, plan.outcome != .taken, plan.outcome != .acknowledged else { return }
        let detail =
            "\(entity.strategy.rawValue): local \(before.local?.version.stamp.mark.description ?? "none"), remote \(incoming.stamp.mark)"
        try transaction.addHistory(
            entity,
            incoming.key,
            HistoryEntry(at: now, event: plan.outcome.rawValue, detail: detail)
        )
    }

    func version(
        _ item: RemoteItem,
        _ entity: EntityDescriptor,
        _ bytes: PageBytes
    ) throws -> SyncRecord {
        let body = try bytes.body(of: item)
        let header = EntryCodec.Header(
            entity: entity.name,
            key: item.key,
            isDeleted: item.kind == .delete,
            mergedInto: item.mergedInto,
            stamp: item.stamp,
            replaces: [],
            body: body.indices
        )
        let version = try EntryCodec.version(header, in: body, entity)
        guard version.isDeleted || entity.key(of: version.record) == item.key else {
            throw FieldProblem(
                field: "",
                rule: "key",
                message: "The record does not hold the key under which it came."
            )
        }
        return version
    }

    /// Keeps what was written here of a record that another device has merged into a third: it has yet to meet that.
    private mutating func keepDisplaced(
        _ header: RecordHeader,
        _ entity: EntityDescriptor,
        _ item: RemoteItem,
        _ transaction: any StoreTransaction
    ) throws {
        guard item.kind == .delete, item.mergedInto != nil, header.visibility == .live,
            header.state == .synced, entity.layout.letsPeopleDecide,
            item.stamp.vector.covers(header.stamp.vector),
            try ownDevices(transaction).wrote(header.stamp.mark),
            let local = try transaction.load(entity, item.key)
        else { return }
        try transaction.setSide(entity, item.key, .displaced, local.version)
    }

    private func evict(_ entity: EntityDescriptor, _ key: RecordKey, _ transaction: any StoreTransaction)
        throws
    {
        guard let header = try transaction.header(entity, key), header.state == .synced else { return }
        try transaction.remove(entity, key)
    }

    mutating func touch(_ entity: EntityDescriptor, _ key: RecordKey) {
        guard !entity.unique.isEmpty || linked.contains(entity.name) else { return }
        fresh[entity.name, default: []].insert(key)
    }

    /// Keeps what could not be taken in, so that the cursor may move on.
    private mutating func setAside(
        _ item: RemoteItem,
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ reason: String,
        _ transaction: any StoreTransaction
    ) throws {
        // NB: it is there, though it cannot be read.
        if let entity = entities[item.entity] { try transaction.hold(entity, item.key) }
        var writer = JSONWriter()
        EntryCodec.append(
            OutgoingChange(
                entity: item.entity,
                key: item.key,
                isDeleted: item.kind == .delete,
                mergedInto: item.mergedInto,
                stamp: item.stamp,
                replaces: [],
                // Kept as base, which is what it becomes once the record is taken in.
                base: item.revision,
                body: Array(bytes[item.body])
            ),
            to: &writer
        )
        // NB: a rejoin brings it once more in the same sync, which is one attempt.
        let earlier = earlier[Pusher.Item(entity: item.entity, key: item.key)]
        try transaction.setRejection(
            Rejection(
                entity: item.entity,
                key: item.key,
                reason: reason,
                attempts: (earlier?.attempts ?? 0) + 1,
                raw: writer.bytes,
                since: earlier?.since ?? now
            )
        )
    }
}
