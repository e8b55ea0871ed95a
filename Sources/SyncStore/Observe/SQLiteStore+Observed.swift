public import SyncCore
import SyncSQLite

extension ObservedModels {
    /// Positions of records with some keys, in order.
    fileprivate func places(of changed: Set<RecordKey>) -> [Int] {
        // For a few keys, comparing is faster than a set.
        guard changed.count <= 4 else { return keys.indices.filter { changed.contains(keys[$0]) } }
        let few = Array(changed)
        return keys.indices.filter { index in few.contains { $0 == keys[index] } }
    }

    /// Partition point: the first index at or after `start` for which the predicate holds (binary search). Skips the
    /// indices in `left`.
    fileprivate func firstPlace(
        from start: Int,
        without left: Set<Int>,
        where predicate: (Int) throws -> Bool
    )
        rethrows -> Int
    {
        var (low, high) = (start, keys.count)
        while low < high {
            let middle = (low + high) / 2
            guard let probe = (middle..<high).first(where: { !left.contains($0) }) else {
                high = middle
                continue
            }
            if try predicate(probe) { high = middle } else { low = probe + 1 }
        }
        return low
    }

    fileprivate mutating func reserve(count: Int) {
        models.reserveCapacity(count)
        keys.reserveCapacity(count)
    }

    fileprivate mutating func append(_ model: Model, key: RecordKey) {
        models.append(model)
        keys.append(key)
    }

    /// Appends a range of other records, without some indices.
    fileprivate mutating func append(_ other: Self, range: Range<Int>, without gone: [Int]) {
        var start = range.lowerBound
        for end in gone.filter(range.contains) + [range.upperBound] {
            models += other.models[start..<end]
            keys += other.keys[start..<end]
            start = end + 1
        }
    }

    fileprivate mutating func shorten(to count: Int) {
        if keys.count <= count { return }
        models.removeLast(keys.count - count)
        keys.removeLast(keys.count - count)
    }
}

extension SQLiteStore {
    /// The records that match a query, given the previous result: only records written since are read again, as far
    /// as that is known. Throws as `load` does.
    public func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        query: StoreQuery,
        since last: ObservedModels<Adapter.Model>?
    ) throws -> ObservedModels<Adapter.Model> {
        // NB: a tombstone may have lost values that a model needs. It is read another way.
        if query.includesDeleted {
            return try read { try $0.models(with: adapter, query: query) }
        }
        return try readSession { session, point in
            if var last,
                let changed = try changed(
                    adapter.descriptor,
                    query: query,
                    session: session,
                    since: last.point,
                    until: point
                )
            {
                if !changed.isEmpty {
                    guard
                        let next = try session.renewed(
                            last: last,
                            adapter: adapter,
                            query: query,
                            changed: changed
                        )
                    else {
                        return try session.observed(adapter: adapter, query: query, at: point)
                    }
                    last = next
                }
                last.point = point
                return last
            }
            return try session.observed(adapter: adapter, query: query, at: point)
        }
    }

    /// The live record of a key, given the previous result.
    public func load<Adapter: EntityAdapter>(
        with adapter: Adapter,
        key: RecordKey,
        since last: ObservedModel<Adapter.Model>?
    ) throws -> ObservedModel<Adapter.Model> {
        try readSession { session, point in
            if var last,
                let changed = changed(entity: adapter.descriptor.name, since: last.point, until: point),
                !changed.contains(key)
            {
                last.point = point
                return last
            }
            return ObservedModel(model: try session.model(adapter: adapter, key: key), point: point)
        }
    }

    /// Runs `body` on a read session, with the point of its snapshot; nil if unknown, for example during a write.
    private func readSession<Result>(at body: (StoreSession, ReadPoint?) throws -> Result) throws -> Result {
        let before = point()
        return try readSession { session in
            // The snapshot exists by now. If the point is the same before and after, it is that of the snapshot.
            let after = point()
            return try body(session, before == after ? before : nil)
        }
    }

    /// Keys of records written between two points; nil if unknown.
    private func changed(entity: String, since last: ReadPoint?, until now: ReadPoint?) -> Set<RecordKey>? {
        guard let last, let now, last.dataVersion == now.dataVersion else { return nil }
        return last.commit == now.commit ? [] : commits.changed(entity: entity, since: last.commit)
    }

    /// Keys of records that were written between two points, or refer to such records in the query; nil if unknown.
    private func changed(
        _ entity: EntityDescriptor,
        query: StoreQuery,
        session: StoreSession,
        since last: ReadPoint?,
        until now: ReadPoint?
    ) throws -> Set<RecordKey>? {
        guard var keys = changed(entity: entity.name, since: last, until: now) else { return nil }
        for other in query.otherEntities {
            guard let changed = changed(entity: other, since: last, until: now) else { return nil }
            if changed.isEmpty { continue }
            guard let fields = query.fields(referringTo: other) else { return nil }
            keys.formUnion(try session.keys(entity: entity, fields: fields, referringTo: changed, of: other))
        }
        return keys
    }
}

extension StoreSession {
    fileprivate func observed<Adapter: EntityAdapter>(
        adapter: Adapter,
        query: StoreQuery,
        at point: ReadPoint?
    ) throws -> ObservedModels<Adapter.Model> {
        let found = try rows(adapter: adapter, query: query)
        return ObservedModels(models: found.models, keys: found.keys, point: point)
    }

    /// The previous records, with those of some keys read again. Nil if others may have moved up, because a record
    /// before the limit has left.
    fileprivate func renewed<Adapter: EntityAdapter>(
        last: ObservedModels<Adapter.Model>,
        adapter: Adapter,
        query: StoreQuery,
        changed: Set<RecordKey>
    ) throws -> ObservedModels<Adapter.Model>? {
        let gone = last.places(of: changed)
        let limit = max(0, query.limit ?? .max)
        if query.isBackward { return nil }
        if !gone.isEmpty, last.keys.count >= limit { return nil }
        let fresh = try rows(adapter: adapter, query: query, among: changed)
        if fresh.keys.isEmpty, gone.isEmpty { return last }
        let order = QueryOrder(query: query, table: try entity(descriptor: adapter.descriptor).table)
        var next = ObservedModels<Adapter.Model>(models: [], keys: [], point: nil)
        next.reserve(count: last.keys.count + fresh.keys.count)
        let left = Set(gone)
        var place = 0
        for (model, key) in zip(fresh.models, fresh.keys) {
            let record = try adapter.record(model)
            let end = try last.firstPlace(from: place, without: left) { index in
                !order.isBefore(
                    lhs: (try adapter.record(last.models[index]), last.keys[index]),
                    rhs: (record, key)
                )
            }
            next.append(last, range: place..<end, without: gone)
            next.append(model, key: key)
            place = end
        }
        next.append(last, range: place..<last.keys.count, without: gone)
        next.shorten(to: limit)
        return next
    }

    /// The keys of records that refer to one of some others by one of some fields.
    fileprivate func keys(
        entity: EntityDescriptor,
        fields: [String],
        referringTo targets: Set<RecordKey>,
        of other: String
    ) throws -> [RecordKey] {
        let table = try self.entity(descriptor: entity).table
        var keys: [RecordKey] = []
        for field in fields {
            let reference = try table.reference(by: field, to: other)
            if try reference.fields.count > 1 || ReferenceSQL(reference, child: table).elements != nil {
                for target in targets {
                    keys += try children(entity: entity, reference: reference, parent: target)
                }
                continue
            }
            let query = StoreQuery(
                conditions: [.init(field: field, test: .oneOf(targets.map { .text($0.text) }))],
                allowsScan: true
            )
            let sql = try QuerySQL(table: table, query: query, isSorted: false, lookup: lookup)
            let statement = try self.query(sql: "SELECT \(table.key) FROM \(table.name)\(sql.text)")
            try sql.bind(to: statement)
            try statement.forEachRow { keys.append(RecordKey($0.string(at: 0))) }
        }
        return keys
    }

    /// The records that match a query, with their keys; only those of `keys` if given.
    private func rows<Adapter: EntityAdapter>(
        adapter: Adapter,
        query: StoreQuery,
        among keys: Set<RecordKey>? = nil
    ) throws -> (models: [Adapter.Model], keys: [RecordKey]) {
        let table = try self.entity(descriptor: adapter.descriptor).table
        let sql = try QuerySQL(table: table, query: query, among: keys, lookup: lookup)
        let statement = try self.query(sql: table.sql.modelsWithKeys + sql.text)
        try sql.bind(to: statement)
        let row = StatementRow(table: table, statement: statement)
        var found: (models: [Adapter.Model], keys: [RecordKey]) = ([], [])
        try statement.forEachRow { statement in
            do {
                try row.begin()
                found.models.append(try adapter.read(row))
            } catch {
                return try leaveOut(row, table: table, because: error)
            }
            found.keys.append(RecordKey(statement.string(at: row.endOfFields)))
        }
        if query.isBackward { found = (found.models.reversed(), found.keys.reversed()) }
        return found
    }
}
