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

-- Records as entries of protocol v1.
create or replace function entitysync.entries(ids uuid[]) returns table (id uuid, revision text, entry text)
language sql stable
set search_path = ''
as $$
  select s.id, s.revision,
    '{"revision":"' || s.revision || '","entity":' || to_json(s.entity) || ',"key":' || to_json(s.key)
      || ',"mark":"' || s.edit || '","vector":"' || s.vector || '"'
      || case when s.is_deleted then ',"deleted":true' else '' end
      || coalesce(',"merged":' || to_json(s.merged_into), '') || coalesce(',"detail":' || s.detail, '')
      || ',"body":'
      || coalesce(s.body::text, b.body, case when s.is_deleted then '{}' else entitysync.hidden_body(s.entity) end)
      || '}'
  from entitysync.state as s
  left join entitysync.bodies(ids) as b on b.id = s.id
  where s.id = any (ids)
$$;

-- A page: what the target snapshot sees and the base of the entity did not, in the order of transactions. So nothing
-- is skipped for having been committed late, and an open transaction makes nobody wait.
create or replace function entitysync.page(
  entities text[], bases pg_snapshot[], target pg_snapshot, after_xid xid8, after_number bigint, own text[],
  max_records integer, max_bytes integer
)
returns table (xid xid8, number bigint, entry text, is_last boolean)
language plpgsql stable
set search_path = ''
-- A session keeps the plan, also one from when the table was empty: it shall be the one by the index of the feed.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  my_space uuid := entitysync.my_space();
  first_xid xid8 := coalesce(
    after_xid,
    (select case when bool_or(b is null) then '0' else min(pg_snapshot_xmin(b)) end from unnest(bases) as b),
    '0'
  );
  -- Together with the former: where the page begins, as the index has it.
  first_number bigint := case when after_xid is null then -1 else after_number end;
begin
  return query
  with wanted as materialized (
    select s.id, s.xid, s.number
    from entitysync.state as s
    where s.space = my_space and (s.xid, s.number) > (first_xid, first_number) and s.xid < pg_snapshot_xmax(target)
      and s.entity = any (entities)
      and pg_visible_in_snapshot(s.xid, target)
      -- An entity without a base is new to the device.
      and not coalesce(pg_visible_in_snapshot(s.xid, bases[array_position(entities, s.entity)]), false)
      and s.revision <> all (own)
    order by s.xid, s.number
    limit max_records + 1
  ), sized as (
    select w.xid, w.number, e.entry, row_number() over feed as place,
      sum(octet_length(e.entry)) over feed as bytes, count(*) over () as found
    from wanted as w
    join entitysync.entries(array(select id from wanted)) as e on e.id = w.id
    window feed as (order by w.xid, w.number)
  )
  select xid, number, entry, place = found
  from sized
  where place <= max_records and (place = 1 or bytes <= max_bytes)
  order by xid, number;
end
$$;
