public import SyncCore
public import SyncRuntime

/// Writes of one transaction with an app's own types: all or nothing.
///
/// ```swift
/// try space.write { batch in
///     try batch.save(bookmark)
///     try batch.delete(Project.self, "p1")
/// }
/// ```
public typealias SyncBatch = WriteSession

extension WriteSession {
    /// Inserts a record. Throws `SyncError` if its key is taken, and as `save` does.
    ///
    /// - Returns: The record as it is stored, with the times of creation and last edit.
    @discardableResult
    public func insert<Entity: SyncEntity>(_ model: Entity) throws -> Entity {
        let record = try Draft(model)
        if try store.shown(entity: record.entity, key: record.key) != nil {
            throw SyncError.keyTaken(entity: record.entity.name)
        }
        return try save(record)
    }

    /// Updates a record. Throws `SyncError`: `notFound` if there is none or it was deleted, and as `save` does.
    ///
    /// - Returns: The record as it is stored.
    @discardableResult
    public func update<Entity: SyncEntity>(_ model: Entity) throws -> Entity {
        let record = try Draft(model)
        if try store.shown(entity: record.entity, key: record.key) == nil {
            throw SyncError.noSuchRecord(entity: record.entity.name)
        }
        return try save(record)
    }

    /// Inserts or updates a record. Throws `SyncError` if it does not fit its schema, would duplicate unique values,
    /// or would exceed the entity's limit.
    ///
    /// - Returns: The record as it is stored.
    @discardableResult
    public func save<Entity: SyncEntity>(_ model: Entity) throws -> Entity {
        try save(try Draft(model))
    }

    /// Deletes a record. Throws `SyncError`: `notFound` if there is none.
    public func delete<Entity: SyncEntity>(_ type: Entity.Type, key: Entity.EntityKey) throws {
        try delete(entity: Entity.adapter.descriptor, key: Entity.recordKey(key))
    }

    /// The record of a key as this transaction sees it; nil if there is none. See `SyncCollection.find`.
    public func find<Entity: SyncEntity>(_ type: Entity.Type, key: Entity.EntityKey) throws -> Entity? {
        let adapter = Entity.adapter
        return try store.shown(entity: adapter.descriptor, key: Entity.recordKey(key)).map {
            try adapter.model($0.version.record)
        }
    }

    /// The records that match a query, as this transaction sees them.
    public func query<Entity: SyncEntity>(_ query: SyncQuery<Entity>) throws -> [Entity] {
        let adapter = Entity.adapter
        return try store.query(entity: adapter.descriptor, query: query.storeQuery()).map {
            try adapter.model($0.version.record)
        }
    }

    private func save<Entity: SyncEntity>(_ draft: Draft<Entity>) throws -> Entity {
        var record = draft.record
        let entity = draft.entity
        // A model that an app has just made does not know when its record was created.
        if let created = entity.layout.created, record.values[created] == nil,
            let current = try store.shown(entity: entity, key: draft.key)
        {
            record.values[created] = current.version.record.values[created]
        }
        let key = try replace(entity: entity, record: record)
        guard let stored = try store.load(entity: entity, key: key) else { return draft.model }
        return try Entity.adapter.model(stored.version.record)
    }
}

/// A model that is about to be written.
private struct Draft<Entity: SyncEntity> {
    let model: Entity
    let entity: EntityDescriptor
    let record: Record
    let key: RecordKey

    init(_ model: Entity) throws {
        let adapter = Entity.adapter
        let entity = adapter.descriptor
        self.model = model
        self.entity = entity
        (record, key) = try fitting(entity: entity) {
            let record = try adapter.record(model)
            return (record, try entity.requiredKey(of: record))
        }
    }
}
