public import SyncCore
import SyncSQLite

/// Reading an app's own types straight from rows, without a `Record` between them.
extension SQLiteStore {
    /// The records that match a query as models, in its order.
    ///
    /// A tombstone without the values that the schema requires is left out. Throws `SyncError.noIndex` instead of
    /// walking all records.
    public func load<Adapter: EntityAdapter>(with adapter: Adapter, query: StoreQuery) throws
        -> [Adapter.Model]
    {
        guard query.includesDeleted else {
            return try readSession { try $0.models(adapter: adapter, query: query) }
        }
        return try read { try $0.models(with: adapter, query: query).models }
    }

    /// All live records of an entity as models, in the order of their keys (as bytes).
    ///
    /// A model moves into the array without the copy that a visitor of `scan` would make.
    public func loadAll<Adapter: EntityAdapter>(with adapter: Adapter) throws -> [Adapter.Model] {
        try readSession { session in
            let table = try session.entity(descriptor: adapter.descriptor).table
            return try session.models(
                adapter: adapter,
                table: table,
                statement: try session.query(sql: table.sql.modelsLive)
            )
        }
    }

    /// Visits all records of an entity as models. Hidden records are visited only on request.
    ///
    /// - Parameters:
    ///   - includeHidden: Whether tombstones and merged records are visited, too.
    ///   - isSorted: Whether the walk is in key order (by bytes). An unordered walk is about twice as fast.
    ///   - visit: Called once for each record. It must not write to the store.
    public func scan<Adapter: EntityAdapter>(
        with adapter: Adapter,
        includeHidden: Bool = false,
        isSorted: Bool = true,
        _ visit: (Adapter.Model) throws -> Void
    ) throws {
        try readSession { session in
            let table = try session.entity(descriptor: adapter.descriptor).table
            let sql = table.sql
            let statement = try session.query(
                sql: isSorted
                    ? includeHidden ? sql.modelsAll : sql.modelsLive
                    : includeHidden ? sql.modelsAllUnsorted : sql.modelsLiveUnsorted
            )
            let row = StatementRow(table: table, statement: statement)
            try statement.forEachRow { _ in
                let model: Adapter.Model
                do {
                    try row.begin()
                    model = try adapter.read(row)
                } catch {
                    return try session.leaveOut(row, table: table, because: error)
                }
                try visit(model)
            }
        }
    }
}
