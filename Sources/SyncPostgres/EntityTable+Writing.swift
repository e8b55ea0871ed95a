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
        """
    }

    private var isOwn: String { ownerName.map { "t.\($0) = (select auth.uid()) and " } ?? "" }

    private func sameKey(alias: String) -> String {
        keyColumns.map { "\($0.of(alias)) = \($0.of("w"))" }.joined(separator: " and ")
    }

    private func list(alias: String) -> String {
        columns.map { $0.of(alias) }.joined(separator: ", ")
    }

    private var writeBody: String {
        let values = columns.map { "\($0.value(of: "j.b")) as \(SQLText.name($0.name))" }
        let names = columns.map { SQLText.name($0.name) }
        let sets = changingColumns.map { "\(SQLText.name($0.name)) = \($0.of("w"))" }
        // A soft delete leaves the row, and an undelete finds it.
        let isThere = schema.deleted == nil ? "w.\"$lives\" and " : ""
        let update =
            sets.isEmpty
            ? "select t as \"$row\" from \(table) as t, wanted as w where \(isThere)\(isOwn)\(sameKey(alias: "t"))"
            : """
            update \(table) as t set
                  \(sets.joined(separator: ",\n      "))
                from wanted as w
                where \(isThere)\(isOwn)\(sameKey(alias: "t"))
                returning t as "$row"
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
                cross join lateral (select c.body::jsonb as b offset 0) as j
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
                      (w."$change").lives, (w."$change").is_lowered
                    )::entitysync.change
                    from wanted as w
                  )
                ) as s
              ), updated as (
                \(update)
              ), inserted as (
                insert into \(table) as t (\(names.joined(separator: ", ")))
                select \(list(alias: "w"))
                from wanted as w
                where not exists (select from updated as t where \(sameKey(alias: "(t.\"$row\")"))) and exists (select from stored)
                returning t as "$row"
              ), written as (
                select * from updated union all select * from inserted
              )
              select
                array_agg(
                  row((w."$change").position, (w."$change").id, 'accepted', null, null, s.revision, (w."$change").is_lowered)::entitysync.verdict
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

    private var removeBody: String {
        let match = "\(isOwn)\(hasKey("t", text: "c.key"))"
        let statement: String
        if let mirror = column(of: schema.deleted) {
            let value =
                if case .boolean = mirror.kind { "true" } else {
                    "coalesce((\(mirror.memberText(of: "c.body")))::timestamptz, now())"
                }
            statement = """
                update \(table) as t set \(SQLText.name(mirror.name)) = \(value)
                  from unnest(changes) as c
                  where \(match)
                """
        } else {
            statement = "delete from \(table) as t using unnest(changes) as c\n  where \(match)"
        }
        return """
            declare
              verdicts entitysync.verdict[];
              removed integer;
            begin
              select array_agg(
                row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered)::entitysync.verdict
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
