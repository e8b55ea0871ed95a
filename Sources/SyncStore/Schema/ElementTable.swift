import SyncCore
import SyncSQLite

/// The statements that create an index of a list's elements: a table of values and rows, and triggers that keep it.
struct ElementTable {
    /// The entity's table, quoted.
    private let table: String
    /// The list's column, quoted.
    private let column: String
    /// The name of the table of elements, unquoted. Triggers add to it.
    private let name: String

    init(descriptor: EntityDescriptor, field: String) throws {
        let ddl = TableDDL(descriptor: descriptor)
        table = try ddl.table
        column = try SQL.identifier(name: field)
        name = Self.name(prefix: ddl.indexPrefix, field: field)
    }

    /// The name of a table of elements, unquoted.
    static func name(prefix: String, field: String) -> String { prefix + infix + field }

    /// What follows the prefix of an entity's indexes in such names.
    static let infix = "elements:"

    /// Creates the table and its triggers, and fills it.
    var statements: [String] {
        get throws {
            let elements = try SQL.identifier(name: name)
            return [
                "CREATE TABLE \(elements) (value, id INTEGER NOT NULL, PRIMARY KEY (value, id)) WITHOUT ROWID"
            ] + (try triggers.map(\.sql)) + [
                "INSERT OR IGNORE INTO \(elements) (value, id) SELECT e.value, t.sync_id FROM \(table) AS t, "
                    + "json_each(t.\(column)) AS e WHERE e.value IS NOT NULL"
            ]
        }
    }

    /// The triggers, with their unquoted names.
    ///
    /// NB: a list may hold an element twice. `OR IGNORE` would not do for that: in a trigger, SQLite follows the conflict
    /// clause of the outer statement, so that an upsert of the record would fail (sqlite.org/lang_createtrigger.html).
    var triggers: [(name: String, sql: String)] {
        get throws {
            let elements = try SQL.identifier(name: name)
            func elementsOf(_ row: String) -> String {
                "SELECT value FROM json_each(\(row).\(column)) WHERE value IS NOT NULL"
            }
            let add =
                "INSERT INTO \(elements) (value, id) SELECT DISTINCT value, new.sync_id FROM (\(elementsOf("new")))"
            let remove = "DELETE FROM \(elements) WHERE id = old.sync_id AND value IN (\(elementsOf("old")))"
            let change = "old.\(column) IS NOT new.\(column) OR old.sync_id <> new.sync_id"
            return [
                try trigger("insert", "INSERT ON \(table) BEGIN \(add); END"),
                try trigger("update", "UPDATE ON \(table) WHEN \(change) BEGIN \(remove); \(add); END"),
                try trigger("delete", "DELETE ON \(table) BEGIN \(remove); END"),
            ]
        }
    }

    private func trigger(_ event: String, _ rest: String) throws -> (name: String, sql: String) {
        let name = "\(name):\(event)"
        return (name, "CREATE TRIGGER \(try SQL.identifier(name: name)) AFTER \(rest)")
    }
}
