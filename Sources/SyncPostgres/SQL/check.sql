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
