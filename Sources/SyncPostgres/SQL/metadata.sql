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
