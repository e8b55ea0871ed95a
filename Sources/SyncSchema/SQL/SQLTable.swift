/// How an entity's table in an SQL database differs from the one that would be generated: `sync.sql`.
public struct SQLTable: Sendable, Hashable {
    /// The table's name, with its schema and a point in front if it is not `public`; nil for the remote name.
    public var table: String?
    /// The column that holds the owner of a row; nil for `owner_id`. It may be the column of a field.
    public var owner: String?
    /// Columns with another name or type than usual, by field.
    public var columns: [String: SQLColumn]
    /// What becomes of a change that the table would alter.
    public var onAlter: AlterRule

    /// Makes a description of a table.
    public init(
        table: String? = nil,
        owner: String? = nil,
        columns: [String: SQLColumn] = [:],
        onAlter: AlterRule = .journal
    ) {
        self.table = table
        self.owner = owner
        self.columns = columns
        self.onAlter = onAlter
    }
}

/// What becomes of a change if the table, by a trigger or by the type of a column, would keep less than it wrote.
public enum AlterRule: String, Sendable, Hashable, CaseIterable {
    /// It is stored as the table alters it, and the device that wrote it has the lost value in its journal.
    case journal
    /// It is refused.
    case reject
}

/// How a field's column differs from the one that would be generated.
public struct SQLColumn: Sendable, Hashable {
    /// The column's name; nil for the name on the wire.
    public var name: String?
    /// The column's type; nil for the usual one.
    public var type: SQLType?

    /// Makes a description of a column.
    public init(name: String? = nil, type: SQLType? = nil) {
        self.name = name
        self.type = type
    }
}
