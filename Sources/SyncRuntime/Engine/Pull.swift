import SyncCore

/// Takes pages in, inside the transaction that also moves the cursor.
struct Pull {
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
    var earlier: [Push.Item: Rejection] = [:]

    init(entities: [EntityDescriptor], device: DeviceID, now: Timestamp) {
        self.entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
        ordered = entities
        linked = Set(entities.flatMap { entity in entity.references.flatMap { [entity.name, $0.entity] } })
        self.device = device
        self.now = now
        for entity in entities { reports[entity.name] = EntityReport(entity: entity.name) }
    }

    /// Applies pages, and what those of a full state say by leaving records out.
    mutating func take(_ pages: [RemotePage], transaction: any StoreTransaction) throws {
        let whole = PageKind.snapshot(entities: ordered.map(\.name), isFirst: true, isComplete: true)
        var waiting: [RemotePage] = []
        for page in pages {
            let kind = !Mutation.disables(.pageKind) ? page.kind : whole
            if case .snapshot(let entities, isFirst: true, _) = kind {
                try apply(waiting, transaction: transaction)
                waiting = []
                try beginSnapshot(entities, transaction: transaction)
            }
            waiting.append(page)
            guard case .snapshot(let entities, _, isComplete: true) = kind else { continue }
            try apply(waiting, transaction: transaction)
            waiting = []
            try sweep(entities, absence: page.absence, transaction: transaction)
        }
        try apply(waiting, transaction: transaction)
    }

    /// Applies pages item by item. One bad record is set aside with its bytes, and blocks no other.
    mutating func apply(_ pages: [RemotePage], transaction: any StoreTransaction) throws {
        for place in PageOrder.places(pages: pages) {
            let page = pages[place.page]
            let item = page.items[place.item]
            try page.bytes.withUnsafeBufferPointer { buffer in
                let bytes = PageBytes(bytes: buffer, isText: page.isText)
                do {
                    try apply(item, bytes: bytes, transaction: transaction)
                    if page.kind != .delta { try hold(item, absence: page.absence, transaction: transaction) }
                } catch let problem as FieldError where !Mutation.disables(.rejectionApart) {
                    try setAside(item, bytes: buffer, reason: problem.message, transaction: transaction)
                } catch let problem as JSONError where !Mutation.disables(.rejectionApart) {
                    try setAside(
                        item,
                        bytes: buffer,
                        reason: "The record is not valid JSON: \(problem.kind.rawValue).",
                        transaction: transaction
                    )
                }
            }
            applied += 1
        }
    }

    private mutating func apply(
        _ item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws {
        guard let entity = entities[item.entity] else {
            throw FieldError(field: "", rule: "unknown-entity", message: "No schema describes this entity.")
        }
        if item.kind == .outOfScope { return try evict(entity, key: item.key, transaction: transaction) }
        if expectsNew, try insert(item, entity: entity, bytes: bytes, transaction: transaction) { return }
        let header = try transaction.header(entity: entity, key: item.key)
        expectsNew = header == nil
        if let header {
            if header.metadata.vector.covers(item.metadata.vector), header.state != .conflict,
                !header.hasHeads
            {
                if item.revision == nil, header.state == .synced,
                    item.metadata.isForked(from: header.metadata)
                {
                    return try meetFork(
                        header,
                        entity: entity,
                        item: item,
                        bytes: bytes,
                        transaction: transaction
                    )
                }
                if let revision = item.revision {
                    try transaction.setRevision(entity, key: item.key, revision: revision)
                }
                if header.metadata.vector != item.metadata.vector, header.state == .synced,
                    item.revision != nil
                {
                    return try sendAgain(entity, item: item, bytes: bytes, transaction: transaction)
                }
                return try acknowledgeOlder(
                    header,
                    entity: entity,
                    item: item,
                    bytes: bytes,
                    transaction: transaction
                )
            }
            try keepDisplaced(header, entity: entity, item: item, transaction: transaction)
            let isNewer = item.metadata.vector.covers(header.metadata.vector)
            if isNewer, item.isForked,
                header.metadata.editTimestamp.device == item.metadata.editTimestamp.device
            {
                try keepUnseen(entity, item: item, bytes: bytes, transaction: transaction)
            }
            guard header.state == .synced, !header.hasHeads, isNewer else {
                return try plan(entity, item: item, bytes: bytes, transaction: transaction)
            }
        }
        if item.metadata.detail?.hasSiblings == true {
            // An app that does not know a field's rule may have left the decision to this one.
            try plan(entity, item: item, bytes: bytes, transaction: transaction)
            return try transaction.removeRejection(entity: entity.name, key: item.key)
        }
        try transaction.save(entity, item: item, in: bytes)
        try transaction.removeRejection(entity: entity.name, key: item.key)
        reports[entity.name]?.pulled += 1
        touch(entity, key: item.key)
    }

    /// Takes in a record that is not known here, which saves looking for it. False for one that is, or that is not plain.
    private mutating func insert(
        _ item: RemoteItem,
        entity: EntityDescriptor,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws -> Bool {
        if item.metadata.detail?.hasSiblings == true { return false }
        do {
            guard try transaction.insert(entity, item: item, in: bytes) else { return false }
        } catch is FieldError {
            // NB: one that is known already, and no news, is none to complain about.
            return false
        }
        try transaction.removeRejection(entity: entity.name, key: item.key)
        reports[entity.name]?.pulled += 1
        inserted[entity.name, default: 0] += 1
        if linked.contains(entity.name) { touch(entity, key: item.key) }
        return true
    }

    /// The remote holds what this device has, or less. An own edit that comes back is an acknowledgement.
    private mutating func acknowledgeOlder(
        _ header: RecordHeader,
        entity: EntityDescriptor,
        item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws {
        let isSame = header.metadata.vector == item.metadata.vector
        if isSame, header.metadata.editTimestamp != item.metadata.editTimestamp, item.revision != nil {
            // The remote has changed the edit's time when it took it, and its answer was lost.
            return try takeAltered(item, bytes: bytes, entity: entity, transaction: transaction)
        }
        guard header.state == .pending || header.state == .rejected else { return }
        if isSame, try takeOther(entity, item: item, bytes: bytes, transaction: transaction) { return }
        if isSame {
            var header = header
            header.state = .synced
            try transaction.update(entity, key: item.key, header: header)
            try transaction.setSide(entity, key: item.key, kind: .base, version: nil)
            try transaction.removeRejection(entity: entity.name, key: item.key)
        } else if header.state == .pending {
            try plan(entity, item: item, bytes: bytes, transaction: transaction)
        }
    }

    /// A server holds only a version that this device's has seen, so it forgot what it held since: that is sent again.
    private mutating func sendAgain(
        _ entity: EntityDescriptor,
        item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws {
        guard !Mutation.disables(.forgottenEdits) else { return }
        let before = try transaction.recordState(entity: entity, key: item.key)
        let after = before.sentAgain(over: try version(item: item, entity: entity, bytes: bytes))
        try transaction.save(entity, key: item.key, recordState: after, before: before)
        touch(entity, key: item.key)
    }

    /// Stores an own edit as the remote has stored it.
    func takeAltered(
        _ item: RemoteItem,
        bytes: PageBytes,
        entity: EntityDescriptor,
        transaction: any StoreTransaction
    ) throws {
        try transaction.save(entity, item: item, in: bytes)
        for kind in SideKind.allCases {
            try transaction.setSide(entity, key: item.key, kind: kind, version: nil)
        }
        try transaction.removeRejection(entity: entity.name, key: item.key)
    }

    private mutating func plan(
        _ entity: EntityDescriptor,
        item: RemoteItem,
        bytes: PageBytes,
        transaction: any StoreTransaction
    ) throws {
        let incoming = try version(item: item, entity: entity, bytes: bytes)
        try plan(entity, incoming: incoming, isLinear: item.revision != nil, transaction: transaction)
        if let revision = item.revision {
            try transaction.setRevision(entity, key: item.key, revision: revision)
        }
    }

    private mutating func ownDevices(snapshot: any StoreSnapshot) throws -> OwnDevices {
        if let own { return own }
        let found = try snapshot.ownDevices(current: device)
        own = found
        return found
    }

    mutating func plan(
        _ entity: EntityDescriptor,
        incoming: SyncRecord,
        isLinear: Bool,
        transaction: any StoreTransaction
    ) throws {
        let key = incoming.key
        let before = try transaction.recordState(entity: entity, key: key)
        if !isLinear, before.hasEarlierFork(of: incoming) { return }
        let planner = Planner(
            descriptor: entity,
            own: try ownDevices(snapshot: transaction),
            isLinear: isLinear
        )
        // NB: by preserve-local a clean record takes what a person decided elsewhere; else the marks decide once more.
        let isForgotten = isLinear && entity.strategy != .preserveLocal && !Mutation.disables(.forgottenEdits)
        let known = isForgotten ? before.forgotten(by: incoming) : before
        let plan = planner.plan(
            recordState: isLinear ? known : known.withoutForks(of: incoming),
            incoming: incoming
        )
        try transaction.save(entity, key: key, recordState: plan.recordState, before: before)
        if !isLinear {
            try keepDeleted(
                entity,
                incoming: incoming,
                before: before,
                after: plan.recordState,
                transaction: transaction
            )
        }
        if before.local?.state == .rejected, plan.recordState.local?.state != .rejected {
            // What the remote refused is not what this device holds now.
            try transaction.forgetRefusal(entity: entity.name, key: key)
        }
        try transaction.record(plan.losses, rule: entity.strategy.rawValue, at: now)
        try note(plan, entity: entity, incoming: incoming, before: before, transaction: transaction)
        touch(entity, key: key)
    }

    private mutating func note(
        _ plan: Planner.Plan,
        entity: EntityDescriptor,
        incoming: SyncRecord,
        before: Planner.RecordState,
        transaction: any StoreTransaction
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
            "\(entity.strategy.rawValue): local \(before.local?.version.metadata.editTimestamp.description ?? "none"), remote \(incoming.metadata.editTimestamp)"
        try transaction.addHistory(
            entity,
            key: incoming.key,
            entry: HistoryEntry(at: now, event: plan.outcome.rawValue, detail: detail)
        )
    }

    func version(
        item: RemoteItem,
        entity: EntityDescriptor,
        bytes: PageBytes
    ) throws -> SyncRecord {
        let body = try bytes.body(of: item)
        let header = EntryCodec.Header(
            entity: entity.name,
            key: item.key,
            isDeleted: item.kind == .delete,
            mergedInto: item.mergedInto,
            metadata: item.metadata,
            replaces: [],
            body: body.indices
        )
        let version = try EntryCodec.version(header, in: body, descriptor: entity)
        guard version.isDeleted || entity.key(of: version.record) == item.key else {
            throw FieldError(
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
        entity: EntityDescriptor,
        item: RemoteItem,
        transaction: any StoreTransaction
    ) throws {
        guard item.kind == .delete, item.mergedInto != nil, header.visibility == .live,
            header.state == .synced, entity.layout.letsPeopleDecide,
            item.metadata.vector.covers(header.metadata.vector),
            try ownDevices(snapshot: transaction).wrote(header.metadata.editTimestamp),
            let local = try transaction.load(entity, key: item.key)
        else { return }
        try transaction.setSide(entity, key: item.key, kind: .displaced, version: local.version)
    }

    private func evict(_ entity: EntityDescriptor, key: RecordKey, transaction: any StoreTransaction)
        throws
    {
        guard let header = try transaction.header(entity: entity, key: key), header.state == .synced else {
            return
        }
        try transaction.remove(entity, key: key)
    }

    mutating func touch(_ entity: EntityDescriptor, key: RecordKey) {
        guard !entity.unique.isEmpty || linked.contains(entity.name) else { return }
        fresh[entity.name, default: []].insert(key)
    }
}
