import SyncSchema

/// Functions that write what devices send.
extension EntityTable {
    /// The functions that store upserts and deletes: first the states, then the rows.
    var writingFunctions: String {
        """
        -- Stores versions of different records: their states, then their rows. What a trigger of yours makes of a row
        -- becomes an edit of the server's on top.
        create or replace function \(function(purpose: "write"))(changes entitysync.change[]) returns entitysync.verdict[]
        language plpgsql
        set search_path = ''
        as \(SQLText.body(writeBody));

        -- Deletes records: stores their tombstones, then deletes their rows.
        create or replace function \(function(purpose: "remove"))(changes entitysync.change[]) returns entitysync.verdict[]
        language plpgsql
        set search_path = ''
        as \(SQLText.body(removeBody));

        -- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
        create or replace function \(function(purpose: "other"))(change entitysync.change, index text) returns text
        language plpgsql stable
        set search_path = ''
        as \(SQLText.body(otherBody));
        """
    }

    private func isOwn(alias: String) -> String { ownerName.map { "\(alias).\($0) = \(caller) and " } ?? "" }

    private func sameKey(alias: String) -> String {
        keyColumns.map { "\($0.of(alias)) = \($0.of("w"))" }.joined(separator: " and ")
    }

    /// The columns of a row, as something that can be compared.
    private func list(alias: String) -> String {
        columns.map { $0.comparable(of: alias) }.joined(separator: ", ")
    }

    /// A column's value out of the body `json`. A row whose body does not name its owner is the caller's.
    private func value(of column: Column, json: String) -> String {
        let value = column.value(of: json)
        return column.name == ownerField?.name ? "coalesce(\(value), \(caller))" : value
    }

    private var writeBody: String {
        let values = columns.map { "\(value(of: $0, json: "c.value")) as \(SQLText.name($0.name))" }
        var names = columns.map { SQLText.name($0.name) }
        var inserted = columns.map { $0.of("w") }
        if let ownerName, ownerField == nil {
            names.append(ownerName)
            inserted.append(caller)
        }
        let sets = changingColumns.map { "\(SQLText.name($0.name)) = \($0.of("w"))" }
        // A soft delete leaves the row, and an undelete finds it.
        let isThere = schema.deleted == nil ? "w.\"$lives\" and " : ""
        let row = rowAlias
        let update =
            sets.isEmpty
            ? "select \(row) as \"$row\" from \(table) as \(row), wanted as w where \(isThere)\(isOwn(alias: row))\(sameKey(alias: row))"
            : """
            update \(table) as \(row) set
                  \(sets.joined(separator: ",\n      "))
                from wanted as w
                where \(isThere)\(isOwn(alias: row))\(sameKey(alias: row))
                returning \(row) as "$row"
            """
        return """
            declare
              verdicts entitysync.verdict[];
              alterations jsonb;
              alteration jsonb;
            begin
              perform set_config('entitysync.writes', 'on', true);
              with valued as materialized (
                select c.lives as "$lives", c as "$change",
                  \(values.joined(separator: ",\n      "))
                from unnest(changes) as c
              ), wanted as materialized (
                select w.*,
                  \(SQLText.indented(json(of: "w"), by: 6).dropFirst(6)) as "$json"
                from valued as w
              ), stored as materialized (
                select s.id, s.revision
                from entitysync.store(
                  array(
                    -- The body is left out where the row says the same.
                    select row(
                      (w."$change").position, (w."$change").id, (w."$change").entity, (w."$change").key, (w."$change").edit,
                      (w."$change").sent, (w."$change").vector, (w."$change").base, false, null, (w."$change").detail,
                      case
                        when (w."$change").body::text is distinct from w."$json" then (w."$change").body
                      end,
                      (w."$change").lives, (w."$change").is_lowered, null
                    )::entitysync.change
                    from wanted as w
                  )
                ) as s
              ), updated as (
                \(update)
              ), inserted as (
                insert into \(table) as \(row) (\(names.joined(separator: ", ")))
                select \(inserted.joined(separator: ", "))
                from wanted as w
                where not exists (select from updated as t where \(sameKey(alias: "(t.\"$row\")"))) and exists (select from stored)
                returning \(row) as "$row"
              ), written as (
                select * from updated union all select * from inserted
              )
              select
                array_agg(
                  row((w."$change").position, (w."$change").id, 'accepted', null, null, s.revision, (w."$change").is_lowered, null)::entitysync.verdict
                ),
                jsonb_agg(jsonb_build_array((w."$change").key, \(function(purpose: "json"))(t."$row"), w."$json"))
                  filter (where (\(list(alias: "(t.\"$row\")"))) is distinct from (\(list(alias: "w"))))
              into verdicts, alterations
              from wanted as w
              join stored as s on s.id = (w."$change").id
              join written as t on \(sameKey(alias: "(t.\"$row\")"));
              perform set_config('entitysync.writes', '', true);
              if coalesce(cardinality(verdicts), 0) < cardinality(changes) then
                raise insufficient_privilege using message = 'A row of the table could not be written.';
              end if;
              for alteration in select value from jsonb_array_elements(alterations) loop
                perform entitysync.note_alteration(
                  \(entity), alteration ->> 0, (alteration ->> 1)::jsonb, (alteration ->> 2)::jsonb,
                  \(units), \(optionalMembers)
                );
              end loop;
              return verdicts;
            end
            """
    }

    private var otherBody: String {
        let values = columns.map { "\(value(of: $0, json: "j.b")) as \(SQLText.name($0.name))" }
        let isOwned = ownerField == nil ? ownerName.map { ",\n        \(caller) as \($0)" } ?? "" : ""
        return """
            declare
              query text := entitysync.clash_query(\(SQLText.literal(table))::regclass, index);
              given \(table);
              holder \(table);
            begin
              if query is null then
                return null;
              end if;
              given := (
                select jsonb_populate_record(null::\(table), to_jsonb(v))
                from (
                  select
                    \(values.joined(separator: ",\n        "))\(isOwned)
                  from (select (change).body::jsonb as b) as j
                ) as v
              );
              execute query into holder using given;
              return nullif(\(key(of: "holder")), (change).key);
            exception
              -- The clash is told in any case, if without a name.
              when data_exception or syntax_error_or_access_rule_violation then
                return null;
            end
            """
    }

    private var removeBody: String {
        let names = keyColumns.indices.map { SQLText.name("$\($0)") }
        let match = "\(isOwn(alias: "t"))\(hasKey("t", parts: names.map { "c.\($0)" }))"
        let parts = zip(keyParts(text: "c.key"), names).map { "\($0) as \($1)" }.joined(separator: ", ")
        // NB: cast here. A cast in a condition would keep a table with policies from being searched by its key.
        let keys = "(select c.value, \(parts) from unnest(changes) as c offset 0) as c"
        let statement: String
        if let mirror = column(of: schema.deleted) {
            let value =
                if case .boolean = mirror.kind { "true" } else {
                    mirror.value(
                        ofInstant: "coalesce((\(mirror.memberText(of: "c.value")))::timestamptz, now())"
                    )
                }
            statement = """
                update \(table) as t set \(SQLText.name(mirror.name)) = \(value)
                  from \(keys)
                  where \(match)
                """
        } else {
            statement = "delete from \(table) as t using \(keys)\n  where \(match)"
        }
        return """
            declare
              verdicts entitysync.verdict[];
              removed integer;
            begin
              select array_agg(
                row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered, null)::entitysync.verdict
              )
              into verdicts
              from entitysync.store(changes) as s
              join unnest(changes) as c on c.id = s.id;
              perform set_config('entitysync.writes', 'on', true);
              \(statement);
              get diagnostics removed = row_count;
              perform set_config('entitysync.writes', '', true);
              if removed < (select count(*) from unnest(changes) as c where c.lives) then
                raise insufficient_privilege using message = 'A row of the table could not be deleted.';
              end if;
              return verdicts;
            end
            """
    }
}
