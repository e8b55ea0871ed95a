public import SyncCore
import SyncRuntime

/// A record and those that refer to it.
public struct RecordWithChildren<Entity: SyncEntity, Child: SyncEntity>: Sendable, Identifiable {
    /// The key of the record.
    public let id: RecordKey
    /// The record.
    public let record: Entity
    /// The records that refer to it, in the order of their query.
    public let children: [Child]
}

extension RecordWithChildren: Equatable where Entity: Equatable, Child: Equatable {}

/// Reads and writes of several records at once.
extension SyncCollection {
    /// The first record that matches a query, in its order; nil if none does. Of a query that ends before a record, the
    /// nearest one before that. Throws if no index serves the query.
    public func first(_ query: SyncQuery<Entity> = SyncQuery()) throws -> Entity? {
        try self.query(query.limit(1)).first
    }

    /// The records of some keys, in the order of the keys. Those that are not there are left out. All are read at the same
    /// moment.
    public func find(keys: some Sequence<Entity.EntityKey>) throws -> [Entity] {
        try store.read { snapshot in
            try keys.compactMap { key in
                try snapshot.shown(entity: descriptor, key: Entity.recordKey(key)).flatMap {
                    try? Entity.adapter.model($0.version.record, store: snapshot.storeID)
                }
            }
        }
    }

    /// The records that match a query, each with the records of another entity that refer to it by a field:
    /// `recipes.query(SyncQuery(), with: Step.Fields.recipeId, SyncQuery().sort(by: Step.Fields.position))`. All are read at
    /// the same moment. The second query says which of them, and in which order; its limit counts for each record.
    ///
    /// Throws if no index serves one of the queries; the schema's reference brings one of the field.
    public func query<Child: SyncEntity>(
        _ query: SyncQuery<Entity>,
        with field: Field<Child, Entity.EntityKey>,
        _ children: SyncQuery<Child> = SyncQuery()
    ) throws -> [RecordWithChildren<Entity, Child>]
    where Entity: Identifiable, Entity.ID == Entity.EntityKey {
        try withChildren(query) { children.filter(field == $0) }
    }

    /// The same by a field that may lack a value.
    public func query<Child: SyncEntity>(
        _ query: SyncQuery<Entity>,
        with field: Field<Child, Entity.EntityKey?>,
        _ children: SyncQuery<Child> = SyncQuery()
    ) throws -> [RecordWithChildren<Entity, Child>]
    where Entity: Identifiable, Entity.ID == Entity.EntityKey {
        try withChildren(query) { children.filter(field == $0) }
    }

    /// The records that match a query with those that refer to them, as `query(_:with:_:)` reads them: now, and again
    /// whenever one of either changes.
    public func observe<Child: SyncEntity>(
        _ query: SyncQuery<Entity>,
        with field: Field<Child, Entity.EntityKey>,
        _ children: SyncQuery<Child> = SyncQuery()
    ) -> SyncObservation<[RecordWithChildren<Entity, Child>]>
    where Entity: Identifiable, Entity.ID == Entity.EntityKey {
        observe(query, entities: children.entities) { try $0.query($1, with: field, children) }
    }

    /// The same by a field that may lack a value.
    public func observe<Child: SyncEntity>(
        _ query: SyncQuery<Entity>,
        with field: Field<Child, Entity.EntityKey?>,
        _ children: SyncQuery<Child> = SyncQuery()
    ) -> SyncObservation<[RecordWithChildren<Entity, Child>]>
    where Entity: Identifiable, Entity.ID == Entity.EntityKey {
        observe(query, entities: children.entities) { try $0.query($1, with: field, children) }
    }

    private func withChildren<Child: SyncEntity>(
        _ query: SyncQuery<Entity>,
        children: (Entity.EntityKey) -> SyncQuery<Child>
    ) throws -> [RecordWithChildren<Entity, Child>]
    where Entity: Identifiable, Entity.ID == Entity.EntityKey {
        let query = try query.storeQuery()
        return try store.read { snapshot in
            try snapshot.models(with: Entity.adapter, query: query).models.map { record in
                RecordWithChildren(
                    id: Entity.recordKey(record.id),
                    record: record,
                    children: try snapshot.models(
                        with: Child.adapter,
                        query: children(record.id).storeQuery()
                    )
                    .models
                )
            }
        }
    }

    /// Deletes a record that was read. Throws `notFound` if there is none of its key.
    public func delete(_ record: Entity) throws { try writer.batch { try $0.delete(record) } }

    /// Changes each record of a query in one transaction. If one of them does not fit then, none is changed, and the error
    /// names it in `SyncError.record`. See `SyncBatch.update`.
    ///
    /// - Returns: How many records were changed.
    @discardableResult
    public func update(_ query: SyncQuery<Entity>, change: (inout Entity) throws -> Void) throws -> Int {
        try writer.batch { try $0.update(query, change: change) }
    }

    /// Deletes each record of a query in one transaction, and with each what its schema deletes with it.
    ///
    /// - Returns: How many records the query found.
    @discardableResult
    public func delete(_ query: SyncQuery<Entity>) throws -> Int { try writer.batch { try $0.delete(query) } }
}
