import SyncSchema

/// A change of schemas that no migration can make.
public struct SQLMigrationError: Error, Hashable {
    /// The entity whose key fields changed: its records would be other records.
    public var entity: String
}

/// What a database needs so that it fits newer schemas.
struct Migration {
    /// The tables as they are.
    let old: [PostgresTable]
    /// The tables as they will be, parents first.
    let new: [PostgresTable]

    init(old: [PostgresTable], new: [PostgresTable]) throws {
        self.old = old
        self.new = new
        for migration in Self.pairs(old: old, new: new) where migration.changesKey {
            throw SQLMigrationError(entity: migration.new.schema.name)
        }
    }

    private static func pairs(old: [PostgresTable], new: [PostgresTable]) -> [TableMigration] {
        new.compactMap { table in
            old.first { $0.schema.name == table.schema.name }.map { TableMigration(old: $0, new: table) }
        }
    }

    /// The statements about tables that are there, with their comments.
    var text: String {
        let present = Set(new.map(\.schema.name))
        var parts = old.filter { !present.contains($0.schema.name) }.map(Self.departure)
        let pairs = Self.pairs(old: old, new: new)
        let steps = pairs.flatMap(\.steps)
        if steps.contains(where: { $0.statement.contains(Column.textsFunction) }) { parts.append(Self.texts) }
        parts += steps.map(\.text)
        return parts.map { $0 + "\n" }.joined(separator: "\n")
    }

    /// Whether an entity had a table before.
    func isKept(_ table: PostgresTable) -> Bool { old.contains { $0.schema.name == table.schema.name } }

    /// The tables of new entities.
    func additions(isExisting: Bool) -> [String] {
        new.filter { !isKept($0) }.map { table in
            let definition = table.definition(isExisting: isExisting)
            return "-- A new entity.\n\(isExisting ? table.admitted(definition) : definition)\n"
        }
    }

    private static func departure(_ table: PostgresTable) -> String {
        let triggers = PostgresTable.triggerNames.map {
            "drop trigger if exists \($0) on \(table.table);"
        }
        return "-- An entity has left the schemas: its table stays, and is no longer synced.\n"
            + triggers.joined(separator: "\n")
    }

    private static let texts = """
        -- For columns that become arrays.
        create or replace function \(Column.textsFunction)(list jsonb) returns text[]
        language sql immutable strict
        as $$ select array(select e.value from jsonb_array_elements_text(list) as e) $$;
        """
}
