import SyncCore
import SyncSQLite

/// Inserted records that were not yet compared with others.
extension StoreSession {
    /// The stored value with the first unchecked row of each entity.
    private static let name = "unlooked"

    func unchecked() throws -> Set<String> { Set(try uncheckedRows().keys) }

    func leaveUnchecked(_ entity: EntityDescriptor) throws {
        guard let first = try self.entity(descriptor: entity).firstInserted else { return }
        var rows = try uncheckedRows()
        let earlier = rows[entity.name]
        rows[entity.name] = min(earlier ?? first, first)
        if rows[entity.name] != earlier { try setValue(Self.name, value: UncheckedRows.text(rows: rows)) }
    }

    func groupedInserts(_ entity: EntityDescriptor) throws -> [RecordKey] {
        let inserted = try self.entity(descriptor: entity).firstInserted
        var rows = try uncheckedRows()
        let earlier = rows.removeValue(forKey: entity.name)
        guard let first = [inserted, earlier].compactMap({ $0 }).min() else { return [] }
        if earlier != nil { try setValue(Self.name, value: UncheckedRows.text(rows: rows)) }
        return try grouped(entity: entity, from: first)
    }

    private func uncheckedRows() throws -> [String: Int64] {
        guard let text = try value(name: Self.name) else { return [:] }
        // If the value cannot be read, it does not say where to start.
        return UncheckedRows.read(text: text)
            ?? Dictionary(uniqueKeysWithValues: tables.map { ($0.descriptor.name, 1) })
    }

    func grouped(entity: EntityDescriptor) throws -> [RecordKey] { try grouped(entity: entity, from: 1) }

    /// The same for records with rows from a number on.
    func grouped(entity: EntityDescriptor, from row: Int64) throws -> [RecordKey] {
        let sql = try self.entity(descriptor: entity).table.sql
        guard let few = sql.groupedFew, let many = sql.groupedMany else { return [] }
        return try withStoreErrors {
            var last: Int64 = 0
            try query(sql: sql.lastRow).forEachRow { last = $0.int64(at: 0) }
            // A walk along an index costs a fraction of a look-up per row.
            let statement = try query(sql: last - max(0, row) >= last / 8 ? many : few)
            try statement.bind(row, at: 1)
            return try statement.keys()
        }
    }
}
