import SyncCore

/// Takes pages in, in the transaction that also saves the cursor.
struct Pull {
    /// The sync that the pull is a part of.
    var sync: SyncRunState
    /// Whether a person agreed that what a remote without tombstones lacks is deleted
    /// (`SyncOptions.acceptsMissing`).
    let acceptsMissing: Bool
    /// Looks for unknown edits of this device before anything is taken in; nil if that is not to be done.
    var ownVersions: OwnVersionSearch?
    /// How many clean records the store had when a listing of a remote without tombstones began, by scope.
    var knownBefore: [SnapshotScope: Int] = [:]
    /// By entity, how many records are missing at the remote and were not taken for deleted, and of how many.
    var missing: [String: (absent: Int, known: Int)] = [:]
    /// Whether the next record is probably unknown here, as the last one was.
    private var expectsNew = true
    /// Versions applied so far.
    private(set) var applied = 0
    /// The fingerprint under which this pull refuses records; nil before the first one.
    var checks: String?
    /// Rejections from earlier syncs.
    var earlier: [Push.Item: Rejection] = [:]

    init(_ sync: SyncRunState, acceptsMissing: Bool = false) {
        self.sync = sync
        self.acceptsMissing = acceptsMissing
    }

    /// Applies pages in one transaction.
    mutating func take(_ pages: [RemotePage], transaction: any StoreTransaction) throws {
        var work = PageWork(pages)
        try take(&work, transaction: transaction)
    }

    /// Applies pages change by change. After the last page of a full state, also handles the records that were missing from
    /// it. Stops between two changes if `isAwaited`, which gets the number of those that were applied.
    mutating func take(
        _ work: inout PageWork,
        transaction: any StoreTransaction,
        isAwaited: (Int) -> Bool = { _ in false }
    ) throws {
        let before = applied
        while let step = work.steps.popFirst() {
            switch step {
            case .begin(let scopes):
                if scopes.contains(where: { !$0.fields.isEmpty }) {
                    try sync.remote.require(.scopes, of: "a part of an entity")
                }
                try beginSnapshot(of: scopes, transaction: transaction)
            case .apply(var places):
                while let place = places.popFirst() {
                    let absence = work.absences[place.page]
                    // Copying a change copies a dozen references, which a pull would notice.
                    try work.pages[place.page].changes.withUnsafeBufferPointer { changes in
                        try apply(changes[place.change], absence: absence, transaction: transaction)
                    }
                    guard !places.isEmpty, isAwaited(applied - before) else { continue }
                    return work.steps.insert(.apply(places), at: work.steps.startIndex)
                }
            case .sweep(let scopes, let absence):
                try sweep(scopes: scopes, absence: absence, transaction: transaction)
            }
        }
    }

    /// Applies one change. A bad record is kept with its bytes and does not block others. `absence`: what it means for a
    /// record that the snapshot lacks; nil outside of one.
    private mutating func apply(
        _ change: Change,
        absence: RemotePage.Absence?,
        transaction: any StoreTransaction
    ) throws {
        do {
            try apply(change, transaction: transaction)
            if let absence { try noteInSnapshot(change.header, absence: absence, transaction: transaction) }
        } catch let error as FieldError {
            try setAside(change, reason: error.message, transaction: transaction)
        } catch let error as JSONError {
            let reason = "The record is not valid JSON: \(error.kind.rawValue)."
            try setAside(change, reason: reason, transaction: transaction)
        }
        applied += 1
    }

    private mutating func apply(_ change: Change, transaction: any StoreTransaction) throws {
        guard let entity = sync.entities[change.header.entity] else {
            throw FieldError(field: "", rule: "unknown-entity", message: "No schema describes this entity.")
        }
        let key = change.header.key
        guard change.header.kind != .outOfScope else {
            if !sync.remote.capabilities.contains(.evictions) {
                try sync.remote.require(.scopes, of: "records that left its scope")
            }
            let place = RecordPlace(entity: entity, key: key, transaction: transaction)
            let result = try sync.reconcile(.outOfScope, at: place)
            if result.outcome == .removed { try place.noteHidden(nil) }
            try noteShown(entity.name, isWhole: false, transaction: transaction)
            return
        }
        guard let metadata = change.header.metadata else {
            guard !sync.remote.capabilities.contains(.versionMetadata) else { throw FieldError.noMetadata }
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
        let change = try keepingLastValue(change, header: header, entity: entity, transaction: transaction)
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
            sync.reports[entity.name]?.pulled += 1
            sync.unresolved.touch(entity: entity, key: key)
            return
        case .known: break
        case nil:
            let event = RecordEvent.remote(
                try change.version(metadata: metadata, entity: entity),
                isForked: change.header.isForked,
                isAltered: change.header.isAltered
            )
            let place = RecordPlace(entity: entity, key: key, transaction: transaction)
            try sync.reconcile(event, at: place, kind: kind)
        }
        if let revision = change.header.revision {
            try transaction.setRevision(entity: entity, key: key, revision: revision)
        }
    }

    /// A tombstone may come without a value, such as for a row that another program deleted. It keeps the last one that is
    /// known: whoever makes the record live again needs it.
    private func keepingLastValue(
        _ change: Change,
        header: RecordHeader?,
        entity: EntityDescriptor,
        transaction: any StoreTransaction
    ) throws -> Change {
        guard change.header.isDeleted, change.header.mergedInto == nil, let header,
            header.visibility != .deleted, change.isBare(entity: entity)
        else { return change }
        let state = try transaction.recordState(entity: entity, key: change.header.key)
        let last = state.local?.state == .synced ? state.local?.version : state.seenAtRemote
        guard let last, !last.isDeleted else { return change }
        return Change(change.header, body: RecordEncoder(descriptor: entity, form: .wire).bytes(last.record))
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
        sync.reports[entity.name]?.pulled += 1
        sync.unresolved.noteInsert(entity: entity, key: change.header.key)
        return true
    }

    /// Runs `body` in a transaction of the store. Changes to the pull and its sync count only if the transaction is
    /// committed.
    mutating func write(
        to store: any LocalStore,
        _ durability: Durability,
        body: (inout Pull, any StoreTransaction) throws -> Void
    ) throws {
        let before = self
        var next = self
        try sync.write(to: store, durability) { sync, transaction in
            next = before
            // Exchanged instead of copied, as a second reference would make a copy of what is changed.
            swap(&next.sync, &sync)
            defer { swap(&next.sync, &sync) }
            try body(&next, transaction)
        }
        next.sync = sync
        self = next
    }
}

extension Change {
    /// Whether the body has nothing but the key, and when the record was deleted.
    fileprivate func isBare(entity: EntityDescriptor) -> Bool {
        // NB: a key is short, and most tombstones have a value.
        guard body.count < 2000 else { return false }
        var decoder = RecordDecoder(descriptor: entity, form: .wire)
        decoder.requiresAll = false
        guard let record = try? decoder.record(Array(body)), record.unknown.isEmpty else { return false }
        let layout = entity.layout
        let silent = layout.key + [layout.updated, layout.deleted].compactMap { $0 }
        return record.values.indices.allSatisfy { silent.contains($0) || record.values[$0] == nil }
    }

    /// The version in the change. Throws `FieldError` or `JSONError` if its body is invalid.
    func version(metadata: VersionMetadata, entity: EntityDescriptor) throws -> SyncRecord {
        func read(change: Change) throws -> SyncRecord {
            try change.withBody { body in
                try EntryCodec.version(change.header, metadata: metadata, body: body, descriptor: entity)
            }
        }
        let version: SyncRecord
        do { version = try read(change: self) } catch let error
            where header.isDeleted && (error is FieldError || error is JSONError)
        {
            version = try read(change: withKeyOnly(entity: entity))
        }
        guard version.isDeleted || entity.key(of: version.record) == header.key else {
            throw FieldError.otherKey
        }
        return version
    }

    /// The delete without the last values that came with it: it counts, although they do not fit.
    func withKeyOnly(entity: EntityDescriptor) -> Change {
        let record = entity.record(withKeyOnly: header.key)
        return Change(header, body: RecordEncoder(descriptor: entity, form: .wire).bytes(record)[...])
    }
}
