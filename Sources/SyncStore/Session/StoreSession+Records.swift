import SyncCore
import SyncSQLite

/// Reading records.
extension StoreSession {
    func header(entity: EntityDescriptor, key: RecordKey) throws -> RecordHeader? {
        let entity = try self.entity(descriptor: entity)
        return try withStoreErrors {
            let statement = try entity.findHeader()
            try statement.bind(key.text, at: 1)
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            entity.lastFound = (
                key, statement.int64(at: EntitySQL.headerColumns),
                statement.optionalString(at: EntitySQL.headerColumns + 1)
            )
            return try statement.header(at: 0, table: entity.table)
        }
    }

    func load(entity: EntityDescriptor, key: RecordKey) throws -> LocalRecord? {
        let entity = try self.entity(descriptor: entity)
        return try withStoreErrors { try entity.load(key) }
    }

    func scan(
        entity: EntityDescriptor,
        includeHidden: Bool,
        visit: (LocalRecord) throws -> Void
    ) throws {
        let table = try self.entity(descriptor: entity).table
        try withStoreErrors {
            let statement = try query(sql: includeHidden ? table.sql.scanAll : table.sql.scanLive)
            let query = RowQuery(table: table, statement: statement)
            try statement.forEachRow { _ in try visit(try query.record()) }
        }
    }

    func keys(entity: EntityDescriptor, in state: SyncState, after: RecordKey?, limit: Int) throws
        -> [RecordKey]
    {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let statement = try query(sql: table.sql.keys(in: state, isFirst: after == nil))
            try statement.bind(state.rawValue, at: 1)
            if let after { try statement.bind(after.text, at: 2) }
            try statement.bind(limit, at: 3)
            return try statement.keys()
        }
    }

    func unclean() throws -> Set<String> {
        if tables.isEmpty { return [] }
        return try withStoreErrors {
            if uncleanSQL == nil { uncleanSQL = try EntitySQL.unclean(tables: tables) }
            var names: Set<String> = []
            try query(sql: uncleanSQL ?? "").forEachRow { row in
                names.insert(tables[Int(row.int64(at: 0))].descriptor.name)
            }
            return names
        }
    }

    func uncleanWithoutSchema() throws -> [String: Int] {
        try withStoreErrors {
            var names: [String] = []
            try query(sql: "SELECT name FROM sync_entity ORDER BY name").forEachRow {
                names.append($0.string(at: 0))
            }
            var counts: [String: Int] = [:]
            for name in names where !tables.contains(where: { $0.descriptor.name.hasSameBytes(as: name) }) {
                let table = try SQL.identifier(name: EntityDescriptor.table(entity: name))
                let states = "sync_state <> \(SyncState.synced.rawValue)"
                try query(sql: "SELECT count(*) FROM \(table) WHERE \(states)").forEachRow {
                    counts[name] = Int($0.int64(at: 0))
                }
            }
            return counts.filter { $0.value > 0 }
        }
    }

    func pending(
        entity: EntityDescriptor,
        areDeleted: Bool,
        after: RecordHandle?,
        visit: (PendingChange) throws -> Bool
    ) throws {
        let table = try self.entity(descriptor: entity).table
        let encoder = RecordEncoder(descriptor: table.descriptor, form: .wire)
        try withStoreErrors {
            let sql = areDeleted ? table.sql.pendingDeleted : table.sql.pendingLive
            let statement = try query(sql: sql, values: table.descriptor.name)
            try statement.bind(after?.number ?? .min, at: 2)
            defer { statement.reset() }
            let query = RowQuery(table: table, statement: statement)
            var writer = JSONWriter()
            while try statement.step() {
                try query.row.begin()
                writer.removeAll()
                encoder.encode(query.row, to: &writer)
                let pending = try pending(
                    statement,
                    table: table,
                    header: query.row.endOfFields,
                    // A copy has exactly the needed size, while the writer's buffer keeps growing.
                    body: writer.bytes.withUnsafeBufferPointer { Array($0) }
                )
                guard try visit(pending) else { return }
            }
        }
    }

    /// The change of a pending row; its header columns start at `start`.
    private func pending(_ statement: Statement, table: EntityTable, header start: Int, body: [UInt8]) throws
        -> PendingChange
    {
        let merged = start + EntitySQL.headerColumns
        let row = try statement.header(at: start, table: table)
        let isDeleted = row.visibility == .deleted
        let base = statement.isNull(at: merged + 4) ? nil : statement.bytes(at: merged + 4)
        let header = Change.Header(
            entity: table.descriptor.name,
            key: RecordKey(statement.string(at: merged + 1)),
            kind: isDeleted ? .delete : .upsert,
            mergedInto: isDeleted ? statement.optionalString(at: merged).map { RecordKey($0) } : nil,
            metadata: row.metadata,
            base: statement.optionalString(at: merged + 2).map { Revision($0) },
            replaces: try base.map { [try table.editTimestamp(of: $0)] } ?? []
        )
        return PendingChange(
            change: Change(header, body: body),
            handle: RecordHandle(statement.int64(at: merged + 3)),
            hasHeads: row.hasHeads,
            hasBase: base != nil,
            isEdit: base == nil || statement.int64(at: merged + 5) == 0
        )
    }

    func keysSharing(entity: EntityDescriptor, unique: Int, record: Record) throws -> [RecordKey] {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let statement = try query(sql: table.sql.keysSharing[unique])
            for (index, field) in table.descriptor.layout.unique[unique].enumerated() {
                guard let value = record.values[field], value != .null else {
                    statement.reset()
                    return []
                }
                try statement.bind(value, at: index + 1)
            }
            return try statement.keys()
        }
    }

    func grouped(entity: EntityDescriptor, among keys: [RecordKey]) throws -> [RecordKey] {
        let table = try self.entity(descriptor: entity).table
        guard let sql = table.sql.findGrouped, !keys.isEmpty else { return [] }
        var list = JSONWriter()
        list.beginArray()
        for key in keys { list.string(key.text) }
        list.endArray()
        return try withStoreErrors {
            let statement = try query(sql: sql)
            try list.bytes.withUnsafeBufferPointer { try statement.bindText($0, at: 1) }
            return try statement.keys()
        }
    }

    func merged(entity: EntityDescriptor, into survivor: RecordKey) throws -> [RecordKey] {
        let sql = try self.entity(descriptor: entity).table.sql.mergedInto
        return try withStoreErrors { try query(sql: sql, values: survivor.text).keys() }
    }

    func children(entity: EntityDescriptor, reference: ReferenceDescriptor, parent: RecordKey) throws
        -> [RecordKey]
    {
        try keys(entity: entity, reference: reference, parent: parent, sql: \.children)
    }

    func tombstonedChildren(entity: EntityDescriptor, reference: ReferenceDescriptor, parent: RecordKey)
        throws
        -> [RecordKey]
    {
        try keys(entity: entity, reference: reference, parent: parent, sql: \.tombstonedChildren)
    }

    func cleared(entity: EntityDescriptor) throws -> [RecordKey] {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors { try query(sql: ReferenceSQL.cleared(in: table)).keys() }
    }

    private func keys(
        entity: EntityDescriptor,
        reference: ReferenceDescriptor,
        parent: RecordKey,
        sql: KeyPath<ReferenceSQL, String>
    ) throws -> [RecordKey] {
        let references = try ReferenceSQL(reference, child: try self.entity(descriptor: entity).table)
        guard let values = references.values(of: parent) else { return [] }
        return try withStoreErrors {
            let statement = try query(sql: references[keyPath: sql])
            for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
            return try statement.keys()
        }
    }

    func tombstones(entity: EntityDescriptor, before time: Timestamp, limit: Int) throws -> [RecordKey] {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let statement = try query(sql: table.sql.tombstones, values: table.descriptor.name)
            try statement.bind(time.microseconds, at: 2)
            try statement.bind(limit, at: 3)
            return try statement.keys()
        }
    }

    func orphans(entity: EntityDescriptor, ignoring ignored: Set<String>) throws -> Int {
        let table = try self.entity(descriptor: entity).table
        var count = 0
        for reference in table.descriptor.references
        where reference.onDelete != .keep && !ignored.contains(reference.entity) {
            guard let parents = tables.first(where: { $0.descriptor.name == reference.entity }) else {
                continue
            }
            let sql = try ReferenceSQL(reference, child: table).orphans(parents: parents)
            try withStoreErrors { try query(sql: sql).forEachRow { count += Int($0.int64(at: 0)) } }
        }
        return count
    }

    func counts(entity: EntityDescriptor) throws -> EntityCounts {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            var counts = EntityCounts()
            try query(sql: table.sql.counts, values: table.descriptor.name).forEachRow { row in
                counts.records = Int(row.int64(at: 0))
                counts.pending = Int(row.int64(at: 1))
                counts.conflicts = Int(row.int64(at: 2))
                counts.rejected = Int(row.int64(at: 3))
                counts.deleted = Int(row.int64(at: 4))
            }
            return counts
        }
    }
}

extension Statement {
    /// The first column of all rows as keys.
    func keys() throws -> [RecordKey] {
        var keys: [RecordKey] = []
        try forEachRow { keys.append(RecordKey($0.string(at: 0))) }
        return keys
    }

    /// Binds a value as stored in its column.
    func bind(_ value: FieldValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .boolean(let value): try bind(Int64(value ? 1 : 0), at: index)
        case .integer(let value): try bind(value, at: index)
        case .number(let value): try bind(value, at: index)
        case .timestamp(let value): try bind(value.microseconds, at: index)
        case .text(let value), .json(let value): try bind(value, at: index)
        case .bytes(let value): try bind(value, at: index)
        }
    }
}
