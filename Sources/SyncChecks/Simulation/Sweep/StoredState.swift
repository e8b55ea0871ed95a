import SyncCore
import SyncSQLite

/// All rows of a database, independent of its page layout. Two states are equal if all tables are.
struct StoredState: Hashable {
    private var tables: [String: [String]] = [:]

    /// Reads a database and checks its integrity. Throws SQLite errors, or a `WorldError` for damage.
    init(path: String, on disk: SimulatedDisk) throws {
        let connection = try Connection.open(path: path, flags: .readOnly, medium: disk)
        defer { connection.close() }
        let damage = try connection.integrityCheck(includingIndexes: true)
        if let first = damage.first { throw WorldError(description: "the database is damaged: \(first)") }
        let names = try connection.texts(
            sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        for name in names {
            let rows = try connection.cached(sql: "SELECT * FROM \(try SQL.identifier(name: name))")
            var texts: [String] = []
            while try rows.step() {
                texts.append(
                    (0..<rows.columnCount).map { Self.text(row: rows, column: $0) }.joined(separator: "|")
                )
            }
            rows.reset()
            tables[name] = texts.sorted()
        }
    }

    private static func text(row: Statement, column: Int) -> String {
        switch row.type(at: column) {
        case .null: "NULL"
        case .blob: Digest(row.bytes(at: column)).description
        default: row.string(at: column)
        }
    }

    /// The first table that differs, with the rows that only one side has.
    func difference(other: StoredState) -> String {
        for name in Set(tables.keys).union(other.tables.keys).sorted()
        where tables[name] != other.tables[name] {
            let (mine, others) = (tables[name] ?? [], other.tables[name] ?? [])
            let missing = others.filter { !mine.contains($0) }.prefix(2)
            let extra = mine.filter { !others.contains($0) }.prefix(2)
            return "table \(name): missing \(Array(missing)), unexpected \(Array(extra))"
        }
        return "none"
    }
}
