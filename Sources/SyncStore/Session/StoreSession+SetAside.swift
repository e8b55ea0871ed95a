import SyncCore
import SyncSQLite

/// A row that a read could not make a model of.
struct UnreadableRow {
    /// The entity's name.
    var entity: String
    /// The record's key.
    var key: RecordKey
}

/// Records that cannot be read with their schema.
extension StoreSession {
    /// Leaves a row out of a list, so that it does not keep the others from being shown. Rethrows errors that are not
    /// about the row.
    func leaveOut(_ row: StatementRow, table: EntityTable, because error: any Error) throws {
        try leaveOut(table: table, because: error) {
            if let field = table.keyField { return RecordKey(row.text(at: field)) }
            return table.descriptor.key(of: row.record(descriptor: table.descriptor))
        }
    }

    /// The same for a row with the key that `key` finds.
    func leaveOut(table: EntityTable, because error: any Error, key: () -> RecordKey?) throws {
        guard error is FieldError || error is JSONError || (error as? SyncError)?.kind == .unreadableStore
        else {
            throw error
        }
        guard let key = key() else { return }
        unreadable.append(UnreadableRow(entity: table.descriptor.name, key: key))
    }

    /// The rows that were left out since the last call.
    func takeUnreadable() -> [UnreadableRow] {
        if unreadable.isEmpty { return [] }
        defer { unreadable = [] }
        return unreadable
    }

    /// Sets live records aside, so that they are found among the rejected ones.
    func setAside(_ rows: [UnreadableRow]) throws {
        for row in rows {
            guard let entity = try entity(named: row.entity) else { continue }
            let table = entity.table
            touch(entity, key: row.key)
            let visibility = LocalRecord.Visibility.self
            let sql = """
                UPDATE \(table.name) SET sync_visibility = \(visibility.setAside.rawValue) WHERE \(table.key) = ?1 \
                AND sync_visibility = \(visibility.live.rawValue)
                """
            try query(sql: sql, values: row.key.text).run()
        }
    }

    func setAside(_ entity: EntityDescriptor) throws -> [RecordKey] {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors { try query(sql: table.sql.setAside).keys() }
    }

    func setAsideRecords() throws -> [Rejection] {
        try tables.flatMap { table in
            let entity = table.descriptor
            var found: [(key: RecordKey, time: Timestamp)] = []
            try withStoreErrors {
                try query(sql: table.sql.setAside).forEachRow { row in
                    found.append((RecordKey(row.string(at: 0)), Timestamp(microseconds: row.int64(at: 1))))
                }
            }
            return try found.map { key, time in
                var rejection = Rejection(
                    entity: entity.name,
                    key: key,
                    reason: try reason(entity: entity, key: key),
                    attempts: 0,
                    raw: nil,
                    since: time
                )
                rejection.isSetAside = true
                return rejection
            }
        }
    }

    /// What is wrong with a record that is set aside.
    private func reason(entity: EntityDescriptor, key: RecordKey) throws -> String {
        do {
            let record = try load(entity: entity, key: key)?.version.record
            let error = record.flatMap { RecordFit(entity).error(in: RecordRow($0)) }
            return error?.message ?? "The record cannot be read with this schema."
        } catch let error as SyncError where error.kind == .unreadableStore {
            return error.message
        }
    }
}
