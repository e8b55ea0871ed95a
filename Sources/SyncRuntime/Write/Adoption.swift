package import SyncCore

/// Copies the guest's records to an account's store, inside one transaction. The guest's store is only read.
///
/// A guest's record counts as an edit of this device that has not seen the account's version. Deleted records are
/// left out. The guest's journal comes along, and into it goes what waited for a decision beside the records.
package struct Adoption {
    let entities: [EntityDescriptor]
    /// The field of an entity that names its owner.
    let ownerFields: [String: String]
    /// The value of that field.
    let owner: FieldValue
    let now: Timestamp

    package init(
        entities: [EntityDescriptor],
        ownerFields: [String: String],
        owner: FieldValue,
        now: Timestamp
    ) {
        (self.entities, self.ownerFields) = (entities, ownerFields)
        (self.owner, self.now) = (owner, now)
    }

    package func run(from guest: any StoreSnapshot, into account: any StoreTransaction) throws
        -> AdoptionReport
    {
        let (source, target) = (
            try Incarnation.device(snapshot: guest), try Incarnation.device(snapshot: account)
        )
        let unknown = try guest.uncleanWithoutSchema()
        guard unknown.isEmpty else { throw SyncError.cannotAdopt(types: unknown.keys.sorted()) }
        for entry in try guest.journal(onDamage: { _ in }) { try account.addJournal(entry) }
        var report = AdoptionReport()
        var steps: [EntityAdoption] = []
        for entity in entities {
            let position = try ownerPosition(entity: entity)
            var versions: [SyncRecord] = []
            var divided: [RecordKey] = []
            try guest.scan(entity: entity, includeHidden: true) { local in
                if local.state == .conflict || local.hasHeads { divided.append(local.version.key) }
                guard local.visibility.exists else { return }
                var version = local.version
                if let position { version.record.values[position] = owner }
                versions.append(version)
            }
            for key in divided { try journalOthers(of: key, entity: entity, from: guest, into: account) }
            let renamedEdits = RenamedEdits(from: source, to: target)
            var step = EntityAdoption(
                entity: entity,
                among: entities,
                device: target,
                now: now,
                renamedEdits: renamedEdits
            )
            let fit = RecordFit(entity)
            for version in versions {
                let isReadable = fit.fits(version.record)
                if isReadable, position != nil,
                    let error = RecordCheck.fieldError(record: version.record, descriptor: entity)
                {
                    throw SyncError.doesNotFit(entity: entity.name, error: error)
                }
                try step.adopt(version, isReadable: isReadable, account: account)
            }
            steps.append(step)
        }
        try account.adoptVersions(of: guest.storeID, owner: owner, fields: ownerFields)
        // After all records are in place, so that references to a merged record are redirected to its survivor.
        for index in steps.indices {
            try steps[index].mergeDuplicates(account)
            report.entities.append(steps[index].counts)
        }
        return report
    }

    /// Puts the versions in the journal that wait for a decision beside a record, which the record alone does not have.
    private func journalOthers(
        of key: RecordKey,
        entity: EntityDescriptor,
        from guest: any StoreSnapshot,
        into account: any StoreTransaction
    ) throws {
        let state = try guest.recordState(entity: entity, key: key)
        guard let kept = state.local?.version else { return }
        let others = ([state.remote].compactMap { $0 } + state.heads).filter {
            !$0.isDeleted && !entity.hasSameContent(left: $0, right: kept)
        }
        try account.journal(
            others.map { Loss(kept: kept, lost: $0) },
            rule: entity.strategy.rawValue,
            at: now
        )
    }

    private func ownerPosition(entity: EntityDescriptor) throws -> Int? {
        guard let field = ownerFields[entity.name] else { return nil }
        guard let position = entity.layout.position(of: field), !entity.layout.key.contains(position) else {
            throw SyncError.badOwnerField(entity: entity.name, field: field)
        }
        return position
    }
}

/// The adoption of one entity's records.
private struct EntityAdoption {
    let entity: EntityDescriptor
    let entities: [EntityDescriptor]
    let device: DeviceID
    let now: Timestamp
    let renamedEdits: RenamedEdits
    var counts: AdoptionCounts
    private var adopted: Set<RecordKey> = []

    init(
        entity: EntityDescriptor,
        among entities: [EntityDescriptor],
        device: DeviceID,
        now: Timestamp,
        renamedEdits: RenamedEdits
    ) {
        self.entity = entity
        self.entities = entities
        self.device = device
        self.now = now
        self.renamedEdits = renamedEdits
        counts = AdoptionCounts(entity: entity.name)
    }

    /// Adopts a record. One that cannot be read with this version of the schema is set aside here, too, or goes to the
    /// journal if the account has a record of its key.
    mutating func adopt(_ version: SyncRecord, isReadable: Bool, account: any StoreTransaction) throws {
        let place = RecordPlace(entity: entity, key: version.key, transaction: account)
        let before = try place.state()
        if !isReadable, let kept = before.local?.version {
            counts.merged += 1
            return try account.journal(
                [Loss(kept: kept, lost: version)],
                rule: entity.strategy.rawValue,
                at: now
            )
        }
        let reconcile = Reconcile(entity, own: OwnDevices(current: device), remote: .linear)
        var result = reconcile(before, on: .adopted(version))
        if before.local != nil {
            counts.merged += 1
            if result.outcome == .conflict { counts.conflicts += 1 }
        } else if try isTaken(version: version, account: account) {
            counts.duplicates += 1
        } else {
            counts.moved += 1
        }
        // While in conflict, the guest's edit keeps its own edit timestamps. New ones would claim that it has seen
        // what this store wrote to the account's record before.
        if let local = result.state.local, local.state != .conflict {
            let metadata = try renamedEdits(local.version.metadata) { try account.nextSequence() }
            if metadata != local.version.metadata {
                result.state = reconcile(result.state, on: .renamed(metadata, forgetsBase: false)).state
            }
        }
        if !isReadable { result.state.local?.visibility = .setAside }
        let gone = before.local.map { result.joinLocalValues(of: [$0.version, version], in: entity) } ?? []
        try place.perform(result, before: before, at: now)
        for loss in gone {
            let content = loss.lost.localContent(in: entity)
            try account.journal([loss], rule: "overwritten", content: content, at: now)
        }
        try place.addHistory("adopted", detail: "from the guest of this device", at: now)
        if isReadable { adopted.insert(version.key) }
    }

    /// Merges records that share their unique values, as a sync does.
    mutating func mergeDuplicates(_ account: any StoreTransaction) throws {
        let merging = Consequences(transaction: account, entities: entities, device: device, now: now)
        counts.conflicts += try merging.mergeDuplicates(entity: entity, touched: adopted).count
    }

    private func isTaken(version: SyncRecord, account: any StoreTransaction) throws -> Bool {
        guard !entity.layout.unique.isEmpty else { return false }
        return try account.keysSharing(entity: entity, unique: 0, record: version.record).contains {
            $0 != version.key
        }
    }
}

/// Replaces the edit timestamps of one store with new ones of another, and keeps the time of each edit.
struct RenamedEdits {
    let from: DeviceID
    let to: DeviceID

    /// `sequence` returns the next number, once for each edit timestamp.
    func callAsFunction(_ metadata: VersionMetadata, sequence: () throws -> Int64) rethrows -> VersionMetadata
    {
        var old: Set<EditTimestamp> = []
        if metadata.editTimestamp.device == from { old.insert(metadata.editTimestamp) }
        _ = metadata.detail?.mapping {
            if $0.device == from { old.insert($0) }
            return $0
        }
        var result = metadata
        let isSeen = metadata.vector[from] > 0
        guard isSeen || !old.isEmpty else { return metadata }
        result.vector.truncate(from, to: 0)
        var fresh: [EditTimestamp: EditTimestamp] = [:]
        for editTimestamp in old.sorted(by: { $0.sequence < $1.sequence }) {
            let mine = EditTimestamp(time: editTimestamp.time, device: to, sequence: try sequence())
            fresh[editTimestamp] = mine
            result.vector.insert(mine)
        }
        result.editTimestamp = fresh[metadata.editTimestamp] ?? metadata.editTimestamp
        result.detail = metadata.detail?.mapping { fresh[$0] ?? $0 }
        return result
    }
}

extension SyncError {
    /// The guest has records of types that this version of the app does not list.
    static func cannotAdopt(types: [String]) -> SyncError {
        SyncError(
            kind: .notPermitted,
            message: "The guest has records of types that this version does not list: "
                + "\(types.joined(separator: ", ")). Nothing was adopted.",
            help: "List these types again, or sign in without adopting: then all stays with the guest."
        )
    }

    /// The owner's field does not exist, or is part of the key.
    static func badOwnerField(entity: String, field: String) -> SyncError {
        SyncError(
            kind: .usage,
            message: "The owner field '\(field)' of \(entity) does not exist or belongs to the key.",
            help: "Name a field of the schema that is not part of the key; nothing was adopted."
        )
    }
}
