public import SyncCore

/// A query: which records of an entity, and in which order. A value: each step returns a new query.
///
/// ```swift
/// let query = SyncQuery<Bookmark>()
///     .filter(Bookmark.Fields.surahNumber == 2)
///     .sort(by: Bookmark.Fields.createdAt, order: .descending)
///     .limit(20)
/// ```
///
/// Conditions combine by `&&`, `||` and `!`. An index must serve the query: one that would have to walk all records
/// throws an error that names the missing index, unless it says `allowingScan()`.
public struct SyncQuery<Entity: SyncEntity>: Sendable {
    private var conditions: [FieldCondition<Entity>] = []
    private var order: [StoreQuery.Sort] = []
    private var limit: Int?
    private var last: Entity?
    private var isBackward = false
    private var allowsScan = false
    private var includesDeleted = false

    /// All records that are not deleted, in key order.
    public init() {}

    /// A sort direction.
    public enum Order: Sendable, Hashable {
        case ascending, descending
    }

    /// Adds conditions. A record must meet all of them.
    public func filter(_ conditions: FieldCondition<Entity>...) -> Self {
        var query = self
        query.conditions += conditions
        return query
    }

    /// Adds a field to the order. Records without a value come first in ascending order. Ties are
    /// broken by key, in the direction of the last order.
    public func sort<Value: ComparableFieldValue>(
        by field: Field<Entity, Value>,
        order: Order = .ascending
    ) -> Self {
        sorted(by: field.schemaName, order: order)
    }

    /// Adds an enumeration to the order: its values as the schema lists them, unknown ones last. No index serves this
    /// order, so another condition must find the records.
    public func sort<Value: OpenEnum>(by field: Field<Entity, Value>, order: Order = .ascending) -> Self {
        sorted(by: field.schemaName, order: order, cases: Value.allCases)
    }

    /// Adds an enumeration that may be missing to the order. Records without a value come first in ascending order.
    public func sort<Value: OpenEnum>(by field: Field<Entity, Value?>, order: Order = .ascending) -> Self {
        sorted(by: field.schemaName, order: order, cases: Value.allCases)
    }

    /// Limits the number of records.
    public func limit(_ count: Int) -> Self {
        var query = self
        query.limit = count
        return query
    }

    /// Starts after the last record of the previous page, as it was read. A page costs the same wherever it is, and
    /// no record is missed or repeated when earlier ones come or go.
    public func after(_ record: Entity) -> Self {
        var query = self
        (query.last, query.isBackward) = (record, false)
        return query
    }

    /// Ends before the first record of a page, as it was read: with a limit, this is the previous page. The result is in
    /// the query's order.
    public func before(_ record: Entity) -> Self {
        var query = self
        (query.last, query.isBackward) = (record, true)
        return query
    }

    /// Allows to walk all records where no index serves the query. Without it, such a query is an error that names the
    /// missing index.
    public func allowingScan() -> Self {
        var query = self
        query.allowsScan = true
        return query
    }

    /// Includes deleted records, as they were when they were deleted.
    public func includingDeleted() -> Self {
        var query = self
        query.includesDeleted = true
        return query
    }

    /// The query in the store's form. Throws `SyncError` for a value that cannot be in its field.
    package func storeQuery() throws -> StoreQuery {
        let descriptor = Entity.adapter.descriptor
        return try descriptor.fitting {
            var query = StoreQuery(
                sort: order,
                limit: limit,
                isBackward: isBackward,
                allowsScan: allowsScan,
                includesDeleted: includesDeleted
            )
            for condition in conditions { query.require(try condition.filter()) }
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

    /// The entities whose records it reads. A query that cannot be made throws when it is read.
    var entities: Set<String> {
        let others = (try? storeQuery().otherEntities) ?? []
        return others.union([Entity.adapter.descriptor.name])
    }

    /// `cases` are values in their order, if it is not that of their type.
    private func sorted(by field: String, order: Order, cases: [any FieldConvertible]? = nil) -> Self {
        var query = self
        // A field that the schema does not have throws when the query is read.
        let ranks = (try? Entity.adapter.descriptor.queried(field: field)).flatMap { field in
            cases.map { $0.compactMap { try? $0.fieldValue(as: field.type) } }
        }
        query.order.append(
            StoreQuery.Sort(field: field, isDescending: order == .descending, ranks: ranks)
        )
        return query
    }
}
