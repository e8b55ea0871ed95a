import SyncSchema

/// Triggers that log every write that does not come through the exchange.
extension PostgresTable {
    /// Functions and triggers. Functions of earlier versions' triggers are replaced with the triggers.
    var tracking: String {
        [track, trackRow, triggers, touch, truncated].compactMap { $0 }.joined(separator: "\n\n")
    }

    /// The triggers of a table, with those of earlier versions.
    static let triggerNames = [
        "entitysync_track", "entitysync_rows", "entitysync_inserted", "entitysync_updated",
        "entitysync_deleted",
        "entitysync_replicated", "entitysync_touch", "entitysync_truncated", "entitysync_defaults",
    ]

    private var track: String {
        """
        -- Logs every other write: one row per statement, space and set of changed columns. Old and new rows come in one
        -- order, so they are paired by place.
        create or replace function \(function(purpose: "track"))() returns trigger
        language plpgsql security definer
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(trackBody));
        """
    }

    /// Tells the exchange's own statements apart from all others, and from what triggers and rules of yours do meanwhile.
    private var isOther: String {
        "coalesce(current_setting('entitysync.writes', true), '') not in (\(entity), '*') or pg_trigger_depth() > 0"
    }

    /// The bits of the columns that differ between two rows.
    private func mask(old: String, new: String) -> String {
        let bits = changingColumns.compactMap { column in
            bit(of: column).map { bit in
                "(\(column.comparable(of: old)) is distinct from \(column.comparable(of: new)))::int::bigint << \(bit)"
            }
        }
        // NB: << and | bind equally.
        return bits.isEmpty ? "0::bigint" : bits.map { "(\($0))" }.joined(separator: "\n| ")
    }

    /// Whether a change of a row counts that changes no field: policies may read the column that changes.
    private func isOtherChange(old: String, new: String) -> String {
        "\(old) *<> \(new) and \(entity) = any (entitysync.viewed_entities())"
    }

    private func isMoved(old: String, new: String) -> String {
        "(\(space(of: old)), \(key(of: old))) is distinct from (\(space(of: new)), \(key(of: new)))"
    }

    /// An insert into the log of one row per touched row of a transition table.
    private func log(one table: String, op: String) -> String {
        """
        insert into entitysync.log (space, entity, op, keys)
        select t.space, \(entity), '\(op)', array[t.key]
        from (select \(space(of: "r")) as space, \(key(of: "r")) as key from \(table) as r) as t
        where t.space is not null;
        """
    }

    /// An insert into the log of one row per space.
    private func log(many table: String, op: String) -> String {
        """
        insert into entitysync.log (space, entity, op, keys)
        select t.space, \(entity), '\(op)', array_agg(t.key)
        from (select \(space(of: "r")) as space, \(key(of: "r")) as key from \(table) as r) as t
        where t.space is not null
        group by t.space;
        """
    }

    /// The log entries of one updated row, as rows of a query.
    private func updated(old: String, new: String) -> String {
        """
        values
          ('u', \(space(of: new)), \(key(of: new)), \(SQLText.indented(mask(old: old, new: new), by: 4).dropFirst(4)),
            not \(isMoved(old: old, new: new))),
          ('d', \(space(of: old)), \(key(of: old)), null, \(isMoved(old: old, new: new))),
          ('i', \(space(of: new)), \(key(of: new)), null, \(isMoved(old: old, new: new)))
        """
    }

    // NB: names that no column has. The name of a row is that of a column first.
    private static let (old, new) = ("\"$old\"", "\"$new\"")

    private var trackBody: String {
        """
        declare
          loops text := current_setting('enable_nestloop');
          merges text := current_setting('enable_mergejoin');
          -- A statement keeps the plan of its first run: there is one for a single row, and one for many.
          is_single boolean;
          is_viewed boolean;
        begin
          if tg_op = 'INSERT' then
            if (select count(*) < 2 from (select from added limit 2) as few) then
        \(SQLText.indented(log(one: "added", op: "i"), by: 6))
            else
        \(SQLText.indented(log(many: "added", op: "i"), by: 6))
            end if;
          elsif tg_op = 'DELETE' then
            if (select count(*) < 2 from (select from gone limit 2) as few) then
        \(SQLText.indented(log(one: "gone", op: "d"), by: 6))
            else
        \(SQLText.indented(log(many: "gone", op: "d"), by: 6))
            end if;
          elsif (select count(*) < 2 from (select from before limit 2) as few) then
            insert into entitysync.log (space, entity, op, mask, keys)
            select e.space, \(entity), e.op::"char", e.mask, array[e.key]
            from before as \(Self.old) cross join after as \(Self.new)
            cross join lateral (
        \(SQLText.indented(updated(old: Self.old, new: Self.new), by: 6))
            ) as e (op, space, key, mask, holds)
            where e.holds and e.space is not null
              and case when e.mask is distinct from 0 then true else \(isOtherChange(old: Self.old, new: Self.new)) end;
          else
            -- NB: a nested loop by place is quadratic. Set here: at the function it would cost each single update.
            perform set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);
            is_viewed := \(entity) = any (entitysync.viewed_entities());
            with paired as materialized (
              select \(space(of: Self.old)) as old_space, \(key(of: Self.old)) as old_key,
                \(space(of: Self.new)) as space, \(key(of: Self.new)) as key,
                \(isMoved(old: Self.old, new: Self.new)) as is_moved,
                \(SQLText.indented(mask(old: Self.old, new: Self.new), by: 8).dropFirst(8)) as mask,
                \(Self.old) *<> \(Self.new) as differs
              from (select *, row_number() over () as "$place" from before) as \(Self.old)
              full join (select *, row_number() over () as "$place" from after) as \(Self.new)
                on \(Self.old)."$place" = \(Self.new)."$place"
            )
            insert into entitysync.log (space, entity, op, mask, keys)
            select p.space, \(entity), 'u', p.mask, array_agg(p.key)
            from paired as p
            where not p.is_moved and p.space is not null and (p.mask <> 0 or is_viewed and p.differs)
            group by p.space, p.mask
            union all
            select p.old_space, \(entity), 'd', null, array_agg(p.old_key)
            from paired as p
            where p.is_moved and p.old_space is not null
            group by p.old_space
            union all
            select p.space, \(entity), 'i', null, array_agg(p.key)
            from paired as p
            where p.is_moved and p.space is not null
            group by p.space;
            perform set_config('enable_nestloop', loops, true), set_config('enable_mergejoin', merges, true);
          end if;
          return null;
        end
        """
    }

    private var trackRow: String {
        func log(row: String, op: String) -> String {
            """
            insert into entitysync.log (space, entity, op, keys)
            select \(space(of: row)), \(entity), '\(op)', array[\(key(of: row))] where \(space(of: row)) is not null;
            """
        }
        return """
            -- The same for one row: in partitioned tables, and for what replication writes.
            create or replace function \(function(purpose: "track_row"))() returns trigger
            language plpgsql security definer
            set search_path = pg_catalog, pg_temp
            as \(SQLText.body("""
                begin
                  if tg_op = 'INSERT' then
                \(SQLText.indented(log(row: "new", op: "i"), by: 4))
                  elsif tg_op = 'DELETE' then
                \(SQLText.indented(log(row: "old", op: "d"), by: 4))
                  else
                    insert into entitysync.log (space, entity, op, mask, keys)
                    select e.space, \(entity), e.op::"char", e.mask, array[e.key]
                    from (
                \(SQLText.indented(updated(old: "old", new: "new"), by: 6))
                    ) as e (op, space, key, mask, holds)
                    where e.holds and e.space is not null
                      and case when e.mask is distinct from 0 then true else \(isOtherChange(old: "old", new: "new")) end;
                  end if;
                  return null;
                end
                """));
            """
    }

    private var triggers: String {
        func trigger(_ name: String, _ event: String, tables: String) -> String {
            """
            create or replace trigger \(name) after \(event) on \(table) referencing \(tables)
              for each statement when (\(isOther)) execute function \(function(purpose: "track"))();
            """
        }
        let row = "after insert or update or delete on \(table)\n  for each row"
        return """
            do \(SQLText.body("""
                begin
                  -- Until 1.0.0.
                  drop trigger if exists entitysync_track on \(table);
                  if exists (
                    select from pg_catalog.pg_class where oid = \(SQLText.literal(table))::regclass and relkind = 'p'
                  ) then
                    create or replace trigger entitysync_rows \(row) when (\(isOther)) execute function \(function(purpose: "track_row"))();
                    alter table \(table) enable always trigger entitysync_rows;
                  else
                \(SQLText.indented(trigger("entitysync_inserted", "insert", tables: "new table as added"), by: 4))
                \(SQLText.indented(trigger("entitysync_updated", "update", tables: "old table as before new table as after"), by: 4))
                \(SQLText.indented(trigger("entitysync_deleted", "delete", tables: "old table as gone"), by: 4))
                    create or replace trigger entitysync_replicated \(row)
                      when (current_setting('session_replication_role') = 'replica')
                      execute function \(function(purpose: "track_row"))();
                    alter table \(table) enable replica trigger entitysync_replicated;
                  end if;
                end
                """));
            """
    }

    /// Whether a row stands for a deleted record.
    func isDeleted(alias: String) -> String {
        guard let mirror = column(of: schema.deleted) else { return "false" }
        if case .boolean = mirror.kind { return "coalesce(\(mirror.of(alias)), false)" }
        return "\(mirror.of(alias)) is not null"
    }

    private var touch: String? {
        guard let column = column(of: schema.updated), case .moment = column.kind else { return nil }
        let name = SQLText.name(column.name)
        let next = column.value(
            ofInstant: "greatest(clock_timestamp(), \(column.instant(of: "old")) + interval '1 microsecond')"
        )
        return """
            -- Sets the time of the last change for programs that forget it.
            create or replace function \(function(purpose: "touch"))() returns trigger
            language plpgsql
            set search_path = pg_catalog, pg_temp
            as \(SQLText.body("""
                declare
                  -- Columns that the table makes: here the new row does not have them yet.
                  made text[];
                begin
                  -- NB: not a condition of the trigger, which must not read such columns.
                  if new *= old then
                    return new;
                  end if;
                  made := array(
                    select a.attname::text from pg_catalog.pg_attribute as a
                    where a.attrelid = tg_relid and a.attnum > 0 and a.attgenerated <> ''
                  );
                  if made = '{}' or to_jsonb(new) - made <> to_jsonb(old) - made then
                    new.\(name) := \(next);
                  end if;
                  return new;
                end
                """));

            create or replace trigger entitysync_touch before update on \(table)
              for each row when (
                new.\(name) is not distinct from old.\(name) and (\(isOther))
              )
              execute function \(function(purpose: "touch"))();
            """
    }

    private var truncated: String {
        """
        -- TRUNCATE deletes every record.
        create or replace function \(function(purpose: "truncated"))() returns trigger
        language plpgsql security definer
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body("""
            begin
              -- Keys that only the log names need nothing: there is no row any more.
              insert into entitysync.log (space, entity, op, keys)
              select s.space, s.entity, 'd', array_agg(s.key)
              from entitysync.state as s where s.entity = \(entity) and not s.is_deleted
              group by s.space, s.entity;
              return null;
            end
            """));

        create or replace trigger entitysync_truncated after truncate on \(table)
          for each statement execute function \(function(purpose: "truncated"))();
        alter table \(table) enable always trigger entitysync_truncated;
        """
    }

    /// The function that logs rows from before the triggers.
    var adoption: String {
        let row = rowAlias
        return """
            -- Until 1.0.0 it read all rows at once.
            drop function if exists \(function(purpose: "adopt"))();

            -- Logs each row of some blocks that has no state, such as rows from before EntitySync.
            create or replace function \(function(purpose: "adopt"))(first tid, past tid) returns void
            language sql
            set search_path = pg_catalog, pg_temp
            as \(SQLText.body("""
                  insert into entitysync.log (space, entity, op, keys)
                  select r.space, \(entity), 'a', array_agg(r.key)
                  from (
                    select \(space(of: row)) as space, \(key(of: row)) as key
                    from \(table) as \(row)
                    where \(row).ctid >= first and \(row).ctid < past and not \(isDeleted(alias: row))
                  ) as r
                  left join entitysync.state as s
                    on s.space = r.space and s.id = entitysync.record_id(r.space, \(entity), r.key)
                  where r.space is not null and s.id is null
                  group by r.space
                """));

            -- The live rows that have a value in one of some columns.
            create or replace function \(function(purpose: "valued"))(places integer[])
            returns table (space uuid, key text, value jsonb)
            language sql stable
            set search_path = pg_catalog, pg_temp
            as \(SQLText.body("""
                  select r.space, r.key, r.value
                  from (
                    select \(space(of: row)) as space, \(key(of: row)) as key,
                      \(function(purpose: "json"))(\(row))::jsonb as value
                    from \(table) as \(row)
                    where not \(isDeleted(alias: row)) and (
                      \(isValued)
                    )
                  ) as r
                  where r.space is not null
                """));
            """
    }

    /// Whether a row has a value in one of the columns that `places` names. What the database fills in by itself is none.
    private var isValued: String {
        let silent = [schema.created, schema.updated, schema.deleted]
        let conditions = columns.enumerated().filter { _, column in
            !column.isKey && column.name != ownerField?.name && !silent.contains(column.property.name)
        }
        .map { "\($0 + 1) = any (places) and \($1.of(rowAlias)) is not null" }
        return conditions.isEmpty ? "false" : conditions.joined(separator: "\n          or ")
    }
}
