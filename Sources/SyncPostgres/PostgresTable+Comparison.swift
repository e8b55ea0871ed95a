import SyncModel
import SyncSchema

/// What `entitysync.doctor()` compares.
extension PostgresTable {
    /// The function that counts rows without a state, and states without a row.
    var comparison: String {
        let row = rowAlias
        let owner = ownerName.map { "select count(*) from \(table) as \(row) where \(row).\($0) is null" }
        return """
            -- How many rows have no state, how many states no row, and how many rows no owner.
            create or replace function \(function(purpose: "compare"))()
            returns table (without_state bigint, without_row bigint, without_owner bigint)
            language sql stable
            set search_path = pg_catalog, pg_temp
            as \(SQLText.body("""
                  select count(*) filter (where s.id is null), count(*) filter (where r.id is null), (\(owner ?? "select 0"))
                  from (
                    select entitysync.record_id(\(space(of: row)), \(entity), \(function(purpose: "key"))(\(row))) as id
                    from \(table) as \(row)
                    where \(space(of: row)) is not null and not \(isDeleted(alias: row))
                  ) as r
                  full join (
                    select s.id from entitysync.state as s where s.entity = \(entity) and not s.is_deleted
                  ) as s on s.id = r.id
                """));
            """
    }

    /// Writes what the table should be like.
    func write(to writer: inout JSONWriter) {
        func member(name: String, text: String) {
            writer.name(name)
            writer.string(text)
        }
        writer.beginObject()
        member(name: "entity", text: schema.name)
        member(name: "table", text: table)
        if let owner { member(name: "owner", text: owner) }
        writer.name("columns")
        writer.beginObject()
        for column in columns { member(name: column.name, text: column.type.declaration) }
        if let owner, ownerField == nil { member(name: owner, text: "uuid") }
        writer.endObject()
        func list(name: String, _ texts: [String]) {
            writer.name(name)
            writer.beginArray()
            for text in texts { writer.string(text) }
            writer.endArray()
        }
        list(name: "key", keyColumns.map(\.name))
        list(name: "optional", columns.filter { !isNotNull($0) && !$0.isKey }.map(\.name))
        writer.name("unique")
        writer.beginArray()
        for fields in schema.unique {
            writer.beginArray()
            for field in fields { if let column = column(of: field) { writer.string(column.name) } }
            writer.endArray()
        }
        writer.endArray()
        member(name: "compare", text: functionName(purpose: "compare"))
        member(name: "stand_in", text: functionName(purpose: "stand_in"))
        writer.endObject()
    }

    /// Statements that are run only if the table can be synced as it is.
    func admitted(_ text: String) -> String {
        """
        do \(SQLText.body("""
            begin
              if entitysync.admit(\(expectation)) then
                execute \(SQLText.body(text));
              end if;
            end
            """));
        """
    }

    /// The indexes of a table that was admitted.
    var admittedIndexes: String {
        guard !ensuredIndexes.isEmpty else { return "" }
        return """
            do \(SQLText.body("""
                begin
                  if not exists (select from entitysync.refused_entity as r where r.entity = \(entity)) then
                    execute \(SQLText.body(ensuredIndexes));
                  end if;
                end
                """));
            """
    }

    /// Columns that keep their defaults where a device sends no value.
    var defaults: String {
        "do \(SQLText.body("begin\n  perform entitysync.keep_defaults(\(expectation));\nend"));"
    }

    /// What the table should be like, as a literal.
    private var expectation: String {
        var writer = JSONWriter()
        write(to: &writer)
        return SQLText.literal(writer.text)
    }
}
