import SyncCore
import SyncSQLite

/// Queries by key and by indexed fields.
extension StoreSession {
    func query(entity: EntityDescriptor, query: StoreQuery) throws -> [LocalRecord] {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let statement = try statement(table: table, query: query, selecting: table.sql.selectRecord)
            let rows = RowQuery(table: table, statement: statement)
            var records: [LocalRecord] = []
            try statement.forEachRow { _ in records.append(try rows.record()) }
            return query.isBackward ? records.reversed() : records
        }
    }

    /// The live record of a key as a model; nil when there is none, or it cannot be read.
    func model<Adapter: EntityAdapter>(adapter: Adapter, key: RecordKey) throws -> Adapter.Model? {
        let table = try self.entity(descriptor: adapter.descriptor).table
        let statement = try self.query(sql: table.sql.findModel, values: key.text)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let row = StatementRow(table: table, statement: statement)
        do {
            try row.begin()
            return try adapter.read(row)
        } catch {
            try leaveOut(row, table: table, because: error)
            return nil
        }
    }

    /// The records as models, straight from rows. For live records only: a tombstone may have lost values that a
    /// model needs.
    func models<Adapter: EntityAdapter>(adapter: Adapter, query: StoreQuery) throws -> [Adapter.Model] {
        let table = try self.entity(descriptor: adapter.descriptor).table
        let models = try models(
            adapter: adapter,
            table: table,
            statement: try statement(table: table, query: query, selecting: table.sql.modelsAllUnsorted)
        )
        return query.isBackward ? models.reversed() : models
    }

    /// The rows of a statement as models. Its columns are those of `StatementRow`.
    func models<Adapter: EntityAdapter>(
        adapter: Adapter,
        table: EntityTable,
        statement: Statement
    ) throws -> [Adapter.Model] {
        let row = StatementRow(table: table, statement: statement)
        var models: [Adapter.Model] = []
        try statement.forEachRow { _ in
            do {
                try row.begin()
                models.append(try adapter.read(row))
            } catch {
                try leaveOut(row, table: table, because: error)
            }
        }
        return models
    }

    func oldestPending(entity: EntityDescriptor) throws -> Timestamp? {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let statement = try self.query(sql: table.sql.oldestPending)
            defer { statement.reset() }
            guard try statement.step(), !statement.isNull(at: 0) else { return nil }
            return Timestamp(microseconds: statement.int64(at: 0))
        }
    }

    /// The table of another entity, for queries that follow references.
    var lookup: TableLookup {
        { name in
            guard let entity = try self.entity(named: name) else {
                throw SyncError.unknownEntity(name: name, known: self.tables.map(\.descriptor.name).sorted())
            }
            return entity.table
        }
    }

    private func statement(
        table: EntityTable,
        query: StoreQuery,
        selecting select: String
    ) throws -> Statement {
        let sql = try QuerySQL(table: table, query: query, lookup: lookup)
        let statement = try self.query(sql: select + sql.text)
        try sql.bind(to: statement)
        return statement
    }
}
