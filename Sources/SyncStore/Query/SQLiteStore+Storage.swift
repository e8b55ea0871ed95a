import SyncCore
import SyncSQLite

/// The bytes that a store takes on the disk.
package struct StorageUse: Sendable {
    /// The database, without its log.
    package var fileBytes: Int64 = 0
    /// Tables and indexes by entity. Nil if the system's SQLite was built without its table of statistics.
    package var entityBytes: [String: Int64]?
    /// Everything else that is in use: versions, journal, history.
    package var ownBytes: Int64 = 0
    /// Pages that are free for later records.
    package var freeBytes: Int64 = 0
}

extension SQLiteStore {
    /// Measures the tables of the store. It looks at every page of the file.
    package func storageUse() throws -> StorageUse {
        try readSession { session in
            var use = StorageUse()
            let pageBytes = try session.number(sql: "PRAGMA page_size")
            use.fileBytes = try session.number(sql: "PRAGMA page_count") * pageBytes
            use.freeBytes = try session.number(sql: "PRAGMA freelist_count") * pageBytes
            guard try session.number(sql: Self.hasStatistics) == 1 else { return use }
            let owners = Dictionary(
                session.tables.map { ($0.descriptor.table, $0.descriptor.name) },
                uniquingKeysWith: { first, _ in first }
            )
            var sizes = Dictionary(owners.values.map { ($0, Int64(0)) }) { first, _ in first }
            try session.query(sql: Self.sizes).forEachRow { row in
                // The table of a list's elements is named by the table that it belongs to: `sync:TABLE:elements:FIELD`.
                let table = row.string(at: 0).split(separator: ":")
                let name = table.count > 1 ? String(table[1]) : row.string(at: 0)
                if let owner = owners[name] {
                    sizes[owner, default: 0] += row.int64(at: 1)
                } else {
                    use.ownBytes += row.int64(at: 1)
                }
            }
            use.entityBytes = sizes
            return use
        }
    }

    private static let hasStatistics = "SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'"

    /// Bytes by table; an index counts for its table.
    private static let sizes = """
        SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat AS d \
        LEFT JOIN sqlite_schema AS s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1
        """
}

extension StoreSession {
    fileprivate func number(sql: String) throws -> Int64 {
        let statement = try query(sql: sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(at: 0) : 0
    }
}
