public import SyncCore
import SyncRuntime

/// Writes of one transaction with an app's own types: all or nothing.
///
/// ```swift
/// try await space.write { batch in
///     try batch.save(bookmark)
///     try batch.delete(Project.self, key: "p1")
/// }
/// ```
public struct SyncBatch: ~Copyable {
    let session: WriteSession

    /// What the transaction sees.
    var snapshot: any StoreSnapshot { session.transaction }
}

extension LocalWriter {
    /// Runs an app's writes in one transaction: all or nothing.
    public func batch<Result>(_ body: (borrowing SyncBatch) throws -> Result) throws -> Result {
        try write { try body(SyncBatch(session: $0)) }
    }
}

extension SyncBatch {
    /// Inserts a record. Throws `SyncError` if its key is taken, or if the record does not fit its schema, would
    /// duplicate unique values, or would exceed the entity's limit.
    ///
    /// - Returns: The record as it is stored, with the times of creation and last edit.
    @discardableResult
    public func insert<Entity: SyncEntity>(_ model: Entity) throws -> Entity {
        let record = try Draft(model)
        if try snapshot.shown(entity: record.entity, key: record.key) != nil {
            throw SyncError.keyTaken(entity: record.entity.name)
        }
        return try write(record)
    }

    /// Inserts a record as an edit of a person, or as a seed: values that an app brings along, such as settings before
    /// anybody chose any. A seed gives way to whatever a person has written or will write, and writes nothing where its
    /// key or its unique values are taken or the record was deleted.
    ///
    /// - Returns: The record that is there afterwards; nil if it was deleted.
    @discardableResult
    public func insert<Entity: SyncEntity>(_ model: Entity, as intent: InsertIntent) throws -> Entity? {
        guard intent == .seed else { return try insert(model) }
        let draft = try Draft(model)
        let key = try session.seed(entity: draft.entity, record: draft.record)
        return try snapshot.shown(entity: draft.entity, key: key).map {
            try Entity.adapter.model($0.version.record, store: snapshot.storeID)
        }
    }

    /// Writes what was changed in a record since it was read. What others have written since stays, or meets the
    /// change by the entity's strategy; see <doc:Conflicts>.
    ///
    /// Throws `SyncError`: `invalidInput` if its key was changed, `notFound` for a record that was made and not read if there
    /// is none of its key; otherwise as `insert` does. One that was made replaces the whole record, and the journal keeps what that had; a later version
    /// will refuse it.
    ///
    /// - Returns: The record as it is stored.
    @discardableResult
    public func update<Entity: SyncEntity>(_ model: Entity) throws -> Entity {
        let record = try Draft(model)
        if let base = record.base { return try save(record, since: base) }
        guard !record.hasOtherKey else { throw SyncError.keyChange(entity: record.entity.name) }
        guard try snapshot.shown(entity: record.entity, key: record.key) != nil else {
            throw SyncError.noSuchRecord(entity: record.entity.name)
        }
        return try write(record, journalsReplaced: true)
    }

    /// Changes a record that was read: `update(read) { $0.title = title }`. What equals the value that was read is
    /// unchanged, so a form may set all its fields. See `update(_:)`.
    @discardableResult
    public func update<Entity: SyncEntity>(_ read: Entity, change: (inout Entity) throws -> Void) throws
        -> Entity
    {
        var model = read
        try change(&model)
        return try update(model)
    }

    /// Changes the record of a key as it is now, for programs that read what they change inside `change`. Throws
    /// `notFound` if there is none.
    @discardableResult
    public func update<Entity: SyncEntity>(
        _ type: Entity.Type,
        key: Entity.EntityKey,
        change: (inout Entity) throws -> Void
    ) throws -> Entity {
        guard let read = try find(type, key: key) else {
            throw SyncError.noSuchRecord(entity: Entity.adapter.descriptor.name)
        }
        return try update(read, change: change)
    }

    /// Writes a whole record, whatever is there: inserts it, or replaces every field of the one that has its key.
    /// Throws as `insert` does.
    ///
    /// - Returns: The record as it is stored.
    @discardableResult
    public func replace<Entity: SyncEntity>(_ model: Entity) throws -> Entity {
        try write(try Draft(model))
    }

    /// Inserts a record that was made, or updates one that was read: `insert` or `update`.
    ///
    /// - Returns: The record as it is stored.
    @discardableResult
    public func save<Entity: SyncEntity>(_ model: Entity) throws -> Entity {
        let record = try Draft(model)
        if let base = record.base { return try save(record, since: base) }
        return try write(record, journalsReplaced: true)
    }

    /// Deletes a record. Throws `SyncError`: `notFound` if there is none.
    public func delete<Entity: SyncEntity>(_ type: Entity.Type, key: Entity.EntityKey) throws {
        try session.delete(entity: Entity.adapter.descriptor, key: Entity.recordKey(key))
    }

    /// The record of a key as this transaction sees it; nil if there is none. See `SyncCollection.find`.
    public func find<Entity: SyncEntity>(_ type: Entity.Type, key: Entity.EntityKey) throws -> Entity? {
        let adapter = Entity.adapter
        return try snapshot.shown(entity: adapter.descriptor, key: Entity.recordKey(key)).map {
            try adapter.model($0.version.record, store: snapshot.storeID)
        }
    }

    /// The records that match a query, as this transaction sees them.
    public func query<Entity: SyncEntity>(_ query: SyncQuery<Entity>) throws -> [Entity] {
        try snapshot.models(with: Entity.adapter, query: query.storeQuery()).models
    }

    /// Writes an edit of the version that was read, also of a record that another store has, too: its values say what
    /// was changed. A form that was open when another account signed in makes no record there.
    private func save<Entity: SyncEntity>(_ draft: Draft<Entity>, since base: Record) throws -> Entity {
        let isKnown = try snapshot.header(entity: draft.entity, key: draft.key) != nil
        let store = draft.model.unknownFields.store
        guard try isKnown || snapshot.holds(versionsOf: store) else {
            throw SyncError.otherStore(entity: draft.entity.name)
        }
        return try stored(
            draft,
            key: try session.save(entity: draft.entity, record: draft.record, since: base, from: store)
        )
    }

    /// Writes a whole record. One that was made and not read does not tell what it changes in a record that is there:
    /// later versions refuse that, and until then the journal keeps what the record had.
    private func write<Entity: SyncEntity>(_ draft: Draft<Entity>, journalsReplaced: Bool = false) throws
        -> Entity
    {
        let key = try session.replace(
            entity: draft.entity,
            record: draft.record,
            journalsReplaced: journalsReplaced
        )
        return try stored(draft, key: key)
    }

    private func stored<Entity: SyncEntity>(_ draft: Draft<Entity>, key: RecordKey) throws -> Entity {
        guard let stored = try snapshot.load(entity: draft.entity, key: key) else { return draft.model }
        return try Entity.adapter.model(stored.version.record, store: snapshot.storeID)
    }
}

/// What a new record is.
public enum InsertIntent: Sendable, Hashable {
    /// Something that a person wrote.
    case edit
    /// Something that an app brings along, and that gives way to what a person writes.
    case seed
}

/// A model that is about to be written.
struct Draft<Entity: SyncEntity> {
    let model: Entity
    let entity: EntityDescriptor
    let record: Record
    let key: RecordKey
    /// The values as they were read; nil for a model that was made, or that has another key now.
    let base: Record?
    /// Whether it was read with another key.
    let hasOtherKey: Bool

    init(_ model: Entity) throws {
        let adapter = Entity.adapter
        let entity = adapter.descriptor
        self.model = model
        self.entity = entity
        (record, key, base, hasOtherKey) = try entity.fitting {
            let record = try adapter.record(model)
            let key = try entity.requiredKey(of: record)
            let base = try model.unknownFields.base(of: record, fields: entity.fields)
            let given = model.unknownFields.leavingOmitted(of: record, fields: entity.fields)
            let isSame = base.map { entity.key(of: $0) == key } ?? true
            return (given, key, isSame ? base : nil, !isSame)
        }
    }
}
