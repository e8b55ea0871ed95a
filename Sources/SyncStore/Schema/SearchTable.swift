import SyncCore
import SyncSQLite

/// The statements that create the full-text index of an entity: a view of what is searched, an FTS5 table over it that
/// holds no second copy of the texts, and triggers that keep it in the transaction of each change.
struct SearchTable {
    /// The FTS5 table's name, quoted.
    let name: String
    private let ddl: TableDDL
    private let fields: [String]

    /// The index of an entity that searches some fields.
    init(descriptor: EntityDescriptor, fields: [String]) throws {
        ddl = TableDDL(descriptor: descriptor)
        self.fields = fields
        name = try SQL.identifier(name: Self.name(prefix: ddl.indexPrefix))
    }

    /// The version of the rules by which texts are divided into words. Stored with the shape.
    static var version: Int { Connection.wordsVersion }

    /// The name of a searched field's column. A field may have a name that FTS5 keeps for itself.
    static func column(number: Int) -> String { "f\(number)" }

    private static func name(prefix: String) -> String { prefix + "search" }

    private var view: String { get throws { try SQL.identifier(name: ddl.indexPrefix + "searched") } }

    private func trigger(_ event: String) throws -> String {
        try SQL.identifier(name: Self.name(prefix: ddl.indexPrefix) + ":" + event)
    }

    /// Creates the index and fills it.
    var create: [String] {
        get throws {
            let columns = fields.indices.map(Self.column).joined(separator: ", ")
            let values = try fields.enumerated().map {
                "\(try SQL.identifier(name: $1)) AS \(Self.column(number: $0))"
            }
            let (table, name, view) = (try ddl.table, name, try view)
            let options = [
                "content=\(view)", "content_rowid='sync_id'", "tokenize='\(Connection.wordsTokenizer)'",
                "prefix='2 3'",
            ]
            let change =
                try fields.map(SQL.identifier).map { "old.\($0) IS NOT new.\($0)" } + [
                    "(old.sync_visibility = \(live)) IS NOT (new.sync_visibility = \(live))",
                    "old.sync_id <> new.sync_id",
                ]
            return [
                "CREATE VIEW \(view) AS SELECT sync_id, \(values.joined(separator: ", ")) FROM \(table) "
                    + "WHERE sync_visibility = \(live)",
                "CREATE VIRTUAL TABLE \(name) USING fts5(\(columns), \(options.joined(separator: ", ")))",
                "CREATE TRIGGER \(try trigger("insert")) AFTER INSERT ON \(table) WHEN new.sync_visibility = \(live) "
                    + "BEGIN \(try add); END",
                "CREATE TRIGGER \(try trigger("update")) AFTER UPDATE ON \(table) "
                    + "WHEN \(change.joined(separator: " OR ")) BEGIN \(try remove); \(try add); END",
                "CREATE TRIGGER \(try trigger("delete")) AFTER DELETE ON \(table) WHEN old.sync_visibility = \(live) "
                    + "BEGIN \(try remove); END",
                "INSERT INTO \(name) (\(name)) VALUES ('rebuild')",
            ]
        }
    }

    /// Removes the index, if it is there.
    var drop: [String] {
        get throws {
            try ["insert", "update", "delete"].map { "DROP TRIGGER IF EXISTS \(try trigger($0))" } + [
                "DROP TABLE IF EXISTS \(name)", "DROP VIEW IF EXISTS \(try view)",
            ]
        }
    }

    /// Removes the index and its tables from the schema, but not from the file; only with a writable schema.
    var forget: [String] {
        get throws {
            let triggers = try ["insert", "update", "delete"].map {
                "DROP TRIGGER IF EXISTS \(try trigger($0))"
            }
            let names = try ["", "_data", "_idx", "_content", "_docsize", "_config"]
                .map { try SQL.literal(text: Self.name(prefix: ddl.indexPrefix) + $0) }
            let tables = "DELETE FROM sqlite_schema WHERE tbl_name IN (\(names.joined(separator: ", ")))"
            return triggers + ["DROP VIEW IF EXISTS \(try view)", tables]
        }
    }

    /// Counts the parts of the index that FTS5 holds but does not find when it searches, which its own check passes
    /// over. The upper bits of a block's number name its part (`fts5_index.c`: `FTS5_SEGMENT_ROWID`).
    var countUnlistedParts: String {
        get throws {
            let prefix = Self.name(prefix: ddl.indexPrefix)
            let (blocks, parts) = (
                try SQL.identifier(name: prefix + "_data"), try SQL.identifier(name: prefix + "_idx")
            )
            return "SELECT count(*) FROM (SELECT id >> 37 AS part FROM \(blocks) WHERE part > 0 "
                + "EXCEPT SELECT segid FROM \(parts))"
        }
    }

    private var add: String {
        get throws {
            let columns = fields.indices.map(Self.column).joined(separator: ", ")
            return "INSERT INTO \(name) (rowid, \(columns)) SELECT new.sync_id, \(try values(of: "new")) "
                + "WHERE new.sync_visibility = \(live)"
        }
    }

    /// FTS5 does not hold the texts and must be told what they were.
    private var remove: String {
        get throws {
            let columns = fields.indices.map(Self.column).joined(separator: ", ")
            // What FTS5 calls the command.
            let command = try SQL.literal(text: "delete")
            return "INSERT INTO \(name) (\(name), rowid, \(columns)) SELECT \(command), old.sync_id, "
                + "\(try values(of: "old")) WHERE old.sync_visibility = \(live)"
        }
    }

    private func values(of row: String) throws -> String {
        try fields.map { "\(row).\(try SQL.identifier(name: $0))" }.joined(separator: ", ")
    }

    private var live: Int { Int(LocalRecord.Visibility.live.rawValue) }
}
