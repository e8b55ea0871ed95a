public import SyncCore
import SyncRuntime

/// The records of one entity in a space.
///
/// Reads never wait for the network. When a write returns, it is on disk together with its sync state, unless
/// `SpaceConfiguration.flushesWrites` says otherwise. Both throw `SyncError`. A collection is a small value: make one wherever you need it.
public struct SyncCollection<Entity: SyncEntity>: Sendable {
    let store: SpaceStore
    let writer: LocalWriter

    var descriptor: EntityDescriptor { Entity.adapter.descriptor }

    /// Inserts a record. Throws if its key is taken. See `SyncBatch.insert`.
    @discardableResult
    public func insert(_ model: Entity) throws -> Entity { try writer.batch { try $0.insert(model) } }

    /// Inserts a record as a person's edit or as a seed, which gives way to what a person writes. See
    /// `SyncBatch.insert`.
    @discardableResult
    public func insert(_ model: Entity, as intent: InsertIntent) throws -> Entity? {
        try writer.batch { try $0.insert(model, as: intent) }
    }

    /// Writes what was changed in a record since it was read. What others have written since stays, or meets the
    /// change by the entity's strategy. See `SyncBatch.update`.
    @discardableResult
    public func update(_ model: Entity) throws -> Entity { try writer.batch { try $0.update(model) } }

    /// Changes a record that was read: `update(read) { $0.title = title }`. What equals the value that was read is
    /// unchanged, so a form may set all its fields.
    @discardableResult
    public func update(_ read: Entity, change: (inout Entity) throws -> Void) throws -> Entity {
        try writer.batch { try $0.update(read, change: change) }
    }

    /// Changes the record of a key as it is now, for programs that read what they change inside `change`. Throws
    /// `notFound` if there is none.
    @discardableResult
    public func update(_ key: Entity.EntityKey, change: (inout Entity) throws -> Void) throws -> Entity {
        try writer.batch { try $0.update(Entity.self, key: key, change: change) }
    }

    /// Writes a whole record, whatever is there. See `SyncBatch.replace`.
    @discardableResult
    public func replace(_ model: Entity) throws -> Entity { try writer.batch { try $0.replace(model) } }

    /// Inserts a record that was made, or updates one that was read. See `SyncBatch.save`.
    @discardableResult
    public func save(_ model: Entity) throws -> Entity { try writer.batch { try $0.save(model) } }

    /// Deletes a record. Throws `notFound` if there is none.
    public func delete(_ key: Entity.EntityKey) throws {
        try writer.batch { try $0.delete(Entity.self, key: key) }
    }

    /// The record of a key, or the record that it was merged into; nil if there is none or it was deleted.
    public func find(_ key: Entity.EntityKey) throws -> Entity? {
        let (adapter, key) = (Entity.adapter, Entity.recordKey(key))
        if let model = try store.port.load(with: adapter, key: key) { return model }
        return try store.read { snapshot in
            try snapshot.shown(entity: adapter.descriptor, key: key).flatMap {
                try? adapter.model($0.version.record, store: snapshot.storeID)
            }
        }
    }

    /// The record of a key as conflicts, rejections and decisions give it; see `find`.
    public func find(id: RecordKey) throws -> Entity? {
        try store.read { snapshot in
            try snapshot.shown(entity: descriptor, key: id).flatMap {
                try? Entity.adapter.model($0.version.record, store: snapshot.storeID)
            }
        }
    }

    /// All records that are not deleted, in key order.
    public func all() throws -> [Entity] {
        try store.port.loadAll(with: Entity.adapter)
    }

    /// The number of records that are not deleted. Reads no record.
    public var count: Int {
        get throws { try store.read { try $0.counts(entity: descriptor).records } }
    }

    /// The records that match a query, in its order. Throws if no index serves the query.
    public func query(_ query: SyncQuery<Entity>) throws -> [Entity] {
        try store.port.load(with: Entity.adapter, query: query.storeQuery())
    }

    /// The same, with the query built in place: `query { $0.filter(Bookmark.Fields.surahNumber == 2).limit(20) }`.
    public func query(_ build: (SyncQuery<Entity>) throws -> SyncQuery<Entity>) throws -> [Entity] {
        try query(build(SyncQuery()))
    }
}

/// Observation.
extension SyncCollection {
    /// The records that match a query: now, and again whenever they change.
    ///
    /// Commits of this process count, including those of a sync, and commits of other processes. A commit that does
    /// not change the result yields nothing, and a commit to another entity costs nothing. Only records that were
    /// written are read again, unless they are many, another process wrote, or a record left a full limit.
    public func observe(_ query: SyncQuery<Entity> = SyncQuery()) -> SyncObservation<[Entity]> {
        let store = store
        return SyncObservation(store: store, entities: query.entities) {
            let last = Guarded<ObservedModels<Entity>?>(nil)
            return {
                let query = try query.storeQuery()
                return try last.use { last in
                    let next = try store.port.load(with: Entity.adapter, query: query, since: last)
                    last = next
                    return next.models
                }
            }
        }
    }

    /// Anything that is read of the records that match a query, such as a count or a sum: now, and again whenever it
    /// changes.
    public func observe<Value: Equatable & Sendable>(
        _ query: SyncQuery<Entity> = SyncQuery(),
        reading read: @escaping @Sendable (SyncCollection<Entity>, SyncQuery<Entity>) throws -> Value
    ) -> SyncObservation<Value> {
        observe(query, entities: [], reading: read)
    }

    /// The same of records of other entities, too.
    func observe<Value: Equatable & Sendable>(
        _ query: SyncQuery<Entity>,
        entities others: Set<String>,
        reading read: @escaping @Sendable (SyncCollection<Entity>, SyncQuery<Entity>) throws -> Value
    ) -> SyncObservation<Value> {
        let collection = self
        return SyncObservation(store: store, entities: query.entities.union(others)) {
            { try read(collection, query) }
        }
    }

    /// The record of a key: now, and again whenever it changes; nil while there is none.
    public func observe(_ key: Entity.EntityKey) -> SyncObservation<Entity?> {
        let collection = self
        return SyncObservation(store: store, entity: descriptor.name) {
            let last = Guarded<ObservedModel<Entity>?>(nil)
            return {
                let key = Entity.recordKey(key)
                let model = try last.use { last in
                    let next = try collection.store.port.load(with: Entity.adapter, key: key, since: last)
                    last = next
                    return next.model
                }
                return try model ?? collection.find(id: key)
            }
        }
    }
}
