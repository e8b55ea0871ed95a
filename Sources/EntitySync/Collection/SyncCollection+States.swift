public import SyncCore
import SyncRuntime

/// The sync state of a record.
public enum RecordSyncState: String, Sendable, Hashable, CaseIterable {
    /// The remote holds what this device shows.
    case synced
    /// A local edit waits for the remote's acknowledgement.
    case pendingSync
    /// The record was edited here and elsewhere, and a person must decide; see `SyncCollection.conflicts`.
    case conflict
    /// The remote rejected the record; see `SyncCollection.rejected`.
    case rejected

    init(_ state: SyncState) {
        self =
            switch state {
            case .synced: .synced
            case .pending: .pendingSync
            case .conflict: .conflict
            case .rejected: .rejected
            }
    }
}

/// A record with its sync state, both read at the same moment.
@dynamicMemberLookup
public struct StatedRecord<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// The record's key.
    public let id: RecordKey
    /// The record.
    public let value: Entity
    /// Its sync state.
    public let state: RecordSyncState

    init(_ local: LocalRecord, store: StoreID) throws {
        id = local.version.key
        // A deleted record that is saved is written anew.
        value = try Entity.adapter.model(
            local.version.record,
            store: local.version.isDeleted ? .none : store
        )
        state = RecordSyncState(local.state)
    }

    /// A field of the record.
    public subscript<Value>(dynamicMember field: KeyPath<Entity, Value>) -> Value { value[keyPath: field] }
}

/// Records with their states. Each result is read at one moment; nothing is written.
extension SyncCollection {
    /// The sync state of a record, deleted ones included; nil if the key was never used.
    public func state(of key: Entity.EntityKey) throws -> RecordSyncState? {
        try store.read { snapshot in
            let key = try snapshot.survivor(entity: descriptor, key: Entity.recordKey(key))
            return try snapshot.header(entity: descriptor, key: key).map { RecordSyncState($0.state) }
        }
    }

    /// When this device and the remote last had the same of a record, deleted ones included: the end of the last complete
    /// sync that covered its type, which is `SyncStatus.lastSuccess` unless that was excluded or not asked for.
    ///
    /// An edit that waits to be sent does not change it. Nil for a record that the remote never had, or that is in
    /// conflict or rejected; and while no sync has exchanged everything.
    public func lastSynced(_ key: Entity.EntityKey) throws -> Timestamp? {
        try store.read { snapshot in
            let key = try snapshot.survivor(entity: descriptor, key: Entity.recordKey(key))
            return try snapshot.lastSynced(entity: descriptor, key: key)
        }
    }

    /// The record of a key with its state; see `find`.
    public func findStated(_ key: Entity.EntityKey) throws -> StatedRecord<Entity>? {
        try store.read { snapshot in
            // What cannot be read is in no list and found by no key. It is among the rejected records.
            try snapshot.shown(entity: descriptor, key: Entity.recordKey(key)).flatMap {
                try? StatedRecord($0, store: snapshot.storeID)
            }
        }
    }

    /// The records that match a query, with their states, in its order. Throws if no index serves the query.
    public func queryStated(_ query: SyncQuery<Entity> = SyncQuery()) throws -> [StatedRecord<Entity>] {
        let query = try query.storeQuery()
        return try store.read { snapshot in
            try snapshot.query(entity: descriptor, query: query).compactMap { local in
                let store = snapshot.storeID
                // A tombstone may have lost values that a model needs. `query` leaves such records out as well.
                do { return try StatedRecord(local, store: store) } catch is FieldError { return nil }
            }
        }
    }

    /// The sync state of a record: now, and again after each change, such as when a sync has sent it.
    public func observeState(of key: Entity.EntityKey) -> SyncObservation<RecordSyncState?> {
        let collection = self
        return SyncObservation(store: store, entity: descriptor.name) { { try collection.state(of: key) } }
    }

    /// The record of a key with its state: now, and again when either changes; nil while there is no record.
    public func observeStated(_ key: Entity.EntityKey) -> SyncObservation<StatedRecord<Entity>?> {
        let collection = self
        return SyncObservation(store: store, entity: descriptor.name) { { try collection.findStated(key) } }
    }

    /// The records that match a query, with their states: now, and again when a record or a state changes. Each time
    /// the whole result is read again, so set a limit if it may be long.
    public func observeStated(
        _ query: SyncQuery<Entity> = SyncQuery()
    ) -> SyncObservation<[StatedRecord<Entity>]> {
        let collection = self
        return SyncObservation(store: store, entities: query.entities) {
            { try collection.queryStated(query) }
        }
    }
}
