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
