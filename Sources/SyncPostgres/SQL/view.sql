-- What an account may read -----------------------------------------------------------------------------------------
--
-- Where a table has policies of its own, an account may read rows of others, and need not read all of its own. For such
-- entities the feed of an account is a list of what it was shown, with a place for each record: where a page finds it.
-- A place is no version: it moves when the record changes, comes into view or leaves it, and revisions stay.

create table if not exists entitysync.view (
  -- The reader.
  space uuid not null,
  -- The state of the record, and its space.
  id uuid not null,
  owner uuid not null,
  entity text collate "C" not null,
  key text collate "C" not null,
  xid xid8 not null,
  number bigint not null,
  -- Whether the reader may not read it any more, so that devices forget it.
  is_hidden boolean not null,
  placed_at timestamptz not null default now(),
  primary key (space, id)
);
do $$
begin
  if to_regclass('entitysync.view_feed') is null then
    create index view_feed on entitysync.view (space, xid, number);
    create index view_key on entitysync.view (space, entity, key);
  end if;
end
$$;

-- Up to where the states were looked at for a reader.
create table if not exists entitysync.viewer (
  space uuid primary key,
  seen pg_snapshot not null,
  compared_at timestamptz not null
);

-- What the policies may read of the caller's token, without what each new token has.
create or replace function entitysync.claims() returns text
language sql stable
set search_path = ''
as $$
  select md5(
    (
      nullif(current_setting('request.jwt.claims', true), '')::jsonb - '{exp,iat,nbf,jti,session_id}'::text[]
    )::text
  )
$$;

-- Whether the state of a record has changed since a snapshot.
create or replace function entitysync.is_news(xid xid8, seen pg_snapshot) returns boolean
language sql immutable parallel safe
return seen is null or not pg_visible_in_snapshot(xid, seen);

-- Compares all that the caller may read of an entity now with what it was shown. For the first time, for other claims,
-- and once a day: policies may read what no write of a row tells, such as a membership or a clock. Returns whether
-- anything has another place now.
create or replace function entitysync.compare_view(
  my_space uuid, reader uuid, p_device text, p_entity text, seen pg_snapshot
) returns boolean
language plpgsql
set search_path = ''
-- A plan that is kept may be from when the tables were empty.
set plan_cache_mode = force_custom_plan
as $$
declare
  is_known_device boolean := exists (
    select from entitysync.device as d where d.space = my_space and d.device = p_device and d.serial > 0
  );
  moved bigint;
  known bigint := 0;
begin
  with visible as materialized (
    select v.id, v.space, v.key from entitysync.visible(p_entity) as v
  ), shown as (
    insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden)
    select reader, s.id, s.space, p_entity, s.key, pg_current_xact_id(), nextval('entitysync.numbers'), false
    from (
      select s.*
      from visible as v
      join entitysync.state as s on s.space = v.space and s.id = v.id and not s.is_deleted
      left join entitysync.view as k on k.space = reader and k.id = s.id
      where k.id is null or k.is_hidden or entitysync.is_news(s.xid, seen)
      order by s.xid, s.number
    ) as s
    on conflict (space, id) do update set
      xid = excluded.xid, number = excluded.number, is_hidden = false, placed_at = now()
    returning 1
  ), gone as (
    update entitysync.view as w set
      xid = pg_current_xact_id(), number = nextval('entitysync.numbers'), placed_at = now(),
      -- An own record that was deleted is told as deleted.
      is_hidden = not (w.owner = reader and exists (
        select from entitysync.state as s where s.space = w.owner and s.id = w.id and s.is_deleted
      ))
    where w.space = reader and w.entity = p_entity and not w.is_hidden
      and not exists (select from visible as v where v.id = w.id)
      and not exists (
        select from entitysync.state as s
        where s.space = w.owner and s.id = w.id and s.is_deleted and w.owner = reader
          and not entitysync.is_news(s.xid, seen)
      )
    returning 1
  )
  select (select count(*) from shown) + (select count(*) from gone) into moved;
  if seen is null then
    -- Until now the feed was that of the own records: what devices may have of them, and what they may not.
    insert into entitysync.view (space, id, owner, entity, key, xid, number, is_hidden)
    select reader, s.id, s.space, p_entity, s.key, pg_current_xact_id(), nextval('entitysync.numbers'),
      not s.is_deleted or s.space <> reader
    from entitysync.state as s
    where s.space = my_space and s.entity = p_entity and is_known_device
    on conflict (space, id) do nothing;
    get diagnostics known = row_count;
  end if;
  return moved + known > 0;
end
$$;

-- Looks at the states of an entity that have changed, and whether the caller may read their records now. Returns whether
-- anything has another place now.
create or replace function entitysync.change_view(reader uuid, p_entity text, states entitysync.state[])
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  moved bigint;
begin
  with changed as materialized (
    select s.* from unnest(states) as s where s.entity = p_entity
  ), visible as materialized (
    select v.id from entitysync.seen(
      p_entity, array(select c.id from changed as c where not c.is_deleted),
      array(select c.space from changed as c where not c.is_deleted),
      array(select c.key from changed as c where not c.is_deleted)
    ) as v (id)
  ), judged as (
    select c.id, c.space, c.key, c.xid, c.number, c.is_deleted, k.id as known,
      v.id is not null or c.is_deleted and c.space = reader as is_shown
    from changed as c
    left join visible as v on v.id = c.id
    left join entitysync.view as k on k.space = reader and k.id = c.id and not k.is_hidden
  )
  insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden)
  select reader, j.id, j.space, p_entity, j.key, pg_current_xact_id(), nextval('entitysync.numbers'), not j.is_shown
  from (
    select * from judged as j
    -- What the account never saw and may not see is none of its business.
    where j.known is not null or j.is_shown and not j.is_deleted
    order by j.xid, j.number
  ) as j
  on conflict (space, id) do update set
    xid = excluded.xid, number = excluded.number, is_hidden = excluded.is_hidden, placed_at = now();
  get diagnostics moved = row_count;
  return moved > 0;
end
$$;

-- Brings the list of what an account was shown up to date, for entities with policies of their own. Returns whether
-- something has another place now: what changed of rows that stay hidden makes no difference. The account's lock is
-- taken only where there is something to be looked at.
create or replace function entitysync.look(my_space uuid, p_device text, entities text[], is_locked boolean)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
  most constant integer := 5000;
  claims constant text := entitysync.claims();
  reader constant uuid := entitysync.reader();
  viewer entitysync.viewer;
  states entitysync.state[];
  other uuid;
  entity text;
  looked pg_snapshot;
  compares_all boolean;
  has_moved boolean := false;
begin
  -- What programs wrote into the spaces of others, who may have no device.
  for other in
    select distinct l.space from entitysync.log as l where l.entity = any (entities) and l.space <> my_space limit 20
  loop
    if entitysync.try_space(other) then
      perform entitysync.fold(other);
    end if;
  end loop;
  -- Once more under the lock.
  loop
    -- NB: taken before the states are read. What is committed meanwhile is looked at twice, and not passed by.
    looked := pg_current_snapshot();
    select v.* into viewer from entitysync.viewer as v where v.space = reader;
    compares_all := not found or viewer.compared_at < now() - interval '1 day'
      or (select d.claims from entitysync.device as d where d.space = my_space and d.device = p_device)
        is distinct from claims;
    if not compares_all then
      states := array(
        select s from entitysync.state as s
        where s.entity = any (entities) and s.xid >= pg_snapshot_xmin(viewer.seen)
          and entitysync.is_news(s.xid, viewer.seen)
        limit most + 1
      );
      if cardinality(states) = 0 then
        return false;
      end if;
      compares_all := cardinality(states) > most;
    end if;
    exit when is_locked;
    is_locked := entitysync.lock_space(my_space);
    if not is_locked then
      return false;
    end if;
  end loop;
  foreach entity in array entities loop
    if compares_all then
      has_moved := entitysync.compare_view(my_space, reader, p_device, entity, viewer.seen) or has_moved;
    else
      has_moved := entitysync.change_view(reader, entity, states) or has_moved;
    end if;
  end loop;
  insert into entitysync.viewer as v (space, seen, compared_at)
  values (reader, entitysync.with_own(looked, pg_current_xact_id()), now())
  on conflict (space) do update set
    seen = excluded.seen, compared_at = case when compares_all then excluded.compared_at else v.compared_at end;
  if compares_all then
    insert into entitysync.device as d (space, device, claims) values (my_space, p_device, claims)
    on conflict (space, device) do update set claims = excluded.claims;
  end if;
  return has_moved;
end
$$;

-- What nobody may read at the moment of a page, although it was shown before: devices forget it.
create or replace function entitysync.hide(ids uuid[]) returns void
language sql
set search_path = ''
as $$
  update entitysync.view as w set
    xid = pg_current_xact_id(), number = nextval('entitysync.numbers'), is_hidden = true, placed_at = now()
  where w.space = entitysync.reader() and w.id = any (ids) and not w.is_hidden
$$;
