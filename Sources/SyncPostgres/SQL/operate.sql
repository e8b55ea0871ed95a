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
