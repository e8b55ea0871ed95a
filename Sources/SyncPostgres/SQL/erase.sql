-- Erased users ----------------------------------------------------------------------------------------------------

-- Removes everything that is known of a space: states, tombstones with their last values, devices, cursors. Rows of
-- your tables are deleted by their own foreign keys, or by you.
create or replace function entitysync.erase(erased_space uuid) returns void
language sql
set search_path = ''
as $$
  delete from entitysync.log as l where l.space = erased_space;
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
