-- Rights ----------------------------------------------------------------------------------------------------------
--
-- Everybody sees only what belongs to the own space, and writes nothing but through the exchange.

do $$
declare
  name text;
begin
  foreach name in array array['space', 'device', 'state', 'fingerprint'] loop
    execute format('drop policy if exists own on entitysync.%I', name);
  end loop;
end
$$;

create policy own on entitysync.space for select to authenticated
  using (id = (select entitysync.my_space()));
create policy own on entitysync.device for select to authenticated
  using (space = (select entitysync.my_space()));
-- NB: «is not distinct from» is a condition that no index serves. Records are looked up by id alone (see state_feed).
create policy own on entitysync.state for select to authenticated
  using (space is not distinct from (select entitysync.my_space()));

revoke all on all tables in schema entitysync from public, anon, authenticated, service_role;
revoke all on all sequences in schema entitysync from public, anon, authenticated, service_role;
grant select on entitysync.space, entitysync.device, entitysync.state to authenticated;

-- Functions for operators, and those that triggers call.
do $$
declare
  called regprocedure;
begin
  revoke all on all functions in schema entitysync from public, anon, authenticated, service_role;
  for called in
    select p.oid::regprocedure from pg_proc as p
    where p.pronamespace = 'entitysync'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in (
        'note_edit', 'renumber', 'purge', 'purge_older', 'remove_tombstones', 'next_with_tombstones', 'erase', 'empty',
        'open_scratch', 'restart_scratch', 'remove_scratch', 'doctor'
      ) and p.proname !~ '_(adopt|compare)$'
  loop
    execute format('grant execute on function %s to authenticated', called);
  end loop;
end
$$;

revoke all on function public.entitysync_exchange(json) from public, anon;
grant execute on function public.entitysync_exchange(json) to authenticated;
