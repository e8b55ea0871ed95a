package import SyncCore
import SyncSQLite

/// A query's records as they were read last, kept so that the next read takes up no more than has changed.
package struct ObservedModels<Model: Sendable>: Sendable {
    /// The records, in the query's order.
    package let models: [Model]
    let keys: [RecordKey]
    var point: ReadPoint?
}

/// A record as it was read last, kept so that it is read again only when it was written.
package struct ObservedModel<Model: Sendable>: Sendable {
    /// The record; nil when there is none under its key.
    package let model: Model?
    var point: ReadPoint?
}

extension SQLiteStore {
    /// The records that meet a query, where they were read before: only those are read that were written since, as far as
    /// that is known. Throws as `load` does.
    package func load<Adapter: EntityAdapter>(
        _ adapter: Adapter,
        _ query: StoreQuery,
        since last: ObservedModels<Adapter.Model>?
    ) throws -> ObservedModels<Adapter.Model> {
        // NB: a tombstone may have lost what a model needs, and takes another way.
        if query.includesDeleted {
            return ObservedModels(models: try load(adapter, query), keys: [], point: nil)
        }
        return try readSession { session, point in
            if var last, let changed = changed(adapter.descriptor, since: last.point, until: point) {
                if !changed.isEmpty {
                    guard let next = try session.renewed(last, adapter, query, changed) else {
                        return try session.observed(adapter, query, at: point)
                    }
                    last = next
                }
                last.point = point
                return last
            }
            return try session.observed(adapter, query, at: point)
        }
    }

    /// The live record of a key, where it was read before.
    package func load<Adapter: EntityAdapter>(
        _ adapter: Adapter,
        _ key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model> {
        try readSession { session, point in
            if var last, let changed = changed(adapter.descriptor, since: last.point, until: point),
                !changed.contains(key)
            {
                last.point = point
                return last
            }
            return ObservedModel(model: try session.model(adapter, key), point: point)
        }
    }

    /// Keys of records that were written between two points; nil where that is not known.
    private func changed(_ entity: EntityDescriptor, since last: ReadPoint?, until now: ReadPoint?)
        -> Set<RecordKey>?
    {
        guard let last, let now, last.dataVersion == now.dataVersion else { return nil }
        return last.commit == now.commit ? [] : commits.changed(entity.name, since: last.commit)
    }
}

extension StoreSession {
    fileprivate func observed<Adapter: EntityAdapter>(
        _ adapter: Adapter,
        _ query: StoreQuery,
        at point: ReadPoint?
    ) throws -> ObservedModels<Adapter.Model> {
        let found = try rows(adapter, query)
        return ObservedModels(models: found.models, keys: found.keys, point: point)
    }

    /// Records that were read before, with those among some keys as they are now. Nil where others may have come into sight,
    /// too, because one has left that stood before the limit.
    fileprivate func renewed<Adapter: EntityAdapter>(
        _ last: ObservedModels<Adapter.Model>,
        _ adapter: Adapter,
        _ query: StoreQuery,
        _ changed: Set<RecordKey>
    ) throws -> ObservedModels<Adapter.Model>? {
        let kept = last.keys.indices.filter { !changed.contains(last.keys[$0]) }
        let limit = query.limit ?? .max
        if kept.count < last.keys.count, last.keys.count >= limit { return nil }
        let fresh = try rows(adapter, query, among: changed)
        if fresh.keys.isEmpty, kept.count == last.keys.count { return last }
        let order = QueryOrder(query, try entity(adapter.descriptor).table)
        var (models, keys): ([Adapter.Model], [RecordKey]) = ([], [])
        models.reserveCapacity(kept.count + fresh.keys.count)
        keys.reserveCapacity(kept.count + fresh.keys.count)
        var taken = 0
        for (model, key) in zip(fresh.models, fresh.keys) {
            let record = try adapter.record(model)
            var (low, high) = (taken, kept.count)
            while low < high {
                let middle = (low + high) / 2
                let other = kept[middle]
                let isBefore = order.isBefore(
                    (try adapter.record(last.models[other]), last.keys[other]),
                    (record, key)
                )
                (low, high) = isBefore ? (middle + 1, high) : (low, middle)
            }
            for index in kept[taken..<low] {
                models.append(last.models[index])
                keys.append(last.keys[index])
            }
            taken = low
            models.append(model)
            keys.append(key)
        }
        for index in kept[taken...] {
            models.append(last.models[index])
            keys.append(last.keys[index])
        }
        let count = min(models.count, max(0, limit))
        return ObservedModels(models: Array(models.prefix(count)), keys: Array(keys.prefix(count)))
    }

    /// The records that meet a query, among some keys where they are given, with their keys.
    private func rows<Adapter: EntityAdapter>(
        _ adapter: Adapter,
        _ query: StoreQuery,
        among keys: Set<RecordKey>? = nil
    ) throws -> (models: [Adapter.Model], keys: [RecordKey]) {
        let table = try self.entity(adapter.descriptor).table
        let sql = try QuerySQL(table, query, among: keys)
        let statement = try self.query(table.sql.modelsWithKeys + sql.text)
        try sql.bind(to: statement)
        let row = StatementRow(table, statement)
        var found: (models: [Adapter.Model], keys: [RecordKey]) = ([], [])
        try statement.forEachRow { statement in
            try row.begin()
            found.models.append(try adapter.read(row))
            found.keys.append(RecordKey(statement.string(at: row.endOfFields)))
        }
        return found
    }
}

/// The order of a query, as SQLite has it.
private struct QueryOrder {
    /// Positions of fields; nil for the key, which is the last.
    private var terms: [(field: Int?, isDescending: Bool)] = []

    init(_ query: StoreQuery, _ table: EntityTable) {
        for sort in query.sort {
            guard let field = table.descriptor.layout.position(of: sort.field) else { continue }
            if field == table.keyField {
                terms.append((nil, sort.isDescending))
                return
            }
            terms.append((field, sort.isDescending))
        }
        terms.append((nil, query.sort.last?.isDescending ?? false))
    }

    func isBefore(_ one: (record: Record, key: RecordKey), _ two: (record: Record, key: RecordKey)) -> Bool {
        for term in terms {
            let (isLess, isMore): (Bool, Bool)
            if let field = term.field {
                let (left, right) = (one.record.values[field], two.record.values[field])
                (isLess, isMore) = (isStoredBefore(left, right), isStoredBefore(right, left))
            } else {
                (isLess, isMore) = (one.key < two.key, two.key < one.key)
            }
            if isLess || isMore { return isLess != term.isDescending }
        }
        return false
    }

    /// Whether SQLite has one value of a column before another: NULL first, then by number or by bytes.
    private func isStoredBefore(_ one: FieldValue?, _ two: FieldValue?) -> Bool {
        switch (one, two) {
        case (nil, let two), (.null, let two): two != nil && two != .null
        case (.boolean(let one), .boolean(let two)): !one && two
        case (.integer(let one), .integer(let two)): one < two
        case (.number(let one), .number(let two)): one < two
        case (.timestamp(let one), .timestamp(let two)): one < two
        case (.text(let one), .text(let two)), (.json(let one), .json(let two)): one.precedesByBytes(two)
        case (.bytes(let one), .bytes(let two)): one.lexicographicallyPrecedes(two)
        default: false
        }
    }
}
