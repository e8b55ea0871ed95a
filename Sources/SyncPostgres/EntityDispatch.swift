import SyncSchema

/// The functions by which the runtime reaches the entities.
struct EntityDispatch {
    /// Parents first.
    let tables: [PostgresTable]
    /// Whether others made the tables, so that an entity may be left out.
    let isExisting: Bool

    var text: String {
        """
        -- All entities \(String(repeating: "-", count: 104))

        \(knownEntities)

        -- What the database should have for them, for entitysync.doctor().
        create or replace function entitysync.expected() returns json
        language sql immutable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body("  select \(SQLText.literal(expected))::json"));

        -- The member that says when a record of the entity last changed; null if there is none.
        create or replace function entitysync.updated_member(entity text) returns text
        language sql immutable
        return \(updatedMember);

        -- The bit of the column that says whether a record of the entity is deleted; 0 if there is none.
        create or replace function entitysync.deleted_bit(entity text) returns bigint
        language sql immutable
        return \(deletedBit);

        -- Until 1.0.0 it gave no `id`.
        drop function if exists entitysync.misfits(entitysync.change[]);

        -- Changes that do not fit their schema, with the rule and one sentence.
        create or replace function entitysync.misfits(changes entitysync.change[])
        returns table ("position" integer, id uuid, reason text)
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(misfits));

        -- The same for one change.
        create or replace function entitysync.misfit(change entitysync.change) returns text
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(misfit));

        -- Whether the columns of the entity's key take a text as its key.
        create or replace function entitysync.is_key(entity text, key text) returns boolean
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(isKey));

        -- Folds touched records of an entity.
        create or replace function entitysync.fold_entity(
          entity text, p_space uuid, keys text[], ats bigint[], masks bigint[], appearing boolean[]
        ) returns void
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(foldEntity));

        -- Logs the rows of some blocks of an entity's table that have no state.
        create or replace function entitysync.adopt_rows(entity text, first tid, past tid) returns void
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(each { "perform \($0.function(purpose: "adopt"))(first, past);" }));

        -- The live rows of an entity that have a value in one of some columns, which their places name.
        create or replace function entitysync.valued_rows(entity text, places integer[])
        returns table (space uuid, key text, value jsonb)
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(each { "return query select * from \($0.function(purpose: "valued"))(places);" }));

        -- The entities whose tables have policies of their own.
        create or replace function entitysync.viewed_entities() returns text[]
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(viewedEntities));

        -- All records of an entity that the caller may read.
        create or replace function entitysync.visible(entity text) returns table (id uuid, space uuid, key text)
        language plpgsql stable
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(visible));

        -- Those of some records of an entity that the caller may read.
        create or replace function entitysync.seen(entity text, ids uuid[], spaces uuid[], keys text[])
        returns setof uuid
        language plpgsql stable
        set search_path = pg_catalog, public, extensions, pg_temp
        set enable_seqscan = off
        as \(SQLText.body(seen));

        -- The members of an entity's columns, in the order of a mask's bits.
        create or replace function entitysync.paths(entity text) returns jsonb
        language sql immutable
        return \(constant { $0.paths });

        -- The fields of an entity that merge by themselves; null if its records merge as a whole.
        create or replace function entitysync.units(entity text) returns jsonb
        language sql immutable
        return \(constant { $0.units });

        -- The elements of the fields of a body that merge as sets; null if there are none.
        create or replace function entitysync.sets(entity text, value jsonb) returns jsonb
        language sql immutable
        return \(constant { $0.sets(ofJSON: "value") });

        \(writing)

        \(isExisting ? Self.withStandIns("\(entries)\n\n\(empty)") : "\(entries)\n\n\(empty)")
        """
    }

    private var knownEntities: String {
        let names = SQLText.array(tables.map(\.schema.name))
        guard isExisting else {
            return """
                -- The names of the entities. None is left out.
                delete from entitysync.refused_entity;
                create or replace function entitysync.known_entities() returns text[]
                language sql immutable
                set search_path = pg_catalog, pg_temp
                as \(SQLText.body("  select \(names)"));
                """
        }
        return """
            -- The names of the entities, without those whose tables cannot be synced as they are.
            create or replace function entitysync.known_entities() returns text[]
            language sql stable
            set search_path = pg_catalog, pg_temp
            as \(SQLText.body("""
                  select array(
                    select e.name from unnest(\(names)) with ordinality as e (name, place)
                    where not exists (select from entitysync.refused_entity as r where r.entity = e.name)
                    order by e.place
                  )
                """));
            """
    }

    /// Functions that read the tables of all entities, where some may be left out.
    private static func withStandIns(_ text: String) -> String {
        let block = "begin\n  execute entitysync.with_stand_ins(\(SQLText.body(text)));\nend"
        return "do \(SQLText.body(block));\n"
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
            set search_path = pg_catalog, pg_temp
            as \(SQLText.body("""
                begin
                  perform pg_advisory_xact_lock(hashtextextended(p_space::text, 7316));
                  perform set_config('entitysync.writes', '*', true);
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
        guard !cases.isEmpty else { return "null::text" }
        return "case entity\n\(cases.joined(separator: "\n"))\n  end"
    }

    private var deletedBit: String {
        let cases = tables.compactMap { table in
            table.column(of: table.schema.deleted).flatMap(table.bit(of:))
                .map { "    when \(table.entity) then 1::bigint << \($0)" }
        }
        guard !cases.isEmpty else { return "0::bigint" }
        return "case entity\n\(cases.joined(separator: "\n"))\n    else 0\n  end"
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
              present text[] := \(Self.presentEntities);
            begin
            \(steps.joined(separator: "\n"))
            end
            """
    }

    private var misfit: String {
        changed { "return \($0.function(purpose: "misfit"))(change, \($0.repeatsMember("change")));" }
    }

    /// A value for each entity.
    private func constant(_ value: (PostgresTable) -> String) -> String {
        guard !tables.isEmpty else { return "null::jsonb" }
        let cases = tables.map { "    when \($0.entity) then \(value($0))" }
        return "case entity\n\(cases.joined(separator: "\n"))\n  end"
    }

    private var viewedEntities: String {
        let places = tables.map { "(\($0.entity), to_regclass(\(SQLText.literal($0.table))))" }
        guard !places.isEmpty else { return "begin\n  return '{}';\nend" }
        return """
            begin
              return array(
                select e.name
                from (
                  values
                    \(places.joined(separator: ",\n        "))
                ) as e (name, place)
                where e.name = any (entitysync.known_entities()) and exists (
                  select from pg_catalog.pg_policy as p
                  where p.polrelid = e.place and p.polname not like 'entitysync: %'
                  union all
                  -- Also after the last of them went: what devices were shown may be more than they may read now.
                  select from entitysync.viewer as v where v.space = entitysync.reader() and v.entity = e.name
                )
              );
            end
            """
    }

    /// A statement for the table of the entity that the variable `entity` names.
    func each(_ statement: (PostgresTable) -> String) -> String {
        guard !tables.isEmpty else { return "begin\nend" }
        let cases = tables.map { "    when \($0.entity) then\n\(SQLText.indented(statement($0), by: 6))" }
        return "begin\n  case entity\n\(cases.joined(separator: "\n"))\n  end case;\nend"
    }

    private var isKey: String {
        let cases = tables.compactMap { table -> String? in
            let isText = table.keyColumns.count == 1 && table.keyColumns[0].type.base == .text
            return isText
                ? nil
                : "when \(table.entity) then (\(table.keyParts(text: "key").joined(separator: ", "))) is not null"
        }
        guard !cases.isEmpty else { return "begin\n  return true;\nend" }
        return """
            begin
              return case entity
            \(SQLText.indented(cases.joined(separator: "\n"), by: 4))
                else true
              end;
            exception
              when others then
                return false;
            end
            """
    }

    private var visible: String {
        each { table in
            let row = table.rowAlias
            return """
                return query
                select entitysync.record_id(r.space, \(table.entity), r.key), r.space, r.key
                from (
                  select \(table.space(of: row)) as space, \(table.key(of: row)) as key
                  from \(table.table) as \(row)
                  where not \(table.isDeleted(alias: row))
                ) as r
                where r.space is not null;
                """
        }
    }

    private var seen: String {
        each { table in
            let row = table.rowAlias
            let parts = zip(table.keyParts(text: "t.key"), table.keyColumns.indices)
                .map { ", \($0) as \(SQLText.name("$\($1)"))" }.joined()
            let owner =
                table.ownerName.map {
                    "\(row).\($0) = k.space and "
                } ?? ""
            let key = table.hasKey(
                row,
                parts: table.keyColumns.indices.map { "k.\(SQLText.name("$\($0)"))" }
            )
            return """
                return query
                select k.id
                from (
                  select t.id, \(table.owner(space: "t.space")) as space\(parts)
                  from unnest(ids, spaces, keys) as t (id, space, key)
                  offset 0
                ) as k
                join \(table.table) as \(row) on \(owner)\(key)
                where not \(table.isDeleted(alias: row));
                """
        }
    }

    private var foldEntity: String {
        let cases = tables.map {
            "    when \($0.entity) then perform \($0.function(purpose: "fold"))(p_space, keys, ats, masks, appearing);"
        }
        guard !cases.isEmpty else { return "begin\nend" }
        // What was logged of an entity that has left the schemas is forgotten.
        return "begin\n  case entity\n\(cases.joined(separator: "\n"))\n    else null;\n  end case;\nend"
    }

    /// A statement for the table of the change's entity; null for all others.
    func changed(_ statement: (PostgresTable) -> String) -> String {
        let cases = tables.map { "    when \($0.entity) then \(statement($0))" }
        guard !cases.isEmpty else { return "begin\n  return null;\nend" }
        return
            "begin\n  case (change).entity\n\(cases.joined(separator: "\n"))\n    else return null;\n  end case;\nend"
    }
}
