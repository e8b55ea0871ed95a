import SyncCore
import SyncSQLite

/// The statements that create an entity's table and its indexes.
struct TableDDL {
    let descriptor: EntityDescriptor

    /// Creates the table, without indexes.
    func createTable() throws -> String {
        var columns = ["sync_id INTEGER PRIMARY KEY"]
        let keyField = EntityTable.keyField(descriptor: descriptor)
        if keyField == nil { columns.append("sync_key TEXT NOT NULL") }
        columns += ["state", "visibility", "heads", "time", "device", "sequence"].map {
            "sync_\($0) INTEGER NOT NULL"
        }
        columns += ["vector", "detail", "merged", "unknown", "revision"].map { "sync_\($0) TEXT" }
        columns += (0...max(0, descriptor.fields.count - 1) / EntityTable.slotsPerColumn).map(Self.nullColumn)
        for (index, field) in descriptor.fields.enumerated() {
            let key = index == keyField ? " NOT NULL" : ""
            columns.append("\(try Self.column(field: field))\(key)")
        }
        return "CREATE TABLE \(try table) (\(columns.joined(separator: ", "))) STRICT"
    }

    /// Adds a column for a field to an existing table.
    func addColumn(_ field: FieldDescriptor) throws -> String {
        "ALTER TABLE \(try table) ADD COLUMN \(try Self.column(field: field))"
    }

    /// The definition of the column that holds the null bits of a range of slots.
    static func nullColumn(number: Int) -> String {
        "\(EntityTable.nullColumn(number: number)) INTEGER NOT NULL DEFAULT 0"
    }

    /// The index of records that are not clean. Within a state they are in row order, so that a push reads the file
    /// from start to end.
    static let waiting = "state"

    /// The indexes by name. A name determines the index, so one with the same name needs no change.
    ///
    /// A table's name cannot contain the colon, so no entity clashes with an index.
    func indexes(shape: TableShape) throws -> [(name: String, sql: String)] {
        let key = try EntityTable.keyField(descriptor: descriptor).map {
            try SQL.identifier(name: descriptor.fields[$0].name)
        }
        let keyColumn = key ?? "sync_key"
        var indexes = [
            try index(suffix: "key", isUnique: true, "(\(keyColumn))"),
            try index(suffix: Self.waiting, "(sync_state) WHERE sync_state <> 0"),
            try index(suffix: "hidden-behind", "(sync_visibility, sync_merged) WHERE sync_visibility <> 0"),
        ]
        if descriptor.references.contains(where: { $0.onDelete == .nullify }) {
            indexes.append(try index(suffix: "cleared", "(\(keyColumn)) WHERE \(ReferenceSQL.hasCleared)"))
        }
        for list in shape.indexes where !shape.isElementIndex(list) {
            let columns = try list.map { try SQL.identifier(name: $0) }.joined(separator: ", ")
            indexes.append(try index(suffix: "by:" + list.joined(separator: ","), "(\(columns))"))
        }
        return indexes
    }

    /// The statements that create the indexes of lists' elements.
    func elementTables(shape: TableShape) throws -> [String] {
        try shape.indexes.filter(shape.isElementIndex).flatMap {
            try ElementTable(descriptor: descriptor, field: $0[0]).statements
        }
    }

    /// The prefix of the names of this table's indexes.
    var indexPrefix: String { "sync:\(descriptor.table):" }

    /// The table's name, quoted.
    var table: String { get throws { try SQL.identifier(name: descriptor.table) } }

    private func index(suffix: String, isUnique: Bool = false, _ rest: String) throws -> (String, String) {
        let name = indexPrefix + suffix
        return (
            name,
            "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(try SQL.identifier(name: name)) ON \(try table) \(rest)"
        )
    }

    private static func column(field: FieldDescriptor) throws -> String {
        "\(try SQL.identifier(name: field.name)) \(field.type.columnType)"
    }
}
