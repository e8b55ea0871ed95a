-- Applying to tables in use ----------------------------------------------------------------------------------------
--
-- A statement that changes a table waits for everyone who reads it, and everyone who comes later waits behind it. So
-- nothing is done where nothing has to be, locks are asked for in moments, and rows are read when no lock is held.

-- What was last done to the tables of entities: digests of the statements, and of what the catalogue said afterwards.
create table if not exists entitysync.applied (
  part text collate "C" primary key,
  given text not null,
  found text not null
);

-- Tables whose rows are yet to be looked at for those that have no state, and the first block of each that was not.
create table if not exists entitysync.adoption (
  entity text collate "C" primary key,
  table_name text not null,
  next_block bigint not null default 0
);

-- What the catalogue says of a table that generated statements may have made, as a digest; of its indexes alone, or of
-- all else. So a change by hand is seen.
create or replace function entitysync.catalogue(table_id regclass, of_indexes boolean) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select md5(
    case
      when of_indexes then (
        select string_agg(pg_get_indexdef(i.indexrelid) || i.indisvalid::text, E'\n' order by i.indexrelid::regclass::text)
        from pg_catalog.pg_index as i where i.indrelid = table_id
      )
      else concat_ws(
        E'\n', c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.relacl,
        (
          select string_agg(
            concat_ws(
              ' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
              pg_get_expr(d.adbin, d.adrelid), col_description(table_id, a.attnum)
            ),
            E'\n' order by a.attnum
          )
          from pg_catalog.pg_attribute as a
          left join pg_catalog.pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
          where a.attrelid = table_id and a.attnum > 0 and not a.attisdropped
        ),
        (
          select string_agg(concat_ws(' ', o.conname, pg_get_constraintdef(o.oid)), E'\n' order by o.conname)
          from pg_catalog.pg_constraint as o where o.conrelid = table_id
        ),
        (
          select string_agg(
            concat_ws(
              ' ', p.polname, p.polcmd, p.polpermissive, p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid),
              pg_get_expr(p.polwithcheck, p.polrelid)
            ),
            E'\n' order by p.polname
          )
          from pg_catalog.pg_policy as p where p.polrelid = table_id
        ),
        (
          select string_agg(concat_ws(' ', pg_get_triggerdef(g.oid), g.tgenabled), E'\n' order by g.tgname)
          from pg_catalog.pg_trigger as g where g.tgrelid = table_id and not g.tgisinternal
        )
      )
    end
  )
  from pg_catalog.pg_class as c where c.oid = table_id
$$;

-- Runs statements that lock tables, all or none. Each lock is asked for during 100 ms, and all are given back before the
-- next attempt, so that nobody waits longer than that.
create or replace function entitysync.run_in_moments(statements text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  last_attempt timestamptz := clock_timestamp() + interval '5 minutes';
  timeout text := current_setting('lock_timeout');
begin
  loop
    begin
      perform set_config('lock_timeout', '100ms', true);
      execute statements;
      perform set_config('lock_timeout', timeout, true);
      return;
    exception
      -- Its end gives the locks back.
      when lock_not_available then
        if clock_timestamp() > last_attempt then
          raise lock_not_available using message = 'Other transactions kept a table in use for five minutes.',
            hint = 'Apply the file again when they have ended; what was applied stays.';
        end if;
    end;
    perform pg_sleep(0.2 + random() * 0.3);
  end loop;
end
$$;

-- Runs the statements of a part of a table, unless they were run and the catalogue still says the same. Returns whether
-- they were run.
create or replace function entitysync.ensure(
  part text, table_name text, of_indexes boolean, statements text
) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  digest constant text := md5(statements);
  mode constant text := case when of_indexes then 'share' else 'access exclusive' end;
begin
  if exists (
    select from entitysync.applied as a
    where a.part = ensure.part and a.given = digest
      and a.found = entitysync.catalogue(to_regclass(table_name), of_indexes)
  ) then
    return false;
  end if;
  perform entitysync.run_in_moments(format('lock table %s in %s mode;', table_name, mode) || E'\n' || statements);
  insert into entitysync.applied as a (part, given, found)
  values (ensure.part, digest, entitysync.catalogue(to_regclass(table_name), of_indexes))
  on conflict on constraint applied_pkey do update set given = excluded.given, found = excluded.found;
  return true;
end
$$;

-- The same for an entity's table. Its rows are looked at afterwards: those from before the triggers have no state.
create or replace function entitysync.ensure_table(entity text, table_name text, statements text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if entitysync.ensure(entity, table_name, false, statements) then
    perform entitysync.adopt_again(entity, table_name);
  end if;
end
$$;

-- Until 1.0.0 they knew of no former names.
drop function if exists entitysync.moved_mask(bigint, jsonb, jsonb);
drop function if exists entitysync.move_log(text, jsonb);

-- The bits of a mask where the columns have other places: of all columns that were there, if one of its columns has none.
-- A column that is new has no bit, because nobody wrote into it. `renamed` has pairs of a former and a present member.
create or replace function entitysync.moved_mask(mask bigint, former jsonb, present jsonb, renamed jsonb) returns bigint
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    case when not bool_or(m.is_meant and m.bit is null) then bit_or(m.bit) filter (where m.is_meant) end,
    bit_or(m.bit), 0
  )
  from (
    select mask & (1::bigint << least(f.place - 1, 63)::integer) <> 0 as is_meant,
      case when p.place is not null then 1::bigint << least(p.place - 1, 63)::integer end as bit
    from jsonb_array_elements(former) with ordinality as f (path, place)
    left join jsonb_array_elements(renamed) as r on r.value -> 0 = f.path
    left join jsonb_array_elements(present) with ordinality as p (path, place) on p.path in (f.path, r.value -> 1)
  ) as m
$$;

-- Has the log name the columns of an entity by new places. Called while nobody writes into its table, before the triggers
-- that log the new places are made.
create or replace function entitysync.move_log(p_entity text, present jsonb, renamed jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  places constant text := p_entity || ' places';
  former jsonb := (select a.given::jsonb from entitysync.applied as a where a.part = places);
begin
  if former is null and to_regprocedure('entitysync.paths(text)') is not null then
    execute 'select entitysync.paths($1)' into former using p_entity;
  end if;
  if former <> present then
    update entitysync.log as l set mask = entitysync.moved_mask(coalesce(l.mask, -1), former, present, renamed)
    where l.entity = p_entity and l.mask is distinct from 0;
  end if;
  insert into entitysync.applied as a (part, given, found) values (places, present::text, '')
  on conflict on constraint applied_pkey do update set given = excluded.given;
end
$$;

-- Looks at all rows of a table once more.
create or replace function entitysync.adopt_again(entity text, table_name text) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into entitysync.adoption as a (entity, table_name) values (entity, table_name)
  on conflict (entity) do update set table_name = excluded.table_name, next_block = 0
$$;

-- Logs those rows of some blocks that have no state, of one table whose rows are yet to be looked at. Returns whether
-- there may be more. Somebody else who does the same is not waited for. It reads the tables without policies.
create or replace function entitysync.adopt_piece(blocks integer) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set row_security = off
-- A piece is small, and its states are found by their key.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  piece entitysync.adoption;
  last_block bigint;
begin
  select a.* into piece from entitysync.adoption as a order by a.entity limit 1 for update skip locked;
  if not found then
    if not exists (select from entitysync.adoption) then
      return false;
    end if;
    -- So that whoever comes again at once does not do so for nothing.
    perform pg_sleep(0.05);
    return true;
  end if;
  last_block := (
    select max(pg_relation_size(t.relid)) / current_setting('block_size')::integer
    from (
      select to_regclass(piece.table_name) as relid
      union all
      select p.relid from pg_partition_tree(to_regclass(piece.table_name)) as p
    ) as t
  );
  if last_block is not null and piece.entity = any (entitysync.known_entities()) then
    perform entitysync.adopt_rows(
      piece.entity, format('(%s,0)', piece.next_block)::tid, format('(%s,0)', piece.next_block + blocks)::tid
    );
  end if;
  if last_block is null or piece.next_block + blocks > last_block then
    delete from entitysync.adoption as a where a.entity = piece.entity;
    return exists (select from entitysync.adoption);
  end if;
  update entitysync.adoption as a set next_block = piece.next_block + blocks where a.entity = piece.entity;
  return true;
end
$$;

-- Adopts rows as long as there are any, a piece in each transaction. It can be called again at any time, and has nothing
-- to do then. Nobody has to call it: exchanges adopt a piece each until all is done. NB: a procedure that commits can have
-- no search path of its own.
create or replace procedure entitysync.adopt()
language plpgsql
as $$
begin
  while entitysync.adopt_piece(200) loop
    commit;
    perform pg_sleep(0.005);
  end loop;
end
$$;
