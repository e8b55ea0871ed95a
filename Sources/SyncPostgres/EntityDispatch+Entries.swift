import SyncSchema

/// How records become entries of protocol v1.
extension EntityDispatch {
    var entries: String {
        """
        -- Until 1.0.0 these read the states once more.
        drop function if exists entitysync.entries(uuid[]);
        drop function if exists entitysync.bodies(uuid[]);
        drop function if exists entitysync.entries(entitysync.state[]);

        -- Records as entries of protocol v1, with the place of their states. A live record whose row the caller may not
        -- read now has none. The body is the state's; if it has none, it is what the row says.
        create or replace function entitysync.entries(states entitysync.state[])
        returns table (id uuid, revision text, entry text, place bigint)
        language plpgsql stable
        set search_path = pg_catalog, public, extensions, pg_temp
        -- A session keeps the plan, also one from when a table was empty: it shall be the one by the keys.
        set enable_seqscan = off
        as \(SQLText.body(entriesBody));
        """
    }

    /// NB: a statement for each entity, so that what is wrong with one table stops nobody who has no record of it.
    private var entriesBody: String {
        let cases = tables.map { "    when \($0.entity) then\n\(SQLText.indented(entries(of: $0), by: 6))" }
        return """
            #variable_conflict use_column
            declare
              -- The entities of the states.
              names constant text[] := case cardinality(states)
                when 1 then array[(states[1]).entity]
                else array(select distinct s.entity from unnest(states) as s)
              end;
              name text;
            begin
              foreach name in array names loop
                case name
            \(SQLText.indented(cases.joined(separator: "\n"), by: 2))
                  else
                    -- A place in the list of what was shown, of a record that may not be read any more.
                    return query
                    select null::uuid, null::text, null::text, s.ordinality
                    from unnest(states) with ordinality as s
                    where s.entity is not distinct from name;
                end case;
              end loop;
            end
            """
    }

    private func entries(of table: PostgresTable) -> String {
        let row = table.rowAlias
        let owner = table.ownerName.map { "\(row).\($0) = \(table.owner(space: "m.space")) and " } ?? ""
        let names = table.keyColumns.indices.map { SQLText.name("$\($0)") }
        // The last value of a deleted record whose row is there is shown to whom policies show the row. NB: the text of
        // its key may be from before a change of the column's type.
        let keepsRows = table.column(of: table.schema.deleted) != nil
        let hasKey = keepsRows ? " or s.body is not null and entitysync.is_key(s.entity, s.key)" : ""
        let hasRow =
            keepsRows
            ? "(not m.is_deleted or m.body is not null and \(table.isDeleted(alias: row)))"
            : "not m.is_deleted"
        let keys = zip(table.keyParts(text: "s.key"), names)
            .map { ", case when not s.is_deleted\(hasKey) then \($0) end as \($1)" }.joined()
        let head = SQLText.literal("\",\"entity\":\"\(table.schema.name)\",\"key\":")
        return """
            return query
            select m.id, m.revision,
              '{"revision":"' || m.revision || \(head) || to_json(m.key)
                || ',"mark":"' || m.edit || '","vector":"' || m.vector || '"'
                || case when m.is_deleted then ',"deleted":true' else '' end
                -- What the table made of an edit has another author than what was sent.
                || case
                  when substr(m.sent, strpos(m.sent, '.')) <> substr(m.edit, strpos(m.edit, '.')) then ',"altered":true'
                  else ''
                end
                || coalesce(',"merged":' || to_json(m.merged_into), '') || coalesce(',"detail":' || m.detail, '')
                || ',"body":' || coalesce(
                  r.body,
                  case
                    when m.is_deleted then entitysync.last_body(m.entity, m.body)
                    else entitysync.hidden_body(m.entity)
                  end
                ) || '}',
              m.ordinality
            from (
              -- NB: the keys are cast here. Below, a cast could tell what policies hide, so that PostgreSQL would not
              -- search a table with policies by its key.
              select s.*\(keys)
              from unnest(states) with ordinality as s
              where s.entity = \(table.entity)
              offset 0
            ) as m
            left join lateral (
              select case when m.body is null then \(table.json(of: row)) else m.body::text end as body
              from \(table.table) as \(row)
              where \(hasRow) and \(owner)\(table.hasKey(row, parts: names.map { "m.\($0)" }))
              offset 0
            ) as r on true;
            """
    }
}
