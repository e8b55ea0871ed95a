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
  end if;
end
$$;

do $$
begin
  if not exists (
    select from pg_catalog.pg_attribute as a where a.attrelid = 'entitysync.view'::regclass and a.attname = 'version'
  ) then
    -- The number of the state that the place is for; null if it is hidden.
    alter table entitysync.view add column version bigint;
  end if;
  -- NB: by a digest, because a key may be longer than an index takes beside the rest.
  if to_regclass('entitysync.view_name') is null then
    create index view_name on entitysync.view (space, entity, md5(key));
    drop index if exists entitysync.view_key;
  end if;
  if to_regclass('entitysync.viewer') is not null and not exists (
    select from pg_catalog.pg_attribute as a where a.attrelid = to_regclass('entitysync.viewer') and a.attname = 'entity'
  ) then
    drop table entitysync.viewer;
  end if;
end
$$;

-- Up to where the states of an entity were looked at for a reader.
create table if not exists entitysync.viewer (
  space uuid not null,
  entity text collate "C" not null,
  seen pg_snapshot not null,
  -- When all that the reader may read was last compared; -infinity if that is not done.
  compared_at timestamptz not null,
  -- Whether devices may still have own records that are not in the list, because they may not be read any more.
  misses_own boolean not null,
  primary key (space, entity)
);

-- How many records one exchange places at most.
create or replace function entitysync.view_piece() returns integer
language sql immutable
return 20000;

-- What the policies may read of the caller's token, without what each new token has.
create or replace function entitysync.claims() returns text
language sql stable
set search_path = pg_catalog, pg_temp
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

-- Until 1.0.0 these did all at once.
drop function if exists entitysync.compare_view(uuid, uuid, text, text, pg_snapshot);
drop function if exists entitysync.look(uuid, text, text[], boolean);

-- Compares all that the caller may read of an entity now with what it was shown. For the first time, for other claims,
-- and once a day: policies may read what no write of a row tells, such as a membership or a clock. Returns whether
-- anything has another place now, and whether all is done: if not, another exchange goes on.
create or replace function entitysync.compare_view(
  my_space uuid, reader uuid, p_entity text, misses_own boolean, out has_moved boolean, out is_complete boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
-- A plan that is kept may be from when the tables were empty.
set plan_cache_mode = force_custom_plan
as $$
declare
  most constant integer := entitysync.view_piece();
  shown integer;
  gone integer;
  missed integer := 0;
begin
  with visible as materialized (
    -- A device has one record by a key: of several owners' the reader's own.
    select distinct on (v.key collate "C") v.id, v.space, v.key
    from entitysync.visible(p_entity) as v
    order by v.key collate "C", v.space <> my_space, v.space
  ), placed as (
    insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden, version)
    select reader, s.id, s.space, p_entity, s.key, pg_current_xact_id(), nextval('entitysync.numbers'), false, s.number
    from (
      select s.*
      from visible as v
      join entitysync.state as s on s.space = v.space and s.id = v.id and not s.is_deleted
      left join entitysync.view as k on k.space = reader and k.id = s.id
      where k.id is null or k.is_hidden or k.version is distinct from s.number
      order by s.xid, s.number
      limit most
    ) as s
    on conflict (space, id) do update set
      xid = excluded.xid, number = excluded.number, is_hidden = false, version = excluded.version, placed_at = now()
    returning 1
  ), left_view as materialized (
    select w.id, case when s.is_deleted and w.owner = reader then s.number end as told
    from entitysync.view as w
    left join entitysync.state as s on s.space = w.owner and s.id = w.id
    where w.space = reader and w.entity = p_entity and not w.is_hidden
      -- Hashed; with NOT EXISTS, a plan might compare each with each, because nobody knows how many are visible.
      and w.id not in (select v.id from visible as v)
      -- An own record that was deleted is told as deleted, once.
      and not (coalesce(s.is_deleted, false) and w.owner = reader and w.version is not distinct from s.number)
    limit most
  ), hidden as (
    update entitysync.view as w set
      xid = pg_current_xact_id(), number = nextval('entitysync.numbers'), placed_at = now(),
      is_hidden = l.told is null, version = l.told
    from left_view as l
    where w.space = reader and w.id = l.id
    returning 1
  )
  select (select count(*) from placed), (select count(*) from hidden) into shown, gone;
  is_complete := shown < most and gone < most;
  if is_complete and misses_own then
    -- Until now the feed was that of the own records: what devices may have of them, and what they may not.
    insert into entitysync.view (space, id, owner, entity, key, xid, number, is_hidden, version)
    select reader, s.id, s.space, p_entity, s.key, pg_current_xact_id(), nextval('entitysync.numbers'),
      not s.is_deleted or s.space <> reader, s.number
    from entitysync.state as s
    where s.space = my_space and s.entity = p_entity
      and exists (select from entitysync.device as d where d.space = my_space and d.serial > 0)
      and not exists (select from entitysync.view as w where w.space = reader and w.id = s.id)
    limit most;
    get diagnostics missed = row_count;
    is_complete := missed < most;
  end if;
  has_moved := shown + gone + missed > 0;
end
$$;

-- Looks at the states of an entity that have changed, and whether the caller may read their records now. Returns whether
-- anything has another place now.
create or replace function entitysync.change_view(reader uuid, p_entity text, states entitysync.state[])
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set plan_cache_mode = auto
as $$
declare
  moved bigint;
begin
  perform entitysync.plan_for(cardinality(states));
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
  insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden, version)
  select reader, j.id, j.space, p_entity, j.key, pg_current_xact_id(), nextval('entitysync.numbers'), not j.is_shown,
    case when j.is_shown then j.number end
  from (
    select * from judged as j
    -- What the account never saw and may not see is none of its business.
    where j.known is not null or j.is_shown and not j.is_deleted
    order by j.xid, j.number
  ) as j
  on conflict (space, id) do update set
    xid = excluded.xid, number = excluded.number, is_hidden = excluded.is_hidden, version = excluded.version,
    placed_at = now();
  get diagnostics moved = row_count;
  return moved > 0;
end
$$;

-- Brings the list of what an account was shown up to date, for entities with policies of their own. Returns whether
-- something has another place now: what changed of rows that stay hidden makes no difference; and whether all of it is
-- done. The account's lock is taken only where there is something to be looked at.
create or replace function entitysync.look(
  my_space uuid, p_device text, entities text[], is_locked boolean, out has_moved boolean, out is_complete boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  most constant integer := entitysync.view_piece();
  claims constant text := entitysync.claims();
  reader constant uuid := entitysync.reader();
  states entitysync.state[];
  other uuid;
  name text;
  looked pg_snapshot;
  has_other_claims boolean;
  -- The entities of which all is compared.
  due text[];
  moved boolean;
  has_resolved boolean;
  is_resolved boolean;
  -- Whether an entity is compared; null if only news of it were looked at.
  is_compared boolean;
begin
  has_moved := false;
  is_complete := true;
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
    has_other_claims := (
      select d.claims from entitysync.device as d where d.space = my_space and d.device = p_device
    ) is distinct from claims;
    due := array(
      select e from unnest(entities) as e
      where has_other_claims or not exists (
        select from entitysync.viewer as v
        where v.space = reader and v.entity = e and v.compared_at > now() - interval '1 day'
      )
    );
    states := array(
      select s
      from entitysync.viewer as v
      join entitysync.state as s on s.entity = v.entity and s.xid >= pg_snapshot_xmin(v.seen)
      where v.space = reader and v.entity = any (entities) and v.entity <> all (due) and entitysync.is_news(s.xid, v.seen)
      limit most + 1
    );
    if cardinality(states) > most then
      due := entities;
    end if;
    if cardinality(due) = 0 and cardinality(states) = 0 then
      return;
    end if;
    exit when is_locked;
    is_locked := entitysync.lock_space(my_space);
    if not is_locked then
      -- What is not compared yet is not known to be absent.
      is_complete := cardinality(due) = 0;
      return;
    end if;
  end loop;
  foreach name in array entities loop
    if name = any (due) then
      select c.has_moved, c.is_complete into moved, is_compared
      from entitysync.compare_view(
        my_space, reader, name,
        coalesce((select v.misses_own from entitysync.viewer as v where v.space = reader and v.entity = name), true)
      ) as c;
      is_complete := is_complete and is_compared;
    else
      moved := entitysync.change_view(reader, name, states);
      is_compared := null;
      if exists (
        select from unnest(states) as c
        join entitysync.view as w on w.space = reader and w.id = c.id and not w.is_hidden
        join entitysync.view as o
          on o.space = reader and o.entity = c.entity and md5(o.key) = md5(c.key) and o.key = c.key and not o.is_hidden
        join entitysync.state as s on s.space = o.owner and s.id = o.id and not s.is_deleted
        where c.entity = name and not c.is_deleted and o.id <> c.id
      ) then
        -- Records of several owners have one key.
        select c.has_moved, c.is_complete into has_resolved, is_resolved
        from entitysync.compare_view(my_space, reader, name, false) as c;
        moved := moved or has_resolved;
        is_complete := is_complete and is_resolved;
        is_compared := case when not is_resolved then false end;
      end if;
    end if;
    has_moved := has_moved or moved;
    insert into entitysync.viewer as v (space, entity, seen, compared_at, misses_own)
    values (
      reader, name, entitysync.with_own(looked, pg_current_xact_id()), case when is_compared then now() else '-infinity' end,
      is_compared is not true
    )
    on conflict (space, entity) do update set
      seen = excluded.seen, compared_at = case when is_compared is null then v.compared_at else excluded.compared_at end,
      misses_own = v.misses_own and excluded.misses_own;
  end loop;
  if has_other_claims then
    insert into entitysync.device as d (space, device, claims) values (my_space, p_device, claims)
    on conflict (space, device) do update set claims = excluded.claims;
  end if;
end
$$;

-- What nobody may read at the moment of a page, although it was shown before: devices forget it.
create or replace function entitysync.hide(ids uuid[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  update entitysync.view as w set
    xid = pg_current_xact_id(), number = nextval('entitysync.numbers'), is_hidden = true, placed_at = now()
  where w.space = entitysync.reader() and w.id = any (ids) and not w.is_hidden
$$;
