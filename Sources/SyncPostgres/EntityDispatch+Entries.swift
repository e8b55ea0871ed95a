/// How records become entries of protocol v1.
extension EntityDispatch {
    var entries: String {
        """
        -- Until 1.0.0 these read the states once more.
        drop function if exists entitysync.entries(uuid[]);
        drop function if exists entitysync.bodies(uuid[]);
        drop function if exists entitysync.entries(entitysync.state[]);

        -- Records as entries of protocol v1, in the order of their states. A live record whose row the caller may not
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

    private var entriesBody: String {
        let keys = tables.enumerated().flatMap { place, table -> [String] in
            return table.keyParts(text: "s.key").enumerated().map { part, value in
                let isOfTable = "s.entity = \(table.entity) and not s.is_deleted"
                return ",\n      case when \(isOfTable) then \(value) end as \(name(place, part: part))"
            }
        }
        let rows = tables.enumerated().map { place, table in
            let alias = table.rowAlias
            let owner = table.ownerName.map { "\(alias).\($0) = \(table.owner(space: "m.space")) and " } ?? ""
            let parts = table.keyColumns.indices.map { "m.\(name(place, part: $0))" }
            return """
                    select case when m.body is null then \(table.json(of: alias)) else m.body::text end as body
                    from \(table.table) as \(alias)
                    where m.entity = \(table.entity) and not m.is_deleted
                      and \(owner)\(table.hasKey(alias, parts: parts))
                """
        }
        return """
            #variable_conflict use_column
            begin
              if cardinality(states) = 0 then
                return;
              end if;
              return query
              select m.id, m.revision,
                '{"revision":"' || m.revision || '","entity":' || to_json(m.entity) || ',"key":' || to_json(m.key)
                  || ',"mark":"' || m.edit || '","vector":"' || m.vector || '"'
                  || case when m.is_deleted then ',"deleted":true' else '' end
                  -- What the table made of an edit has another author than what was sent.
                  || case
                    when m.sent <> m.edit and split_part(m.sent, '.', 2) <> split_part(m.edit, '.', 2) then ',"altered":true'
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
                select s.*\(keys.joined())
                from unnest(states) with ordinality as s
                offset 0
              ) as m
              left join lateral (
            \(rows.isEmpty ? "    select null::text as body" : rows.joined(separator: "\n    union all\n"))
                offset 0
              ) as r on true
              order by m.ordinality;
            end
            """
    }

    /// The name of a part of a table's key.
    private func name(_ place: Int, part: Int) -> String { SQLText.name("$\(place).\(part)") }
}
