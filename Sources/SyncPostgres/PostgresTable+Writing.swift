import SyncSchema

/// Functions that write what devices send.
extension PostgresTable {
    /// The functions that lock, write and delete rows.
    var writingFunctions: String {
        """
        -- Locks the rows of changes that the caller may change, or fails.
        create or replace function \(function(purpose: "lock"))(changes entitysync.change[]) returns void
        language plpgsql
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(lockBody));

        -- Until 1.0.0 these wrote the states, too.
        drop function if exists \(function(purpose: "write"))(entitysync.change[]);
        drop function if exists \(function(purpose: "remove"))(entitysync.change[]);

        -- What the table made of a change: the row says it after it was written.
        create or replace function \(function(purpose: "written"))(change entitysync.change, row_json text)
        returns entitysync.written
        language plpgsql stable
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(writtenBody));

        -- What the row of a record says; null if there is none.
        create or replace function \(function(purpose: "row"))(p_space uuid, p_key text, locks boolean) returns text
        language plpgsql
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(rowBody));

        -- Writes the row of one change, by statements that are planned in no time. `row_json` is what it says before.
        create or replace function \(function(purpose: "write_one"))(change entitysync.change, row_json text)
        returns entitysync.written
        language plpgsql
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(writeOneBody));

        -- Writes rows: of each, only the columns that the change gives another value. Says what the table made of them.
        create or replace function \(function(purpose: "write"))(changes entitysync.change[]) returns entitysync.written[]
        language plpgsql
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(writeBody));

        -- Deletes rows.
        create or replace function \(function(purpose: "remove"))(changes entitysync.change[]) returns entitysync.written[]
        language plpgsql
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(removeBody));

        -- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
        create or replace function \(function(purpose: "other"))(change entitysync.change, index text) returns text
        language plpgsql stable
        set search_path = pg_catalog, public, extensions, pg_temp
        as \(SQLText.body(otherBody));
        """
    }

    /// A condition that a row has the owner that a query of changes names.
    private func isOwned(_ alias: String, by changes: String) -> String {
        ownerName.map { "\(alias).\($0) = \(changes).\"$owner\" and " } ?? ""
    }

    /// The owner of a change's row.
    private var changeOwner: String { "\(owner(space: "c.space")) as \"$owner\"" }

    /// A column's value out of the body `json`. A row whose body does not name its owner is the caller's.
    func value(of column: Column, json: String) -> String {
        let value = column.value(of: json)
        return column.name == ownerField?.name ? "coalesce(\(value), \(caller))" : value
    }

    /// The keys of the entity's changes, as a query. NB: cast here; a cast in a condition would keep a table with policies from being
    /// searched by its key.
    private func keys(of changes: String, members: String) -> String {
        let parts = zip(keyParts(text: "c.key"), keyColumns.indices)
            .map { ", \($0) as \(SQLText.name("$\($1)"))" }.joined()
        return
            "(select \(members), \(changeOwner)\(parts) from unnest(\(changes)) as c where c.entity = \(entity) offset 0)"
    }

    private func match(alias: String, keys: String) -> String {
        let parts = keyColumns.indices.map { "\(keys).\(SQLText.name("$\($0)"))" }
        return isOwned(alias, by: keys) + hasKey(alias, parts: parts)
    }

    private var lockBody: String {
        let row = rowAlias
        return """
            begin
              perform from \(keys(of: "changes", members: "c.position")) as k
              join \(table) as \(row) on \(match(alias: row, keys: "k"))
              for no key update of \(row) nowait;
            end
            """
    }

    private var writtenBody: String {
        """
        declare
          -- To compare texts takes less than to read one.
          says_the_same constant boolean := (change).body::text = row_json;
          value constant jsonb := case when says_the_same then (change).value else row_json::jsonb end;
          altered constant bigint := case
            when says_the_same then 0 else \(function(purpose: "mask"))((change).value, value)
          end;
        begin
          return row(
            (change).position,
            case
              when altered <> 0 then entitysync.overlaid((change).body, value, altered, \(paths))
              when not says_the_same then (change).body
            end,
            \(sets(ofJSON: "value")), altered
          );
        end
        """
    }

    /// Whether the table may keep something else than was written.
    var mayAlter: Bool { refusalOfAltered.isEmpty }

    /// Raised where policies or triggers keep a row from being written.
    var notWritten: String {
        "raise insufficient_privilege using message = 'A row of the table could not be written.';"
    }

    private var writeBody: String {
        let values = columns.map { "\(value(of: $0, json: "c.value")) as \(SQLText.name($0.name))" }
        let names = newRow(json: "").map(\.name)
        let inserted = columns.map { $0.of("w") } + (names.count > columns.count ? [caller] : [])
        let row = rowAlias
        let sets = changingColumns.compactMap { column in
            bit(of: column).map { bit in
                let name = SQLText.name(column.name)
                return
                    "\(name) = case when w.\"$mask\" & (1::bigint << \(bit)) <> 0 then "
                    + "\(changed(column, bit: bit, given: "w.\"$value\"", to: "w.\(name)")) else \(column.of(row)) end"
            }
        }
        let places = changingColumns.compactMap { bit(of: $0) }
        let json = function(purpose: "json")
        let refusal = refusalOfAltered
        // What the table would lose is looked for in the general way alone.
        let single =
            mayAlter
            ? """
              if cardinality(changes) = 1 then
                return array[\(function(purpose: "write_one"))(
                  changes[1], \(function(purpose: "row"))(changes[1].space, changes[1].key, false)
                )];
              end if;

            """ : ""
        let update = "with u as (\n  update \(table) as \(row) set "
        let condition = """

              from (
                select c.position as "$position", m.mask as "$mask", c.value as "$value", \(changeOwner),
                  \(values.joined(separator: ",\n      "))
                from unnest($1) as c join unnest($2, $3) as m (position, mask) on m.position = c.position
                where m.mask <> 0
                offset 0
              ) as w
              where \(isOwned(row, by: "w"))\(keyColumns.map { "\($0.of(row)) = \($0.of("w"))" }.joined(separator: " and "))
              returning w."$position" as position, \(json)(\(row)) as row_json
            )
            select array_agg(u.position), array_agg(u.row_json) from u
            """
        return """
            #variable_conflict use_column
            declare
              -- The changes whose rows are there, the columns to be written, and what the rows say.
              positions integer[];
              masks bigint[];
              rows text[];
              union_mask bigint;
              -- What rows say after they were written.
              written_positions integer[];
              written_rows text[];
              inserted_positions integer[];
              inserted_rows text[];
              sets constant text[] := \(SQLText.array(sets));
              bits constant integer[] := array[\(places.map(String.init).joined(separator: ", "))]::integer[];
              done entitysync.written[];
            \(refusal.isEmpty ? "" : "  altered_columns text;\n")begin
            \(single)  select array_agg(p.position), array_agg(p.mask), array_agg(p.row_json), bit_or(p.mask)
              into positions, masks, rows, union_mask
              from (
                select m.position, m.row_json, \(function(purpose: "mask"))(m.value, m.present) as mask
                from (
                  -- NB: read once. The mask looks into it for each column.
                  select r.*, r.row_json::jsonb as present
                  from (
                    select k.position, k.value, \(json)(\(row)) as row_json
                    from \(keys(of: "changes", members: "c.position, c.value")) as k
                    join \(table) as \(row) on \(match(alias: row, keys: "k"))
                    offset 0
                  ) as r
                  offset 0
                ) as m
              ) as p;
              if coalesce(cardinality(positions), 0) < cardinality(changes) and exists (
                select from unnest(changes) as c where c.lives and c.position <> all (coalesce(positions, '{}'))
              ) then
                \(notWritten)
              end if;
              perform set_config('entitysync.writes', \(entity), true);
              if union_mask <> 0 then
                execute \(SQLText.literal(update)) || (
                  select string_agg(s.text, ', ' order by s.place)
                  from unnest(sets, bits) with ordinality as s (text, bit, place)
                  where union_mask & (1::bigint << s.bit) <> 0
                ) || \(SQLText.literal(condition))
                into written_positions, written_rows
                using changes, positions, masks;
                if coalesce(cardinality(written_positions), 0) < cardinality(array_remove(masks, 0)) then
                  \(notWritten)
                end if;
              end if;
              if coalesce(cardinality(positions), 0) < cardinality(changes) then
                with w as materialized (
                  select c.position as "$position",
                    \(values.joined(separator: ",\n        "))
                  from unnest(changes) as c
                  where c.position <> all (coalesce(positions, '{}')) and c.space = (select entitysync.my_space())
                ), i as (
                  insert into \(table) as \(row) (\(names.joined(separator: ", ")))
                  select \(inserted.joined(separator: ", "))
                  from w
                  returning \(keyColumns.map { $0.of(row) }.joined(separator: ", ")),
                    \(self.json(of: row)) as "$json"
                )
                select array_agg(w."$position"), array_agg(i."$json")
                into inserted_positions, inserted_rows
                from i join w on \(keyColumns.map { "\($0.of("i")) = \($0.of("w"))" }.joined(separator: " and "));
                if coalesce(cardinality(inserted_positions || positions), 0) < cardinality(changes) then
                  \(notWritten)
                end if;
              end if;
              perform set_config('entitysync.writes', '', true);
              select array_agg(
                case
                  when c.body::text = r.row_json
                    then row(c.position, null, \(self.sets(ofJSON: "c.value")), 0)::entitysync.written
                  else \(function(purpose: "written"))(c, r.row_json)
                end
              )
              into done
              from unnest(changes) as c
              join (
                select p.position, p.row_json from unnest(positions, rows, masks) as p (position, row_json, mask)
                where p.mask = 0
                union all
                select u.position, u.row_json from unnest(written_positions, written_rows) as u (position, row_json)
                union all
                select i.position, i.row_json from unnest(inserted_positions, inserted_rows) as i (position, row_json)
              ) as r on r.position = c.position;
            \(refusal)  return done;
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
        let row = rowAlias
        let keys = keys(of: "changes", members: "c.value")
        let statement: String
        if let mirror = column(of: schema.deleted) {
            let value =
                if case .boolean = mirror.kind { "true" } else {
                    mirror.value(
                        ofInstant: "coalesce(entitysync.moment(\(mirror.memberText(of: "k.value"))), now())"
                    )
                }
            statement = """
                update \(table) as \(row) set \(SQLText.name(mirror.name)) = \(value)
                  from \(keys) as k
                  where \(match(alias: row, keys: "k"))
                """
        } else {
            statement = """
                delete from \(table) as \(row) using \(keys) as k
                  where \(match(alias: row, keys: "k"))
                """
        }
        return """
            declare
              removed integer;
            begin
              perform set_config('entitysync.writes', \(entity), true);
              \(statement);
              get diagnostics removed = row_count;
              perform set_config('entitysync.writes', '', true);
              if removed < (select count(*) from unnest(changes) as c where c.lives) then
                raise insufficient_privilege using message = 'A row of the table could not be deleted.';
              end if;
              return array(select row(c.position, c.body, null, 0)::entitysync.written from unnest(changes) as c);
            end
            """
    }
}

/// What a change wrote and the table does not keep.
extension PostgresTable {
    /// The statements that refuse changes of which the table keeps less than they wrote; empty if it may.
    fileprivate var refusalOfAltered: String {
        let times = [schema.created, schema.updated, schema.deleted].compactMap { $0 }
        let columns = changingColumns.filter { !times.contains($0.property.name) }
        guard schema.sql?.onAlter == .reject, !columns.isEmpty else { return "" }
        let rows = columns.compactMap { column in
            bit(of: column).map { bit in
                let path = SQLText.array(column.path)
                let usual =
                    column.property.isRequired ? column.property.defaultJSON.map { SQLText.literal($0) } : nil
                let isSet = column.path.count == 1 && unitKinds[column.path[0]] == "set"
                return "(\(SQLText.literal(column.name)), \(bit), \(path), \(usual ?? "null"), \(isSet))"
            }
        }
        return """
              -- Of a new row, what the change gives; of another one, what it gives another value. A set may get more.
              altered_columns := (
                select string_agg(distinct n.name, ', ' order by n.name)
                from unnest(done) as d
                join unnest(changes) as c on c.position = d.position
                left join unnest(positions, masks) as m (position, mask) on m.position = d.position
                join (
                  values
                    \(rows.joined(separator: ",\n        "))
                ) as n (name, bit, path, usual, is_set) on d.altered & (1::bigint << n.bit) <> 0
                where case
                    when m.position is not null then m.mask & (1::bigint << n.bit) <> 0
                    else nullif(c.value #> n.path, 'null') is distinct from n.usual::jsonb
                      and nullif(c.value #> n.path, 'null') is not null
                  end
                  and not (n.is_set and coalesce(d.sets #> n.path @> (c.value #> n.path), false))
              );
              if altered_columns is not null then
                raise exception using errcode = 'ES001', column = altered_columns,
                  message = 'The table would alter what was written.';
              end if;

            """
    }
}
