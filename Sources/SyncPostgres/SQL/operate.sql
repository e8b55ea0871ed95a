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
