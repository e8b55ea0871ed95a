begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

-- EntitySync: the sync state of every record.
--
-- Apply with: psql -v ON_ERROR_STOP=1 -f. Needs PostgreSQL 14 or later. Applying it again changes nothing.
--
-- The tables of your app stay as they are. Beside them, the private schema `entitysync` has one row of sync state per
-- record that exists or existed. Do not expose this schema: clients call only public.entitysync_exchange.
-- Functions run as the caller, under the tables' own policies. The few `security definer` functions touch only what
-- belongs to the caller's space, which they never take from an argument.

create schema if not exists entitysync;
revoke all on schema entitysync from public;
grant usage on schema entitysync to authenticated, service_role;

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
alter table entitysync.installation add column if not exists digest text;
alter table entitysync.installation add column if not exists entities jsonb;

do $$
declare
  installed integer := (select sql_version from entitysync.installation);
begin
  if installed > 2 then
    raise exception 'This database has EntitySync SQL version %, and this file is version 2.', installed
      using hint = 'Apply the files of a newer EntitySync.';
  end if;
end
$$;

insert into entitysync.installation (sql_version, cluster)
select 2, system_identifier from pg_catalog.pg_control_system()
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
  primary key (space, device)
);

-- Spaces for checks, which syncserver makes on demand and removes.
create table if not exists entitysync.scratch (
  space uuid primary key,
  -- The space of the account that made it.
  account uuid not null,
  made_at timestamptz not null default now()
);
create index if not exists scratch_account on entitysync.scratch (account);

-- One row per record that exists or existed.
create table if not exists entitysync.state (
  -- The hash of space, entity and key (entitysync.record_id).
  id uuid primary key,
  -- NB: no foreign key. Otherwise the first transaction that writes into a space would make all others wait.
  space uuid not null,
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
  stored_at timestamptz not null default now()
);

-- No second index may serve a search by key. On an empty table the planner would prefer the feed's, and a session
-- keeps that plan, so that loading becomes quadratic.
create index if not exists state_feed on entitysync.state (space, xid, number);
create index if not exists state_tombstones on entitysync.state (space, stored_at) where is_deleted;

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

alter table entitysync.installation enable row level security;
alter table entitysync.space enable row level security;
alter table entitysync.purged enable row level security;
alter table entitysync.device enable row level security;
alter table entitysync.state enable row level security;
alter table entitysync.fingerprint enable row level security;
alter table entitysync.scratch enable row level security;

-- The space of the caller: the user that the request's token names.
create or replace function entitysync.my_space() returns uuid
language sql stable
return auth.uid();

-- Edit timestamps and version vectors ---------------------------------------------------------------------------

-- Functions with RETURN find all names when they are made, whatever the search path of a caller is. One without a search
-- path of its own becomes part of the query that calls it for each record.
create or replace function entitysync.record_id(space uuid, entity text, key text) returns uuid
language sql stable parallel safe
return encode(substr(sha256(convert_to(space::text || ' ' || entity || ' ' || key, 'UTF8')), 1, 16), 'hex')::uuid;

-- Microseconds since 1970.
create or replace function entitysync.microseconds(moment timestamptz) returns bigint
language sql immutable parallel safe
return (extract(epoch from moment) * 1000000)::bigint;

-- A moment as records have it on the wire: UTC, without trailing zeros.
create or replace function entitysync.moment_text(moment timestamptz) returns text
language sql stable parallel safe
return rtrim(rtrim(to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z';

-- The device that stands for everyone who writes without EntitySync, in one space.
create or replace function entitysync.server_device(space uuid) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select substr(md5('entitysync.server ' || space::text), 1, 16) $$;

-- Tells everyone who listens that a space has something new, once the transaction is committed.
create or replace function entitysync.announce(space uuid) returns void
language sql volatile
set search_path = ''
as $$ select pg_notify('entitysync', space::text) $$;

create or replace function entitysync.new_revision(number bigint) returns text
language sql volatile
return number || '-' || substr(md5(gen_random_uuid()::text), 1, 16);

-- Whether a vector includes everything that the other one names.
create or replace function entitysync.covers(vector text, other text) returns boolean
language plpgsql immutable parallel safe
set search_path = ''
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
set search_path = ''
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
set search_path = ''
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
set search_path = ''
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
set search_path = ''
as $$
  select coalesce(jsonb_agg(to_jsonb(entitysync.lowered_edit(e.value #>> '{}', replaced)) order by e.ordinality), '[]')
  from jsonb_array_elements(edits) with ordinality as e
$$;

-- The timestamps of fields and elements, each brought down if it is too far ahead; the same text if none is. The cause
-- of a delete stays: it names an edit of another record.
create or replace function entitysync.lowered_detail(detail json, replaced text) returns json
language sql stable
set search_path = ''
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
-- A row written by a web app, psql, a cascade or a trigger of yours is a version like any other: a trigger gives it
-- an edit timestamp of the server's device, on top of what it replaced.

-- The timestamps of fields and elements after such an edit: what changed has the new one, all else keeps its own.
-- `units` names the fields that merge by themselves: 'field', 'set' or 'time', and 'rest' under the empty name.
create or replace function entitysync.edited_detail(
  old_detail json, old_edit text, old_body jsonb, new_body jsonb, edit text, units jsonb
) returns json
language plpgsql immutable
set search_path = ''
as $$
declare
  detail jsonb := coalesce(old_detail::jsonb, jsonb_build_object('origin', old_edit)) - 'cause';
  unit record;
  element jsonb;
  elements jsonb;
  old_set jsonb;
  new_set jsonb;
  stamp jsonb := jsonb_build_array(jsonb_build_array(edit));
begin
  if units is null then
    return null;
  end if;
  for unit in select key as name, value #>> '{}' as kind from jsonb_each(units) loop
    continue when unit.kind in ('rest', 'time') or old_body -> unit.name is not distinct from new_body -> unit.name;
    if unit.kind = 'set' then
      old_set := case jsonb_typeof(old_body -> unit.name) when 'array' then old_body -> unit.name else '[]' end;
      new_set := case jsonb_typeof(new_body -> unit.name) when 'array' then new_body -> unit.name else '[]' end;
      elements := coalesce(detail #> array['elements', unit.name], '{}');
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
        array['elements', unit.name], elements, true
      );
    else
      detail := jsonb_set(
        case when detail ? 'units' then detail else detail || '{"units":{}}' end,
        array['units', unit.name], stamp, true
      );
    end if;
  end loop;
  -- Members that the schema does not know merge as one unit, under the empty name.
  if units ? '' and exists (
    select from jsonb_object_keys(coalesce(old_body, '{}') || new_body) as member (name)
    where not units ? member.name
      and old_body -> member.name is distinct from new_body -> member.name
  ) then
    detail := jsonb_set(
      case when detail ? 'units' then detail else detail || '{"units":{}}' end, array['units', ''], stamp, true
    );
  end if;
  return detail::json;
end
$$;

-- Notes an edit that did not come through the exchange. Called by the triggers on your tables.
--
-- `p_new` and `p_old` are what the columns say now and said before, as JSON; `p_optional` names the members that are
-- left out where the column is null.
create or replace function entitysync.note_edit(
  p_space uuid, p_entity text, p_key text, p_new jsonb, p_old jsonb, p_is_deleted boolean,
  p_updated timestamptz, p_units jsonb, p_optional text[]
) returns void
language plpgsql
set search_path = ''
as $$
declare
  state entitysync.state;
  device text := entitysync.server_device(p_space);
  number bigint;
  edit_time bigint;
  edit text;
  vector text;
  old_body jsonb;
  new_body jsonb;
  keeps_body boolean;
  detail json;
begin
  if p_space is null or p_key is null then
    return;
  end if;
  select * into state from entitysync.state s
  where s.id = entitysync.record_id(p_space, p_entity, p_key) for update;
  if found and state.is_deleted and p_is_deleted then
    return;
  end if;
  number := nextval('entitysync.numbers');
  edit_time := entitysync.microseconds(least(coalesce(p_updated, clock_timestamp()), clock_timestamp()));
  if state.edit is not null then
    edit_time := greatest(edit_time, split_part(state.edit, '.', 1)::bigint + 1);
  end if;
  edit := edit_time || '.' || device || '.' || number;
  vector := case
    when state.vector is null then device || ':' || number
    else entitysync.with_edit(state.vector, device, number)
  end;
  -- What was sent is kept where the columns did not change: members that the schema does not know, and exact texts.
  -- Without a body of its own, the state's value was what the columns said before.
  keeps_body := state.body is not null and not coalesce(state.is_deleted and p_old is null, false);
  old_body := coalesce(state.body::jsonb, p_old);
  if p_new is null then
    new_body := coalesce(old_body, '{}');
  elsif keeps_body then
    new_body := (old_body - array(select name from unnest(p_optional) as name where not p_new ? name)) || coalesce(
      (
        select jsonb_object_agg(member.key, member.value) from jsonb_each(p_new) as member
        where p_old is null or p_old -> member.key is distinct from member.value
      ),
      '{}'
    );
  else
    new_body := p_new;
  end if;
  if state.edit is not null and not p_is_deleted then
    detail := entitysync.edited_detail(state.detail, state.edit, old_body, new_body, edit, p_units);
  end if;
  insert into entitysync.state as s (
    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, body
  ) values (
    entitysync.record_id(p_space, p_entity, p_key), p_space, p_entity, p_key, pg_current_xact_id(), number,
    entitysync.new_revision(number), p_is_deleted, edit, edit, vector, detail,
    case when p_is_deleted or keeps_body then new_body::text::json end
  )
  on conflict (id) do update set
    xid = excluded.xid, number = excluded.number, revision = excluded.revision, is_deleted = excluded.is_deleted,
    edit = excluded.edit, sent = excluded.sent, vector = excluded.vector, detail = excluded.detail,
    merged_into = null, body = excluded.body, stored_at = now();
  perform entitysync.announce(p_space);
end
$$;

-- Checks of what devices send -------------------------------------------------------------------------------------

-- Whether an object that a schema describes has a member twice, at any level. `shape` has an object for each such
-- object, and an array with one element for each array that holds some.
create or replace function entitysync.has_repeated_member(value json, shape jsonb) returns boolean
language plpgsql immutable
set search_path = ''
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

-- Whether values nest deeper than the devices read.
create or replace function entitysync.is_too_deep(value json) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  containers text;
begin
  -- The usual record has few brackets, which are counted faster than they are matched.
  if length(value::text) - length(replace(replace(value::text, '[', ''), '{', '')) < 512 then
    return false;
  end if;
  containers := regexp_replace(regexp_replace(value::text, '"([^"\\]|\\.)*"', '', 'g'), '[^][{}]+', '', 'g');
  return length(containers) >= 1024 and exists (
    select from (
      select sum(case when c in ('[', '{') then 1 else -1 end) over (order by place) as depth
      from string_to_table(containers, null) with ordinality as t (c, place)
    ) as walk
    where depth >= 512
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
set search_path = ''
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
set search_path = ''
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
set search_path = ''
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
      -- The body, once it was read.
      value jsonb
    );
    create type entitysync.verdict as (
      position integer, id uuid, status text, rule text, reason text, revision text, shows_stored boolean,
      -- The key of the record that a refused change clashes with.
      other text
    );
  end if;
  if not exists (
    select from pg_catalog.pg_attribute as a
    join pg_catalog.pg_class as c on c.oid = a.attrelid and c.reltype = 'entitysync.verdict'::regtype
    where a.attname = 'other'
  ) then
    alter type entitysync.verdict add attribute other text;
  end if;
  if not exists (
    select from pg_catalog.pg_attribute as a
    join pg_catalog.pg_class as c on c.oid = a.attrelid and c.reltype = 'entitysync.change'::regtype
    where a.attname = 'value'
  ) then
    alter type entitysync.change add attribute value jsonb;
  end if;
end
$$;

-- Locks the states of records, always in one order, so that two writers never wait for each other.
create or replace function entitysync.lock_states(ids uuid[]) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from entitysync.state s
  where s.id = any (ids) and s.space = entitysync.my_space() order by s.id for update;
end
$$;

-- Stores the states of changes, unless somebody was faster: then it raises ES002, and nothing is stored. Returns the
-- new revisions.
create or replace function entitysync.store(changes entitysync.change[])
returns table (id uuid, revision text)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  my_space uuid := entitysync.my_space();
  known integer := (select count(*) from unnest(changes) as c where c.base is not null);
  written integer;
begin
  return query
  insert into entitysync.state as s (
    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, merged_into, body
  )
  select entitysync.record_id(my_space, c.entity, c.key), my_space, c.entity, c.key, pg_current_xact_id(), c.number,
    entitysync.new_revision(c.number), c.is_deleted, c.edit, c.sent, c.vector, c.detail, c.merged_into, c.body
  from (
    select created.*, nextval('entitysync.numbers') as number
    from (select * from unnest(changes) as c where c.base is null order by c.position) as created
  ) as c
  on conflict do nothing
  returning s.id, s.revision;
  get diagnostics written = row_count;
  if written < cardinality(changes) - known then
    raise exception using errcode = 'ES002', message = 'Another writer was faster.';
  end if;
  if known > 0 then
    return query
    update entitysync.state as s set
      xid = pg_current_xact_id(), number = c.number, revision = entitysync.new_revision(c.number),
      is_deleted = c.is_deleted, edit = c.edit, sent = c.sent, vector = c.vector, detail = c.detail,
      merged_into = c.merged_into, body = c.body, stored_at = now()
    from (
      select changed.*, nextval('entitysync.numbers') as number
      from (select * from unnest(changes) as c where c.base is not null order by c.position) as changed
    ) as c
    where s.id = c.id and s.space = my_space and s.revision = c.base
    returning s.id, s.revision;
    get diagnostics written = row_count;
    if written < known then
      raise exception using errcode = 'ES002', message = 'Another writer was faster.';
    end if;
  end if;
end
$$;

-- Notes what your table made of a row that a device sent: an edit of the server's on top of it.
create or replace function entitysync.note_alteration(
  p_entity text, p_key text, p_new jsonb, p_old jsonb, p_units jsonb, p_optional text[]
) returns void
language sql security definer
set search_path = ''
as $$
  select entitysync.note_edit(
    entitysync.my_space(), p_entity, p_key, p_new, p_old, false, null, p_units, p_optional
  )
$$;

-- Stores changes of different records, all or none, and says what became of each. Raises the database's error if one
-- of them does not fit.
create or replace function entitysync.attempt(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  writes entitysync.change[];
  refused entitysync.verdict[];
begin
  perform entitysync.lock_states(array(select c.id from unnest(changes) as c));
  with met as (
    select c as change, s.revision, s.edit as known_edit, not s.is_deleted as lives,
      case
        when s.revision is null then case when c.base is null then 'write' else 'conflict' end
        when s.vector = c.vector and (s.edit = c.edit or s.sent = c.edit) then 'repeated'
        when c.base is distinct from s.revision or not entitysync.covers(c.vector, s.vector) then 'conflict'
        else 'write'
      end as status
    from unnest(changes) as c
    left join entitysync.state as s on s.id = c.id
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
        coalesce(lives, false), false, (change).body::jsonb
      )::entitysync.change
      order by (change).position
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
set search_path = ''
as $$
begin
  return exists (
    with member as materialized (
      select e.entity, entitysync.updated_member(e.entity) as name
      from (select distinct c.entity from unnest(changes) as c) as e
    )
    select from unnest(changes) as c
    join member as m on m.entity = c.entity
    where split_part(c.edit, '.', 1)::bigint > (select entitysync.microseconds(now()) + 300000000)
      or not c.is_deleted and (c.value ->> m.name)::timestamptz > now() + interval '5 minutes'
      or exists (
        select from regexp_matches(c.detail::text, '"([0-9]{1,19})[.][0-9a-f]{16}[.]', 'g') as t
        where t[1]::numeric > entitysync.microseconds(now()) + 300000000
      )
  );
end
$$;

-- Brings down times that are too far ahead.
create or replace function entitysync.lowered_changes(changes entitysync.change[]) returns entitysync.change[]
language sql
set search_path = ''
as $$
  select coalesce(
    array_agg(
      row(
        c.position, c.id, c.entity, c.key,
        case when t.lowered = t.edit_time then c.edit else t.lowered || substr(c.edit, strpos(c.edit, '.')) end,
        c.edit, c.vector, c.base, c.is_deleted, c.merged_into, d.lowered,
        case when u.value is null then c.body else u.value::text::json end,
        c.lives, t.lowered <> t.edit_time or u.value is not null or d.lowered::text <> c.detail::text,
        coalesce(u.value, c.value)
      )::entitysync.change
      order by c.position
    ),
    '{}'
  )
  from unnest(changes) as c
  left join entitysync.state as s on s.id = c.id
  cross join lateral (
    select split_part(c.edit, '.', 1)::bigint as edit_time,
      entitysync.lowered(split_part(c.edit, '.', 1)::bigint, s.edit) as lowered
  ) as t
  cross join lateral (
    select case when c.detail is not null then entitysync.lowered_detail(c.detail, s.edit) end as lowered
  ) as d
  left join lateral (
    select c.value || jsonb_build_object(
      n.name, entitysync.moment_text('epoch'::timestamptz + l.lowered * interval '1 microsecond')
    ) as value
    from (
      select m.name, entitysync.microseconds((c.value ->> m.name)::timestamptz) as updated
      from (select entitysync.updated_member(c.entity) as name where not c.is_deleted offset 0) as m
      offset 0
    ) as n
    cross join lateral (select entitysync.lowered(n.updated, s.edit) as lowered) as l
    where l.lowered <> n.updated
  ) as u on true
$$;

-- Stores changes of different records. If that fails, it finds those that do not fit by halves, so that one bad record
-- never keeps others from being stored.
create or replace function entitysync.take(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  half integer := cardinality(changes) / 2;
  code text;
  index text;
  state entitysync.state;
  change entitysync.change := changes[1];
begin
  begin
    return entitysync.attempt(changes);
  exception
    -- These are about the database, not about a record: the client tries again.
    when deadlock_detected or lock_not_available or query_canceled or disk_full or out_of_memory
      or too_many_connections or admin_shutdown or crash_shutdown or io_error
    then
      raise;
    when others then
      get stacked diagnostics index = constraint_name;
      code := sqlstate;
  end;
  if half > 0 then
    return entitysync.take(changes[1:half]) || entitysync.take(changes[half + 1:]);
  end if;
  select * into state from entitysync.state s where s.id = change.id;
  if code in ('ES002', '40001') or (code = '23505' and state.revision is distinct from change.base) then
    return array[row(change.position, change.id, 'conflict', null, null, null, false, null)::entitysync.verdict];
  end if;
  return array[
    row(
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
        else 'sql-' || code
      end,
      case code
        when '23505' then 'Another record has the same value of a unique field.'
        when '22001' then 'A text is longer than its column.'
        when '22003' then 'A number is outside the range of its column.'
        when '22008' then 'A date or time is none that there is.'
        when '22P02' then 'A value is none of the type of its column.'
        when '42501' then 'The account may not write this record.'
        when '23503' then 'A record that it refers to is not there, or another one refers to it.'
        when '23514' then 'A check of the table does not allow the record.'
        else 'The database does not take the record.'
      end,
      null, false, case when code = '23505' and not change.is_deleted then entitysync.other_record(change, index) end
    )::entitysync.verdict
  ];
end
$$;

-- Stores changes of different records. Those that clashed with another record of the request are tried again as long as
-- others are stored: with what is stored by then, such as the delete of the other record, they may fit.
create or replace function entitysync.take_all(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
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
set search_path = ''
as $$
  select '{"status":"refused","rule":' || to_json(rule) || ',"reason":' || to_json(reason)
    || coalesce(',"other":' || to_json(other), '') || '}'
$$;

-- Stores the changes of a request, each with a result of its own, in their order. `own` are the states of accepted
-- changes, stored now or before: the device has them, or the result shows what was stored in their place. `has_grown`
-- is whether something was stored now.
create or replace function entitysync.push(
  sent json, is_masked boolean, out results text[], out own text[], out has_grown boolean
)
language plpgsql
set search_path = ''
-- A session must not keep plans from when a table was empty.
set plan_cache_mode = force_custom_plan
as $$
declare
  my_space uuid := entitysync.my_space();
  known_entities text[] := entitysync.known_entities();
  allowed_entities text[] := entitysync.allowed_entities();
  changes entitysync.change[];
  verdicts entitysync.verdict[] := '{}';
  change entitysync.change;
begin
  with element as materialized (
    select e.ordinality::integer as position, e.value, x.body, x.detail,
      x.entity #>> '{}' as entity, x.key #>> '{}' as key, x.mark #>> '{}' as mark, x.base #>> '{}' as base,
      coalesce(x.deleted #>> '{}' = 'true', false) as is_deleted, x.merged #>> '{}' as merged,
      json_typeof(x.entity) = 'string' and json_typeof(x.key) = 'string' and json_typeof(x.mark) = 'string'
        and coalesce(json_typeof(x.vector), 'string') = 'string' and coalesce(json_typeof(x.base), 'string') = 'string'
        and coalesce(json_typeof(x.merged), 'string') = 'string'
        and coalesce(json_typeof(x.deleted), 'boolean') = 'boolean' and x.body is not null as has_members,
      split_part(x.mark #>> '{}', '.', 2) || ':' || split_part(x.mark #>> '{}', '.', 3) as own_entry,
      case
        when x.vector is null then split_part(x.mark #>> '{}', '.', 2) || ':' || split_part(x.mark #>> '{}', '.', 3)
        when x.vector #>> '{}' ~ '^[0-9a-f]{16}:[1-9][0-9]{0,17}$' then x.vector #>> '{}'
        else entitysync.normal_vector(x.vector #>> '{}')
      end as full_vector
    from json_array_elements(sent) with ordinality as e
    -- Read once: each further look into a JSON text would read all of it again.
    left join lateral json_to_record(case json_typeof(e.value) when 'object' then e.value else '{}' end) as x (
      entity json, key json, mark json, vector json, base json, deleted json, merged json, detail json, body json
    ) on true
  ), checked as materialized (
    select e.*,
      case
        when e.has_members is not true or e.full_vector is null or not entitysync.is_edit(e.mark)
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
        when length(e.full_vector) > 180000 and length(e.full_vector) - length(replace(e.full_vector, ',', '')) >= 10000
          then entitysync.refusal('vector', 'The vector holds more than 10000 devices.')
        when e.full_vector <> e.own_entry and not entitysync.covers(e.full_vector, e.own_entry)
          then entitysync.refusal('vector', 'The version vector does not include the edit itself.')
      end as refusal
    from element as e
  )
  select array_agg(refusal order by position),
    coalesce(
      array_agg(
        row(
          position, entitysync.record_id(my_space, entity, key), entity, key, mark, mark, full_vector, base,
          is_deleted, merged, detail, body, false, false, null
        )::entitysync.change
        order by position
      ) filter (where refusal is null),
      '{}'
    )
  into results, changes
  from checked;
  if (select count(distinct c.id) < count(*) from unnest(changes) as c) then
    -- A record twice: its second change is made on the first one.
    foreach change in array changes loop
      verdicts := verdicts || entitysync.take(array[change]);
    end loop;
  elsif cardinality(changes) > 0 then
    verdicts := entitysync.take_all(changes);
  end if;
  with met as materialized (
    select v.*, s.revision as present,
      v.status = 'conflict' or v.status = 'accepted' and (v.shows_stored or s.revision <> v.revision) as shows_entry,
      v.status = 'accepted' and s.xid = pg_current_xact_id_if_assigned() as is_new
    from unnest(verdicts) as v
    left join entitysync.state as s on s.id = v.id and v.status <> 'refused'
  ), answered as (
    select m.position,
      case m.status
        when 'refused' then entitysync.refusal(m.rule, m.reason, m.other)
        when 'conflict' then '{"status":"conflict"' || coalesce(',"current":' || e.entry, '') || '}'
        else '{"status":"accepted","revision":"' || m.present || '"'
          || case when m.shows_entry then coalesce(',"stored":' || e.entry, '') else '' end || '}'
      end as result
    from met as m
    left join entitysync.entries(
      array(select s from entitysync.state as s where s.id = any (array(select id from met where shows_entry)))
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

-- What is new for a device ----------------------------------------------------------------------------------------

-- The value of a live record whose row cannot be read: none that a device takes in. Without any policy by which users
-- read the table it raises: otherwise devices would pass all of its records by, and not come back for them.
create or replace function entitysync.hidden_body(hidden_entity text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if exists (
    select from json_array_elements(entitysync.expected()) as e
    join pg_catalog.pg_class as t on t.oid = to_regclass(e.value ->> 'table')
    where e.value ->> 'entity' = hidden_entity and t.relrowsecurity and not exists (
      select from pg_catalog.pg_policy as p
      where p.polrelid = t.oid and p.polpermissive and p.polcmd in ('r', '*') and (
        0 = any (p.polroles)
        or exists (select from unnest(p.polroles) as r (id) where r.id <> 0 and pg_has_role(r.id, 'member'))
      )
    )
  ) then
    raise sqlstate 'PGRST' using
      message = '{"code":"no-policy","message":"A table has no policy by which users read its rows."}',
      detail = '{"status":403,"headers":{}}';
  end if;
  return '{}';
end
$$;

-- Until 1.0.0 it gave a row for each record.
drop function if exists entitysync.page(
  text[], pg_snapshot[], pg_snapshot, xid8, bigint, text[], integer, integer
);

-- A page: what the target snapshot sees and the base of the entity did not, in the order of transactions. So nothing
-- is skipped for having been committed late, and an open transaction makes nobody wait.
create or replace function entitysync.page(
  entities text[], bases pg_snapshot[], target pg_snapshot, after_xid xid8, after_number bigint, own text[],
  max_records integer, max_bytes integer,
  out entries text, out shown integer, out has_more boolean, out last_xid xid8, out last_number bigint
)
language plpgsql stable
set search_path = ''
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
  sizes integer[];
begin
  if first_xid is null then
    foreach base in array bases loop
      first_xid := least(first_xid, coalesce(pg_snapshot_xmin(base), '0'));
    end loop;
  end if;
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
  shown := 0;
  has_more := false;
  if cardinality(states) = 0 then
    return;
  end if;
  -- One text, because an array of so many entries would be one more copy of them all.
  select string_agg(e.entry, ','), array_agg(octet_length(e.entry)) into entries, sizes
  from entitysync.entries(states[1:max_records]) as e;
  shown := cardinality(sizes);
  if shown > 1 and octet_length(entries) - (shown - 1) > max_bytes then
    -- Only the first ones that fit, but one at least.
    select greatest(count(*) filter (where r.bytes <= max_bytes), 1) into shown
    from (
      select sum(u.size) over (order by u.place) as bytes from unnest(sizes) with ordinality as u (size, place)
    ) as r;
    entries := (select string_agg(e.entry, ',') from entitysync.entries(states[1:shown]) as e);
  end if;
  has_more := shown < cardinality(states);
  last_xid := (states[shown]).xid;
  last_number := (states[shown]).number;
end
$$;

-- The exchange of protocol v1 -------------------------------------------------------------------------------------

-- The entities that the request may exchange: all, unless its token has the claim `entitysync_entities`.
create or replace function entitysync.allowed_entities() returns text[]
language plpgsql stable
set search_path = ''
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
set search_path = ''
as $$ select '{"changes":1000,"requestBytes":4194304,"pageRecords":1000,"pageBytes":1048576}'::json $$;

-- An error in the form of RFC 9457. PostgREST takes the status from `response.status`.
create or replace function entitysync.problem(status integer, code text, title text, detail text) returns json
language plpgsql
set search_path = ''
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

-- Until 1.0.0 it gave a table.
drop function if exists entitysync.enter(text, boolean);

-- What is known of the space and of a device; makes the space's row. With `writes`, makes and locks the device's row:
-- the pushes of one space happen one after another.
create or replace function entitysync.enter(
  p_device text, writes boolean, out epoch text, out batch text, out serial bigint, out numbering uuid
)
language plpgsql security definer
set search_path = ''
as $$
declare
  my_space uuid := entitysync.my_space();
  is_elsewhere boolean;
  is_ready boolean := not writes;
begin
  -- Once more where something had to be made first.
  for round in 1..2 loop
    select s.epoch, d.batch, d.serial, i.numbering, i.cluster <> c.system_identifier
    into epoch, batch, serial, numbering, is_elsewhere
    from entitysync.installation as i
    cross join pg_catalog.pg_control_system() as c
    left join entitysync.space as s on s.id = my_space
    left join entitysync.device as d on d.space = s.id and d.device = p_device;
    exit when is_ready and epoch is not null and not is_elsewhere;
    if is_elsewhere then
      perform entitysync.renumber();
    end if;
    if epoch is null then
      insert into entitysync.space (id) values (my_space) on conflict do nothing;
    end if;
    if not is_ready then
      perform pg_advisory_xact_lock(hashtextextended(my_space::text, 7316));
      insert into entitysync.device (space, device) values (my_space, p_device) on conflict do nothing;
      perform from entitysync.device as d where d.space = my_space and d.device = p_device for update;
      is_ready := true;
    end if;
  end loop;
end
$$;

-- Numbers all states anew after a dump was loaded into another cluster, which counts its transactions from the start:
-- the stored numbers lie in its future, where no snapshot sees them. Cursors from before expire. After pg_upgrade the
-- count goes on, and nothing is done.
create or replace function entitysync.renumber() returns void
language plpgsql
set search_path = ''
as $$
declare
  present bigint := (select c.system_identifier from pg_catalog.pg_control_system() as c);
begin
  perform pg_advisory_xact_lock(7316, 1);
  if (select i.cluster from entitysync.installation as i) = present then
    return;
  end if;
  if exists (
    select from entitysync.state as s where s.xid >= pg_snapshot_xmax(pg_current_snapshot())
  ) then
    -- The first number that PostgreSQL gives: every snapshot sees it, that of this exchange, too.
    update entitysync.state set xid = '3';
    update entitysync.space set floor = '0';
    delete from entitysync.purged;
    delete from entitysync.fingerprint;
    update entitysync.installation set numbering = gen_random_uuid();
  end if;
  update entitysync.installation set cluster = present;
end
$$;

-- Notes the batch that was stored, and how many cursors the device was given.
create or replace function entitysync.leave(p_device text, p_batch text, p_serial bigint) returns void
language sql security definer
set search_path = ''
as $$
  insert into entitysync.device as d (space, device, batch, serial)
  values (entitysync.my_space(), p_device, p_batch, p_serial)
  on conflict (space, device) do update set
    batch = coalesce(excluded.batch, d.batch), serial = greatest(d.serial, excluded.serial), seen_at = now()
$$;

-- Notes the fingerprints of a device that has seen everything, and names the entities in which another device, which
-- has seen the same, shows other records.
create or replace function entitysync.compare(p_device text, records json, p_seen pg_snapshot) returns text[]
language plpgsql security definer
set search_path = ''
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
language plpgsql stable security definer
set search_path = ''
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

-- A snapshot that has seen this transaction, too, and none that began after the one given.
create or replace function entitysync.with_own(snapshot pg_snapshot, own xid8) returns pg_snapshot
language sql immutable
set search_path = ''
as $$
  select (
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
  )::pg_snapshot
$$;

-- Cursors are JSON in the alphabet of URLs.
create or replace function entitysync.cursor_text(cursor jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select translate(encode(convert_to(cursor::text, 'UTF8'), 'base64'), E'+/=\n', '-_')
$$;

create or replace function entitysync.cursor_json(cursor text) returns jsonb
language plpgsql immutable
set search_path = ''
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

-- One exchange: stores the changes of a device, and gives it one page of what is new.
--
-- A Supabase app calls it by POST /rest/v1/rpc/entitysync_exchange with the request as body.
create or replace function public.entitysync_exchange(json) returns json
language plpgsql volatile
set search_path = ''
-- To compile the statements would take longer than to run them.
set jit = off
as $$
declare
  -- NB: every JSON operator fails on U+0000 anywhere in the text. It is masked, so that the one record that holds it
  -- is refused alone.
  given text := $1::text;
  is_masked boolean := strpos(given, '\u0000') > 0;
  masked json := case
    when is_masked
      then regexp_replace(given, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufdd0', 'g')::json
    else $1
  end;
  request record;
  my_space uuid := entitysync.my_space();
  change_count integer := 0;
  max_records integer;
  known record;
  cursor jsonb;
  known_entities text[] := entitysync.known_entities();
  allowed_entities text[] := entitysync.allowed_entities();
  entities text[];
  unknown json;
  pushed_results text[] := '{}';
  own text[] := '{}';
  has_grown boolean;
  snapshot pg_snapshot;
  target pg_snapshot;
  bases pg_snapshot[] := '{}';
  after_xid xid8;
  after_number bigint;
  is_full_state boolean;
  page record;
  entity text;
  is_new boolean := false;
  own_xid xid8;
  next_cursor jsonb;
  next_text text;
  acknowledged text;
  differing text[];
  serial bigint;
  expired constant text := 'Tombstones after the cursor were purged: begin again without a cursor.';
  headers text := set_config('response.headers', '[{"Cache-Control":"no-store"}]', true);
begin
  if my_space is null then
    return entitysync.problem(401, 'unauthorized', 'Unauthorized', 'A token of a user is needed.');
  end if;
  -- Read once: each further look into a JSON text would read all of it again.
  select * into request
  from json_to_record(case json_typeof(masked) when 'object' then masked else '{}' end) as r (
    device text, entities json, changes json, "limit" json, batch text, previous text, cursor text, records json
  );
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
  change_count := coalesce(json_array_length(request.changes), 0);
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

  known := entitysync.enter(request.device, change_count > 0);
  if cursor is not null then
    serial := known.serial;
    if cursor ->> 'device' <> request.device then
      serial := (
        select d.serial from entitysync.device as d where d.space = my_space and d.device = cursor ->> 'device'
      );
    end if;
    if cursor ->> 'epoch' <> known.epoch or (cursor ->> 'serial')::bigint > coalesce(serial, 0) then
      return entitysync.problem(
        409, 'history-changed', 'Conflict', 'The cursor is of another history of these records.'
      );
    end if;
    -- Without changes it is enough to look after the page was made.
    if cursor ->> 'numbering' <> known.numbering::text
      or change_count > 0 and entitysync.has_expired(cursor, entities)
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
    select p.results, p.own, p.has_grown into pushed_results, own, has_grown
    from entitysync.push(request.changes, is_masked) as p;
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
    if has_grown then
      own_xid := pg_current_xact_id();
      perform entitysync.announce(my_space);
    end if;
    if change_count > 1 and (select sum(octet_length(r)) from unnest(pushed_results) as r) > 4194304 then
      -- Raised, so that nothing is stored; PostgREST answers what it says.
      raise sqlstate 'PGRST' using
        message = json_build_object(
          'code', 'too-large', 'message', 'The answer to so many changes is too large: send fewer at once.'
        )::text,
        detail = '{"status":413,"headers":{}}';
    end if;
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
  page := entitysync.page(entities, bases, target, after_xid, after_number, own, max_records, 1048576);

  if cursor is not null and entitysync.has_expired(cursor, entities) then
    if change_count = 0 then
      return entitysync.problem(410, 'cursor-expired', 'Gone', expired);
    end if;
    -- A purge that ended meanwhile may have taken what the page should have held. Raised, so that nothing is stored.
    raise sqlstate 'PGRST' using
      message = json_build_object('code', 'cursor-expired', 'message', expired)::text,
      detail = '{"status":410,"headers":{}}';
  end if;
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
    );
  elsif cardinality(entities) = 0 and change_count > 0 then
    next_cursor := cursor - 'serial';
  end if;
  if next_cursor is not null or change_count > 0 then
    serial := coalesce(known.serial, 0) + 1;
    perform entitysync.leave(request.device, case when change_count > 0 then request.batch end, serial);
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
      || ',"more":' || page.has_more || '}'
    )
  )::json;
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
set search_path = ''
as $$
  select entitysync.remove_tombstones(
    array(
      select s.id from entitysync.state as s
      where s.is_deleted and s.stored_at < stored_before and (only_space is null or s.space = only_space)
    )
  )
$$;

-- Removes tombstones, and notes their transactions. A space keeps 10,000 of these; older ones become its floor.
create or replace function entitysync.remove_tombstones(ids uuid[]) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  removed bigint;
  spaces uuid[];
begin
  with gone as (
    delete from entitysync.state as s where s.id = any (ids) and s.is_deleted returning s.space, s.xid
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
set search_path = ''
as $$
  select entitysync.remove_tombstones(
    array(
      select s.id from entitysync.state as s
      where s.is_deleted and s.space = only_space
        and s.stored_at <= now() - make_interval(days => coalesce((days ->> s.entity)::integer, other_days))
      order by s.stored_at
      limit max_records
    )
  )
$$;

-- The first space after another one that has tombstones and is none for checks; null after the last one.
create or replace function entitysync.next_with_tombstones(after_space uuid) returns uuid
language plpgsql stable
set search_path = ''
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
set search_path = ''
as $$
declare
  old uuid;
begin
  if exists (select from entitysync.scratch as s where s.space = p_space) then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(p_account::text, 7317));
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
set search_path = ''
as $$
begin
  if not exists (select from entitysync.scratch as s where s.space = p_space for update) then
    return false;
  end if;
  perform entitysync.empty(p_space);
  perform entitysync.announce(p_space);
  return true;
end
$$;

-- Removes a space for checks. Returns whether it was there.
create or replace function entitysync.remove_scratch(p_space uuid) returns boolean
language plpgsql
set search_path = ''
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

-- Removes everything that is known of a space: states, tombstones with their last values, devices, cursors. Rows of
-- your tables are deleted by their own foreign keys, or by you.
create or replace function entitysync.erase(erased_space uuid) returns void
language sql
set search_path = ''
as $$
  delete from entitysync.state as s where s.space = erased_space;
  delete from entitysync.purged as p where p.space = erased_space;
  delete from entitysync.space as s where s.id = erased_space;
$$;

create or replace function entitysync.user_erased() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
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

-- What is not as it should be -------------------------------------------------------------------------------------

-- Compares what the generated SQL expects with the database, and each row with its state: one row per finding, `error`
-- where records are not synced or not protected, `warning` where something may surprise. For operators; it reads every
-- row. entitysync.expected() is generated with your entities.
create or replace function entitysync.doctor()
returns table (severity text, entity text, finding text, help text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  expected json;
  table_id regclass;
  again constant text := 'Apply the generated SQL again.';
  counts record;
begin
  for expected in select e.value from json_array_elements(entitysync.expected()) as e loop
    entity := expected ->> 'entity';
    table_id := to_regclass(expected ->> 'table');
    if table_id is null then
      return query select 'error', entity, format('The table %s is not there.', expected ->> 'table'), again;
      continue;
    end if;
    return query
      select 'error', entity,
        case
          when a.attname is null then format('The column %I is not there.', c.key)
          else format('The column %I is %s, and the schema expects %s.', c.key, a.atttypid::regtype, c.value)
        end,
        'Apply the generated SQL again, or say in ''sql'' of the schema what the table has.'
      from json_each_text(expected -> 'columns') as c
      left join pg_catalog.pg_attribute as a on a.attrelid = table_id and a.attname = c.key and not a.attisdropped
      where a.attname is null or a.atttypid is distinct from to_regtype(c.value);
    return query
      select 'error', entity, f.finding, f.help
      from pg_catalog.pg_class as t
      cross join lateral (
        values
          (
            not t.relrowsecurity and expected ->> 'owner' is not null,
            'Row-level security is off: every user can read and write every row.',
            format('alter table %s enable row level security;', table_id)
          ),
          (
            t.relrowsecurity and not exists (select from pg_catalog.pg_policy as p where p.polrelid = t.oid),
            'The table has no policy, so that no user sees a row.', again
          ),
          (
            not exists (
              select from pg_catalog.pg_trigger as g
              where g.tgrelid = t.oid and g.tgname = 'entitysync_track' and g.tgenabled = 'A'
            ) or not exists (
              select from pg_catalog.pg_trigger as g
              where g.tgrelid = t.oid and g.tgname = 'entitysync_truncated' and g.tgenabled <> 'D'
            ),
            'A trigger is missing or disabled: what other programs write is not seen.', again
          ),
          (
            not (
              has_table_privilege('authenticated', t.oid, 'select')
              and has_table_privilege('authenticated', t.oid, 'insert')
              and has_table_privilege('authenticated', t.oid, 'update')
              and has_table_privilege('authenticated', t.oid, 'delete')
            ),
            'The role authenticated may not read and write the table.',
            format('grant select, insert, update, delete on %s to authenticated;', table_id)
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
            format('select entitysync.%I();', expected ->> 'adopt')
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
    group by s.entity;
end
$$;

-- Rights ----------------------------------------------------------------------------------------------------------
--
-- Everybody sees only what belongs to the own space, and writes nothing but through the exchange.

do $$
declare
  name text;
begin
  foreach name in array array['space', 'device', 'state', 'fingerprint'] loop
    execute format('drop policy if exists own on entitysync.%I', name);
  end loop;
end
$$;

create policy own on entitysync.space for select to authenticated
  using (id = (select entitysync.my_space()));
create policy own on entitysync.device for select to authenticated
  using (space = (select entitysync.my_space()));
-- NB: «is not distinct from» is a condition that no index serves. Records are looked up by id alone (see state_feed).
create policy own on entitysync.state for select to authenticated
  using (space is not distinct from (select entitysync.my_space()));

revoke all on all tables in schema entitysync from public, anon, authenticated, service_role;
revoke all on all sequences in schema entitysync from public, anon, authenticated, service_role;
grant select on entitysync.space, entitysync.device, entitysync.state to authenticated;

-- Functions for operators, and those that triggers call.
do $$
declare
  called regprocedure;
begin
  revoke all on all functions in schema entitysync from public, anon, authenticated, service_role;
  for called in
    select p.oid::regprocedure from pg_proc as p
    where p.pronamespace = 'entitysync'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in (
        'note_edit', 'renumber', 'purge', 'purge_older', 'remove_tombstones', 'next_with_tombstones', 'erase', 'empty',
        'open_scratch', 'restart_scratch', 'remove_scratch', 'doctor'
      ) and p.proname !~ '_(adopt|compare)$'
  loop
    execute format('grant execute on function %s to authenticated', called);
  end loop;
end
$$;

revoke all on function public.entitysync_exchange(json) from public, anon;
grant execute on function public.entitysync_exchange(json) to authenticated;

commit;
