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
