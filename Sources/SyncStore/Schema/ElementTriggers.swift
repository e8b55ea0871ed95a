import SyncCore
import SyncSQLite

/// Keeps the triggers of element indexes in step with what this version of EntitySync writes.
struct ElementTriggers {
    let connection: Connection
    let tables: [EntityTable]

    /// Creates the triggers anew whose text has changed. No record is written.
    func keep() throws {
        if try outdated().isEmpty { return }
        try connection.transaction(kind: .immediate) {
            try Catalogue(connection: connection).check(tables)
            // Listed again, because another process may have made them meanwhile.
            for trigger in try outdated() {
                try connection.execute("DROP TRIGGER \(try SQL.identifier(name: trigger.name))")
                try connection.execute(trigger.sql)
            }
        }
    }

    /// Finds a trigger.
    static let findSQL = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?1"

    private func outdated() throws -> [(name: String, sql: String)] {
        let find = try connection.cached(sql: Self.findSQL)
        return try tables.flatMap { table in
            try table.shape.indexes.filter(table.shape.isElementIndex).flatMap {
                try ElementTable(descriptor: table.descriptor, field: $0[0]).triggers
            }
        }
        .filter { trigger in
            try find.bind(trigger.name, at: 1)
            defer { find.reset() }
            return try find.step() && !find.string(at: 0).hasSameBytes(as: trigger.sql)
        }
    }
}
