public import SyncCore
import SyncRuntime

/// Where a record stands towards the remote.
public enum RecordSyncState: String, Sendable, Hashable, CaseIterable {
    /// The remote holds what this device shows.
    case synced
    /// What was written here waits for the remote's acknowledgement.
    case pendingSync
    /// It was edited here and elsewhere, and a person must decide; see `SyncCollection.conflicts`.
    case conflict
    /// The remote refused it; see `SyncCollection.rejected`.
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

/// A record with where it stands towards the remote, both of one moment.
@dynamicMemberLookup
public struct StatedRecord<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// The record's key.
    public let id: RecordKey
    /// The record.
    public let value: Entity
    /// Where it stands.
    public let state: RecordSyncState

    init(_ local: LocalRecord) throws {
        id = local.version.key
        value = try Entity.adapter.model(local.version.record)
        state = RecordSyncState(local.state)
    }

    /// A field of the record.
    public subscript<Value>(dynamicMember field: KeyPath<Entity, Value>) -> Value { value[keyPath: field] }
}

/// Records with their state. Each is one read of one moment; nothing is written.
extension SyncCollection {
    /// Where the record of a key stands, deleted ones included; nil when none was ever there.
    public func state(of key: Entity.EntityKey) throws -> RecordSyncState? {
        try store.read { snapshot in
            let key = try snapshot.survivor(entity: descriptor, key: Entity.recordKey(key))
            return try snapshot.header(entity: descriptor, key: key).map { RecordSyncState($0.state) }
        }
    }

    /// The record of a key with its state; see `find`.
    public func findStated(_ key: Entity.EntityKey) throws -> StatedRecord<Entity>? {
        try store.read {
            try $0.shown(entity: descriptor, key: Entity.recordKey(key)).map { try StatedRecord($0) }
        }
    }

    /// The records that meet a query with their states, in its order. Throws when no index serves it.
    public func queryStated(_ query: SyncQuery<Entity> = SyncQuery()) throws -> [StatedRecord<Entity>] {
        let query = try query.storeQuery()
        return try store.read { snapshot in
            try snapshot.query(entity: descriptor, query: query).compactMap { local in
                guard local.version.isDeleted else { return try StatedRecord(local) }
                // NB: a tombstone may have lost what a model needs; `query` leaves such out, too.
                do { return try StatedRecord(local) } catch is FieldError { return nil }
            }
        }
    }

    /// Where the record of a key stands: at once, and again whenever that has changed, as when a sync has sent it.
    public func observeState(of key: Entity.EntityKey) -> SyncObservation<RecordSyncState?> {
        let collection = self
        return SyncObservation(store: store, entity: descriptor.name) { { try collection.state(of: key) } }
    }

    /// The record of a key with its state: at once, and again whenever one of the two has changed; nil while there is none.
    public func observeStated(_ key: Entity.EntityKey) -> SyncObservation<StatedRecord<Entity>?> {
        let collection = self
        return SyncObservation(store: store, entity: descriptor.name) { { try collection.findStated(key) } }
    }

    /// The records that meet a query with their states: at once, and again whenever a record or a state has changed. Each time
    /// the whole result is read again, so give a limit where it may be long.
    public func observeStated(
        _ query: SyncQuery<Entity> = SyncQuery()
    ) -> SyncObservation<[StatedRecord<Entity>]> {
        let collection = self
        return SyncObservation(store: store, entity: descriptor.name) {
            { try collection.queryStated(query) }
        }
    }
}
