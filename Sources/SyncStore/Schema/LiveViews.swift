import SyncCore
import SyncSQLite

/// Keeps the views of live records in step with the tables.
struct LiveViews {
    let connection: Connection
    let tables: [EntityTable]

    /// Creates the views that are missing, and those anew whose text has changed. No record is written.
    func keep() throws {
        if try outdated().isEmpty { return }
        try connection.transaction(kind: .immediate) {
            try Catalogue(connection: connection).check(tables)
            // Listed again, because another process may have made them meanwhile.
            for (descriptor, sql) in try outdated() {
                try connection.execute(try LiveView.drop(descriptor: descriptor))
                try connection.execute(sql)
            }
        }
    }

    private func outdated() throws -> [(EntityDescriptor, String)] {
        let byName = Dictionary(tables.map { ($0.descriptor.name, $0) }) { first, _ in first }
        return try tables.compactMap { table in
            let view = LiveView(descriptor: table.descriptor, tables: byName)
            let sql = try view.create(table: table)
            switch try found(name: table.descriptor.liveView) {
            case nil: return (table.descriptor, sql)
            // An entity may have a table of that name. It keeps it.
            case (type: "view", let text)?:
                // Another process, which has more entities, may know more about references.
                return text.hasSameBytes(as: sql) || !view.isComplete ? nil : (table.descriptor, sql)
            default: return nil
            }
        }
    }

    /// Finds the table or view of a name, as SQLite compares names.
    static let findSQL =
        "SELECT type, sql FROM sqlite_schema WHERE lower(name) = lower(?1) AND type IN ('table', 'view')"

    private func found(name: String) throws -> (type: String, sql: String)? {
        let statement = try connection.cached(sql: Self.findSQL)
        try statement.bind(name, at: 1)
        defer { statement.reset() }
        return try statement.step() ? (statement.string(at: 0), statement.string(at: 1)) : nil
    }
}
