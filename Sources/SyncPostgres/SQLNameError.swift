import SyncSchema

/// A name of a schema that cannot be a name in PostgreSQL.
public struct SQLNameError: Error, Hashable {
    /// The entity.
    public var entity: String
    /// The table's or column's name.
    public var name: String
    /// Why it cannot be used.
    public var reason: Reason

    /// Why a name cannot be used.
    public enum Reason: Sendable, Hashable {
        /// PostgreSQL keeps 63 bytes of a name, and would cut it.
        case tooLong
        /// Another column of the table, or another table, has it.
        case taken
        /// Each table of PostgreSQL has a column of that name already.
        case reserved
    }
}

extension PostgresGenerator {
    /// The columns that each table has for PostgreSQL itself.
    /// Source: https://www.postgresql.org/docs/current/ddl-system-columns.html
    private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    /// Throws for the first name that PostgreSQL would cut or refuse, or that two tables or two columns of a table share.
    static func checkNames(_ tables: [PostgresTable]) throws(SQLNameError) {
        var names: Set<String> = []
        for table in tables {
            try check(name: table.name, in: table.schemaName, of: table, taken: &names)
            var columns: Set<String> = []
            for column in table.columns {
                guard !systemColumns.contains(column.name) else {
                    throw SQLNameError(entity: table.schema.name, name: column.name, reason: .reserved)
                }
                try check(name: column.name, of: table, taken: &columns)
            }
        }
    }

    private static func check(
        name: String,
        in schema: String = "",
        of table: PostgresTable,
        taken: inout Set<String>
    ) throws(SQLNameError) {
        guard name.utf8.count <= 63 else {
            throw SQLNameError(entity: table.schema.name, name: name, reason: .tooLong)
        }
        guard taken.insert("\(schema).\(name)").inserted else {
            throw SQLNameError(entity: table.schema.name, name: name, reason: .taken)
        }
    }
}
