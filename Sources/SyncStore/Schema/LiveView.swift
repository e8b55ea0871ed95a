import SyncCore
import SyncSQLite

/// The view of an entity's live records for people who write SQL: `bookmark_live`.
///
/// Its columns are the schema's fields, then those that a model needs beside them. See `SQL.md`.
struct LiveView {
    let descriptor: EntityDescriptor
    /// The tables of all entities in the store, by entity name.
    let tables: [String: EntityTable]

    /// Removes the view, if it is there.
    static func drop(descriptor: EntityDescriptor) throws -> String {
        "DROP VIEW IF EXISTS \(try SQL.identifier(name: descriptor.liveView))"
    }

    /// Whether the store has all entities that this one refers to, so that each reference can be followed.
    var isComplete: Bool { descriptor.references.allSatisfy { tables[$0.entity] != nil } }

    /// Creates the view. SQLite keeps the text as it is, so that an equal text needs no change.
    func create(table: EntityTable) throws -> String {
        let names = table.columns
        var columns = try descriptor.fields.enumerated().map { index, field in
            "\(try value(field: field, column: "t.\(names[index])")) AS \(names[index])"
        }
        columns += (["sync_unknown"] + table.nulls).map { "t.\($0) AS \($0)" }
        columns.append("\(try SQL.literal(text: table.slotNames)) AS sync_slots")
        columns.append("\(try SQL.literal(text: table.store.hex)) AS sync_store")
        let name = try SQL.identifier(name: descriptor.liveView)
        return "CREATE VIEW \(name) AS SELECT \(columns.joined(separator: ", ")) FROM \(table.name) AS t "
            + "WHERE t.sync_visibility = \(LocalRecord.Visibility.live.rawValue)"
    }

    /// A field's value as the view shows it.
    private func value(field: FieldDescriptor, column: String) throws -> String {
        if case .dateTime = field.type { return Self.instant(column) }
        let reference = descriptor.references.first { $0.field.hasSameBytes(as: field.name) }
        // A key in another form than its column's text cannot be compared with the reference.
        guard let reference, !field.type.isStructured, let target = tables[reference.entity],
            target.keyField != nil
        else { return column }
        return Self.survivor(column, in: target)
    }

    /// Microseconds since 1970 as `2026-01-31T08:15:00.000000Z`. All texts have one length, so that they sort by time.
    private static func instant(_ column: String) -> String {
        let fraction = "((\(column) % 1000000) + 1000000) % 1000000"
        let seconds = "(\(column) - \(fraction)) / 1000000"
        return
            "strftime('%Y-%m-%dT%H:%M:%S', \(seconds), 'unixepoch') || printf('.%06dZ', \(fraction))"
    }

    /// The key of the record that a referred one was merged into, and of the one that this was merged into.
    private static func survivor(_ column: String, in target: EntityTable) -> String {
        let (name, key) = (target.name, target.key)
        return """
            CASE WHEN EXISTS (SELECT 1 FROM \(name) AS m WHERE m.\(key) = \(column) \
            AND m.sync_merged IS NOT NULL) THEN coalesce((WITH RECURSIVE sync_chain(step) AS (SELECT \(column) \
            UNION SELECT m.sync_merged FROM \(name) AS m JOIN sync_chain ON m.\(key) = sync_chain.step \
            WHERE m.sync_merged IS NOT NULL) SELECT x.\(key) FROM sync_chain JOIN \(name) AS x \
            ON x.\(key) = sync_chain.step WHERE x.sync_visibility = \(LocalRecord.Visibility.live.rawValue) \
            LIMIT 1), \(column)) ELSE \(column) END
            """
    }
}
