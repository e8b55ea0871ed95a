-- Rights ----------------------------------------------------------------------------------------------------------
--
-- The role `entitysync` does what the exchange does. Users call the exchange, and nothing else.

do $$
declare
  place record;
  called regprocedure;
begin
  for place in
    select c.oid, c.relname as name, c.relrowsecurity as is_secure from pg_catalog.pg_class as c
    where c.relnamespace = 'entitysync'::regnamespace and c.relkind in ('r', 'p')
  loop
    -- NB: each of these locks the table, so nothing is done that is done.
    if not place.is_secure then
      execute format('alter table entitysync.%I enable row level security', place.name);
    end if;
    if exists (select from pg_catalog.pg_policy as p where p.polrelid = place.oid and p.polname = 'own') then
      -- Until 1.0.0 users read some of the tables.
      execute format('drop policy own on entitysync.%I', place.name);
    end if;
    if not exists (
      select from pg_catalog.pg_policy as p
      where p.polrelid = place.oid and p.polname = 'exchange' and p.polroles = array['entitysync'::regrole::oid]
    ) then
      execute format('drop policy if exists exchange on entitysync.%I', place.name);
      execute format(
        'create policy exchange on entitysync.%I to entitysync using (true) with check (true)', place.name
      );
    end if;
  end loop;

  revoke all on all tables in schema entitysync from public, anon, authenticated, service_role, entitysync;
  revoke all on all sequences in schema entitysync from public, anon, authenticated, service_role, entitysync;
  grant select, insert, update, delete on all tables in schema entitysync to entitysync;
  grant usage on all sequences in schema entitysync to entitysync;

  -- All but what operators call, and what triggers call.
  revoke all on all routines in schema entitysync from public, anon, authenticated, service_role, entitysync;
  for called in
    select p.oid::regprocedure from pg_catalog.pg_proc as p
    where p.pronamespace = 'entitysync'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in (
        'fold_next', 'fold_all', 'purge', 'purge_older', 'remove_tombstones', 'next_with_tombstones', 'erase', 'empty',
        'erase_account', 'open_scratch', 'restart_scratch', 'remove_scratch', 'doctor',
        'base_type', 'can_store', 'installer', 'table_columns', 'plain_condition', 'admit', 'with_stand_ins',
        'keep_defaults', 'catalogue', 'run_in_moments', 'ensure', 'ensure_table', 'adopt_again', 'adopt', 'adopt_rows',
        'fill_columns', 'tell_columns', 'take_members', 'fill_rows', 'valued_rows', 'moved_mask', 'move_log'
      ) and p.proname !~ '_(adopt|valued|compare|findings)$'
  loop
    execute format('grant execute on function %s to entitysync', called);
  end loop;
end
$$;

grant create on schema entitysync to entitysync;
alter function entitysync.exchange(uuid, json) owner to entitysync;
revoke create on schema entitysync from entitysync;
revoke all on function entitysync.exchange(uuid, json) from public, anon, service_role;
grant execute on function entitysync.exchange(uuid, json) to authenticated;

-- The caller's space, which the call names.
grant execute on function entitysync.my_space() to authenticated;
revoke all on function public.entitysync_exchange(json) from public, anon;
grant execute on function public.entitysync_exchange(json) to authenticated;
