-- Operating -------------------------------------------------------------------------------------------------------

-- Removes tombstones that were stored before a time, of one space or of all (null). Cursors from before them expire,
-- and their devices fetch the full state. To be run by hand or by pg_cron:
-- select cron.schedule('entitysync', '0 3 * * *', $ select entitysync.purge(now() - interval '180 days') $);
create or replace function entitysync.purge(stored_before timestamptz, only_space uuid default null) returns bigint
language sql
set search_path = ''
as $$
  with gone as (
    delete from entitysync.state as s
    where s.is_deleted and s.stored_at < stored_before and (only_space is null or s.space = only_space)
    returning s.space, s.xid
  ), floors as (
    update entitysync.space as s set floor = greatest(s.floor, g.last)
    from (select space, max(xid) as last from gone group by space) as g
    where s.id = g.space
  )
  select count(*) from gone
$$;

-- Removes everything that is known of a space: states, tombstones with their last values, devices, cursors. The rows
-- in your tables are yours to delete. With Supabase, deleting the user does it (see the trigger on auth.users).
create or replace function entitysync.erase(erased_space uuid) returns void
language sql
set search_path = ''
as $$
  delete from entitysync.state as s where s.space = erased_space;
  delete from entitysync.space as s where s.id = erased_space;
$$;

-- The same by age: `days` names how long the tombstones of an entity are kept; those of others are kept `other_days`.
-- Without a space, spaces for checks are left alone.
create or replace function entitysync.purge_older(days jsonb, other_days integer, only_space uuid default null)
returns bigint
language sql
set search_path = ''
as $$
  with gone as (
    delete from entitysync.state as s
    where s.is_deleted
      and s.stored_at <= now() - make_interval(days => coalesce((days ->> s.entity)::integer, other_days))
      and case
        when only_space is null then s.space not in (select c.space from entitysync.scratch as c)
        else s.space = only_space
      end
    returning s.space, s.xid
  ), floors as (
    update entitysync.space as s set floor = greatest(s.floor, g.last)
    from (select space, max(xid) as last from gone group by space) as g
    where s.id = g.space
  )
  select count(*) from gone
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
