public import SyncCore

/// Which records of an entity are wanted, and in which order. A value: each step gives a new one.
///
/// ```swift
/// let query = SyncQuery<Bookmark>()
///     .filter(Bookmark.Fields.surahNumber == 2)
///     .sort(by: Bookmark.Fields.createdAt, .descending)
///     .limit(20)
/// ```
///
/// Fields of conditions and of the order need an index: a query that would have to walk all records is an error that
/// names the field.
public struct SyncQuery<Entity: SyncEntity>: Sendable {
    private var conditions: [FieldCondition<Entity>] = []
    private var order: [StoreQuery.Sort] = []
    private var limit: Int?
    private var last: Entity?
    private var includesDeleted = false

    /// All records that are not deleted, in the order of their keys.
    public init() {}

    /// A direction.
    public enum Order: Sendable, Hashable {
        case ascending, descending
    }

    /// The same with more conditions, which all have to hold.
    public func filter(_ conditions: FieldCondition<Entity>...) -> Self {
        var query = self
        query.conditions += conditions
        return query
    }

    /// The same in the order of a field, after those that were given before. Records that are alike follow by key.
    public func sort<Value: OrderedFieldValue>(
        by field: Field<Entity, Value>,
        order: Order = .ascending
    ) -> Self {
        sorted(by: field.name, order: order)
    }

    /// The same in the order of a field that may be null; those without a value come before all others.
    public func sort<Value: OrderedFieldValue>(
        by field: Field<Entity, Value?>,
        order: Order = .ascending
    ) -> Self {
        sorted(by: field.name, order: order)
    }

    /// At most so many records.
    public func limit(_ count: Int) -> Self {
        var query = self
        query.limit = count
        return query
    }

    /// The records that come after the last one of the page before, as it was read. Nothing is counted, so a page costs the
    /// same wherever it lies, and none is missed or repeated when records before it come or go.
    public func after(_ record: Entity) -> Self {
        var query = self
        query.last = record
        return query
    }

    /// The same with deleted records, as they were when they were deleted.
    public func includingDeleted() -> Self {
        var query = self
        query.includesDeleted = true
        return query
    }

    /// The query as the store takes it. Throws `SyncError` when a value cannot stand in its field.
    public func storeQuery() throws -> StoreQuery {
        let descriptor = Entity.adapter.descriptor
        return try fitting(entity: descriptor) {
            var query = StoreQuery(sort: order, limit: limit, includesDeleted: includesDeleted)
            query.conditions = try conditions.map { try $0.condition() }
            if let last {
                let record = try Entity.adapter.record(last)
                query.after = StoreQuery.Position(
                    values: order.map { sort in
                        descriptor.layout.position(of: sort.field).flatMap { record.values[$0] } ?? .null
                    },
                    key: try descriptor.requiredKey(of: record)
                )
            }
            return query
        }
    }

    private func sorted(by field: String, order: Order) -> Self {
        var query = self
        query.order.append(StoreQuery.Sort(field: field, isDescending: order == .descending))
        return query
    }
}
