import SyncCore
import SyncSQLite

/// Checks once per schema whether the rows of a table can be read with it. Those that cannot be are set aside, and those
/// that were set aside and can be read now return.
///
/// Runs in batches, each in a transaction of its own, and goes on where an interrupted one has ended.
struct RowCheck {
    /// Rows of one batch.
    static let batch = 5000

    let connection: Connection
    let tables: [EntityTable]

    /// Whether all rows were checked with the present schemas.
    var isDone: Bool {
        get throws { try tables.allSatisfy { try progress(of: $0).isDone } }
    }

    /// Checks what is not checked yet.
    func run() throws {
        for table in tables where try !progress(of: table).isDone {
            while try connection.transaction(kind: .immediate, synchronous: .normal, { try check(table) }) {}
        }
    }

    /// Checks the next batch. Returns whether there may be another.
    private func check(_ table: EntityTable) throws -> Bool {
        // Another process may have gone on meanwhile.
        try Catalogue(connection: connection).check([table])
        let progress = try progress(of: table)
        if progress.isDone { return false }
        let fit = RecordFit(table.descriptor)
        let statement = try connection.cached(sql: table.sql.rowsToCheck)
        try statement.bind(progress.lastRow, at: 1)
        try statement.bind(Self.batch, at: 2)
        let row = StatementRow(table: table, statement: statement)
        var (count, last) = (0, progress.lastRow)
        var changes: [(id: Int64, visibility: LocalRecord.Visibility)] = []
        try statement.forEachRow { statement in
            count += 1
            last = statement.int64(at: row.endOfFields + 1)
            let isAside =
                statement.int64(at: row.endOfFields + 2) == LocalRecord.Visibility.setAside.rawValue
            let fits = row.isReadable && fit.error(in: row) == nil
            if fits == isAside { changes.append((last, fits ? .live : .setAside)) }
        }
        for change in changes {
            let sql = "UPDATE \(table.name) SET sync_visibility = ?2 WHERE sync_id = ?1"
            let update = try connection.cached(sql: sql)
            try update.bind(change.id, at: 1)
            try update.bind(change.visibility.rawValue, at: 2)
            try update.run()
        }
        if !changes.isEmpty { try forgetSums(of: table) }
        let isEnd = count < Self.batch
        let text = isEnd ? progress.schema : "\(progress.schema) \(last)"
        try connection.setStoreValue(Self.name(of: table), value: text)
        return !isEnd
    }

    /// How far the rows of a table were checked with its schema.
    private struct Progress {
        /// The digest of what the schema asks for.
        var schema: String
        var lastRow: Int64 = 0
        var isDone = false
    }

    private func progress(of table: EntityTable) throws -> Progress {
        var progress = Progress(schema: Digest(Array(RecordFit(table.descriptor).words.utf8)).description)
        let words = try connection.storeValue(Self.name(of: table))?.split(separator: " ") ?? []
        guard words.first.map(String.init) == progress.schema else { return progress }
        progress.isDone = words.count == 1
        if words.count == 2 { progress.lastRow = Int64(words[1]) ?? 0 }
        return progress
    }

    private func forgetSums(of table: EntityTable) throws {
        let statement = try connection.cached(sql: "DELETE FROM sync_sum WHERE entity = ?1")
        try statement.bind(table.descriptor.name, at: 1)
        try statement.run()
    }

    private static func name(of table: EntityTable) -> String { "checked:\(table.descriptor.name)" }
}

extension StatementRow {
    /// Whether the shared parts of the current row can be read. Reads them.
    fileprivate var isReadable: Bool { (try? begin()) != nil }
}
