-- What is new for a device ----------------------------------------------------------------------------------------

-- The value of a live record whose row cannot be read: null, which makes its entry null. Without any policy by which users
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
set search_path = ''
as $$
begin
  if body is null or exists (
    select from json_array_elements(entitysync.expected()) as e
    join pg_catalog.pg_policy as p on p.polrelid = to_regclass(e.value ->> 'table')
    where e.value ->> 'entity' = deleted_entity and p.polname not like 'entitysync: %'
  ) then
    return '{}';
  end if;
  return body;
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
      select sum(coalesce(u.size, 0)) over (order by u.place) as bytes from unnest(sizes) with ordinality as u (size, place)
    ) as r;
    entries := (select string_agg(e.entry, ',') from entitysync.entries(states[1:shown]) as e);
  end if;
  has_more := shown < cardinality(states);
  last_xid := (states[shown]).xid;
  last_number := (states[shown]).number;
end
$$;
