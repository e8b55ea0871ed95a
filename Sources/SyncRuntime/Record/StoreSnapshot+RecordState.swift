package import SyncCore

extension StoreSnapshot {
    /// The state of one record.
    package func recordState(entity: EntityDescriptor, key: RecordKey) throws -> RecordState {
        guard let local = try load(entity: entity, key: key) else { return RecordState() }
        return try recordState(of: local, entity: entity)
    }

    private func recordState(of local: LocalRecord, entity: EntityDescriptor) throws -> RecordState {
        let key = local.version.key
        var recordState = RecordState(local: local)
        if local.state != .synced { recordState.base = try side(entity: entity, key: key, kind: .base) }
        if local.state == .pending { recordState.agreed = try side(entity: entity, key: key, kind: .agreed) }
        if local.state == .conflict {
            recordState.remote = try side(entity: entity, key: key, kind: .remote)
            recordState.unsent = try side(entity: entity, key: key, kind: .unsent)
        }
        if local.hasHeads { recordState.heads = try heads(entity: entity, key: key) }
        return recordState
    }

    /// The state of a record under its own key, or that of the record into which it was merged.
    func survivingState(entity: EntityDescriptor, key: RecordKey) throws -> (
        key: RecordKey, state: RecordState
    ) {
        var key = key
        // Chains are short, because each merge leads to a smaller key. But a damaged store might contain a cycle.
        for _ in 0..<64 {
            guard let local = try load(entity: entity, key: key) else { return (key, RecordState()) }
            guard local.visibility != .live, let next = local.version.mergedInto else {
                return (key, try recordState(of: local, entity: entity))
            }
            key = next
        }
        return (key, try recordState(entity: entity, key: key))
    }

    /// The key under which a record is found now: its own, or that of the record into which it was merged.
    package func survivor(entity: EntityDescriptor, key: RecordKey) throws -> RecordKey {
        try survivingState(entity: entity, key: key).key
    }

    /// The live record of a key: its own, or the one that it was merged into. Nil if there is none.
    package func shown(entity: EntityDescriptor, key: RecordKey) throws -> LocalRecord? {
        let local = try survivingState(entity: entity, key: key).state.local
        return local?.visibility == .live ? local : nil
    }

    /// Records that were merged into a record, directly or indirectly.
    package func allMerged(entity: EntityDescriptor, into key: RecordKey) throws -> [RecordKey] {
        var found: [RecordKey] = []
        var next = [key]
        while let key = next.popLast() {
            for other in try merged(entity: entity, into: key) where !found.contains(other) {
                found.append(other)
                next.append(other)
            }
        }
        return found
    }
}
