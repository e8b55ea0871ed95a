import SyncCore

/// Records that are missing from a complete snapshot of the remote.
extension Pull {
    /// Starts to note which records the remote's full state contains.
    mutating func beginSnapshot(of scopes: [SnapshotScope], transaction: any StoreTransaction) throws {
        for name in Set(scopes.map(\.entity)).sorted() {
            guard let entity = sync.entities[name] else { continue }
            try transaction.beginSnapshot(entity)
        }
        guard !sync.remote.capabilities.contains(.tombstones) else { return }
        for scope in scopes {
            guard let entity = sync.entities[scope.entity] else { continue }
            knownBefore[scope] = try known(scope: scope, entity: entity, snapshot: transaction)
        }
    }

    /// How many clean records of a scope the store has.
    private func known(scope: SnapshotScope, entity: EntityDescriptor, snapshot: any StoreSnapshot) throws
        -> Int
    {
        var count = 0
        try snapshot.scan(entity: entity, includeHidden: false) { local in
            guard local.state == .synced, scope.holds(local.version, entity: entity) else { return }
            count += 1
        }
        return count
    }

    /// After the last page of a full state: handles the records that no page contained.
    mutating func sweep(
        scopes: [SnapshotScope],
        absence: RemotePage.Absence,
        transaction: any StoreTransaction
    ) throws {
        for scope in scopes {
            guard let entity = sync.entities[scope.entity] else { continue }
            let isWhole = scope.fields.isEmpty && absence != .outOfScope
            try noteShown(entity.name, isWhole: isWhole, transaction: transaction)
            let isDeleted = absence == .deleted && !sync.remote.capabilities.contains(.tombstones)
            if isDeleted, try !isBelieved(scope: scope, entity: entity, transaction: transaction) { continue }
            try eachMissing(
                scope: scope,
                absence: absence,
                entity: entity,
                transaction: transaction
            ) { pull, place in
                let vanished = isDeleted ? try pull.vanished(place) : nil
                let event = vanished.map { RecordEvent.remote($0, isForked: false) } ?? absence.event
                try pull.sync.reconcile(event, at: place)
                if vanished != nil { try place.setRevision(nil) }
            }
        }
        for name in Set(scopes.map(\.entity)).sorted() {
            if let entity = sync.entities[name] { try transaction.endSnapshot(entity) }
        }
        for scope in scopes { knownBefore[scope] = nil }
    }

    /// Calls `body` for each record of a scope that no page contained.
    private mutating func eachMissing(
        scope: SnapshotScope,
        absence: RemotePage.Absence,
        entity: EntityDescriptor,
        transaction: any StoreTransaction,
        body: (inout Pull, RecordPlace) throws -> Void
    ) throws {
        var last: RecordKey?
        while true {
            let keys = try transaction.keysMissingFromSnapshot(
                entity: entity,
                // What was never sent is missing everywhere: only leaving its scope says something about it.
                includingUnknown: absence == .outOfScope,
                after: last,
                limit: 500
            )
            for key in keys {
                let place = RecordPlace(entity: entity, key: key, transaction: transaction)
                if try scope.holds(place) { try body(&self, place) }
            }
            guard let end = keys.last, keys.count == 500 else { break }
            last = end
        }
    }

    /// Whether records missing from a complete listing count as deleted.
    private mutating func isBelieved(
        scope: SnapshotScope,
        entity: EntityDescriptor,
        transaction: any StoreTransaction
    ) throws -> Bool {
        var absent = 0
        try eachMissing(
            scope: scope,
            absence: .deleted,
            entity: entity,
            transaction: transaction
        ) { _, place in
            let header = try place.header()
            if header?.state == .synced, header?.visibility.exists == true { absent += 1 }
        }
        // A listing that began in an earlier sync: what it has shown is here by now.
        let known =
            try knownBefore[scope] ?? self.known(scope: scope, entity: entity, snapshot: transaction)
        let check = AbsenceGuard(known: max(known, absent), absent: absent, isAgreed: acceptsMissing)
        if check.isBelieved { return true }
        let before = missing[entity.name] ?? (absent: 0, known: 0)
        missing[entity.name] = (before.absent + absent, before.known + check.known)
        return false
    }

    /// The delete that a remote without tombstones does not write, of a record that others refer to: what follows for
    /// them follows from a tombstone. Nil if the record just goes.
    private func vanished(_ place: RecordPlace) throws -> SyncRecord? {
        let entity = place.entity
        let isParent = sync.ordered.contains { child in
            child.references.contains { $0.entity == entity.name && $0.onDelete != .keep }
        }
        guard isParent else { return nil }
        let before = try place.state()
        guard let local = before.local, local.state == .synced, local.visibility.exists else { return nil }
        let sequence = before.highestSequence(of: sync.remote.author) + 1
        var edit = Editor.Edit(current: local.version, record: local.version.record)
        edit.isDeleted = true
        let editor = Editor(descriptor: entity, now: sync.now, device: sync.remote.author)
        guard case .edited(let version) = editor(edit, key: place.key, sequence: { sequence }) else {
            return nil
        }
        return version
    }

    /// Notes that a page of the full state contained a record. Without revisions, the remote may have only an older
    /// version, which does not count where records were lost.
    mutating func noteInSnapshot(
        _ change: Change.Header,
        absence: RemotePage.Absence,
        transaction: any StoreTransaction
    ) throws {
        guard change.revision == nil, let entity = sync.entities[change.entity],
            let header = try transaction.header(entity: entity, key: change.key)
        else { return }
        if absence == .lost, let metadata = change.metadata,
            header.hasHeads || !metadata.vector.covers(header.metadata.vector)
        {
            return
        }
        try transaction.noteInSnapshot(entity: entity, key: change.key)
    }
}

extension SnapshotScope {
    /// Whether the scope contains a record, judged by the remote's version that this store has seen last.
    fileprivate func holds(_ place: RecordPlace) throws -> Bool {
        if fields.isEmpty { return true }
        return try place.state().seenAtRemote.map { holds($0, entity: place.entity) } ?? false
    }

    /// Whether the scope contains a version.
    fileprivate func holds(_ version: SyncRecord, entity: EntityDescriptor) -> Bool {
        fields.allSatisfy { name, value in
            entity.fields.firstIndex { $0.name == name }.map { version.record.values[$0] == value } ?? false
        }
    }
}

extension RemotePage.Absence {
    /// The event for a missing record.
    fileprivate var event: RecordEvent {
        switch self {
        case .deleted: .absent
        case .lost: .lost
        case .outOfScope: .outOfScope
        }
    }
}
