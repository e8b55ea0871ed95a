import SyncCore

/// Records that are missing from a complete snapshot of the remote.
extension Pull {
    /// Starts to note which records the remote's full state contains.
    mutating func beginSnapshot(of scopes: [SnapshotScope], transaction: any StoreTransaction) throws {
        for name in Set(scopes.map(\.entity)).sorted() {
            guard let entity = entities[name] else { continue }
            try transaction.beginSnapshot(entity)
            listed[name] = 0
        }
    }

    /// After the last page of a full state: handles the records that no page contained.
    mutating func sweep(
        scopes: [SnapshotScope],
        absence: RemotePage.Absence,
        transaction: any StoreTransaction
    ) throws {
        for scope in scopes {
            guard let entity = entities[scope.entity],
                try isBelieved(absence, entity: entity, transaction: transaction)
            else { continue }
            var last: RecordKey?
            while true {
                let keys = try transaction.keysMissingFromSnapshot(entity: entity, after: last, limit: 500)
                for key in keys where try holds(scope: scope, entity: entity, key: key, snapshot: transaction)
                {
                    try perform(absence.event, entity: entity, key: key, transaction: transaction)
                }
                guard let end = keys.last, keys.count == 500 else { break }
                last = end
            }
        }
        for name in Set(scopes.map(\.entity)).sorted() {
            if let entity = entities[name] { try transaction.endSnapshot(entity) }
            listed[name] = nil
        }
    }

    /// An empty state may delete up to this many records without a doubt: the last ones of a short list get deleted,
    /// too.
    private static let fewRecords = 5

    /// Whether records missing from a snapshot count as deleted. A remote without tombstones that suddenly shows none
    /// of many records has probably lost them, or shows them to somebody else.
    private mutating func isBelieved(
        _ absence: RemotePage.Absence,
        entity: EntityDescriptor,
        transaction: any StoreTransaction
    ) throws -> Bool {
        guard absence == .deleted, !remote.capabilities.contains(.tombstones), !believesAbsence,
            listed[entity.name] == 0
        else { return true }
        let missing = try transaction.keysMissingFromSnapshot(entity: entity, after: nil, limit: .max).count {
            try transaction.header(entity: entity, key: $0)?.state == .synced
        }
        guard missing > Self.fewRecords else { return true }
        doubted[entity.name] = missing
        return false
    }

    /// Whether a scope contains a record, judged by the remote's version that this store has seen last.
    private func holds(
        scope: SnapshotScope,
        entity: EntityDescriptor,
        key: RecordKey,
        snapshot: any StoreSnapshot
    ) throws -> Bool {
        if scope.fields.isEmpty { return true }
        guard let agreed = try snapshot.recordState(entity: entity, key: key).seenAtRemote else {
            return false
        }
        return scope.fields.allSatisfy { name, value in
            entity.fields.firstIndex { $0.name == name }.map { agreed.record.values[$0] == value } ?? false
        }
    }

    /// Notes that a page of the full state contained a record. Without revisions, the remote may have only an older
    /// version, which does not count where records were lost.
    mutating func noteInSnapshot(
        _ change: Change.Header,
        absence: RemotePage.Absence,
        transaction: any StoreTransaction
    ) throws {
        if !remote.capabilities.contains(.tombstones) { listed[change.entity]? += 1 }
        guard change.revision == nil, let entity = entities[change.entity],
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
