import SyncSchema

/// The functions by which the runtime reaches the entities.
struct EntityDispatch {
    /// Parents first.
    let tables: [EntityTable]

    var text: String {
        """
        -- All entities \(String(repeating: "-", count: 104))

        -- The names of the entities.
        create or replace function entitysync.known_entities() returns text[]
        language sql immutable
        set search_path = ''
        as \(SQLText.body("  select \(SQLText.array(tables.map(\.schema.name)))"));

        -- What the database should have for them, for entitysync.doctor().
        create or replace function entitysync.expected() returns json
        language sql immutable
        set search_path = ''
        as \(SQLText.body("  select \(SQLText.literal(expected))::json"));

        -- The member that says when a record of the entity last changed; null if there is none.
        create or replace function entitysync.updated_member(entity text) returns text
        language sql immutable
        set search_path = ''
        as \(SQLText.body(updatedMember));

        -- Until 1.0.0 it gave no `id`.
        drop function if exists entitysync.misfits(entitysync.change[]);

        -- Changes that do not fit their schema, with the rule and one sentence.
        create or replace function entitysync.misfits(changes entitysync.change[])
        returns table ("position" integer, id uuid, reason text)
        language plpgsql stable
        set search_path = ''
        as \(SQLText.body(misfits));

        -- Stores changes of different records: upserts with parents first, then deletes with children first.
        create or replace function entitysync.write_changes(changes entitysync.change[])
        returns entitysync.verdict[]
        language plpgsql
        set search_path = ''
        as \(SQLText.body(writeChanges));

        -- The key of a record that has the same values as a change, according to a unique index of its table.
        create or replace function entitysync.other_record(change entitysync.change, index text) returns text
        language plpgsql stable
        set search_path = ''
        as \(SQLText.body(otherRecord));

        \(entries)

        \(empty)
        """
    }

    /// Deletes the rows of a space. Where all users share the rows, a space cannot be told from another one.
    private var empty: String {
        let owned = tables.filter { $0.ownerName != nil }
        guard owned.count == tables.count else { return "" }
        // Children first.
        let deletes = owned.reversed().map { table in
            "  delete from \(table.table) as t where t.\(table.ownerName ?? "") = p_space;"
        }
        return """
            -- Removes all rows of a space and everything that is known of it, as if it had never been.
            create or replace function entitysync.empty(p_space uuid) returns void
            language plpgsql
            set search_path = ''
            as \(SQLText.body("""
                begin
                  perform pg_advisory_xact_lock(hashtextextended(p_space::text, 7316));
                  perform set_config('entitysync.writes', 'on', true);
                \(deletes.joined(separator: "\n"))
                  perform set_config('entitysync.writes', '', true);
                  perform entitysync.erase(p_space);
                end
                """));

            """
    }

    /// What the database should have for the entities, as JSON.
    var expected: String {
        var writer = JSONWriter()
        writer.beginArray()
        for table in tables { table.write(to: &writer) }
        writer.endArray()
        return writer.text
    }

    private var updatedMember: String {
        let cases = tables.compactMap { table in
            table.column(of: table.schema.updated).flatMap { column -> String? in
                guard column.path.count == 1, case .moment = column.kind else { return nil }
                return "    when \(table.entity) then \(SQLText.literal(column.path[0]))"
            }
        }
        guard !cases.isEmpty else { return "  select null::text" }
        return "  select case entity\n\(cases.joined(separator: "\n"))\n  end"
    }

    private var misfits: String {
        let steps = tables.map { table in
            """
              if \(table.entity) = any (present) then
                return query select * from \(table.function(purpose: "misfits"))(changes);
              end if;
            """
        }
        return """
            declare
              present text[] := array(select distinct c.entity from unnest(changes) as c);
            begin
            \(steps.joined(separator: "\n"))
            end
            """
    }

    private var writeChanges: String {
        func step(table: EntityTable, isDeleted: Bool) -> String {
            """
              part := array(
                select c from unnest(changes) as c
                where c.entity = \(table.entity) and \(isDeleted ? "" : "not ")c.is_deleted
              );
              if cardinality(part) > 0 then
                verdicts := verdicts || \(table.function(purpose: isDeleted ? "remove" : "write"))(part);
              end if;
            """
        }
        let steps =
            tables.map { step(table: $0, isDeleted: false) }
            + tables.reversed().map { step(table: $0, isDeleted: true) }
        return """
            declare
              part entitysync.change[];
              verdicts entitysync.verdict[] := '{}';
            begin
            \(steps.joined(separator: "\n"))
              return verdicts;
            end
            """
    }

    private var otherRecord: String {
        let cases = tables.map {
            "    when \($0.entity) then return \($0.function(purpose: "other"))(change, index);"
        }
        guard !cases.isEmpty else { return "begin\n  return null;\nend" }
        return "begin\n  case (change).entity\n\(cases.joined(separator: "\n"))\n  end case;\nend"
    }
}
