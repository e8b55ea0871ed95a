begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

-- EntitySync: the sync state of every record.
--
-- Apply with: psql -v ON_ERROR_STOP=1 -f. Needs PostgreSQL 14 or later. Applying it again changes nothing.
--
-- The tables of your app stay as they are. Beside them, the private schema `entitysync` has one row of sync state per
-- record that exists or existed. Do not expose this schema: clients call only public.entitysync_exchange.
-- The exchange runs as the role `entitysync`. That role has what `authenticated` has, so that the policies of your tables
-- rule what it reads and writes; and it alone may use this schema. A user can do nothing here but call the exchange.

do $$
declare
  needed record;
begin
  begin
    if to_regrole('entitysync') is null then
      create role entitysync nologin;
    end if;
  exception
    -- Another database of this server was faster: all of them share the roles.
    when duplicate_object or unique_violation then null;
  end;
  -- Who applies this file makes a function of that role, too.
  for needed in
    select g.role, g.member
    from (values ('authenticated', 'entitysync'), ('entitysync', current_user::text)) as g (role, member)
    where not pg_has_role(g.member, g.role, 'usage')
  loop
    begin
      execute format('grant %I to %I', needed.role, needed.member);
    exception
      when unique_violation then null;
    end;
  end loop;
end
$$;

create schema if not exists entitysync;
revoke all on schema entitysync from public;
grant usage on schema entitysync to authenticated, service_role, entitysync;

-- One row: which SQL this is, and which database cluster counted its transactions.
create table if not exists entitysync.installation (
  is_only boolean primary key default true check (is_only),
  sql_version integer not null,
  cluster bigint not null,
  numbering uuid not null default gen_random_uuid(),
  -- What syncserver applied, so that it applies the same text only once.
  digest text,
  -- The columns of each entity that syncserver applied, with their types.
  entities jsonb
);
do $$
declare
  installed integer := (select sql_version from entitysync.installation);
begin
  if installed > 3 then
    raise exception 'This database has EntitySync SQL version %, and this file is version 3.', installed
      using hint = 'Apply the files of a newer EntitySync.';
  end if;
end
$$;

insert into entitysync.installation (sql_version, cluster)
select 3, system_identifier from pg_catalog.pg_control_system()
on conflict (is_only) do update set sql_version = excluded.sql_version;

-- A space holds the records that are synced together. Today each user has one, with the user's id.
create table if not exists entitysync.space (
  id uuid primary key,
  epoch text not null default replace(gen_random_uuid()::text, '-', ''),
  -- Tombstones of transactions up to this one were purged. All cursors from before it have expired, even if they had
  -- seen the tombstones: entitysync.purged says it exactly, but not for ever.
  floor xid8 not null default '0'
);

-- The transactions whose tombstones were purged. A cursor that had not seen one of them has expired.
create table if not exists entitysync.purged (
  space uuid not null,
  xid xid8 not null,
  primary key (space, xid)
);

-- One row per store that ever pushed or pulled something.
create table if not exists entitysync.device (
  space uuid not null references entitysync.space on delete cascade,
  device text collate "C" not null,
  -- The last batch that was stored.
  batch text,
  -- How many cursors the device was given. A higher number in a cursor proves that the database was rolled back.
  serial bigint not null default 0,
  seen_at timestamptz not null default now(),
  -- What its last token said, where policies of yours may read it.
  claims text,
  -- The numbers of cursors that it was given and that the database has forgotten, as it was rolled back.
  lost_from bigint,
  lost_to bigint,
  primary key (space, device)
);

-- Spaces for checks, which syncserver makes on demand and removes.
create table if not exists entitysync.scratch (
  space uuid primary key,
  -- The space of the account that made it.
  account uuid not null,
  made_at timestamptz not null default now()
);

-- What other programs wrote and no exchange has taken in yet: one row per statement, space and set of changed columns.
-- Whoever writes a row only adds one here, so that writers wait neither for each other nor for an exchange.
create table if not exists entitysync.log (
  space uuid not null,
  id bigint generated always as identity,
  entity text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  -- i: inserted, u: updated, d: deleted, a: there from before.
  op "char" not null,
  -- One bit per column of the entity that an update changed; null for all of them.
  mask bigint,
  keys text[] not null,
  primary key (space, id)
);

-- One row per record that exists or existed.
create table if not exists entitysync.state (
  -- NB: no foreign key. Otherwise the first transaction that writes into a space would make all others wait.
  space uuid not null,
  -- The hash of space, entity and key (entitysync.record_id).
  id uuid not null,
  entity text collate "C" not null,
  key text collate "C" not null,
  -- The transaction that wrote this state, and a count: the order of the feed.
  xid xid8 not null,
  number bigint not null,
  -- Names this state, for compare-and-set.
  revision text collate "C" not null,
  is_deleted boolean not null,
  -- Edit timestamps are texts: microseconds since 1970, device and number, with dots between them. `sent` is the
  -- timestamp that the client sent; `edit` differs from it if its clock was too far ahead.
  edit text collate "C" not null,
  sent text collate "C" not null,
  -- The version vector: device:number,... sorted by device.
  vector text collate "C" not null,
  -- Timestamps of single fields and elements; null if they all have the record's.
  detail json,
  merged_into text,
  -- The value as it was sent; null if the row in your table renders to exactly the same text.
  body json,
  -- The elements of the fields that merge as sets, so that it is known which of them another program added or removed.
  sets jsonb,
  stored_at timestamptz not null default now(),
  primary key (space, id)
);

-- Fingerprints of the live records that a device shows, to find devices that differ without knowing it.
create table if not exists entitysync.fingerprint (
  space uuid not null,
  device text collate "C" not null,
  name text collate "C" not null,
  digest text not null,
  -- The end of the feed that the device had seen, as a snapshot.
  seen pg_snapshot not null,
  told_at timestamptz not null default now(),
  primary key (space, name, device),
  foreign key (space, device) references entitysync.device on delete cascade
);

-- Counts states, and the edits of the server.
create sequence if not exists entitysync.numbers;

-- What older versions of this file made otherwise, and indexes. NB: an index that is there would lock its table, too, and
-- so would a column.
do $$
declare
  lacking record;
begin
  for lacking in
    select w.place, w.name, w.type
    from (
      values ('installation', 'digest', 'text'), ('installation', 'entities', 'jsonb'), ('device', 'claims', 'text'),
        ('state', 'sets', 'jsonb'), ('device', 'lost_from', 'bigint'), ('device', 'lost_to', 'bigint')
    ) as w (place, name, type)
    where not exists (
      select from pg_catalog.pg_attribute as a
      where a.attrelid = to_regclass('entitysync.' || w.place) and a.attname = w.name and not a.attisdropped
    )
  loop
    execute format('alter table entitysync.%I add column %I %s', lacking.place, lacking.name, lacking.type);
  end loop;
  if (
    select array_length(conkey, 1) from pg_catalog.pg_constraint
    where conrelid = 'entitysync.state'::regclass and contype = 'p'
  ) = 1 then
    alter table entitysync.state drop constraint state_pkey, add primary key (space, id);
  end if;
  if (
    select attstorage from pg_catalog.pg_attribute where attrelid = 'entitysync.log'::regclass and attname = 'keys'
  ) <> 'e' then
    -- To compress the keys takes longer than to write them.
    alter table entitysync.log alter column keys set storage external;
  end if;
  for lacking in
    select w.name, w.place
    from (
      values ('state_feed', 'state (space, xid, number)'), ('state_changes', 'state (entity, xid)'),
        ('state_tombstones', 'state (space, stored_at) where is_deleted'), ('scratch_account', 'scratch (account)')
    ) as w (name, place)
    where to_regclass('entitysync.' || w.name) is null
  loop
    execute format('create index %I on entitysync.%s', lacking.name, lacking.place);
  end loop;
end
$$;

-- The space of the caller: the user that the request's token names.
create or replace function entitysync.my_space() returns uuid
language sql stable
return auth.uid();

-- The account that reads: what it was shown is told apart from what others were.
create or replace function entitysync.reader() returns uuid
language sql stable
return entitysync.my_space();

-- Edit timestamps and version vectors ---------------------------------------------------------------------------

-- Functions with RETURN find all names when they are made, whatever the search path of a caller is. One without a search
-- path of its own becomes part of the query that calls it for each record.
create or replace function entitysync.record_id(space uuid, entity text, key text) returns uuid
language sql stable parallel safe
return encode(substr(sha256(convert_to(space::text || ' ' || entity || ' ' || key, 'UTF8')), 1, 16), 'hex')::uuid;

-- Microseconds since 1970.
create or replace function entitysync.microseconds(moment timestamptz) returns bigint
language sql stable parallel safe
return case
  when moment between '0001-01-01T00:00:00Z' and '9999-12-31T23:59:59.999999Z' then (extract(epoch from moment) * 1000000)::bigint
end;

-- A moment as records have it on the wire: UTC, without trailing zeros.
create or replace function entitysync.moment_text(moment timestamptz) returns text
language sql stable parallel safe
return rtrim(rtrim(to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z';

-- The device that stands for everyone who writes without EntitySync, in one space.
create or replace function entitysync.server_device(space uuid) returns text
language sql immutable parallel safe
return substr(md5('entitysync.server ' || space::text), 1, 16);

-- The number of an edit by that device. A database that was restored counts again; with the time in it, no number is given
-- twice, so that a device that had seen more does not take a new edit for one that it knows.
create or replace function entitysync.edit_number(number bigint) returns bigint
language sql volatile
return number + (extract(epoch from clock_timestamp()) * 1000000)::bigint;

-- The same for a record with a vector: above the device's last edit of it, also if the clock was set back since.
create or replace function entitysync.edit_number(number bigint, vector text, device text) returns bigint
language sql volatile
return greatest(
  entitysync.edit_number(number),
  case
    when strpos(vector, device || ':') > 0
      then least(substring(',' || vector from ',' || device || ':0*([0-9]+)')::numeric, 9223372036854775806)::bigint + 1
  end
);

create or replace function entitysync.new_revision(number bigint) returns text
language sql volatile
return number || '-' || substr(md5(gen_random_uuid()::text), 1, 16);

-- Whether a vector includes everything that the other one names.
create or replace function entitysync.covers(vector text, other text) returns boolean
language plpgsql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  entry text;
  found text;
begin
  if vector = other then
    return true;
  end if;
  -- The usual ones name one device.
  if strpos(vector, ',') = 0 and strpos(other, ',') = 0 and other <> '' and left(vector, 16) = left(other, 16) then
    return substr(vector, 18)::numeric >= substr(other, 18)::numeric;
  end if;
  -- Long vectors are compared as sets: a search of each entry would take minutes.
  if length(vector) > 1000 and length(other) > 100 then
    return not exists (
      select from unnest(string_to_array(other, ',')) as o
      left join unnest(string_to_array(vector, ',')) as v on left(v, 16) = left(o, 16)
      where v is null or substr(v, 18)::numeric < substr(o, 18)::numeric
    );
  end if;
  foreach entry in array string_to_array(other, ',') loop
    found := substring(',' || vector from ',' || split_part(entry, ':', 1) || ':0*([0-9]+)');
    if found is null or found::numeric < split_part(entry, ':', 2)::numeric then
      return false;
    end if;
  end loop;
  return true;
end
$$;

-- A vector with one more edit.
create or replace function entitysync.with_edit(vector text, device text, number bigint) returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select string_agg(name || ':' || last, ',' order by name collate "C")
  from (
    select split_part(entry, ':', 1) as name, split_part(entry, ':', 2) as last
    from unnest(string_to_array(vector, ',')) as entry
    where split_part(entry, ':', 1) <> device
    union all
    select device, number::text
  ) as entries
$$;

-- An edit's time in microseconds, brought down if it is more than five minutes ahead of this clock: to now, or to
-- the moment after the version that it replaces.
create or replace function entitysync.lowered(edit_time bigint, replaced text) returns bigint
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when edit_time > entitysync.microseconds(now()) + 300000000
      then least(
        edit_time,
        greatest(entitysync.microseconds(now()), coalesce(split_part(replaced, '.', 1)::bigint + 1, 0))
      )
    else edit_time
  end
$$;

-- An edit timestamp, brought down if its time is too far ahead.
create or replace function entitysync.lowered_edit(edit text, replaced text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when t.lowered = t.edit_time then edit else t.lowered || substr(edit, strpos(edit, '.')) end
  from (
    select e.edit_time, entitysync.lowered(e.edit_time, replaced) as lowered
    from (select split_part(edit, '.', 1)::bigint as edit_time offset 0) as e
  ) as t
$$;

-- A list of edit timestamps, each brought down if it is too far ahead.
create or replace function entitysync.lowered_edits(edits jsonb, replaced text) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(to_jsonb(entitysync.lowered_edit(e.value #>> '{}', replaced)) order by e.ordinality), '[]')
  from jsonb_array_elements(edits) with ordinality as e
$$;

-- The timestamps of fields and elements, each brought down if it is too far ahead; the same text if none is. The cause
-- of a delete stays: it names an edit of another record.
create or replace function entitysync.lowered_detail(detail json, replaced text) returns json
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (select detail::jsonb as old), parts as (
    select g.old,
      (
        select jsonb_object_agg(
          u.key,
          (
            select jsonb_agg(
              jsonb_set(s.value, '{0}', to_jsonb(entitysync.lowered_edit(s.value ->> 0, replaced)))
              order by s.ordinality
            )
            from jsonb_array_elements(u.value) with ordinality as s
          )
        )
        from jsonb_each(g.old -> 'units') as u
      ) as units,
      (
        select jsonb_object_agg(
          f.key,
          (
            select coalesce(jsonb_object_agg(e.key, entitysync.lowered_edits(e.value, replaced)), '{}')
            from jsonb_each(f.value) as e
          )
        )
        from jsonb_each(g.old -> 'elements') as f
      ) as elements
    from given as g
  ), made as (
    select old,
      old || jsonb_build_object('origin', entitysync.lowered_edit(old ->> 'origin', replaced))
        || case when units is null then '{}' else jsonb_build_object('units', units) end
        || case when elements is null then '{}' else jsonb_build_object('elements', elements) end
        || case
          when old -> 'life' is null then '{}'
          else jsonb_build_object('life', entitysync.lowered_edits(old -> 'life', replaced))
        end as new
    from parts
  )
  select case when new = old then detail else new::text::json end from made
$$;

-- Edits of everyone who does not know EntitySync ----------------------------------------------------------------
--
-- A row written by a web app, psql, a cascade or a trigger of yours is a version like any other. Triggers on your tables
-- log which records were touched, and when; an exchange folds that into the states, before it compares or reads them.
-- The row says what there is now, so no order within the log matters.

-- Until 1.0.0 the triggers wrote the states by it. Those that are still there write the log.
create or replace function entitysync.note_edit(
  p_space uuid, p_entity text, p_key text, p_new jsonb, p_old jsonb, p_is_deleted boolean,
  p_updated timestamptz, p_units jsonb, p_optional text[]
) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into entitysync.log (space, entity, op, keys)
  select p_space, p_entity, case when p_is_deleted then 'd' else 'u' end::"char", array[p_key]
  where p_space is not null and p_key is not null
$$;

-- The body of a record after others changed some columns of its row: their members say what the row says, all else is as
-- it was sent. Null if the row says the same. `paths` names the member of each column, in the order of the mask's bits.
create or replace function entitysync.overlaid(body json, row_json jsonb, mask bigint, paths jsonb) returns json
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  value jsonb := body::jsonb;
  path text[];
begin
  for place in 0..jsonb_array_length(paths) - 1 loop
    continue when mask & (1::bigint << least(place, 63)) = 0;
    path := array(select member from jsonb_array_elements_text(paths -> place) as member);
    if row_json #> path is null then
      value := value #- path;
    else
      for depth in 1..cardinality(path) - 1 loop
        if jsonb_typeof(value #> path[:depth]) is distinct from 'object' then
          value := jsonb_set(value, path[:depth], '{}');
        end if;
      end loop;
      value := jsonb_set(value, path, row_json #> path);
    end if;
  end loop;
  return case when value <> row_json then value::text::json end;
end
$$;

-- Until 1.0.0 it compared the bodies.
drop function if exists entitysync.edited_detail(json, text, jsonb, jsonb, text, jsonb);

-- The timestamps of fields and elements after such an edit: what changed has the new one, all else keeps its own.
-- `units` names the fields that merge by themselves: 'field', 'set' or 'time'; all others are one unit, under the empty
-- name. Null if the record merges as a whole.
create or replace function entitysync.edited_detail(
  old_detail json, old_edit text, edit text, mask bigint, paths jsonb, units jsonb, old_sets jsonb, new_sets jsonb
) returns json
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  detail jsonb := coalesce(old_detail::jsonb, jsonb_build_object('origin', old_edit)) - 'cause';
  name text;
  element jsonb;
  elements jsonb;
  old_set jsonb;
  new_set jsonb;
begin
  if units is null then
    return null;
  end if;
  for place in 0..jsonb_array_length(paths) - 1 loop
    name := paths -> place ->> 0;
    continue when mask & (1::bigint << least(place, 63)) = 0 or units ->> name = 'time';
    if not units ? name then
      name := '';
    end if;
    if units ->> name = 'set' then
      new_set := case jsonb_typeof(new_sets -> name) when 'array' then new_sets -> name else '[]' end;
      old_set := case
        -- If it is not known what there was, all of it was there.
        when old_sets -> name is null then new_set
        when jsonb_typeof(old_sets -> name) = 'array' then old_sets -> name
        else '[]'
      end;
      elements := coalesce(detail #> array['elements', name], '{}');
      for element in select value from jsonb_array_elements(old_set) loop
        if not new_set @> jsonb_build_array(element) then
          elements := elements - (element::text);
        end if;
      end loop;
      for element in select value from jsonb_array_elements(new_set) loop
        if not old_set @> jsonb_build_array(element) then
          elements := elements || jsonb_build_object(element::text, jsonb_build_array(edit));
        end if;
      end loop;
      detail := jsonb_set(
        case when detail ? 'elements' then detail else detail || '{"elements":{}}' end,
        array['elements', name], elements
      );
    else
      detail := jsonb_set(
        case when detail ? 'units' then detail else detail || '{"units":{}}' end,
        array['units', name], jsonb_build_array(jsonb_build_array(edit))
      );
    end if;
  end loop;
  return detail::json;
end
$$;

-- Cuts rows of the log with very many keys into pieces that one exchange can fold.
create or replace function entitysync.cut_log(p_space uuid, max_keys integer) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  with long as (
    delete from entitysync.log as l where l.space = p_space and cardinality(l.keys) > 2 * max_keys returning l.*
  )
  insert into entitysync.log (space, entity, at, op, mask, keys)
  select l.space, l.entity, l.at, l.op, l.mask, l.keys[first:first + max_keys - 1]
  from long as l cross join lateral generate_series(1, cardinality(l.keys), max_keys) as first
$$;

-- Has the following statements of this function planned for so many keys. NB: a plan that is kept may be from when the
-- tables were empty. Then it compares each key with each row, which is quadratic. To plan anew takes longer than to work
-- on a few keys.
create or replace function entitysync.plan_for(key_count integer) returns text
language sql volatile
return set_config(
  'plan_cache_mode', case when key_count > 20 then 'force_custom_plan' else 'force_generic_plan' end, true
);

-- Has the session plan its statements anew when the tables have doubled: what it keeps may be from when they were empty, and
-- then any index of an account's rows seems as good as the one by the keys.
create or replace function entitysync.plan_anew() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  size constant text := floor(ln(coalesce(pg_sequence_last_value('entitysync.numbers'), 1)::float8) / ln(2::float8))::text;
  planned constant text := current_setting('entitysync.size', true);
begin
  if planned is distinct from size then
    if planned <> '' then
      discard plans;
    end if;
    perform set_config('entitysync.size', size, false);
  end if;
end
$$;

-- Folds a piece of the log of a space into its states. Returns whether there was any. Called under the account's lock, so
-- that nobody else folds or pushes. It reads the tables without policies: a row that they hide is not deleted. Where they
-- are forced on their owner, it fails.
create or replace function entitysync.fold_piece(p_space uuid, max_keys integer) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set row_security = off
set enable_seqscan = off
set plan_cache_mode = auto
-- Some databases cut the digits of numbers.
set extra_float_digits = 1
as $$
declare
  last_id bigint;
  part record;
begin
  perform entitysync.cut_log(p_space, max_keys);
  last_id := (
    select max(l.id) from (
      select w.id, sum(cardinality(w.keys)) over (order by w.id) - cardinality(w.keys) as before
      from (select * from entitysync.log as l where l.space = p_space order by l.id limit 1000) as w
    ) as l
    where l.before < max_keys
  );
  if last_id is null then
    return false;
  end if;
  for part in
    with taken as (
      delete from entitysync.log as l where l.space = p_space and l.id <= last_id returning l.*
    ), touched as (
      select t.entity, k.key, max(entitysync.microseconds(t.at)) as at, bit_or(coalesce(t.mask, -1)) as mask,
        -- A row that appears where one lives already was restored or adopted, and is no edit.
        bool_and(t.op in ('i', 'a')) as appears
      from taken as t cross join lateral unnest(t.keys) as k (key)
      group by t.entity, k.key
    )
    select t.entity, array_agg(t.key) as keys, array_agg(t.at) as ats, array_agg(t.mask) as masks,
      array_agg(t.appears) as appearing
    from touched as t
    group by t.entity
  loop
    perform entitysync.plan_for(cardinality(part.keys));
    perform entitysync.fold_entity(part.entity, p_space, part.keys, part.ats, part.masks, part.appearing);
  end loop;
  return true;
end
$$;

-- Folds the log of a space, up to some 20,000 records. Returns whether all of it is folded.
create or replace function entitysync.fold(p_space uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  for piece in 1..4 loop
    if not exists (select from entitysync.log as l where l.space = p_space)
      or not entitysync.fold_piece(p_space, 5000)
    then
      return true;
    end if;
  end loop;
  return not exists (select from entitysync.log as l where l.space = p_space);
end
$$;

-- Whether nobody else folds or pushes in a space now. Until the end of the transaction, nobody does then.
create or replace function entitysync.try_space(p_space uuid) returns boolean
language sql
return pg_try_advisory_xact_lock(hashtextextended(p_space::text, 7316));

-- How long to wait for others: two seconds, or less if a statement may not take that long.
create or replace function entitysync.patience() returns interval
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select least(
    interval '2 seconds', nullif(current_setting('statement_timeout')::interval, interval '0') / 4
  )
$$;

-- Tries to be the only one who folds or pushes in a space, until the end of the transaction.
create or replace function entitysync.lock_space(p_space uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  started timestamptz := clock_timestamp();
begin
  loop
    if entitysync.try_space(p_space) then
      return true;
    end if;
    if clock_timestamp() > started + entitysync.patience() then
      return false;
    end if;
    perform pg_sleep(0.005 + random() * 0.02);
  end loop;
end
$$;

-- Folds the log of the first space after another one, unless somebody else does at the moment. Returns that space; null
-- after the last one. So the log of an account that never exchanges does not grow for ever.
create or replace function entitysync.fold_next(after_space uuid) returns uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  next_space uuid := (
    select l.space from entitysync.log as l where after_space is null or l.space > after_space order by l.space limit 1
  );
begin
  if next_space is not null and entitysync.try_space(next_space) then
    perform entitysync.fold(next_space);
  end if;
  return next_space;
end
$$;

-- Folds what waits in the log, of all spaces that nobody else folds at the moment.
create or replace function entitysync.fold_all() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  next_space uuid := entitysync.fold_next(null);
begin
  while next_space is not null loop
    next_space := entitysync.fold_next(next_space);
  end loop;
end
$$;

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

-- Checks of what devices send -------------------------------------------------------------------------------------

-- Whether an object that a schema describes has a member twice, at any level. `shape` has an object for each such
-- object, and an array with one element for each array that holds some.
create or replace function entitysync.has_repeated_member(value json, shape jsonb) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(shape) = 'object' and json_typeof(value) = 'object' then
    return (select count(*) <> count(distinct name collate "C") from json_object_keys(value) as name) or exists (
      select from json_each(value) as member
      where shape ? member.key and entitysync.has_repeated_member(member.value, shape -> member.key)
    );
  elsif jsonb_typeof(shape) = 'array' and json_typeof(value) = 'array' then
    return exists (
      select from json_array_elements(value) as element where entitysync.has_repeated_member(element, shape -> 0)
    );
  end if;
  return false;
end
$$;

-- Whether an object has a member twice: `value` is what `jsonb` keeps of it.
create or replace function entitysync.repeats_member(body json, value jsonb) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case when jsonb_typeof(value) = 'object' then
    (select count(*) from (select json_object_keys(body)) as m) <> (select count(*) from (select jsonb_object_keys(value)) as m)
  end;
end
$$;

-- How many members an object has beside those that are known.
create or replace function entitysync.unknown_members(value jsonb, known text[]) returns bigint
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select count(*)
    from jsonb_object_keys(case when jsonb_typeof(value) = 'object' then value else '{}' end) as m (name)
    where m.name <> all (known)
  );
end
$$;

-- Whether a value of the type `json` is one that `jsonb` takes, too. It may hold U+0000, half a character or 1e200000.
create or replace function entitysync.is_plain_json(value json) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return value::jsonb is not null;
exception
  when others then
    return false;
end
$$;

-- A moment as devices write it. PostgreSQL takes no offset of 16 hours or more, and not as many digits; those after the
-- sixth are cut, as on devices.
create or replace function entitysync.moment(value text) returns timestamptz
language sql stable parallel safe
return
  case
    when length(value) <= 27 and right(value, 1) in ('Z', 'z') then value::timestamptz
    when value ~ '[+-](1[6-9]|2[0-3]):[0-9]{2}$'
      then (regexp_replace(left(value, -6), '(\.[0-9]{6})[0-9]+', '\1') || 'Z')::timestamptz - right(value, 6)::interval
    else regexp_replace(value, '(\.[0-9]{6})[0-9]+', '\1')::timestamptz
  end;

-- How many objects and arrays begin in a text of JSON at most: the brackets in strings count, too.
create or replace function entitysync.count_brackets(value json) returns integer
language sql immutable
return octet_length(value::text) - octet_length(replace(replace(value::text, '[', ''), '{', ''));

-- Whether values nest deeper than the devices read.
create or replace function entitysync.is_too_deep(value json) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  containers text;
begin
  -- The usual record has few brackets, which are counted faster than they are matched.
  if entitysync.count_brackets(value) < 512 then
    return false;
  end if;
  containers := regexp_replace(regexp_replace(value::text, '"([^"\\]|\\.)*"', '', 'g'), '[^][{}]+', '', 'g');
  return length(containers) >= 1024 and exists (
    select from (
      select sum(case when c in ('[', '{') then 1 else -1 end) over (order by place) as depth
      from string_to_table(containers, null) with ordinality as t (c, place)
    ) as walk
    where depth > 512
  );
end
$$;

-- Whether a text is an edit timestamp.
create or replace function entitysync.is_edit(edit text) returns boolean
language sql immutable parallel safe
return
  case
    -- The usual ones. To count repetitions in the pattern takes five times as long.
    when edit ~ '^[0-9]+\.[0-9a-f]+\.[1-9][0-9]*$' and length(split_part(edit, '.', 1)) <= 18
      and length(split_part(edit, '.', 2)) = 16 and length(split_part(edit, '.', 3)) <= 18 then true
    when edit ~ '^-?[0-9]{1,19}\.[0-9a-f]{16}\.0*[1-9][0-9]{0,18}$'
      then split_part(edit, '.', 1)::numeric between -9223372036854775808 and 9223372036854775807
        and split_part(edit, '.', 3)::numeric <= 9223372036854775807
    else false
  end;

-- A version vector in its one spelling: sorted by device, each device once. Null if the text is none.
create or replace function entitysync.normal_vector(vector text) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  entries text[] := array_remove(string_to_array(vector, ','), '');
begin
  if exists (select from unnest(entries) as e where e !~ '^[0-9a-f]{16}:[+]?0*[1-9][0-9]{0,18}$') then
    return null;
  end if;
  if exists (select from unnest(entries) as e where substr(e, 18)::numeric > 9223372036854775807) then
    return null;
  end if;
  return coalesce(
    (
      select string_agg(device || ':' || last, ',' order by device)
      from (
        select left(e, 16) collate "C" as device, max(substr(e, 18)::bigint) as last
        from unnest(entries) as e group by 1
      ) as devices
    ),
    ''
  );
end
$$;

-- Whether a value is what protocol v1 calls `detail`.
create or replace function entitysync.is_detail(detail json) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  part json;
  unit record;
  element record;
begin
  if json_typeof(detail) <> 'object' or not coalesce(entitysync.is_text_edit(detail -> 'origin'), false) then
    return false;
  end if;
  for unit in select key, value from json_each(detail -> 'units') loop
    if json_array_length(unit.value) = 0 then
      return false;
    end if;
    for part in select value from json_array_elements(unit.value) loop
      if not coalesce(entitysync.is_text_edit(part -> 0), false) or not (
        json_array_length(part) = 1
        or json_array_length(part) = 2 and part ->> 1 in ('absent', 'null')
        or json_array_length(part) = 3 and json_typeof(part -> 1) = 'string' and case part ->> 1
          when 'boolean' then json_typeof(part -> 2) = 'boolean'
          when 'integer' then json_typeof(part -> 2) = 'number' and (part ->> 2)::numeric = (part ->> 2)::numeric::bigint
          when 'timestamp' then json_typeof(part -> 2) = 'number' and (part ->> 2)::numeric = (part ->> 2)::numeric::bigint
          when 'number' then json_typeof(part -> 2) = 'number' and (part ->> 2)::double precision is not null
          when 'text' then json_typeof(part -> 2) = 'string'
          when 'json' then json_typeof(part -> 2) = 'string' and (part ->> 2)::json is not null
          when 'bytes' then json_typeof(part -> 2) = 'string' and decode(part ->> 2, 'base64') is not null
        end
      ) then
        return false;
      end if;
    end loop;
  end loop;
  for unit in select key, value from json_each(detail -> 'elements') loop
    for element in select key, value from json_each(unit.value) loop
      -- An element is JSON in a name.
      if element.key::json is null or exists (
        select from json_array_elements(element.value) as e where not coalesce(entitysync.is_text_edit(e), false)
      ) then
        return false;
      end if;
    end loop;
  end loop;
  part := detail -> 'cause';
  return not exists (
    select from json_array_elements(detail -> 'life') as e where not coalesce(entitysync.is_text_edit(e), false)
  ) and coalesce(
    part is null or json_array_length(part) = 3 and json_typeof(part -> 0) = 'string'
      and json_typeof(part -> 1) = 'string' and entitysync.is_text_edit(part -> 2),
    false
  );
exception
  when data_exception or numeric_value_out_of_range then
    return false;
end
$$;

-- Whether a value is a string with an edit timestamp.
create or replace function entitysync.is_text_edit(value json) returns boolean
language sql immutable
return json_typeof(value) = 'string' and entitysync.is_edit(value #>> '{}');

-- A query for the row that has the same values as the row $1, according to a unique index of the table.
create or replace function entitysync.clash_query(place regclass, index text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select format(
    'select x.* from %s as x where (%s) = (select %s from (select ($1).*) as given)%s limit 1',
    place, e.parts, e.parts, coalesce(' and ' || pg_get_expr(i.indpred, i.indrelid), '')
  )
  from pg_catalog.pg_index as i
  join pg_catalog.pg_class as c on c.oid = i.indexrelid and c.relname = index
  cross join lateral (
    select string_agg(pg_get_indexdef(i.indexrelid, n, true), ', ' order by n) as parts
    from generate_series(1, i.indnkeyatts) as n
  ) as e
  where i.indrelid = place and i.indisunique
$$;

-- Changes that a device sends -------------------------------------------------------------------------------------

do $$
begin
  if to_regtype('entitysync.change') is null then
    create type entitysync.change as (
      position integer, id uuid, entity text, key text, edit text, sent text, vector text, base text,
      is_deleted boolean, merged_into text, detail json, body json,
      -- Whether a live row is there to be updated, and whether the server changes what was sent.
      lives boolean, is_lowered boolean,
      -- The body, as it was read.
      value jsonb,
      -- The elements of the fields that merge as sets.
      sets jsonb,
      -- The space of the record: another one than the caller's if it is of somebody else.
      space uuid
    );
    create type entitysync.verdict as (
      position integer, id uuid, status text, rule text, reason text, revision text, shows_stored boolean,
      -- The key of the record that a refused change clashes with.
      other text
    );
  end if;
  if to_regtype('entitysync.written') is null then
    -- What became of a change in the tables.
    create type entitysync.written as (
      position integer,
      -- The body, if the row does not say the same, and the elements of the fields that merge as sets.
      body json, sets jsonb,
      -- One bit per column whose value the table altered.
      altered bigint
    );
  end if;
end
$$;

do $$
declare
  lacking record;
begin
  for lacking in
    select * from (
      values ('verdict', 'other', 'text'), ('change', 'value', 'jsonb'), ('change', 'sets', 'jsonb'),
        ('change', 'space', 'uuid')
    ) as v (type, name, kind)
    where not exists (
      select from pg_catalog.pg_attribute as a
      join pg_catalog.pg_class as c on c.oid = a.attrelid and c.relname = v.type
      where c.relnamespace = 'entitysync'::regnamespace and a.attname = v.name
    )
  loop
    execute format('alter type entitysync.%I add attribute %I %s', lacking.type, lacking.name, lacking.kind);
  end loop;
end
$$;

-- Until 1.0.0.
drop function if exists entitysync.lock_states(uuid[]);
drop function if exists entitysync.note_alteration(text, text, jsonb, jsonb, jsonb, text[]);
drop function if exists entitysync.attempt(entitysync.change[]);
drop function if exists entitysync.store(entitysync.change[]);

-- Locks the rows of changes. A program that holds one may want another one next, so nobody waits here with rows in hand:
-- all are given back, and tried again for two seconds. Rows of tables that the caller may not change are not locked.
create or replace function entitysync.lock_rows(changes entitysync.change[]) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  started timestamptz := clock_timestamp();
  part entitysync.change[];
begin
  loop
    begin
      begin
        perform entitysync.try_lock(changes);
      exception
        when insufficient_privilege then
          for part in select array_agg(c order by c.position) from unnest(changes) as c group by c.entity loop
            begin
              perform entitysync.try_lock(part);
            exception
              when insufficient_privilege then null;
            end;
          end loop;
      end;
      return true;
    exception
      -- Its end gives the locks back.
      when lock_not_available then null;
    end;
    if clock_timestamp() > started + entitysync.patience() then
      return false;
    end if;
    perform pg_sleep(0.005 + random() * 0.01);
  end loop;
end
$$;

-- Stores the states of changes that were written. Called under the account's lock, after the fold.
create or replace function entitysync.store(changes entitysync.change[])
returns table ("position" integer, revision text)
language plpgsql
set search_path = pg_catalog, pg_temp
-- Each by its key: all states of an account are many more.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
  with numbered as materialized (
    select n.*, entitysync.new_revision(n.number) as new_revision
    from (
      select c.*, nextval('entitysync.numbers') as number
      from (select * from unnest(changes) as c order by c.position) as c
    ) as n
  ), changed as (
    update entitysync.state as s set
      xid = pg_current_xact_id(), number = n.number, revision = n.new_revision, is_deleted = n.is_deleted,
      edit = n.edit, sent = n.sent, vector = n.vector, detail = n.detail, merged_into = n.merged_into, body = n.body,
      sets = n.sets, stored_at = now()
    from numbered as n
    where n.base is not null and s.space = n.space and s.id = n.id
    returning n.position, n.new_revision
  ), made as (
    insert into entitysync.state (
      space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, merged_into, body, sets
    )
    select n.space, n.id, n.entity, n.key, pg_current_xact_id(), n.number, n.new_revision, n.is_deleted, n.edit,
      n.sent, n.vector, n.detail, n.merged_into, n.body, n.sets
    from numbered as n
    where n.base is null
  )
  select c.position, c.new_revision from changed as c
  union all
  select n.position, n.new_revision from numbered as n where n.base is null;
end
$$;

-- Compares changes of different records with what is stored, writes those that go on from it, and says what became of
-- each.
create or replace function entitysync.take(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  verdicts entitysync.verdict[];
  writes entitysync.change[];
  refused entitysync.verdict[];
begin
  with met as (
    select c as change, s.revision, s.edit as known_edit, not s.is_deleted as lives,
      case
        when s.revision is null then case when c.base is null then 'write' else 'conflict' end
        when s.vector = c.vector and (s.edit = c.edit or s.sent = c.edit) then 'repeated'
        -- A deleted record that the account never saw is none.
        when s.is_deleted and c.base is null and s.entity = any (entitysync.viewed_entities()) and not exists (
          select from entitysync.view as v where v.space = entitysync.reader() and v.id = s.id and not v.is_hidden
        )
          then 'write'
        when c.base is distinct from s.revision or not entitysync.covers(c.vector, s.vector) then 'conflict'
        else 'write'
      end as status
    from unnest(changes) as c
    -- Each by its key: all states of an account are many more.
    left join lateral (
      select s.* from entitysync.state as s where s.space = c.space and s.id = c.id offset 0
    ) as s on true
  )
  select
    array_agg(
      row(
        (change).position, (change).id, case status when 'repeated' then 'accepted' else status end, null, null,
        revision, known_edit <> (change).edit, null
      )::entitysync.verdict
    ) filter (where status <> 'write'),
    array_agg(
      row(
        (change).position, (change).id, (change).entity, (change).key, (change).edit, (change).sent,
        (change).vector, revision, (change).is_deleted, (change).merged_into, (change).detail, (change).body,
        coalesce(lives, false), false, (change).value, null, (change).space
      )::entitysync.change
    ) filter (where status = 'write')
  into verdicts, writes
  from met;
  if writes is null then
    return verdicts;
  end if;
  refused := array(
    select row(
      f.position, f.id, 'refused', split_part(f.reason, ': ', 1), substr(f.reason, strpos(f.reason, ': ') + 2), null,
      false, null
    )::entitysync.verdict
    from entitysync.misfits(writes) as f
  );
  if cardinality(refused) > 0 then
    writes := array(
      select c from unnest(writes) as c
      where c.position <> all (array(select r.position from unnest(refused) as r)) order by c.position
    );
  end if;
  if entitysync.are_ahead(writes) then
    writes := entitysync.lowered_changes(writes);
  end if;
  return verdicts || refused || entitysync.write_changes(writes);
end
$$;

-- Whether a time of a change is too far ahead: of an edit, or of the field that says when the record changed. A text in
-- `detail` that looks like an edit timestamp may count, too: lowered_changes tells them apart.
create or replace function entitysync.are_ahead(changes entitysync.change[]) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from unnest(changes) as c
    where split_part(c.edit, '.', 1)::bigint > (select entitysync.microseconds(now()) + 300000000)
      or not c.is_deleted and entitysync.moment(c.value ->> entitysync.updated_member(c.entity)) > now() + interval '5 minutes'
      or c.detail is not null and exists (
        select from regexp_matches(c.detail::text, '"([0-9]{1,19})[.][0-9a-f]{16}[.]', 'g') as t
        where t[1]::numeric > entitysync.microseconds(now()) + 300000000
      )
  );
end
$$;

-- Brings down times that are too far ahead.
create or replace function entitysync.lowered_changes(changes entitysync.change[]) returns entitysync.change[]
language sql
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    array_agg(
      row(
        c.position, c.id, c.entity, c.key,
        case when t.lowered = t.edit_time then c.edit else t.lowered || substr(c.edit, strpos(c.edit, '.')) end,
        c.edit, c.vector, c.base, c.is_deleted, c.merged_into, d.lowered,
        case when u.value is null then c.body else u.value::text::json end,
        c.lives, t.lowered <> t.edit_time or u.value is not null or d.lowered::text <> c.detail::text,
        coalesce(u.value, c.value), null, c.space
      )::entitysync.change
      order by c.position
    ),
    '{}'
  )
  from unnest(changes) as c
  left join entitysync.state as s on s.space = c.space and s.id = c.id
  cross join lateral (
    select split_part(c.edit, '.', 1)::bigint as edit_time,
      entitysync.lowered(split_part(c.edit, '.', 1)::bigint, s.edit) as lowered
  ) as t
  cross join lateral (
    select case when c.detail is not null then entitysync.lowered_detail(c.detail, s.edit) end as lowered
  ) as d
  left join lateral (
    -- NB: some versions make it also for entities without such a member.
    select c.value || jsonb_build_object(
      coalesce(n.name, ''), entitysync.moment_text('epoch'::timestamptz + l.lowered * interval '1 microsecond')
    ) as value
    from (
      select m.name, entitysync.microseconds(entitysync.moment(c.value ->> m.name)) as updated
      from (select entitysync.updated_member(c.entity) as name where not c.is_deleted offset 0) as m
      offset 0
    ) as n
    cross join lateral (select entitysync.lowered(n.updated, s.edit) as lowered) as l
    where l.lowered <> n.updated
  ) as u on true
$$;

-- Until 1.0.0 it was not told what the database named.
drop function if exists entitysync.refused(uuid, entitysync.change, text, text);

-- Why the database refused a change, as one sentence. It has names of the table, and what a trigger of yours says:
-- messages of PostgreSQL itself may hold values.
create or replace function entitysync.reason(code text, named_column text, named_constraint text, message text)
returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    -- What a trigger says to the user; the database itself always names a column or a constraint in class 23.
    when btrim(message) <> '' and (
      code = 'P0001' or code like 'PT%' or code like '23%' and coalesce(named_column, '') || coalesce(named_constraint, '') = ''
    ) then left(message, 1000)
    else
      case code
        when '23505' then 'Another record has the same value of a unique field'
        when '22001' then 'A text is longer than its column'
        when '22003' then 'A number is outside the range of its column'
        when '22008' then 'A date or time is none that there is'
        when '22P02' then 'A value is none of the type of its column'
        when '42501' then 'The account may not write this record'
        when '23502' then 'A column of the table needs a value'
        when '23503' then 'A record that it refers to is not there, or another one refers to it'
        when '23514' then 'A check of the table does not allow the record'
        when '23P01' then 'Another record excludes this one'
        when '55P03' then 'Another program holds the record'
        when '40P01' then 'Another program holds the record'
        when '40001' then 'Another program holds the record'
        when '57014' then 'The database did not write the record in time'
        when 'ES001' then 'The table would alter what was written'
        else 'The database does not take the record'
      end || coalesce(
        ' (' || nullif(
          concat_ws(
            ', ', 'column ' || nullif(named_column, ''), 'constraint ' || nullif(named_constraint, '')
          ),
          ''
        ) || ')',
        ''
      ) || '.'
  end
$$;

-- What the database refused a change for.
create or replace function entitysync.refused(
  change entitysync.change, code text, index text, reason text
) returns entitysync.verdict
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if code = '23505' and entitysync.fold(change.space) and exists (
    select from entitysync.state as s
    where s.space = change.space and s.id = change.id and s.revision is distinct from change.base
  ) then
    -- Another program had made the same record at this moment.
    return row(change.position, change.id, 'conflict', null, null, null, false, null)::entitysync.verdict;
  end if;
  return row(
    change.position, change.id, 'refused',
    case code
      when '23505' then 'unique'
      when '22001' then 'length'
      when '22003' then 'range'
      when '22008' then 'range'
      when '22P02' then 'type'
      when '42501' then 'row-level-security'
      when '23503' then 'reference'
      when '23514' then 'check'
      when 'ES001' then 'altered'
      when '55P03' then 'busy'
      when '40P01' then 'busy'
      when '40001' then 'busy'
      when '57014' then 'busy'
      else 'sql-' || code
    end,
    reason, null, false,
    case when code = '23505' and not change.is_deleted then entitysync.other_record(change, index) end
  )::entitysync.verdict;
end
$$;

-- Writes the rows of different changes. What does not fit is found in pieces of 20, and row by row within those that fail,
-- so that one bad record never keeps others from being stored.
create or replace function entitysync.write_pieces(
  changes entitysync.change[], size integer,
  out done entitysync.written[], out refused entitysync.verdict[]
)
language plpgsql
-- Triggers and policies of yours find what they find for PostgREST.
set search_path = pg_catalog, public, extensions, pg_temp
set plan_cache_mode = auto
as $$
declare
  piece entitysync.change[];
  written entitysync.written[];
  part record;
  code text;
  index text;
  reason text;
  named_column text;
  message text;
  failed integer := 0;
begin
  refused := '{}';
  for start in 1..cardinality(changes) by size loop
    piece := case when cardinality(changes) <= size then changes else changes[start:start + size - 1] end;
    perform entitysync.plan_for(cardinality(piece));
    -- Where half of the pieces fail, each row alone is faster.
    if size > 1 and failed * 2 * size > start then
      code := 'many';
    else
      begin
        written := entitysync.write_rows(piece);
        -- What a constraint would say at the end of the transaction is about these records.
        set constraints all immediate;
        done := done || written;
        continue;
      exception
        when lock_not_available or deadlock_detected or serialization_failure or query_canceled then
          -- Another program holds a record, or one that it refers to. Each time takes a while: a request with several
          -- changes comes again in parts. So it does if the statement as a whole has no more time.
          if cardinality(piece) > 1 or cardinality(refused) > 3 or sqlstate = '57014' and clock_timestamp()
            >= statement_timestamp() + nullif(current_setting('statement_timeout')::interval, interval '0')
          then
            raise;
          end if;
          code := sqlstate;
          reason := entitysync.reason(code, null, null, null);
        -- These are about the database, not about a record: the client tries again.
        when disk_full or out_of_memory or too_many_connections or admin_shutdown or crash_shutdown or io_error
        then
          raise;
        -- The others do not include what ASSERT raises.
        when others or assert_failure then
          get stacked diagnostics
            index = constraint_name, named_column = column_name, message = message_text;
          code := sqlstate;
          reason := entitysync.reason(code, named_column, index, message);
      end;
    end if;
    if cardinality(piece) = 1 then
      failed := failed + 1;
      refused := refused || entitysync.refused(piece[1], code, index, reason);
    else
      part := entitysync.write_pieces(piece, case when size <= 20 then 1 else 20 end);
      failed := failed + (cardinality(part.refused) > 0)::integer;
      done := done || part.done;
      refused := refused || part.refused;
    end if;
  end loop;
end
$$;

-- Keeps the states of changes whose rows were written. What the table made of a row is a version of the server's on top of
-- what was sent, one tick later.
create or replace function entitysync.keep(changes entitysync.change[], done entitysync.written[])
returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  stored entitysync.change[];
begin
  stored := array(
    select case
      when w.altered <> 0 then row(
        c.position, c.id, c.entity, c.key, a.edit, c.edit, entitysync.with_edit(c.vector, a.device, a.number), c.base,
        c.is_deleted, c.merged_into,
        entitysync.edited_detail(
          c.detail, c.edit, a.edit, w.altered, entitysync.paths(c.entity), entitysync.units(c.entity),
          entitysync.sets(c.entity, c.value), w.sets
        ),
        w.body, c.lives, true, null, w.sets, c.space
      )::entitysync.change
      else row(
        c.position, c.id, c.entity, c.key, c.edit, c.sent, c.vector, c.base, c.is_deleted, c.merged_into, c.detail,
        w.body, c.lives, c.is_lowered, null, w.sets, c.space
      )::entitysync.change
    end
    from unnest(done) as w (position, body, sets, altered)
    join unnest(changes) as c on c.position = w.position
    left join lateral (
      select n.number, n.device,
        (split_part(c.edit, '.', 1)::bigint + 1) || '.' || n.device || '.' || n.number as edit
      from (
        select entitysync.edit_number(nextval('entitysync.numbers'), c.vector, d.device) as number, d.device
        from (select entitysync.server_device(c.space) as device) as d
        where w.altered <> 0
      ) as n
    ) as a on true
  );
  -- Where the table altered whether the record is deleted, its row is looked at once more.
  insert into entitysync.log (space, entity, op, mask, keys)
  select c.space, c.entity, 'u', 0, array[c.key]
  from unnest(done) as w (position, body, sets, altered)
  join unnest(changes) as c on c.position = w.position
  where w.altered & entitysync.deleted_bit(c.entity) <> 0;
  return array(
    select row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered, null)::entitysync.verdict
    from entitysync.store(stored) as s
    join unnest(stored) as c on c.position = s.position
  );
end
$$;

-- Writes rows, then the states of those that were written.
create or replace function entitysync.write_changes(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  part record;
begin
  if cardinality(changes) = 0 then
    return '{}';
  end if;
  part := entitysync.write_pieces(changes, greatest(cardinality(changes), 2));
  return entitysync.keep(changes, part.done) || part.refused;
end
$$;

-- Stores changes of different records. Those that clashed with another record of the request are tried again as long as
-- others are stored: with what is stored by then, such as the delete of the other record, they may fit.
create or replace function entitysync.take_all(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  verdicts entitysync.verdict[] := entitysync.take(changes);
  again entitysync.change[];
  tried integer := cardinality(changes);
begin
  loop
    again := array(
      select c from unnest(changes) as c
      join unnest(verdicts) as v on v.position = c.position
      where v.status = 'refused' and v.rule in ('unique', 'reference')
      order by c.position
    );
    if cardinality(again) in (0, tried) then
      return verdicts;
    end if;
    tried := cardinality(again);
    verdicts := array(
      select v from unnest(verdicts) as v where v.position <> all (array(select c.position from unnest(again) as c))
    ) || entitysync.take(again);
  end loop;
end
$$;

-- Until 1.0.0 it had no `other`. With both of them, a call would not say which is meant.
drop function if exists entitysync.refusal(text, text);

-- One result of protocol v1 that refuses a change. `other` is the key of a record that it clashes with, if it is known.
create or replace function entitysync.refusal(rule text, reason text, other text default null) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select '{"status":"refused","rule":' || to_json(rule) || ',"reason":' || to_json(reason)
    || coalesce(',"other":' || to_json(other), '') || '}'
$$;

-- Until 1.0.0 it took the space from the caller's token.
drop function if exists entitysync.push(json, boolean);
-- Until 1.0.0 a number that PostgreSQL cannot hold failed the request.
drop function if exists entitysync.push(uuid, text[], text[], json, boolean);

-- Stores the changes of a request, each with a result of its own, in their order. `own` are the states of accepted
-- changes, stored now or before: the device has them, or the result shows what was stored in their place. `has_grown`
-- is whether something was stored now. `results` is null if other programs changed so many of the rows' records that
-- they could not be taken in first: then nothing is stored. `is_odd`: whether some change may hold a number or a text
-- that PostgreSQL cannot read.
create or replace function entitysync.push(
  my_space uuid, allowed_entities text[], viewed text[], sent json[], is_masked boolean, is_odd boolean,
  out results text[], out own text[], out has_grown boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
-- Shorter than deadlock_timeout: where unique indexes or foreign keys make it wait for another program, it gives up first.
set lock_timeout = '300ms'
-- A session keeps its plans, also those from when a table was empty: they shall be the ones by the keys.
set enable_seqscan = off
as $$
declare
  known_entities text[] := entitysync.known_entities();
  changes entitysync.change[];
  verdicts entitysync.verdict[] := '{}';
  change entitysync.change;
  unlocked entitysync.change[];
  held entitysync.change[];
  ids uuid[];
  spaces uuid[];
  -- The accounts of records that are somebody else's.
  others uuid[];
  other uuid;
begin
  -- Its plan depends on no table.
  perform entitysync.plan_for(1);
  -- NB: each `offset 0` has its columns computed once, without a copy of all changes in between.
  with given as not materialized (
    -- Each change is read once, and its body once more as it was sent. Of a member that stands twice, the last one counts.
    select e.ordinality::integer as position, e.value,
      case
        when json_typeof(e.value) = 'object' and (not is_odd or entitysync.is_plain_json(e.value)) then e.value::jsonb
        else '{}'
      end as members
    from unnest(sent) with ordinality as e (value)
    offset 0
  ), element as not materialized (
    select x.position, x.value, x.entity, x.key, x.mark, x.base, x.merged, x.is_deleted, x.has_members, x.own_entry, x.body_value,
      case when x.has_members then x.value -> 'body' end as body,
      case when x.has_detail then x.value -> 'detail' end as detail,
      case
        when x.vector is null then x.own_entry
        when x.vector ~ '^[0-9a-f]{16}:[1-9][0-9]{0,17}$' then x.vector
        else entitysync.normal_vector(x.vector)
      end as full_vector
    from (
      select g.position, g.value, g.members ->> 'entity' as entity, g.members ->> 'key' as key, g.members ->> 'mark' as mark,
        g.members ->> 'base' as base, g.members ->> 'merged' as merged, g.members ->> 'vector' as vector,
        coalesce(g.members ->> 'deleted' = 'true', false) as is_deleted, g.members -> 'body' as body_value,
        coalesce(jsonb_typeof(g.members -> 'detail'), 'null') <> 'null' as has_detail,
        split_part(g.members ->> 'mark', '.', 2) || ':' || split_part(g.members ->> 'mark', '.', 3) as own_entry,
        (
          jsonb_typeof(g.members -> 'entity') = 'string' and jsonb_typeof(g.members -> 'key') = 'string'
            and jsonb_typeof(g.members -> 'mark') = 'string' and jsonb_typeof(g.members -> 'body') <> 'null'
            and coalesce(jsonb_typeof(g.members -> 'vector'), 'null') in ('string', 'null')
            and coalesce(jsonb_typeof(g.members -> 'base'), 'null') in ('string', 'null')
            and coalesce(jsonb_typeof(g.members -> 'merged'), 'null') in ('string', 'null')
            and coalesce(jsonb_typeof(g.members -> 'deleted'), 'null') in ('boolean', 'null')
        ) is true as has_members
      from given as g
      offset 0
    ) as x
    offset 0
  ), checked as not materialized (
    select e.*,
      case
        when is_odd and not entitysync.is_plain_json(e.value)
          then entitysync.refusal('json', 'PostgreSQL cannot hold a number or a text of it.')
        when not e.has_members or e.full_vector is null or not entitysync.is_edit(e.mark)
          or e.detail is not null and not entitysync.is_detail(e.detail)
          then entitysync.refusal('malformed', 'This is not a change as the protocol writes it.')
        -- NB: nobody sends the character that stands for U+0000 here: Unicode reserves it.
        when is_masked and strpos(e.value::text, '\ufdd0') > 0
          then entitysync.refusal('json', 'PostgreSQL cannot hold U+0000.')
        when octet_length(e.body::text) > 1000 and entitysync.is_too_deep(e.body)
          then entitysync.refusal('json', 'The body holds values nested too deeply.')
        when e.entity <> all (known_entities)
          then entitysync.refusal('unknown-entity', 'The server does not know the entity.')
        when e.entity <> all (allowed_entities)
          then entitysync.refusal('forbidden', 'The account may not exchange the entity.')
        when e.key = '' then entitysync.refusal('key', 'The key is empty.')
        when not entitysync.is_key(e.entity, e.key)
          then entitysync.refusal('key', 'The key is not that of the body.')
        when length(e.full_vector) > 180000 and length(e.full_vector) - length(replace(e.full_vector, ',', '')) >= 10000
          then entitysync.refusal('vector', 'The vector holds more than 10000 devices.')
        when e.full_vector <> e.own_entry and not entitysync.covers(e.full_vector, e.own_entry)
          then entitysync.refusal('vector', 'The version vector does not include the edit itself.')
      end as refusal
    from element as e
    offset 0
  )
  -- Aggregates without an order take the changes as they come, which is as they were sent: to sort their bodies takes long.
  select array_agg(refusal),
    coalesce(
      array_agg(
        row(
          position, id, entity, key, mark, mark, full_vector, base,
          is_deleted, merged, detail, body, false, false, body_value, null, space
        )::entitysync.change
      ) filter (where refusal is null),
      '{}'
    ),
    array_agg(id) filter (where refusal is null), array_agg(space) filter (where refusal is null)
  into results, changes, ids, spaces
  from (
    select p.*, case when p.refusal is null then entitysync.record_id(p.space, p.entity, p.key) end as id
    from (
      select c.*,
        coalesce(
          case
            when c.entity = any (viewed) then (
              -- What goes on from a version is about its record, also if that is hidden or deleted now.
              select v.owner from entitysync.view as v
              left join entitysync.state as s on s.space = v.owner and s.id = v.id
              where v.space = entitysync.reader() and v.entity = c.entity and md5(v.key) = md5(c.key) and v.key = c.key
                and (not v.is_hidden or c.base is not null)
              order by v.is_hidden, coalesce(s.is_deleted, true), v.owner <> my_space limit 1
            )
          end,
          my_space
        ) as space
      from checked as c
      offset 0
    ) as p
    offset 0
  ) as c;
  perform entitysync.plan_for(cardinality(changes));
  others := array(select distinct s from unnest(spaces) as s where s <> my_space);
  foreach other in array others loop
    if not entitysync.lock_space(other) then
      raise lock_not_available using message = 'Another account is pushing.';
    end if;
  end loop;
  if not entitysync.lock_rows(changes) then
    -- What nobody else holds is stored all the same, unless a program holds much.
    unlocked := '{}';
    perform set_config('lock_timeout', '20ms', true);
    for round in 1..2 loop
      held := '{}';
      foreach change in array changes loop
        begin
          perform entitysync.try_lock(array[change]);
          unlocked := unlocked || change;
        exception
          when insufficient_privilege then
            unlocked := unlocked || change;
          when lock_not_available then
            held := held || change;
            if cardinality(held) > 5 then
              raise;
            end if;
        end;
      end loop;
      changes := held;
    end loop;
    if cardinality(unlocked) = 0 and cardinality(held) > 1 then
      raise lock_not_available using message = 'Another program holds the rows of the request.';
    end if;
    foreach change in array held loop
      results[(change).position] := entitysync.refusal('busy', entitysync.reason('55P03', null, null, null));
    end loop;
    perform set_config('lock_timeout', '300ms', true);
    changes := unlocked;
  end if;
  if exists (select from entitysync.adoption) then
    -- A row that nobody has looked at yet is a version, too.
    insert into entitysync.log (space, entity, op, keys)
    select c.space, c.entity, 'a', array_agg(c.key)
    from unnest(changes) as c
    where not exists (select from entitysync.state as s where s.space = c.space and s.id = c.id)
    group by c.space, c.entity;
  end if;
  foreach other in array my_space || others loop
    if not entitysync.fold(other) then
      -- Not raised: what was taken in now stays so, and the next push goes on from there.
      results := null;
      return;
    end if;
  end loop;
  perform entitysync.bury(changes);
  if (select count(distinct i) < count(*) from unnest(ids) as i) then
    -- A record twice: its second change is made on the first one.
    foreach change in array changes loop
      verdicts := verdicts || entitysync.take(array[change]);
    end loop;
  elsif cardinality(changes) > 0 then
    verdicts := entitysync.take_all(changes);
  end if;
  -- What triggers of yours made of rows after they were written is shown with the results.
  foreach other in array my_space || others loop
    perform entitysync.fold(other);
  end loop;
  with met as materialized (
    select v.*, s.revision as present,
      v.status = 'conflict' or v.status = 'accepted' and (v.shows_stored or s.revision <> v.revision) as shows_entry,
      v.status = 'accepted' and s.xid = pg_current_xact_id_if_assigned() as is_new
    from unnest(verdicts) as v
    join unnest(changes) as c on c.position = v.position
    left join lateral (
      select s.revision, s.xid from entitysync.state as s
      where s.space = c.space and s.id = v.id and v.status <> 'refused'
      offset 0
    ) as s on true
  ), answered as (
    select m.position,
      case m.status
        when 'refused' then entitysync.refusal(m.rule, m.reason, m.other)
        -- The caller may not read the record, or never saw it while it lived: there is nothing to merge with.
        when 'conflict' then case
          when m.present is not null and e.entry is null
            then entitysync.refusal('row-level-security', entitysync.reason('42501', null, null, null))
          else '{"status":"conflict"' || coalesce(',"current":' || e.entry, '') || '}'
        end
        else '{"status":"accepted","revision":"' || m.present || '"'
          || case when m.shows_entry then coalesce(',"stored":' || e.entry, '') else '' end || '}'
      end as result
    from met as m
    left join entitysync.entries(
      array(
        select s from entitysync.state as s
        where (s.space, s.id) in (
          select c.space, c.id from unnest(changes) as c join met as m on m.position = c.position and m.shows_entry
        )
          -- A deleted record has no row by which policies decide: who never saw it is told nothing of it.
          and (not s.is_deleted or s.entity <> all (viewed) or exists (
            select from entitysync.view as v where v.space = entitysync.reader() and v.id = s.id and not v.is_hidden
          ))
      )
    ) as e on e.id = m.id
  )
  select array_agg(coalesce(results[p.position], a.result) order by p.position),
    coalesce((select array_agg(present) from met where status = 'accepted'), '{}'),
    exists (select from met where is_new)
  into results, own, has_grown
  from generate_subscripts(results, 1) as p (position)
  left join answered as a on a.position = p.position;
end
$$;

-- The usual push --------------------------------------------------------------------------------------------------

-- Stores one change that goes on from what is stored, and gives its result and the revision. Nearly every push has one
-- change, and takes as long as its statements take to begin: these are few, each of them by a key. Without a result,
-- nothing was stored: whatever is not that usual is for `push`.
create or replace function entitysync.push_one(
  my_space uuid, sent json, allowed_entities text[], viewed text[], out result text, out revision text
)
language plpgsql
-- Triggers and policies of yours find what they find for PostgREST.
set search_path = pg_catalog, public, extensions, pg_temp
-- As for `push`.
set lock_timeout = '300ms'
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_variable
declare
  given constant jsonb := sent::jsonb;
  value constant jsonb := given -> 'body';
  entity constant text := given ->> 'entity';
  key constant text := given ->> 'key';
  mark constant text := given ->> 'mark';
  base constant text := given ->> 'base';
  vector text := given ->> 'vector';
  own_entry constant text := split_part(mark, '.', 2) || ':' || split_part(mark, '.', 3);
  body constant json := sent -> 'body';
  detail constant json := case when jsonb_typeof(given -> 'detail') <> 'null' then sent -> 'detail' end;
  latest constant timestamptz := now() + interval '5 minutes';
  id uuid;
  number bigint;
  row_json text;
  known record;
  change entitysync.change;
  written entitysync.written;
  is_told boolean := false;
  entry text;
begin
  if (
    jsonb_typeof(given -> 'entity') = 'string' and jsonb_typeof(given -> 'key') = 'string'
      and jsonb_typeof(given -> 'mark') = 'string' and jsonb_typeof(value) = 'object'
      and coalesce(jsonb_typeof(given -> 'base'), 'null') in ('string', 'null')
      and coalesce(jsonb_typeof(given -> 'vector'), 'null') in ('string', 'null')
      and coalesce(given -> 'deleted', 'null') in ('false', 'null') and given ->> 'merged' is null
      and entity = any (allowed_entities) and entity <> all (viewed)
      and key <> '' and entitysync.is_edit(mark)
      and split_part(mark, '.', 1)::numeric <= entitysync.microseconds(latest)
  ) is not true then
    return;
  end if;
  if vector is null then
    vector := own_entry;
  elsif length(vector) > 1000 then
    return;
  elsif vector <> own_entry or vector !~ '^[0-9a-f]{16}:[1-9][0-9]{0,17}$' then
    vector := entitysync.normal_vector(vector);
    if entitysync.covers(vector, own_entry) is not true then
      return;
    end if;
  end if;
  if octet_length(body::text) > 1000 and entitysync.is_too_deep(body) then
    return;
  end if;
  if detail is not null then
    if not entitysync.is_detail(detail) or exists (
      select from regexp_matches(detail::text, '"([0-9]{1,19})[.][0-9a-f]{16}[.]', 'g') as t
      where t[1]::numeric > entitysync.microseconds(latest)
    ) then
      return;
    end if;
  end if;
  id := entitysync.record_id(my_space, entity, key);
  begin
    row_json := entitysync.locked_row(entity, my_space, key);
    if base is null and row_json is not null then
      -- The row of a deleted record.
      return;
    end if;
    -- Read after the row was locked: what other programs wrote before is in the log.
    select s.id is not null as is_there, s.revision, s.edit, s.sent, s.vector, not s.is_deleted as lives,
      exists (select from entitysync.log as l where l.space = my_space) or exists (select from entitysync.adoption)
        as is_behind
    into known
    from (values (1)) as one
    left join entitysync.state as s on s.space = my_space and s.id = id;
    if known.is_behind or base is distinct from known.revision or known.is_there and (
      known.vector = vector and (known.edit = mark or known.sent = mark)
        or not entitysync.covers(vector, known.vector)
    ) then
      return;
    end if;
    change := row(
      1, id, entity, key, mark, mark, vector, base, false, null, detail, body, coalesce(known.lives, false), false, value,
      null, my_space
    );
    if entitysync.misfit(change) is not null
      or entitysync.moment(value ->> entitysync.updated_member(entity)) > latest
    then
      return;
    end if;
    written := entitysync.write_one(change, row_json);
    if written is null then
      return;
    end if;
    -- What a constraint would say at the end of the transaction is about this record.
    set constraints all immediate;
  exception
    -- What it is about is found out by `push`.
    when others or assert_failure then
      return;
    when query_canceled then
      -- So is what a trigger of yours raised, but not that the statement has no more time.
      if clock_timestamp() >= statement_timestamp()
        + nullif(current_setting('statement_timeout')::interval, interval '0')
      then
        raise;
      end if;
      return;
  end;
  number := nextval('entitysync.numbers');
  revision := entitysync.new_revision(number);
  if written.altered <> 0 then
    perform entitysync.keep(array[change], array[written]);
  elsif base is null then
    insert into entitysync.state (
      space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, body, sets
    ) values (
      my_space, id, entity, key, pg_current_xact_id(), number, revision, false, mark, mark, vector, detail,
      written.body, written.sets
    );
  else
    update entitysync.state as s set
      xid = pg_current_xact_id(), number = number, revision = revision, is_deleted = false,
      edit = mark, sent = mark, vector = vector, detail = detail, merged_into = null,
      body = written.body, sets = written.sets, stored_at = now()
    where s.space = my_space and s.id = id;
  end if;
  -- What triggers of yours made of the row after it was written is shown with the result, too.
  if exists (select from entitysync.log as l where l.space = my_space) then
    perform entitysync.fold(my_space);
    is_told := true;
  end if;
  if is_told or written.altered <> 0 then
    select s.revision, e.entry into revision, entry
    from entitysync.state as s
    left join lateral entitysync.entries(array[s]) as e on true
    where s.space = my_space and s.id = id;
  end if;
  result := '{"status":"accepted","revision":"' || revision || '"' || coalesce(',"stored":' || entry, '') || '}';
end
$$;

-- What an account may read -----------------------------------------------------------------------------------------
--
-- Where a table has policies of its own, an account may read rows of others, and need not read all of its own. For such
-- entities the feed of an account is a list of what it was shown, with a place for each record: where a page finds it.
-- A place is no version: it moves when the record changes, comes into view or leaves it, and revisions stay.

create table if not exists entitysync.view (
  -- The reader.
  space uuid not null,
  -- The state of the record, and its space.
  id uuid not null,
  owner uuid not null,
  entity text collate "C" not null,
  key text collate "C" not null,
  xid xid8 not null,
  number bigint not null,
  -- Whether the reader may not read it any more, so that devices forget it.
  is_hidden boolean not null,
  placed_at timestamptz not null default now(),
  primary key (space, id)
);
do $$
begin
  if to_regclass('entitysync.view_feed') is null then
    create index view_feed on entitysync.view (space, xid, number);
  end if;
end
$$;

do $$
begin
  if not exists (
    select from pg_catalog.pg_attribute as a where a.attrelid = 'entitysync.view'::regclass and a.attname = 'version'
  ) then
    -- The number of the state that the place is for; null if it is hidden.
    alter table entitysync.view add column version bigint;
  end if;
  -- NB: by a digest, because a key may be longer than an index takes beside the rest.
  if to_regclass('entitysync.view_name') is null then
    create index view_name on entitysync.view (space, entity, md5(key));
    drop index if exists entitysync.view_key;
  end if;
  if to_regclass('entitysync.viewer') is not null and not exists (
    select from pg_catalog.pg_attribute as a where a.attrelid = to_regclass('entitysync.viewer') and a.attname = 'entity'
  ) then
    drop table entitysync.viewer;
  end if;
end
$$;

-- Up to where the states of an entity were looked at for a reader.
create table if not exists entitysync.viewer (
  space uuid not null,
  entity text collate "C" not null,
  seen pg_snapshot not null,
  -- When all that the reader may read was last compared; -infinity if that is not done.
  compared_at timestamptz not null,
  -- Whether devices may still have own records that are not in the list, because they may not be read any more.
  misses_own boolean not null,
  primary key (space, entity)
);

-- How many records one exchange places at most.
create or replace function entitysync.view_piece() returns integer
language sql immutable
return 20000;

-- What the policies may read of the caller's token, without what each new token has.
create or replace function entitysync.claims() returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select md5(
    (
      nullif(current_setting('request.jwt.claims', true), '')::jsonb - '{exp,iat,nbf,jti,session_id}'::text[]
    )::text
  )
$$;

-- Whether the state of a record has changed since a snapshot.
create or replace function entitysync.is_news(xid xid8, seen pg_snapshot) returns boolean
language sql immutable parallel safe
return seen is null or not pg_visible_in_snapshot(xid, seen);

-- Until 1.0.0 these did all at once.
drop function if exists entitysync.compare_view(uuid, uuid, text, text, pg_snapshot);
drop function if exists entitysync.look(uuid, text, text[], boolean);

-- Compares all that the caller may read of an entity now with what it was shown. For the first time, for other claims,
-- and once a day: policies may read what no write of a row tells, such as a membership or a clock. Returns whether
-- anything has another place now, and whether all is done: if not, another exchange goes on.
create or replace function entitysync.compare_view(
  my_space uuid, reader uuid, p_entity text, misses_own boolean, out has_moved boolean, out is_complete boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
-- A plan that is kept may be from when the tables were empty.
set plan_cache_mode = force_custom_plan
as $$
declare
  most constant integer := entitysync.view_piece();
  shown integer;
  gone integer;
  missed integer := 0;
begin
  with visible as materialized (
    -- A device has one record by a key: of several owners' the reader's own.
    select distinct on (v.key collate "C") v.id, v.space, v.key
    from entitysync.visible(p_entity) as v
    order by v.key collate "C", v.space <> my_space, v.space
  ), placed as (
    insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden, version)
    select reader, s.id, s.space, p_entity, s.key, pg_current_xact_id(), nextval('entitysync.numbers'), false, s.number
    from (
      select s.*
      from visible as v
      join entitysync.state as s on s.space = v.space and s.id = v.id and not s.is_deleted
      left join entitysync.view as k on k.space = reader and k.id = s.id
      where k.id is null or k.is_hidden or k.version is distinct from s.number
      order by s.xid, s.number
      limit most
    ) as s
    on conflict (space, id) do update set
      xid = excluded.xid, number = excluded.number, is_hidden = false, version = excluded.version, placed_at = now()
    returning 1
  ), left_view as materialized (
    select w.id, case when s.is_deleted and w.owner = reader then s.number end as told
    from entitysync.view as w
    left join entitysync.state as s on s.space = w.owner and s.id = w.id
    where w.space = reader and w.entity = p_entity and not w.is_hidden
      -- Hashed; with NOT EXISTS, a plan might compare each with each, because nobody knows how many are visible.
      and w.id not in (select v.id from visible as v)
      -- An own record that was deleted is told as deleted, once.
      and not (coalesce(s.is_deleted, false) and w.owner = reader and w.version is not distinct from s.number)
    limit most
  ), hidden as (
    update entitysync.view as w set
      xid = pg_current_xact_id(), number = nextval('entitysync.numbers'), placed_at = now(),
      is_hidden = l.told is null, version = l.told
    from left_view as l
    where w.space = reader and w.id = l.id
    returning 1
  )
  select (select count(*) from placed), (select count(*) from hidden) into shown, gone;
  is_complete := shown < most and gone < most;
  if is_complete and misses_own then
    -- Until now the feed was that of the own records: what devices may have of them, and what they may not.
    insert into entitysync.view (space, id, owner, entity, key, xid, number, is_hidden, version)
    select reader, s.id, s.space, p_entity, s.key, pg_current_xact_id(), nextval('entitysync.numbers'),
      not s.is_deleted or s.space <> reader, s.number
    from entitysync.state as s
    where s.space = my_space and s.entity = p_entity
      and exists (select from entitysync.device as d where d.space = my_space and d.serial > 0)
      and not exists (select from entitysync.view as w where w.space = reader and w.id = s.id)
    limit most;
    get diagnostics missed = row_count;
    is_complete := missed < most;
  end if;
  has_moved := shown + gone + missed > 0;
end
$$;

-- Looks at the states of an entity that have changed, and whether the caller may read their records now. Returns whether
-- anything has another place now.
create or replace function entitysync.change_view(reader uuid, p_entity text, states entitysync.state[])
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = auto
as $$
declare
  moved bigint;
begin
  perform entitysync.plan_for(cardinality(states));
  with changed as materialized (
    select s.* from unnest(states) as s where s.entity = p_entity
  ), visible as materialized (
    select v.id from entitysync.seen(
      p_entity, array(select c.id from changed as c where not c.is_deleted),
      array(select c.space from changed as c where not c.is_deleted),
      array(select c.key from changed as c where not c.is_deleted)
    ) as v (id)
  ), judged as (
    select c.id, c.space, c.key, c.xid, c.number, c.is_deleted, k.id as known,
      v.id is not null or c.is_deleted and c.space = reader as is_shown
    from changed as c
    left join visible as v on v.id = c.id
    left join entitysync.view as k on k.space = reader and k.id = c.id and not k.is_hidden
  )
  insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden, version)
  select reader, j.id, j.space, p_entity, j.key, pg_current_xact_id(), nextval('entitysync.numbers'), not j.is_shown,
    case when j.is_shown then j.number end
  from (
    select * from judged as j
    -- What the account never saw and may not see is none of its business.
    where j.known is not null or j.is_shown and not j.is_deleted
    order by j.xid, j.number
  ) as j
  on conflict (space, id) do update set
    xid = excluded.xid, number = excluded.number, is_hidden = excluded.is_hidden, version = excluded.version,
    placed_at = now();
  get diagnostics moved = row_count;
  return moved > 0;
end
$$;

-- Brings the list of what an account was shown up to date, for entities with policies of their own. Returns whether
-- something has another place now: what changed of rows that stay hidden makes no difference; and whether all of it is
-- done. The account's lock is taken only where there is something to be looked at.
create or replace function entitysync.look(
  my_space uuid, p_device text, entities text[], is_locked boolean, out has_moved boolean, out is_complete boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  most constant integer := entitysync.view_piece();
  claims constant text := entitysync.claims();
  reader constant uuid := entitysync.reader();
  states entitysync.state[];
  other uuid;
  name text;
  looked pg_snapshot;
  has_other_claims boolean;
  -- The entities of which all is compared.
  due text[];
  moved boolean;
  has_resolved boolean;
  is_resolved boolean;
  -- Whether an entity is compared; null if only news of it were looked at.
  is_compared boolean;
begin
  has_moved := false;
  is_complete := true;
  -- What programs wrote into the spaces of others, who may have no device.
  for other in
    select distinct l.space from entitysync.log as l where l.entity = any (entities) and l.space <> my_space limit 20
  loop
    if entitysync.try_space(other) then
      perform entitysync.fold(other);
    end if;
  end loop;
  -- Once more under the lock.
  loop
    -- NB: taken before the states are read. What is committed meanwhile is looked at twice, and not passed by.
    looked := pg_current_snapshot();
    has_other_claims := (
      select d.claims from entitysync.device as d where d.space = my_space and d.device = p_device
    ) is distinct from claims;
    due := array(
      select e from unnest(entities) as e
      where has_other_claims or not exists (
        select from entitysync.viewer as v
        where v.space = reader and v.entity = e and v.compared_at > now() - interval '1 day'
      )
    );
    states := array(
      select s
      from entitysync.viewer as v
      join entitysync.state as s on s.entity = v.entity and s.xid >= pg_snapshot_xmin(v.seen)
      where v.space = reader and v.entity = any (entities) and v.entity <> all (due) and entitysync.is_news(s.xid, v.seen)
      limit most + 1
    );
    if cardinality(states) > most then
      due := entities;
    end if;
    if cardinality(due) = 0 and cardinality(states) = 0 then
      return;
    end if;
    exit when is_locked;
    is_locked := entitysync.lock_space(my_space);
    if not is_locked then
      -- What is not compared yet is not known to be absent.
      is_complete := cardinality(due) = 0;
      return;
    end if;
  end loop;
  foreach name in array entities loop
    if name = any (due) then
      select c.has_moved, c.is_complete into moved, is_compared
      from entitysync.compare_view(
        my_space, reader, name,
        coalesce((select v.misses_own from entitysync.viewer as v where v.space = reader and v.entity = name), true)
      ) as c;
      is_complete := is_complete and is_compared;
    else
      moved := entitysync.change_view(reader, name, states);
      is_compared := null;
      if exists (
        select from unnest(states) as c
        join entitysync.view as w on w.space = reader and w.id = c.id and not w.is_hidden
        join entitysync.view as o
          on o.space = reader and o.entity = c.entity and md5(o.key) = md5(c.key) and o.key = c.key and not o.is_hidden
        join entitysync.state as s on s.space = o.owner and s.id = o.id and not s.is_deleted
        where c.entity = name and not c.is_deleted and o.id <> c.id
      ) then
        -- Records of several owners have one key.
        select c.has_moved, c.is_complete into has_resolved, is_resolved
        from entitysync.compare_view(my_space, reader, name, false) as c;
        moved := moved or has_resolved;
        is_complete := is_complete and is_resolved;
        is_compared := case when not is_resolved then false end;
      end if;
    end if;
    has_moved := has_moved or moved;
    insert into entitysync.viewer as v (space, entity, seen, compared_at, misses_own)
    values (
      reader, name, entitysync.with_own(looked, pg_current_xact_id()), case when is_compared then now() else '-infinity' end,
      is_compared is not true
    )
    on conflict (space, entity) do update set
      seen = excluded.seen, compared_at = case when is_compared is null then v.compared_at else excluded.compared_at end,
      misses_own = v.misses_own and excluded.misses_own;
  end loop;
  if has_other_claims then
    insert into entitysync.device as d (space, device, claims) values (my_space, p_device, claims)
    on conflict (space, device) do update set claims = excluded.claims;
  end if;
end
$$;

-- What nobody may read at the moment of a page, although it was shown before: devices forget it.
create or replace function entitysync.hide(ids uuid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  update entitysync.view as w set
    xid = pg_current_xact_id(), number = nextval('entitysync.numbers'), is_hidden = true, placed_at = now()
  where w.space = entitysync.reader() and w.id = any (ids) and not w.is_hidden
$$;

-- What is new for a device ----------------------------------------------------------------------------------------

-- The value of a live record whose row cannot be read: null, which makes its entry null. Without any policy by which users
-- read the table it raises: otherwise devices would pass all of its records by, and not come back for them.
create or replace function entitysync.hidden_body(hidden_entity text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from json_array_elements(entitysync.expected()) as e
    join pg_catalog.pg_class as t on t.oid = to_regclass(e.value ->> 'table')
    where e.value ->> 'entity' = hidden_entity and t.relrowsecurity and not exists (
      select from pg_catalog.pg_policy as p
      where p.polrelid = t.oid and p.polpermissive and p.polcmd in ('r', '*') and (
        0 = any (p.polroles)
        or exists (select from unnest(p.polroles) as r (id) where r.id <> 0 and pg_has_role(r.id, 'usage'))
      )
    )
  ) then
    raise sqlstate 'PGRST' using
      message = '{"code":"no-policy","message":"A table has no policy by which users read its rows."}',
      detail = '{"status":403,"headers":{}}';
  end if;
  return null;
end
$$;

-- The last value of a deleted record. There is no row any more by which policies of yours could decide who may read it:
-- where there are some, nobody gets it.
create or replace function entitysync.last_body(deleted_entity text, body json) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case when deleted_entity = any (entitysync.viewed_entities()) then '{}' else coalesce(body::text, '{}') end;
end
$$;

-- Until 1.0.0 it gave a row for each record.
drop function if exists entitysync.page(
  text[], pg_snapshot[], pg_snapshot, xid8, bigint, text[], integer, integer
);

-- The records of a page of which some entities have policies of their own: those that the account was shown, each at its
-- place; without its state if the account may not read it any more.
create or replace function entitysync.places(
  entities text[], viewed text[], bases pg_snapshot[], target pg_snapshot, first_xid xid8, first_number bigint,
  own text[], max_records integer,
  out states entitysync.state[], out ids uuid[], out names text[], out keys text[], out xids xid8[],
  out numbers bigint[]
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
  my_space uuid := entitysync.my_space();
  reader uuid := entitysync.reader();
begin
  -- See entitysync.plan_for.
  perform set_config('plan_cache_mode', 'force_custom_plan', true)
  where (
    select count(*) > 20 from (
      select from entitysync.view as v where v.space = reader and (v.xid, v.number) > (first_xid, first_number)
      union all
      select from entitysync.state as s where s.space = my_space and (s.xid, s.number) > (first_xid, first_number)
      limit 21
    ) as few
  );
  -- Aggregates take the rows in the order of the query below.
  select array_agg(p.state), array_agg(p.id), array_agg(p.entity), array_agg(p.key), array_agg(p.xid),
    array_agg(p.number)
  into states, ids, names, keys, xids, numbers
  from (
    select s as state, null::uuid as id, s.entity, s.key, s.xid, s.number
    from entitysync.state as s
    where s.space = my_space and (s.xid, s.number) > (first_xid, first_number) and s.xid < pg_snapshot_xmax(target)
      and s.entity = any (entities) and s.entity <> all (viewed)
      and pg_visible_in_snapshot(s.xid, target)
      and entitysync.is_news(s.xid, bases[array_position(entities, s.entity)])
      and s.revision not in (select o from unnest(own) as o)
    union all
    select case when not v.is_hidden then s end, v.id, v.entity, v.key, v.xid, v.number
    from entitysync.view as v
    left join entitysync.state as s on s.space = v.owner and s.id = v.id
    where v.space = reader and (v.xid, v.number) > (first_xid, first_number) and v.xid < pg_snapshot_xmax(target)
      and v.entity = any (entities) and v.entity = any (viewed)
      and pg_visible_in_snapshot(v.xid, target)
      and entitysync.is_news(v.xid, bases[array_position(entities, v.entity)])
      -- A device that never had the entity has nothing to forget.
      and not (v.is_hidden and bases[array_position(entities, v.entity)] is null)
      -- Nor if the key is that of another record now.
      and not ((v.is_hidden or s.is_deleted) and exists (
        select from entitysync.view as o
        join entitysync.state as l on l.space = o.owner and l.id = o.id and not l.is_deleted
        where o.space = reader and o.entity = v.entity and md5(o.key) = md5(v.key) and o.key = v.key
          and not o.is_hidden
      ))
      and (v.is_hidden or not coalesce(s.revision in (select o from unnest(own) as o), false))
    order by 5, 6
    limit max_records + 1
  ) as p;
end
$$;

-- A page: what the target snapshot sees and the base of the entity did not, in the order of transactions. So nothing
-- is skipped for having been committed late, and an open transaction makes nobody wait. `hidden` are records that were
-- shown before and that nobody may read at this moment.
create or replace function entitysync.page(
  entities text[], viewed text[], bases pg_snapshot[], target pg_snapshot, after_xid xid8, after_number bigint,
  own text[], tells_evicts boolean, max_records integer, max_bytes integer,
  out entries text, out shown integer, out has_more boolean, out last_xid xid8, out last_number bigint,
  out hidden uuid[]
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
-- A session keeps one plan, also one from when the table was empty: it shall be the one by the index of the feed. To
-- plan anew would take longer than to find out that there is no news.
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  my_space uuid := entitysync.my_space();
  base pg_snapshot;
  -- Where the page begins, as the index has it.
  first_xid xid8 := after_xid;
  first_number bigint := case when after_xid is null then -1 else after_number end;
  states entitysync.state[];
  places record;
  parts text[];
  sizes integer[];
  bytes integer;
begin
  if first_xid is null then
    foreach base in array bases loop
      first_xid := least(first_xid, coalesce(pg_snapshot_xmin(base), '0'));
    end loop;
  end if;
  if viewed && entities then
    places := entitysync.places(
      entities, viewed, bases, target, first_xid, first_number, own, max_records
    );
    states := coalesce(places.states, '{}');
  else
    states := array(
      select s
      from entitysync.state as s
      where s.space = my_space and (s.xid, s.number) > (first_xid, first_number) and s.xid < pg_snapshot_xmax(target)
        and s.entity = any (entities)
        and pg_visible_in_snapshot(s.xid, target)
        -- An entity without a base is new to the device.
        and not coalesce(pg_visible_in_snapshot(s.xid, bases[array_position(entities, s.entity)]), false)
        -- Hashed; with <> ALL, a plan that is kept would compare each with each.
        and s.revision not in (select o from unnest(own) as o)
      order by s.xid, s.number
      limit max_records + 1
    );
  end if;
  shown := 0;
  has_more := false;
  if cardinality(states) = 0 then
    return;
  end if;
  perform entitysync.plan_for(cardinality(states));
  if viewed && entities then
    select array_agg(
        case
          when e.entry is not null then e.entry
          when tells_evicts and places.ids[e.place] is not null
            and bases[array_position(entities, places.names[e.place])] is not null
            then '{"entity":' || to_json(places.names[e.place]) || ',"key":' || to_json(places.keys[e.place]) || ',"evict":true}'
        end
        order by e.place
      ),
      array_agg(places.ids[e.place]) filter (where e.entry is null and e.id is not null)
    into parts, hidden
    from entitysync.entries(states[1:max_records]) as e;
    entries := array_to_string(parts, ',');
    sizes := array(select octet_length(p.part) from unnest(parts) with ordinality as p (part, place) order by p.place);
  else
    -- One text, because an array of so many entries would be one more copy of them all.
    select string_agg(e.entry, ','), array_agg(octet_length(e.entry))
    into entries, sizes
    from (select e.entry from entitysync.entries(states[1:max_records]) as e order by e.place) as e;
  end if;
  shown := cardinality(sizes);
  if shown > 1 and octet_length(entries) - (shown - 1) > max_bytes then
    -- Only the first ones that fit, but one at least.
    select greatest(count(*) filter (where r.bytes <= max_bytes), 1) into shown
    from (
      select sum(coalesce(u.size, 0)) over (order by u.place) as bytes
      from unnest(sizes) with ordinality as u (size, place)
    ) as r;
    if parts is null then
      -- By bytes: an entry takes much longer to make than to cut.
      bytes := (select sum(u.size + 1) - 1 from unnest(sizes[1:shown]) as u (size));
      entries := convert_from(substr(convert_to(entries, getdatabaseencoding()), 1, bytes), getdatabaseencoding());
    else
      entries := array_to_string(parts[1:shown], ',');
    end if;
  end if;
  has_more := shown < cardinality(states);
  if parts is null then
    last_xid := (states[shown]).xid;
    last_number := (states[shown]).number;
  else
    last_xid := places.xids[shown];
    last_number := places.numbers[shown];
  end if;
end
$$;

-- The exchange of protocol v1 -------------------------------------------------------------------------------------

-- The entities that the request may exchange: all, unless its token has the claim `entitysync_entities`.
create or replace function entitysync.allowed_entities() returns text[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  known text[] := entitysync.known_entities();
  allowed jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb -> 'entitysync_entities';
begin
  if allowed is null then
    return known;
  end if;
  return array(select e from unnest(known) as e where allowed ? e);
end
$$;

create or replace function entitysync.limits() returns json
language sql immutable
return '{"changes":1000,"requestBytes":4194304,"pageRecords":1000,"pageBytes":1048576}'::json;

-- An error in the form of RFC 9457. PostgREST takes the status from `response.status`.
create or replace function entitysync.problem(status integer, code text, title text, detail text) returns json
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  answer jsonb := jsonb_build_object(
    'type', 'about:blank', 'title', title, 'status', status, 'code', code, 'detail', detail
  );
begin
  perform set_config('response.status', status::text, true);
  perform set_config(
    'response.headers', '[{"Content-Type":"application/problem+json"},{"Cache-Control":"no-store"}]', true
  );
  if status = 413 then
    answer := answer || jsonb_build_object('limits', entitysync.limits());
  end if;
  return answer::json;
end
$$;

-- The answer to a request that is to come again soon.
create or replace function entitysync.busy(detail text) returns json
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  answer json := entitysync.problem(503, 'unavailable', 'Service Unavailable', detail);
begin
  perform set_config(
    'response.headers',
    '[{"Content-Type":"application/problem+json"},{"Cache-Control":"no-store"},{"Retry-After":"1"}]', true
  );
  return answer;
end
$$;

-- Until 1.0.0 it gave a table, and did not say whether tombstones were purged.
drop function if exists entitysync.enter(text, boolean);

-- What is known of the space and of a device; makes the space's row. With `writes`, makes the device's row.
create or replace function entitysync.enter(
  p_device text, writes boolean, out epoch text, out batch text, out serial bigint, out numbering uuid,
  out has_purged boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  my_space uuid := entitysync.my_space();
  is_elsewhere boolean;
  -- The cluster in which the session is: to read it takes longer than all else here.
  present_cluster text := coalesce(
    nullif(current_setting('entitysync.cluster', true), ''),
    set_config('entitysync.cluster', (select c.system_identifier::text from pg_catalog.pg_control_system() as c), false)
  );
begin
  -- Once more where something had to be made first.
  for round in 1..2 loop
    select s.epoch, d.batch, d.serial, i.numbering, i.cluster::text <> present_cluster,
      s.floor > '0' or exists (select from entitysync.purged as p where p.space = my_space)
    into epoch, batch, serial, numbering, is_elsewhere, has_purged
    from entitysync.installation as i
    left join entitysync.space as s on s.id = my_space
    left join entitysync.device as d on d.space = s.id and d.device = p_device;
    exit when (serial is not null or not writes) and epoch is not null and not is_elsewhere;
    if is_elsewhere then
      perform entitysync.renumber();
    end if;
    if epoch is null then
      insert into entitysync.space (id) values (my_space) on conflict do nothing;
    end if;
    if writes then
      insert into entitysync.device (space, device) values (my_space, p_device) on conflict do nothing;
    end if;
  end loop;
end
$$;

-- Numbers all states and places of views anew after a dump was loaded into another cluster, which counts its transactions
-- by itself: the stored numbers may lie in its future, where no snapshot sees them, and what it writes may lie before the
-- cursors that devices have. Those expire. After pg_upgrade the count goes on, and nothing is done: rows are what they
-- were, while a dump's are all written by its own transactions.
create or replace function entitysync.renumber() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  present bigint := (select c.system_identifier from pg_catalog.pg_control_system() as c);
begin
  perform pg_advisory_xact_lock(7316, 1);
  if (select i.cluster from entitysync.installation as i) = present then
    return;
  end if;
  if (
    select min(r.writer) > max(r.number) or bool_or(r.writer < r.number)
      or max(r.number) >= (pg_snapshot_xmax(pg_current_snapshot())::text::bigint & 4294967295)
    from (
      select s.xmin::text::bigint as writer, s.xid::text::bigint & 4294967295 as number from entitysync.state as s
    ) as r
  ) then
    -- The first number that PostgreSQL gives: every snapshot sees it, that of this exchange, too.
    update entitysync.state set xid = '3';
    update entitysync.view set xid = '3';
    delete from entitysync.viewer;
    update entitysync.space set floor = '0';
    delete from entitysync.purged;
    delete from entitysync.fingerprint;
    update entitysync.installation set numbering = gen_random_uuid();
  end if;
  update entitysync.installation set cluster = present;
end
$$;

-- Until 1.0.0 the exchange called it.
drop function if exists entitysync.leave(text, text, bigint);

-- Notes the fingerprints of a device that has seen everything, and names the entities in which another device, which
-- has seen the same, shows other records.
create or replace function entitysync.compare(p_device text, records json, p_seen pg_snapshot) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
-- To plan it anew would take longer than all else of an exchange without news.
set plan_cache_mode = force_generic_plan
as $$
declare
  my_space uuid := entitysync.my_space();
begin
  if records is not null then
    delete from entitysync.fingerprint as f where f.space = my_space and f.device = p_device;
    insert into entitysync.fingerprint (space, device, name, digest, seen)
    select my_space, p_device, r.key, r.value, p_seen from json_each_text(records) as r;
  end if;
  return array(
    select distinct split_part(mine.name, ' ', 1)
    from entitysync.fingerprint as mine
    join entitysync.fingerprint as other
      on other.space = mine.space and other.name = mine.name and other.device <> mine.device
    where mine.space = my_space and mine.device = p_device and other.digest <> mine.digest
      and other.told_at > now() - interval '30 days'
      -- Both have seen all that the space has. What a snapshot has not seen is at its end, in the order of the feed.
      and not exists (
        select from entitysync.state as s
        where s.space = my_space and s.xid >= pg_snapshot_xmin(mine.seen)
          and not pg_visible_in_snapshot(s.xid, mine.seen)
      )
      and not exists (
        select from entitysync.state as s
        where s.space = my_space and s.xid >= pg_snapshot_xmin(other.seen)
          and not pg_visible_in_snapshot(s.xid, other.seen)
      )
    order by 1
  );
end
$$;

-- Whether a tombstone of the space was purged that the cursor had not seen. Transactions that are open elsewhere in the
-- cluster make no difference: what counts is which transactions the cursor's snapshot saw.
create or replace function entitysync.has_expired(cursor jsonb, entities text[]) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  my_space uuid := entitysync.my_space();
begin
  return exists (
    select from (
      select distinct s.value from jsonb_each_text(cursor -> 'seen') as s where s.key = any (entities)
    ) as seen
    cross join lateral (select seen.value::pg_snapshot as snapshot offset 0) as base
    where exists (
      select from entitysync.space as s where s.id = my_space and s.floor >= pg_snapshot_xmin(base.snapshot)
    ) or exists (
      select from entitysync.purged as p
      where p.space = my_space and p.xid >= pg_snapshot_xmin(base.snapshot)
        and not pg_visible_in_snapshot(p.xid, base.snapshot)
    )
  );
end
$$;

-- What the answer says of the space and the device if everything is as the cursor left it; else nulls, and the exchange
-- looks closer. In one statement, because most requests find nothing new.
create or replace function entitysync.unchanged(
  my_space uuid, p_device text, entities text[], cursor jsonb, out epoch text, out batch text
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  first_seen text := cursor -> 'seen' ->> entities[1];
  base pg_snapshot := first_seen;
  first_xid xid8 := pg_snapshot_xmin(base);
begin
  select s.epoch, d.batch into epoch, batch
  from entitysync.space as s
  join entitysync.device as d on d.space = s.id and d.device = p_device
  where s.id = my_space and s.epoch = cursor ->> 'epoch' and d.serial >= (cursor ->> 'serial')::bigint
    and ((cursor ->> 'serial')::bigint between d.lost_from and d.lost_to) is not true
    and s.floor < first_xid
    and (
      select i.numbering::text = cursor ->> 'numbering' and i.cluster = c.system_identifier
      from entitysync.installation as i cross join pg_catalog.pg_control_system() as c
    )
    and not exists (
      select from entitysync.state as n
      where n.space = my_space and n.xid >= first_xid and not pg_visible_in_snapshot(n.xid, base)
    )
    and not exists (select from entitysync.log as l where l.space = my_space)
    and not exists (select from entitysync.adoption)
    and not exists (
      select from entitysync.purged as p
      where p.space = my_space and p.xid >= first_xid and not pg_visible_in_snapshot(p.xid, base)
    )
    and not exists (
      select from entitysync.fingerprint as mine
      join entitysync.fingerprint as other on other.space = mine.space and other.name = mine.name
      where mine.space = my_space and mine.device = p_device and other.digest <> mine.digest
    );
end
$$;

-- Whether a cursor is from a future that the database has lost, as it was rolled back. It stays lost, however many cursors
-- the device is given since: what the device had stored by then is not there.
create or replace function entitysync.is_lost(my_space uuid, cursor jsonb) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  given constant bigint := cursor ->> 'serial';
  known record;
begin
  select d.serial, d.lost_from, d.lost_to into known
  from entitysync.device as d where d.space = my_space and d.device = cursor ->> 'device';
  if given <= coalesce(known.serial, 0) then
    return (given between known.lost_from and known.lost_to) is true;
  end if;
  insert into entitysync.device as d (space, device, serial, lost_from, lost_to)
  values (my_space, cursor ->> 'device', given, coalesce(known.serial, 0) + 1, given)
  on conflict (space, device) do update set
    lost_from = coalesce(d.lost_from, d.serial + 1), lost_to = given, serial = given;
  return true;
end
$$;

-- A snapshot that has seen this transaction, too, and none that began after the one given.
create or replace function entitysync.with_own(snapshot pg_snapshot, own xid8) returns pg_snapshot
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The usual case: nothing else is going on.
  if pg_snapshot_xmin(snapshot) = own and pg_snapshot_xmax(snapshot) = own then
    own := (own::text::bigint + 1)::text::xid8;
    return (own || ':' || own || ':')::pg_snapshot;
  end if;
  return (
    pg_snapshot_xmin(snapshot) || ':'
    || greatest(pg_snapshot_xmax(snapshot)::text::numeric, own::text::numeric + 1) || ':'
    || coalesce(
      (
        select string_agg(open.xid::text, ',' order by open.xid)
        from (
          select x::text::numeric as xid from pg_snapshot_xip(snapshot) as x
          union
          select generate_series(pg_snapshot_xmax(snapshot)::text::numeric, own::text::numeric - 1)
        ) as open
        where open.xid <> own::text::numeric
      ),
      ''
    )
  )::pg_snapshot;
end
$$;

-- Cursors are JSON in the alphabet of URLs.
create or replace function entitysync.cursor_text(cursor jsonb) returns text
language sql stable
return translate(encode(convert_to(cursor::text, 'UTF8'), 'base64'), E'+/=\n', '-_');

create or replace function entitysync.cursor_json(cursor text) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  value jsonb;
  -- What is read only to see whether it can be.
  serial bigint;
  target pg_snapshot;
  after_xid xid8;
  after_number bigint;
begin
  value := convert_from(
    decode(translate(cursor, '-_', '+/') || repeat('=', (4 - length(cursor) % 4) % 4), 'base64'), 'UTF8'
  )::jsonb;
  -- NB: as assignments these take no plan, which the executor would have to start.
  serial := value ->> 'serial';
  target := value ->> 'target';
  after_xid := value -> 'after' ->> 0;
  after_number := value -> 'after' ->> 1;
  perform s.value::pg_snapshot from jsonb_each_text(value -> 'seen') as s;
  if value ->> 'epoch' is null or value ->> 'device' is null or serial is null
    or jsonb_typeof(value -> 'seen') is distinct from 'object'
  then
    return null;
  end if;
  return value;
exception
  when others then
    return null;
end
$$;

-- One exchange: stores the changes of a device, and gives it one page of what is new. It reads and writes what belongs to
-- one space, which must be the caller's.
create or replace function entitysync.exchange(my_space uuid, sent json) returns json
-- The owner is the role `entitysync`, so that your policies rule, and nobody else may call what it calls.
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
-- To compile the statements would take longer than to run them.
set jit = off
-- A session keeps its plans, also those from when a table was empty: they shall be the ones by the keys.
set enable_seqscan = off
-- Some databases cut the digits of numbers.
set extra_float_digits = 1
as $$
declare
  -- NB: every JSON operator fails on U+0000 anywhere in the text. It is masked, so that the one record that holds it
  -- is refused alone.
  given text := sent::text;
  is_masked boolean := strpos(given, '\u0000') > 0;
  masked json := case
    when is_masked
      then regexp_replace(given, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufdd0', 'g')::json
    else sent
  end;
  request record;
  changes json[];
  change_count integer := 0;
  max_records integer;
  known record;
  usual record;
  cursor jsonb;
  known_entities text[] := entitysync.known_entities();
  allowed_entities text[] := entitysync.allowed_entities();
  -- Those with policies of their own.
  viewed text[] := entitysync.viewed_entities();
  entities text[];
  unknown json;
  pushed_results text[] := '{}';
  own text[] := '{}';
  has_grown boolean := false;
  -- Whether other programs wrote what is not taken in yet.
  is_waiting boolean;
  -- Whether rows are yet to be looked at: those from before the triggers, or those that the account may read. Until then
  -- no full state is complete.
  is_adopting boolean;
  looked record;
  is_locked boolean;
  -- Whether something was taken in that is news. Where policies rule, what was shown is: rows that are hidden change
  -- nothing that is answered.
  has_folded boolean := false;
  snapshot pg_snapshot;
  target pg_snapshot;
  bases pg_snapshot[] := '{}';
  after_xid xid8;
  after_number bigint;
  is_full_state boolean;
  page record;
  has_more boolean;
  entity text;
  is_new boolean := false;
  own_xid xid8;
  next_cursor jsonb;
  next_text text;
  acknowledged text;
  differing text[];
  serial bigint;
  taken_in_first constant text := 'Other programs changed many rows, which are taken in first.';
  expired constant text := 'Tombstones after the cursor were purged: begin again without a cursor.';
  plans constant text := current_setting('plan_cache_mode');
  headers text := set_config('response.headers', '[{"Cache-Control":"no-store"}]', true);
begin
  if my_space is distinct from entitysync.my_space() then
    raise insufficient_privilege using message = 'The space is not that of the caller.';
  end if;
  if my_space is null then
    return entitysync.problem(401, 'unauthorized', 'Unauthorized', 'A token of a user is needed.');
  end if;
  -- Read once: each further look into a JSON text would read all of it again. So would a record with columns of JSON.
  select max(m.value #>> '{}') filter (where m.key = 'device') as device,
    max(m.value #>> '{}') filter (where m.key = 'batch') as batch,
    max(m.value #>> '{}') filter (where m.key = 'previous') as previous,
    max(m.value #>> '{}') filter (where m.key = 'cursor') as cursor,
    (array_agg(m.value) filter (where m.key = 'entities'))[1] as entities,
    (array_agg(m.value) filter (where m.key = 'changes'))[1] as changes,
    (array_agg(m.value) filter (where m.key = 'limit'))[1] as "limit",
    (array_agg(m.value) filter (where m.key = 'records'))[1] as records,
    coalesce(bool_or(m.value #>> '{}' = 'true') filter (where m.key = 'evicts'), false) as evicts,
    count(*) > count(distinct m.key) as repeats_member
  into request
  from (
    select e.key, case when json_typeof(e.value) <> 'null' then e.value end as value
    from json_each(case json_typeof(masked) when 'object' then masked else '{}' end) as e
  ) as m;
  if request.repeats_member then
    return entitysync.problem(400, 'malformed', 'Bad Request', 'A member stands twice.');
  end if;
  next_text := request.cursor;
  if coalesce(request.device, '') !~ '^[0-9a-f]{16}$' then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''device'' is missing, or is not 16 digits.');
  end if;
  if json_typeof(request.entities) is distinct from 'array' then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''entities'' is missing, or is no array.');
  end if;
  if coalesce(json_typeof(request.changes), 'array') <> 'array'
    or coalesce(json_typeof(request."limit"), 'number') <> 'number'
  then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''changes'' is no array, or ''limit'' is no number.');
  end if;
  if request.changes is not null then
    changes := array(select value from json_array_elements(request.changes));
    change_count := cardinality(changes);
  end if;
  max_records := least(coalesce((request."limit" #>> '{}')::numeric, 1000), 1000);
  if max_records < 1 then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''limit'' is less than 1.');
  end if;
  if change_count > 1000 or octet_length(given) > 4194304 then
    return entitysync.problem(
      413, 'too-large', 'Content Too Large', 'A request has at most 1000 changes and 4194304 bytes.'
    );
  end if;
  if change_count > 0 and coalesce(request.batch, '') = '' then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''changes'' without ''batch''.');
  end if;
  if next_text is not null then
    cursor := entitysync.cursor_json(next_text);
    if cursor is null then
      return entitysync.problem(
        410, 'cursor-expired', 'Gone', 'The cursor is not one that this server gave: begin again without a cursor.'
      );
    end if;
  end if;
  select array_agg(e.name order by e.name) filter (where e.name = any (allowed_entities)),
    json_agg(
      json_build_object(
        'entity', e.name, 'rule', case when e.name = any (known_entities) then 'forbidden' else 'unknown' end
      )
      order by e.name
    ) filter (where e.name <> all (allowed_entities))
  into entities, unknown
  from (select distinct value collate "C" as name from json_array_elements_text(request.entities)) as e;
  entities := coalesce(entities, '{}');

  if change_count = 0 and request.records is null and cursor ->> 'device' = request.device
    and not cursor ?| '{target,isFullState}' and not entities && viewed and (
      select bool_and(cursor -> 'seen' -> e is not distinct from cursor -> 'seen' -> entities[1]) from unnest(entities) as e
    )
  then
    known := entitysync.unchanged(my_space, request.device, entities, cursor);
    if known.epoch is not null then
      return (
        '{"account":"' || my_space || '","epoch":"' || known.epoch
        || '","time":"' || entitysync.moment_text(clock_timestamp()) || '","limits":' || entitysync.limits()
        || coalesce(',"batch":' || to_json(known.batch), '') || coalesce(',"refused":' || unknown, '')
        || ',"results":[],"changes":[],"cursor":"' || next_text || '","more":false}'
      )::json;
    end if;
  end if;
  perform entitysync.plan_anew();
  is_adopting := exists (select from entitysync.adoption) and entitysync.adopt_piece(100);
  -- What other programs wrote is taken in first, by one exchange of the space at a time.
  is_waiting := exists (select from entitysync.log as l where l.space = my_space);
  is_locked := (change_count > 0 or is_waiting) and entitysync.lock_space(my_space);
  if change_count > 0 and not is_locked then
    return entitysync.busy('Another device of the account is pushing.');
  end if;
  known := entitysync.enter(request.device, change_count > 0);
  if is_waiting and is_locked then
    is_waiting := not entitysync.fold(my_space);
    has_folded := not entities <@ viewed;
    if change_count > 0 and is_waiting then
      return entitysync.busy(taken_in_first);
    end if;
  end if;
  if cursor is not null then
    if cursor ->> 'epoch' <> known.epoch or entitysync.is_lost(my_space, cursor) then
      return entitysync.problem(
        409, 'history-changed', 'Conflict', 'The cursor is of another history of these records.'
      );
    end if;
    -- Without changes it is enough to look after the page was made.
    if cursor ->> 'numbering' <> known.numbering::text
      or change_count > 0 and known.has_purged and entitysync.has_expired(cursor, entities)
    then
      return entitysync.problem(410, 'cursor-expired', 'Gone', expired);
    end if;
  end if;

  if change_count > 0 then
    if known.batch is distinct from request.batch and known.batch is distinct from request.previous then
      return entitysync.problem(
        409, 'device-copied', 'Conflict', 'The device''s last batch is not the one that the request names.'
      );
    end if;
    begin
      if change_count = 1 and not is_masked then
        usual := entitysync.push_one(my_space, changes[1], allowed_entities, viewed);
        if usual.result is not null then
          pushed_results := array[usual.result];
          own := array[usual.revision];
          has_grown := true;
        end if;
      end if;
      if not has_grown then
        select p.results, p.own, p.has_grown into pushed_results, own, has_grown
        from entitysync.push(my_space, allowed_entities, viewed, changes, is_masked, false) as p;
      end if;
    exception
      -- Some change holds what PostgreSQL cannot read, such as the number 1e200000. It is refused alone.
      when numeric_value_out_of_range or invalid_text_representation or untranslatable_character then
        select p.results, p.own, p.has_grown into pushed_results, own, has_grown
        from entitysync.push(my_space, allowed_entities, viewed, changes, is_masked, true) as p;
    end;
    perform set_config('plan_cache_mode', plans, true);
    if pushed_results is null then
      return entitysync.busy(taken_in_first);
    end if;
    -- What is left of what triggers and cascades of yours made of it.
    if exists (select from entitysync.log as l where l.space = my_space) then
      is_waiting := not entitysync.fold(my_space);
      has_folded := not entities <@ viewed;
    end if;
    -- For the metrics of a server: how many changes were accepted, conflicts and refused.
    perform set_config(
      'entitysync.outcome',
      (
        select count(*) filter (where r like '{"status":"accepted"%') || ' '
          || count(*) filter (where r like '{"status":"conflict"%') || ' '
          || count(*) filter (where r like '{"status":"refused"%')
        from unnest(pushed_results) as r
      ),
      true
    );
    if change_count > 1 and (select sum(octet_length(r)) from unnest(pushed_results) as r) > 4194304 then
      -- Raised, so that nothing is stored; PostgREST answers what it says.
      raise sqlstate 'PGRST' using
        message = json_build_object(
          'code', 'too-large', 'message', 'The answer to so many changes is too large: send fewer at once.'
        )::text,
        detail = '{"status":413,"headers":{}}';
    end if;
  end if;

  if viewed && entities then
    looked := entitysync.look(my_space, request.device, viewed, is_locked);
    has_folded := has_folded or looked.has_moved;
    is_adopting := is_adopting or not looked.is_complete;
  end if;
  if has_grown or has_folded then
    own_xid := pg_current_xact_id();
  end if;
  snapshot := pg_current_snapshot();
  is_full_state := cursor is null or coalesce((cursor ->> 'isFullState')::boolean, false);
  foreach entity in array entities loop
    bases := array_append(bases, (cursor -> 'seen' ->> entity)::pg_snapshot);
    is_new := is_new or bases[cardinality(bases)] is null;
  end loop;
  target := (cursor ->> 'target')::pg_snapshot;
  if target is not null and cursor -> 'after' ->> 2 = array_to_string(entities, ' ') then
    after_xid := (cursor -> 'after' ->> 0)::xid8;
    after_number := (cursor -> 'after' ->> 1)::bigint;
  else
    -- With what this transaction wrote: what triggers and cascades made of the changes is news for the device, too.
    target := case when own_xid is null then snapshot else entitysync.with_own(snapshot, own_xid) end;
  end if;
  page := entitysync.page(
    entities, viewed, bases, target, after_xid, after_number, own, request.evicts,
    max_records, 1048576
  );
  if cardinality(page.hidden) > 0 then
    perform entitysync.hide(page.hidden);
  end if;

  -- Looked up here, because nearly always nothing was ever purged.
  if cursor is not null and exists (
    select from entitysync.space as s
    where s.id = my_space and (s.floor > '0' or exists (select from entitysync.purged as p where p.space = my_space))
  ) and entitysync.has_expired(cursor, entities) then
    if change_count = 0 then
      return entitysync.problem(410, 'cursor-expired', 'Gone', expired);
    end if;
    -- A purge that ended meanwhile may have taken what the page should have held. Raised, so that nothing is stored.
    raise sqlstate 'PGRST' using
      message = json_build_object('code', 'cursor-expired', 'message', expired)::text,
      detail = '{"status":410,"headers":{}}';
  end if;
  has_more := page.has_more or is_waiting and is_locked or is_adopting;
  if page.has_more then
    next_cursor := jsonb_build_object(
      'seen', coalesce(cursor -> 'seen', '{}'), 'target', target::text,
      'after', jsonb_build_array(page.last_xid::text, page.last_number, array_to_string(entities, ' ')),
      'isFullState', is_full_state
    );
  elsif cursor is null or page.shown > 0 or cursor ? 'target' or cardinality(own) > 0
    or is_new or own_xid is not null
  then
    next_cursor := jsonb_build_object(
      'seen',
      coalesce(cursor -> 'seen', '{}') || coalesce(
        (select jsonb_object_agg(e, target::text) from unnest(entities) as e), '{}'
      )
    ) || case when has_more and is_full_state then '{"isFullState":true}' else '{}'::jsonb end;
  elsif cardinality(entities) = 0 and change_count > 0 then
    next_cursor := cursor - 'serial';
  end if;
  -- Where there is more, the device asks on with a cursor of its own, also if this page told nothing.
  if next_cursor is not null or change_count > 0 or has_more then
    serial := coalesce(known.serial, 0) + 1;
    -- The batch that was stored, and how many cursors the device was given.
    insert into entitysync.device as d (space, device, batch, serial)
    values (my_space, request.device, case when change_count > 0 then request.batch end, serial)
    on conflict (space, device) do update set
      batch = coalesce(excluded.batch, d.batch), serial = greatest(d.serial, excluded.serial), seen_at = now();
    if next_cursor is null then
      next_cursor := cursor;
    end if;
    next_text := entitysync.cursor_text(
      next_cursor || jsonb_build_object(
        'epoch', known.epoch, 'numbering', known.numbering, 'device', request.device, 'serial', serial
      )
    );
    if change_count > 0 and cursor is not null then
      -- Where the request stood, by a cursor that knows of its changes.
      acknowledged := entitysync.cursor_text(
        cursor || jsonb_build_object('device', request.device, 'serial', serial)
      );
    end if;
  elsif page.shown = 0 then
    differing := entitysync.compare(request.device, request.records, target);
  end if;

  return (
    '{"account":"' || my_space || '","epoch":"' || known.epoch
    || '","time":"' || entitysync.moment_text(clock_timestamp()) || '","limits":' || entitysync.limits()
    || coalesce(
      ',"batch":' || to_json(case when change_count > 0 then request.batch else known.batch end), ''
    )
    || coalesce(',"refused":' || unknown, '')
    || case when cardinality(differing) > 0 then ',"differing":' || to_json(differing) else '' end
    || ',"results":[' || coalesce(array_to_string(pushed_results, ','), '') || ']'
    || case when is_full_state then ',"snapshot":true' else '' end
    || ',"changes":['
    -- NB: in two steps, because each one copies all entries.
    || coalesce(page.entries, '')
    || (
      '],"cursor":"' || next_text || '"' || coalesce(',"acknowledged":"' || acknowledged || '"', '')
      || ',"more":' || has_more || '}'
    )
  )::json;
end
$$;

-- A Supabase app calls it by POST /rest/v1/rpc/entitysync_exchange with the request as body.
create or replace function public.entitysync_exchange(json) returns json
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return entitysync.exchange(entitysync.my_space(), $1);
end
$$;

comment on function public.entitysync_exchange(json) is
  'EntitySync: one exchange of protocol v1. Stores the changes of a device, and returns what is new for it.';

-- Operating -------------------------------------------------------------------------------------------------------

-- Removes tombstones that were stored before a time, of one space or of all (null). Cursors from before them expire,
-- and their devices fetch the full state. To be run by hand or by pg_cron:
-- select cron.schedule('entitysync', '0 3 * * *', $ select entitysync.purge(now() - interval '180 days') $);
create or replace function entitysync.purge(stored_before timestamptz, only_space uuid default null) returns bigint
language sql
set search_path = pg_catalog, pg_temp
as $$
  select entitysync.fold_all();
  select entitysync.remove_tombstones(array_agg(s.space), array_agg(s.id))
  from entitysync.state as s
  where s.is_deleted and s.stored_at < stored_before and (only_space is null or s.space = only_space)
$$;

-- Removes tombstones, and notes their transactions. A space keeps 10,000 of these; older ones become its floor.
drop function if exists entitysync.remove_tombstones(uuid[]);
create or replace function entitysync.remove_tombstones(of_spaces uuid[], ids uuid[]) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  removed bigint;
  spaces uuid[];
begin
  with gone as (
    delete from entitysync.state as s using unnest(of_spaces, ids) as t (space, id)
    where s.space = t.space and s.id = t.id and s.is_deleted
    returning s.space, s.xid
  ), noted as (
    insert into entitysync.purged (space, xid) select distinct g.space, g.xid from gone as g
    on conflict do nothing
  )
  select count(*), array_agg(distinct g.space) into removed, spaces from gone as g;
  update entitysync.space as s set floor = greatest(s.floor, f.xid)
  from unnest(spaces) as u (id)
  cross join lateral (
    select p.xid from entitysync.purged as p where p.space = u.id order by p.xid desc offset 10000 limit 1
  ) as f
  where s.id = u.id;
  if found then
    delete from entitysync.purged as p using entitysync.space as s
    where s.id = any (spaces) and p.space = s.id and p.xid <= s.floor;
  end if;
  return removed;
end
$$;

-- The same by age, for one space, and at most so many at once: `days` names how long the tombstones of an entity are
-- kept; those of others are kept `other_days`.
drop function if exists entitysync.purge_older(jsonb, integer, uuid);
create or replace function entitysync.purge_older(
  days jsonb, other_days integer, only_space uuid, max_records integer
) returns bigint
language sql
set search_path = pg_catalog, pg_temp
as $$
  select entitysync.fold(only_space) from entitysync.try_space(only_space) as is_free where is_free;
  with gone as (
    delete from entitysync.view as v
    where v.space = only_space and v.is_hidden and v.placed_at <= now() - make_interval(days => other_days)
    returning v.xid
  )
  insert into entitysync.purged (space, xid) select distinct only_space, g.xid from gone as g on conflict do nothing;
  select entitysync.remove_tombstones(array_agg(t.space), array_agg(t.id))
  from (
    select s.space, s.id from entitysync.state as s
    where s.is_deleted and s.space = only_space
      and s.stored_at <= now() - make_interval(days => coalesce((days ->> s.entity)::integer, other_days))
    order by s.stored_at
    limit max_records
  ) as t
$$;

-- The first space after another one that has tombstones and is none for checks; null after the last one.
create or replace function entitysync.next_with_tombstones(after_space uuid) returns uuid
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  found_space uuid := after_space;
begin
  loop
    select s.space into found_space from entitysync.state as s
    where s.is_deleted and (found_space is null or s.space > found_space) order by s.space limit 1;
    if found_space is null or not exists (select from entitysync.scratch as c where c.space = found_space) then
      return found_space;
    end if;
  end loop;
end
$$;

-- Makes a space for checks if it is not there, after removing those of the account that are older than a day. An
-- account has at most eight.
create or replace function entitysync.open_scratch(p_space uuid, p_account uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  old uuid;
begin
  if exists (select from entitysync.scratch as s where s.space = p_space) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(p_account::text, 7317));
  if exists (
    select from entitysync.erased as e where e.space = p_account and e.erased_at > now() - interval '1 hour'
  ) then
    raise sqlstate 'PGRST' using
      message = '{"code":"unavailable","message":"The account was erased a short time ago."}',
      detail = '{"status":503,"headers":{"Retry-After":"300"}}';
  end if;
  for old in
    select s.space from entitysync.scratch as s
    where s.account = p_account and s.made_at < now() - interval '1 day' order by s.space
  loop
    perform entitysync.remove_scratch(old);
  end loop;
  if (select count(*) from entitysync.scratch as s where s.account = p_account and s.space <> p_space) >= 8 then
    raise sqlstate 'PGRST' using
      message = '{"code":"forbidden","message":"The account has 8 scratch logs: remove one."}',
      detail = '{"status":403,"headers":{}}';
  end if;
  insert into entitysync.scratch (space, account) values (p_space, p_account) on conflict do nothing;
end
$$;

-- Empties a space for checks, which then has another history. Returns whether it was there.
create or replace function entitysync.restart_scratch(p_space uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from entitysync.scratch as s where s.space = p_space for update) then
    return false;
  end if;
  perform entitysync.empty(p_space);
  return true;
end
$$;

-- Removes a space for checks. Returns whether it was there.
create or replace function entitysync.remove_scratch(p_space uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from entitysync.scratch as s where s.space = p_space;
  if not found then
    return false;
  end if;
  perform entitysync.empty(p_space);
  return true;
end
$$;

-- Erased users ----------------------------------------------------------------------------------------------------

-- Spaces that were erased lately. A request that was let in before the erasure, or whose token is still good, must not
-- store again what was erased. For an hour a space of this id is not made anew.
create table if not exists entitysync.erased (
  space uuid primary key,
  erased_at timestamptz not null default now()
);

-- Refuses to make a space that was just erased. It is called only where the row of a space is missing, so that other
-- requests cost nothing more. Those that had found the row before it was erased fail at the foreign key of their device.
create or replace function entitysync.space_made() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Waits for an erasure that has not ended.
  perform pg_advisory_xact_lock(hashtextextended(new.id::text, 7316));
  if exists (
    select from entitysync.erased as e where e.space = new.id and e.erased_at > now() - interval '1 hour'
  ) then
    raise sqlstate 'PGRST' using
      message = '{"code":"unavailable","message":"The account was erased a short time ago."}',
      detail = '{"status":503,"headers":{"Retry-After":"300"}}';
  end if;
  return new;
end
$$;

create or replace trigger entitysync_made before insert on entitysync.space
  for each row execute function entitysync.space_made();

-- Removes everything that is known of a space: states, tombstones with their last values, devices, cursors. Rows of
-- your tables are deleted by their own foreign keys, or by you.
create or replace function entitysync.erase(erased_space uuid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  -- First the space, and with it the devices: this waits for the pushes that have not ended.
  delete from entitysync.space as s where s.id = erased_space;
  delete from entitysync.log as l where l.space = erased_space;
  delete from entitysync.view as v where v.space = erased_space;
  delete from entitysync.viewer as v where v.space = erased_space;
  -- Devices of others that have its records forget them.
  update entitysync.view as v set
    xid = pg_current_xact_id(), number = nextval('entitysync.numbers'), is_hidden = true, placed_at = now()
  where v.owner = erased_space and not v.is_hidden;
  delete from entitysync.state as s where s.space = erased_space;
  delete from entitysync.purged as p where p.space = erased_space;
$$;

-- Removes an account for ever: all rows of its space and of its spaces for checks, and everything that is known of them.
-- Remove it from the server's accounts first, so that no further requests are let in.
create or replace function entitysync.erase_account(p_space uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  scratch uuid;
begin
  -- Waits for requests that make a space for checks, and keeps others from it.
  perform pg_advisory_xact_lock(hashtextextended(p_space::text, 7317));
  delete from entitysync.erased as e where e.erased_at < now() - interval '1 day';
  for scratch in
    select s.space from entitysync.scratch as s where s.account = p_space order by s.space
  loop
    insert into entitysync.erased (space) values (scratch)
    on conflict (space) do update set erased_at = excluded.erased_at;
    perform entitysync.remove_scratch(scratch);
  end loop;
  insert into entitysync.erased (space) values (p_space)
  on conflict (space) do update set erased_at = excluded.erased_at;
  perform entitysync.empty(p_space);
end
$$;

create or replace function entitysync.user_erased() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from entitysync.erased as e where e.erased_at < now() - interval '1 day';
  insert into entitysync.erased (space) values (old.id)
  on conflict (space) do update set erased_at = excluded.erased_at;
  perform entitysync.erase(old.id);
  return null;
end
$$;

-- With Supabase, deleting a user erases the user's space. At the end of the transaction, after the rows that your
-- foreign keys delete have left tombstones.
do $$
begin
  if to_regclass('auth.users') is not null and not exists (
    select from pg_catalog.pg_trigger where tgrelid = to_regclass('auth.users') and tgname = 'entitysync_erase'
  ) then
    create constraint trigger entitysync_erase after delete on auth.users
      deferrable initially deferred for each row execute function entitysync.user_erased();
  end if;
end
$$;

-- Tables that others made ---------------------------------------------------------------------------------------------
--
-- What the catalogue says of a table, before anything touches it and for entitysync.doctor(). Each finding has a
-- severity: `refused` where the table cannot be synced as it is, `error` where some records are not synced or not
-- protected, `warning` where something may surprise.

-- The type below domains.
create or replace function entitysync.base_type(type oid) returns oid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with recursive base as (
    select t.oid, t.typtype, t.typbasetype from pg_catalog.pg_type as t where t.oid = type
    union all
    select t.oid, t.typtype, t.typbasetype
    from base as b join pg_catalog.pg_type as t on b.typtype = 'd' and t.oid = b.typbasetype
  )
  select b.oid from base as b where b.typtype <> 'd'
$$;

-- Whether a value of one type can be stored in a column of another one. A text that is cut is an error in any case.
create or replace function entitysync.can_store(expected oid, present oid) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select expected = present or exists (
    select from pg_catalog.pg_type as e
    join pg_catalog.pg_type as p on p.oid = present
    join pg_catalog.pg_cast as c on (
      c.castsource = e.oid and c.casttarget = p.oid
      -- Arrays are stored element by element.
      or e.typcategory = 'A' and p.typcategory = 'A' and c.castsource = e.typelem and c.casttarget = p.typelem
    )
    where e.oid = expected and c.castcontext in ('i', 'a')
  )
$$;

-- Who reads the tables for the log: the role that applied the SQL, whoever is asking.
create or replace function entitysync.installer() returns oid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (
      select p.proowner from pg_catalog.pg_proc as p
      where p.oid = to_regprocedure('entitysync.fold_piece(uuid, integer)')
    ),
    current_user::regrole::oid
  )
$$;

-- What the table is, and whose.
create or replace function entitysync.kind_findings(table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select f.severity, f.finding, f.help
  from pg_catalog.pg_class as t
  join pg_catalog.pg_roles as i on i.oid = entitysync.installer()
  cross join lateral (
    values
      (
        t.relkind not in ('r', 'p'), 'refused', format('%s is no table.', table_id),
        'Name the table in ''sql'' of the schema. A view has no rows of its own.'
      ),
      (
        t.relispartition, 'refused',
        format('The table is a partition of %s: what is written there is not seen.', (
          select h.inhparent::regclass from pg_catalog.pg_inherits as h where h.inhrelid = t.oid
        )),
        'Name the partitioned table in ''sql'' of the schema.'
      ),
      (
        t.relkind = 'r' and exists (select from pg_catalog.pg_inherits as h where h.inhparent = t.oid), 'refused',
        'Other tables inherit from the table: no key is unique across them, and what is written there is not seen.',
        'End the inheritance, or use a partitioned table.'
      ),
      (
        not t.relispartition and exists (select from pg_catalog.pg_inherits as h where h.inhrelid = t.oid), 'refused',
        'The table inherits from another one: what is written through that one is not seen.',
        format('alter table %s no inherit …;', table_id)
      ),
      (
        not i.rolsuper and not pg_has_role(i.oid, t.relowner, 'usage'), 'refused',
        format('The table belongs to %s, and %s may neither change it nor read it past its policies.',
          t.relowner::regrole, i.rolname),
        format('Apply the SQL as the table''s owner, or: alter table %s owner to %I;', table_id, i.rolname)
      ),
      (
        t.relrowsecurity and t.relforcerowsecurity and not i.rolsuper and not i.rolbypassrls, 'refused',
        format('Policies are forced on %s, too: rows that they hide from it would look like deleted ones.', i.rolname),
        format('alter table %s no force row level security;', table_id)
      )
  ) as f (is_found, severity, finding, help)
  where t.oid = table_id and f.is_found
$$;

-- Whether a key names one row: a unique index over no other columns than the owner and the key.
create or replace function entitysync.key_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'refused',
    format('The key (%s) is not unique: a change of one record would change several rows.', k.list),
    format('Name in the schema a key that is unique, or: alter table %s add unique (%s);', table_id, k.list)
  from (
    select string_agg(format('%I', m.value), ', ' order by m.ordinality) as list,
      array_agg(m.value) || coalesce(expected ->> 'owner', '') as columns
    from json_array_elements_text(expected -> 'key') with ordinality as m
  ) as k
  where not exists (
    select from pg_catalog.pg_index as i
    where i.indrelid = table_id and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
      and not exists (
        select from unnest(i.indkey::smallint[]) with ordinality as n (number, place)
        join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = n.number
        where n.place <= i.indnkeyatts and a.attname <> all (k.columns)
      )
  )
$$;

-- The columns of a table, with what the schema expects of them.
create or replace function entitysync.table_columns(expected json, table_id regclass)
returns table (
  name text, place smallint, type oid, expected_type text, is_owner boolean, is_optional boolean, is_not_null boolean,
  has_default boolean, identity "char", generated "char"
)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(c.key, a.attname::text), a.attnum, a.atttypid, c.value,
    coalesce(c.key, a.attname::text) is not distinct from expected ->> 'owner',
    c.key in (select o.value from json_array_elements_text(expected -> 'optional') as o),
    a.attnotnull or t.typnotnull, a.atthasdef or t.typdefault is not null, a.attidentity, a.attgenerated
  from json_each_text(expected -> 'columns') as c
  full join (
    select * from pg_catalog.pg_attribute where attrelid = table_id and attnum > 0 and not attisdropped
  ) as a on a.attname::text = c.key
  left join pg_catalog.pg_type as t on t.oid = a.atttypid
$$;

-- Columns that are missing, cannot be written, or must have a value that no device sends.
create or replace function entitysync.column_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select f.severity, f.finding, f.help
  from entitysync.table_columns(expected, table_id) as c
  cross join lateral (
    values
      (
        c.place is null, 'error', format('The column %I is not there.', c.name),
        'Apply the generated SQL again, or say in ''sql'' of the schema what the table has.'
      ),
      (
        c.place is not null and c.expected_type is not null
          and entitysync.base_type(c.type) is distinct from to_regtype(c.expected_type)::oid,
        case
          when c.is_owner or not entitysync.can_store(to_regtype(c.expected_type), entitysync.base_type(c.type))
            or entitysync.base_type(c.type) in ('money'::regtype, 'time'::regtype, 'timetz'::regtype)
            -- It pads keys, so that no record has the key of its row.
            or entitysync.base_type(c.type) = 'bpchar'::regtype
              and c.name in (select k.value from json_array_elements_text(expected -> 'key') as k)
            then 'refused'
          else 'error'
        end,
        format('The column %I is %s, and the schema expects %s.', c.name, c.type::regtype, c.expected_type),
        'Apply the generated SQL again, or say in ''sql'' of the schema what the table has.'
      ),
      (
        c.name in (select k.value from json_array_elements_text(expected -> 'key') as k) and (
          (select t.typname from pg_catalog.pg_type as t where t.oid = entitysync.base_type(c.type)) = 'citext'
            or exists (
              select from pg_catalog.pg_attribute as a join pg_catalog.pg_collation as l on l.oid = a.attcollation
              where a.attrelid = table_id and a.attnum = c.place and not l.collisdeterministic
            )
        ),
        'refused',
        format('The key column %I takes different texts for one, such as those that differ in the case of letters.', c.name),
        format('alter table %s alter column %I type text collate "C";', table_id, c.name)
      ),
      (
        c.expected_type is not null and (c.generated <> '' or c.identity = 'a'), 'refused',
        format('The database makes the values of the column %I: what a device sends cannot be written.', c.name),
        'Leave the field out of the schema, or make the column one that can be written.'
      ),
      (
        c.expected_type is null and c.is_not_null and not c.has_default and c.identity = '' and c.generated = '',
        case
          when exists (
            -- Before inserts, for each row.
            select from pg_catalog.pg_trigger as g
            where g.tgrelid = table_id and not g.tgisinternal and g.tgtype & 7 = 7
              and g.tgname not like 'entitysync%'
          ) then 'warning'
          else 'refused'
        end,
        format('The column %I must have a value, has no default and is no field: no device can add a row.', c.name),
        'Give the column a default, or the schema a required field.'
      ),
      (
        c.is_optional and c.is_not_null and not c.has_default, 'error',
        format('The column %I must have a value, and its field may be missing: such a record is rejected.', c.name),
        'Give the column a default, or make the field required.'
      )
  ) as f (is_found, severity, finding, help)
  where f.is_found
$$;

-- Rows of a table to which an owner's column is yet to be added: nobody would get them.
create or replace function entitysync.owner_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  has_rows boolean;
begin
  if expected ->> 'owner' is null or exists (
    select from pg_catalog.pg_attribute as a
    where a.attrelid = table_id and a.attname = expected ->> 'owner' and not a.attisdropped
  ) then
    return;
  end if;
  execute format('select exists (select from %s)', table_id) into has_rows;
  if has_rows then
    return query select 'refused',
      format('The table has rows and no column %I: nothing says whose they are.', expected ->> 'owner'),
      'Name the owner''s column in ''sql'' of the schema, or add one and fill it, for instance from the parent''s rows.';
  end if;
exception
  when insufficient_privilege then null;
end
$$;

-- The text of a policy's condition, if it says just that the row is the caller's; otherwise something else.
create or replace function entitysync.plain_condition(condition text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select regexp_replace(
    regexp_replace(lower(condition), '\m(select|as uid)\M|::text|::uuid', '', 'g'), '[() "]', '', 'g'
  )
$$;

-- Policies and triggers that see another name in the exchange, or show other rows than the owner's.
create or replace function entitysync.policy_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'error',
    format('The policy %I reads the name of the role, which is entitysync in an exchange.', p.polname),
    'Use auth.uid() or auth.jwt() in its place; auth.role() is the role of the token.'
  from pg_catalog.pg_policy as p
  where p.polrelid = table_id and concat_ws(
    ' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)
  ) ~ '(^|[^"''A-Za-z0-9_])(CURRENT_USER|SESSION_USER|CURRENT_ROLE|USER)($|[^"''A-Za-z0-9_])'
  union all
  select 'warning',
    format('The policy %I may show other rows than the owner''s.', p.polname),
    'A device gets all rows that the policies show to its user. Nothing is to be done if that is meant.'
  from pg_catalog.pg_policy as p
  where p.polrelid = table_id and expected ->> 'owner' is not null and p.polcmd in ('r', '*')
    and exists (
      select from unnest(p.polroles) as r (id) where r.id = 0 or pg_has_role('entitysync', r.id, 'usage')
    )
    and entitysync.plain_condition(pg_get_expr(p.polqual, p.polrelid)) <> all (array[
      entitysync.plain_condition(expected ->> 'owner') || '=auth.uid',
      'auth.uid=' || entitysync.plain_condition(expected ->> 'owner')
    ])
  union all
  select 'warning',
    format('The trigger %I reads the name of the role, which is entitysync in an exchange.', g.tgname),
    'Use auth.uid() or auth.jwt() in its place; auth.role() is the role of the token.'
  from pg_catalog.pg_trigger as g
  join pg_catalog.pg_proc as p on p.oid = g.tgfoid
  where g.tgrelid = table_id and not g.tgisinternal and p.pronamespace <> 'entitysync'::regnamespace
    and p.prosrc ~* case
      when p.prosecdef then '\msession_user\M'
      else '\m(current_user|session_user|current_role)\M'
    end
$$;

-- What users may not do with the table.
create or replace function entitysync.right_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select f.severity, f.finding, f.help
  from (
    values
      (
        not (select t.relrowsecurity from pg_catalog.pg_class as t where t.oid = table_id)
          and expected ->> 'owner' is not null,
        'error', 'Row-level security is off: every user can read and write every row.',
        format('alter table %s enable row level security;', table_id)
      ),
      (
        (select t.relrowsecurity from pg_catalog.pg_class as t where t.oid = table_id)
          and not exists (select from pg_catalog.pg_policy as p where p.polrelid = table_id),
        'error', 'The table has no policy, so that no user sees a row.', 'Apply the generated SQL again.'
      ),
      (
        not (
          has_table_privilege('authenticated', table_id, 'select')
          and has_table_privilege('authenticated', table_id, 'insert')
          and has_table_privilege('authenticated', table_id, 'update')
          and has_table_privilege('authenticated', table_id, 'delete')
        ),
        'error', 'The role authenticated may not read and write the table.',
        format('grant select, insert, update, delete on %s to authenticated;', table_id)
      )
  ) as f (is_found, severity, finding, help)
  where f.is_found
  union all
  select 'error',
    format('The role authenticated may not select the column %I, and the exchange reads whole rows.', c.name),
    format('grant select (%I) on %s to authenticated;', c.name, table_id)
  from entitysync.table_columns(expected, table_id) as c
  where c.place is not null and has_any_column_privilege('authenticated', table_id, 'select')
    and not has_column_privilege('authenticated', table_id, c.place, 'select')
$$;

-- All of that for one table, which is described as entitysync.expected() describes it.
create or replace function entitysync.table_findings(expected json)
returns table (severity text, finding text, help text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  table_id regclass := to_regclass(expected ->> 'table');
begin
  if table_id is null then
    return query select 'refused', format('The table %s is not there.', expected ->> 'table'),
      'Make it if it is one of yours, and apply the generated SQL again.';
    return;
  end if;
  return query select * from entitysync.kind_findings(table_id);
  if (select c.relkind from pg_catalog.pg_class as c where c.oid = table_id) in ('r', 'p') then
    return query select * from entitysync.key_findings(expected, table_id);
    return query select * from entitysync.column_findings(expected, table_id);
    return query select * from entitysync.owner_findings(expected, table_id);
    return query select * from entitysync.right_findings(expected, table_id);
    return query select * from entitysync.policy_findings(expected, table_id);
  end if;
end
$$;

-- Columns that are new to an entity ---------------------------------------------------------------------------------

-- Until 1.0.0 they knew of no former names, and filled what they could without a word.
drop function if exists entitysync.fill_columns(text, jsonb, jsonb);
drop function if exists entitysync.fill_rows(entitysync.change[]);

-- Brings together what devices and other programs wrote before an entity had its new columns: devices are told what rows
-- say, and columns are filled with what devices have sent, which stands in the bodies of states. `former` names the members
-- that had columns before, where nothing is noted of the entity; `defaults` the default of each column; `renamed` pairs of
-- a former and a present member.
create or replace function entitysync.fill_columns(p_entity text, former jsonb, defaults jsonb, renamed jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  filled constant text := p_entity || ' filled';
  paths constant jsonb := entitysync.paths(p_entity);
  known constant jsonb := coalesce(
    (select a.given::jsonb from entitysync.applied as a where a.part = filled), nullif(former, 'null')
  );
  places constant integer[] := array(
    select p.place from jsonb_array_elements(paths) with ordinality as p (path, place)
    where p.path not in (select f.value from jsonb_array_elements(known) as f)
      and not exists (
        select from jsonb_array_elements(renamed) as r
        join jsonb_array_elements(known) as f on f.value = r.value -> 0
        where r.value -> 1 = p.path
      )
  );
begin
  if known is not null and places <> '{}' then
    perform entitysync.tell_columns(p_entity, places, defaults);
    perform entitysync.take_members(p_entity, places, defaults);
  end if;
  insert into entitysync.applied as a (part, given, found) values (filled, paths::text, '')
  on conflict on constraint applied_pkey do update set given = excluded.given;
end
$$;

-- Logs the rows that have values in some columns of which their states know nothing: devices are told of them. Where a
-- device had sent another value, the row's is a version beside it.
create or replace function entitysync.tell_columns(p_entity text, places integer[], defaults jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set row_security = off
as $$
declare
  paths constant jsonb := entitysync.paths(p_entity);
  part record;
begin
  for part in
    with told as (
      select s.space, s.id, s.key, bit_or(1::bigint << least(c.place - 1, 63)) as mask,
        bool_or(nullif(c.there, 'null') is not null) as is_beside
      from entitysync.valued_rows(p_entity, places) as v
      join entitysync.state as s on s.space = v.space and s.id = entitysync.record_id(v.space, p_entity, v.key)
      cross join lateral (
        select p.place, v.value #> p.path as here, s.body::jsonb #> p.path as there
        from (
          select n.place, array(select jsonb_array_elements_text(paths -> n.place - 1)) as path
          from unnest(places) as n (place)
        ) as p
      ) as c
      where not s.is_deleted and nullif(c.here, 'null') is distinct from nullif(c.there, 'null')
        and coalesce(c.here, 'null') not in ('null', coalesce(defaults -> c.place - 1, 'null'))
      group by s.space, s.id, s.key
    ), beside as (
      update entitysync.state as s set
        vector = entitysync.server_device(s.space) || ':'
          || entitysync.edit_number(0, s.vector, entitysync.server_device(s.space))
      from told as t where t.is_beside and s.space = t.space and s.id = t.id
    )
    select t.space, t.mask, array_agg(t.key) as keys from told as t group by t.space, t.mask
  loop
    insert into entitysync.log (space, entity, op, mask, keys) values (part.space, p_entity, 'u', part.mask, part.keys);
  end loop;
end
$$;

-- Fills columns with what devices have sent already: a program that fills such a column otherwise would not see that it has
-- values. A value that nobody can have chosen is filled; what does not fit stays in the body, and is warned of.
create or replace function entitysync.take_members(p_entity text, places integer[], defaults jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  paths constant jsonb := entitysync.paths(p_entity);
  claims constant text := current_setting('request.jwt.claims', true);
  state entitysync.state;
  row_json text;
  missing jsonb;
  present uuid;
  changes entitysync.change[] := '{}';
  refused bigint := 0;
begin
  for state in
    select s.* from entitysync.state as s
    where s.entity = p_entity and not s.is_deleted and s.body is not null and exists (
      select from unnest(places) as n (place)
      where nullif(s.body::jsonb #> array(select jsonb_array_elements_text(paths -> n.place - 1)), 'null') is not null
    )
    order by s.space
  loop
    if cardinality(changes) = 500 or state.space is distinct from present then
      refused := refused + entitysync.fill_rows(changes);
      changes := '{}';
    end if;
    if state.space is distinct from present then
      present := state.space;
      -- Devices of the account wait, as they do for each other.
      if not entitysync.try_space(present) then
        raise lock_not_available using message = 'A device of an account is pushing.';
      end if;
      -- Triggers of yours see the account, as they did when the device wrote.
      perform set_config(
        'request.jwt.claims', jsonb_build_object('sub', present, 'role', 'authenticated')::text, true
      );
    end if;
    row_json := entitysync.locked_row(p_entity, state.space, state.key);
    -- Read again: while the row is locked, no device writes the record.
    select s.* into state from entitysync.state as s
    where s.space = state.space and s.id = state.id and not s.is_deleted and s.body is not null;
    continue when not found;
    missing := (
      select jsonb_agg(p.path)
      from (
        select n.place, paths -> n.place - 1 as path, array(select jsonb_array_elements_text(paths -> n.place - 1)) as names
        from unnest(places) as n (place)
      ) as p
      where nullif(state.body::jsonb #> p.names, 'null') is distinct from nullif(row_json::jsonb #> p.names, 'null')
        and nullif(state.body::jsonb #> p.names, 'null') is not null
        and coalesce(row_json::jsonb #> p.names, 'null') in ('null', coalesce(defaults -> p.place - 1, 'null'))
    );
    if missing is not null then
      changes := changes || row(
        cardinality(changes) + 1, state.id, p_entity, state.key, state.edit, state.sent, state.vector, state.revision, false,
        null, state.detail, state.body, true, false,
        coalesce(entitysync.overlaid(row_json::json, state.body::jsonb, -1, missing), state.body)::jsonb, null, state.space
      )::entitysync.change;
    end if;
  end loop;
  refused := refused + entitysync.fill_rows(changes);
  perform set_config('request.jwt.claims', coalesce(claims, ''), true);
  if refused > 0 then
    raise warning '% records of % hold values that do not fit their new columns.', refused, p_entity
      using hint = 'Devices keep the values, and the columns are empty. What another program writes there replaces them.';
  end if;
end
$$;

-- Writes rows that say less than their states' bodies, and keeps what the rows say then. Returns how many it did not write.
create or replace function entitysync.fill_rows(changes entitysync.change[]) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  fitting constant entitysync.change[] := array(
    select c from unnest(changes) as c
    -- What the row will say is looked at, and not how a device had written it.
    where entitysync.misfit(jsonb_populate_record(c, jsonb_build_object('body', c.value))) is null
  );
  part record;
begin
  if cardinality(fitting) = 0 then
    return cardinality(changes);
  end if;
  part := entitysync.write_pieces(fitting, greatest(cardinality(fitting), 2));
  update entitysync.state as s set body = case when w.altered = 0 then w.body else s.body end, sets = w.sets
  from unnest(part.done) as w (position, body, sets, altered)
  join unnest(fitting) as c on c.position = w.position
  -- What another program wrote may have been taken in since.
  where s.space = c.space and s.id = c.id and s.revision = c.base;
  return cardinality(changes) - coalesce(cardinality(part.done), 0);
end
$$;

-- Entities whose tables others made -----------------------------------------------------------------------------------

-- Entities that were left out when the SQL was applied, because their table cannot be synced as it is.
create table if not exists entitysync.refused_entity (
  entity text collate "C" primary key,
  -- The table as the generated SQL writes it, and the empty one that functions for all entities read instead.
  table_name text not null,
  stand_in text not null,
  reason text not null
);

-- Whether an entity's table can be synced. If not, the entity is left out, with a warning that says why; the others are
-- applied, and an exchange answers that it does not know this one.
create or replace function entitysync.admit(expected json) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  entity_name text := expected ->> 'entity';
  stand_in text := format('entitysync.%I', expected ->> 'stand_in');
  reasons text;
  helps text;
begin
  delete from entitysync.refused_entity as r where r.entity = entity_name;
  execute format('drop table if exists %s', stand_in);
  select string_agg(f.finding, ' '), string_agg(f.help, ' ') into reasons, helps
  from entitysync.table_findings(expected) as f
  where f.severity = 'refused';
  if reasons is null then
    return true;
  end if;
  raise warning 'The entity % is left out. %', entity_name, reasons using hint = helps;
  insert into entitysync.refused_entity values (entity_name, expected ->> 'table', stand_in, reasons);
  execute format(
    'create table %s (%s)', stand_in,
    (select string_agg(format('%I %s', c.key, c.value), ', ') from json_each_text(expected -> 'columns') as c)
  );
  execute format('alter table %s enable row level security', stand_in);
  if to_regclass(expected ->> 'table') is null then
    -- There is no row any more that it could be about.
    delete from entitysync.log as l where l.entity = entity_name;
  end if;
  return false;
end
$$;

-- SQL for all entities, in which those that are left out have an empty table.
create or replace function entitysync.with_stand_ins(statements text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  refused record;
begin
  for refused in select r.table_name, r.stand_in from entitysync.refused_entity as r order by r.entity loop
    statements := replace(statements, refused.table_name, refused.stand_in);
  end loop;
  return statements;
end
$$;

-- Where a column must have a value and its field may be missing, a row from a device gets the column's default.
create or replace function entitysync.use_defaults() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  row_json jsonb := to_jsonb(new);
  members text := (
    select string_agg(format('%L, %s', a.attname, pg_get_expr(d.adbin, d.adrelid)), ', ')
    from pg_catalog.pg_attribute as a
    join pg_catalog.pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = tg_relid and a.attname = any (tg_argv) and a.attgenerated = ''
      and row_json -> a.attname::text = 'null'
  );
  defaults jsonb;
begin
  if members is not null then
    execute format('select jsonb_build_object(%s)', members) into defaults;
    new := jsonb_populate_record(new, defaults);
  end if;
  return new;
end
$$;

-- Makes the trigger on a table that has such columns, and removes it from one that has none.
create or replace function entitysync.keep_defaults(expected json) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  table_id regclass := to_regclass(expected ->> 'table');
  names text := (
    select string_agg(quote_literal(c.name), ', ' order by c.place)
    from entitysync.table_columns(expected, table_id) as c
    where c.is_optional and c.is_not_null and c.has_default
  );
begin
  execute format('drop trigger if exists entitysync_defaults on %s', table_id);
  if names is not null then
    execute format(
      'create trigger entitysync_defaults before insert or update on %s for each row '
        || 'when (current_setting(''entitysync.writes'', true) = %L) execute function entitysync.use_defaults(%s)',
      table_id, expected ->> 'entity', names
    );
  end if;
end
$$;

-- What is not as it should be -------------------------------------------------------------------------------------

-- Compares what the generated SQL expects with the database, and each row with its state: one row per finding, `error`
-- where records are not synced or not protected, `warning` where something may surprise. For operators; it reads every
-- row. entitysync.expected() is generated with your entities.
create or replace function entitysync.doctor()
returns table (severity text, entity text, finding text, help text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  expected json;
  table_id regclass;
  again constant text := 'Apply the generated SQL again.';
  counts record;
begin
  while entitysync.adopt_piece(1000) loop
    null;
  end loop;
  begin
    perform entitysync.fold_all();
  exception
    -- What is wrong with the table is told below.
    when undefined_column or undefined_table or undefined_function or datatype_mismatch then
      return query select 'error', null::text, format('What other programs wrote cannot be taken in: %s.', sqlerrm), again;
  end;
  for expected in select e.value from json_array_elements(entitysync.expected()) as e loop
    entity := expected ->> 'entity';
    table_id := to_regclass(expected ->> 'table');
    return query
      select case f.severity when 'refused' then 'error' else f.severity end, entity, f.finding, f.help
      from entitysync.table_findings(expected) as f;
    if table_id is null or exists (
      select from entitysync.refused_entity as r where r.entity = expected ->> 'entity'
    ) then
      if not exists (select from entitysync.table_findings(expected) as f where f.severity = 'refused') then
        return query select 'error', entity, 'The entity was left out when the SQL was applied.', again;
      end if;
      continue;
    end if;
    return query
      select 'error', entity, f.finding, f.help
      from pg_catalog.pg_class as t
      cross join lateral (
        values
          (
            (
              select count(*) from pg_catalog.pg_trigger as g
              where g.tgrelid = t.oid and (g.tgname, g.tgenabled) in (
                ('entitysync_inserted', 'O'), ('entitysync_updated', 'O'), ('entitysync_deleted', 'O'),
                ('entitysync_replicated', 'R'), ('entitysync_truncated', 'A')
              )
            ) < 5 and (
              select count(*) from pg_catalog.pg_trigger as g
              where g.tgrelid = t.oid
                and (g.tgname, g.tgenabled) in (('entitysync_rows', 'A'), ('entitysync_truncated', 'A'))
            ) < 2,
            'A trigger is missing or disabled: what other programs write is not seen.', again
          )
      ) as f (is_found, finding, help)
      where t.oid = table_id and f.is_found;
    return query
      select 'warning', entity,
        format('The unique index %s is not in the schema: a record that clashes is rejected.', i.indexrelid::regclass),
        'Name its fields in ''unique'' of the schema; then records that clash are merged.'
      from pg_catalog.pg_index as i
      cross join lateral (
        select array_agg(a.attname::text order by a.attname::text) as columns
        from unnest(i.indkey::smallint[]) as k (number)
        join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
        where a.attname is distinct from (expected ->> 'owner')
      ) as n
      where i.indrelid = table_id and i.indisunique and not i.indisprimary and not exists (
        select from json_array_elements(expected -> 'unique') as u
        where n.columns = array(select m.value from json_array_elements_text(u.value) as m order by m.value)
      );
    execute format('select * from entitysync.%I()', expected ->> 'compare') into counts;
    return query
      select f.severity, entity, format(f.finding, f.number), f.help
      from (
        values
          (
            'error', counts.without_state, '%s rows have no sync state, so that no device sees them.',
            format('select entitysync.adopt_again(%L, %L);', entity, expected ->> 'table')
          ),
          (
            'error', counts.without_row, '%s records have a sync state and no row.',
            'Rows were deleted while triggers were off. Insert them again, or delete the records on a device.'
          ),
          (
            'warning', counts.without_owner, '%s rows have no owner, and are not synced.',
            format('Set the column %I.', expected ->> 'owner')
          )
      ) as f (severity, number, finding, help)
      where f.number > 0;
  end loop;
  return query
    select 'warning', s.entity, format('%s records belong to an entity that the schemas do not have.', count(*)),
      'Nothing, if it has left the schemas: apps that know it still have them.'
    from entitysync.state as s
    where s.entity <> all (entitysync.known_entities())
      and not exists (select from entitysync.refused_entity as r where r.entity = s.entity)
    group by s.entity;
end
$$;

-- Rights ----------------------------------------------------------------------------------------------------------
--
-- The role `entitysync` does what the exchange does. Users call the exchange, and nothing else.

do $$
declare
  place record;
  called regprocedure;
begin
  for place in
    select c.oid, c.relname as name, c.relrowsecurity as is_secure from pg_catalog.pg_class as c
    where c.relnamespace = 'entitysync'::regnamespace and c.relkind in ('r', 'p')
  loop
    -- NB: each of these locks the table, so nothing is done that is done.
    if not place.is_secure then
      execute format('alter table entitysync.%I enable row level security', place.name);
    end if;
    if exists (select from pg_catalog.pg_policy as p where p.polrelid = place.oid and p.polname = 'own') then
      -- Until 1.0.0 users read some of the tables.
      execute format('drop policy own on entitysync.%I', place.name);
    end if;
    if not exists (
      select from pg_catalog.pg_policy as p
      where p.polrelid = place.oid and p.polname = 'exchange' and p.polroles = array['entitysync'::regrole::oid]
    ) then
      execute format('drop policy if exists exchange on entitysync.%I', place.name);
      execute format(
        'create policy exchange on entitysync.%I to entitysync using (true) with check (true)', place.name
      );
    end if;
  end loop;

  revoke all on all tables in schema entitysync from public, anon, authenticated, service_role, entitysync;
  revoke all on all sequences in schema entitysync from public, anon, authenticated, service_role, entitysync;
  grant select, insert, update, delete on all tables in schema entitysync to entitysync;
  grant usage on all sequences in schema entitysync to entitysync;

  -- All but what operators call, and what triggers call.
  revoke all on all routines in schema entitysync from public, anon, authenticated, service_role, entitysync;
  for called in
    select p.oid::regprocedure from pg_catalog.pg_proc as p
    where p.pronamespace = 'entitysync'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in (
        'fold_next', 'fold_all', 'purge', 'purge_older', 'remove_tombstones', 'next_with_tombstones', 'erase', 'empty',
        'erase_account', 'open_scratch', 'restart_scratch', 'remove_scratch', 'doctor',
        'base_type', 'can_store', 'installer', 'table_columns', 'plain_condition', 'admit', 'with_stand_ins',
        'keep_defaults', 'catalogue', 'run_in_moments', 'ensure', 'ensure_table', 'adopt_again', 'adopt', 'adopt_rows',
        'fill_columns', 'tell_columns', 'take_members', 'fill_rows', 'valued_rows', 'moved_mask', 'move_log'
      ) and p.proname !~ '_(adopt|valued|compare|findings)$'
  loop
    execute format('grant execute on function %s to entitysync', called);
  end loop;
end
$$;

grant create on schema entitysync to entitysync;
alter function entitysync.exchange(uuid, json) owner to entitysync;
revoke create on schema entitysync from entitysync;
revoke all on function entitysync.exchange(uuid, json) from public, anon, service_role;
grant execute on function entitysync.exchange(uuid, json) to authenticated;

-- The caller's space, which the call names.
grant execute on function entitysync.my_space() to authenticated;
revoke all on function public.entitysync_exchange(json) from public, anon;
grant execute on function public.entitysync_exchange(json) to authenticated;

commit;
