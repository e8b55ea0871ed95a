-- EntitySync: the sync state of every record.
--
-- Apply with: psql -v ON_ERROR_STOP=1 -f. Needs PostgreSQL 14 or later. Applying it again changes nothing.
--
-- The tables of your app stay as they are. Beside them, the private schema `entitysync` has one row of sync state per
-- record that exists or existed. Do not expose this schema: clients call only public.entitysync_exchange.
-- The exchange runs as the role `entitysync`. That role has what `authenticated` has, so that the policies of your tables
-- rule what it reads and writes; and it alone may use this schema. A user can do nothing here but call the exchange.

do $$
declare
  needed record;
begin
  begin
    if to_regrole('entitysync') is null then
      create role entitysync nologin;
    end if;
  exception
    -- Another database of this server was faster: all of them share the roles.
    when duplicate_object or unique_violation then null;
  end;
  -- Who applies this file makes a function of that role, too.
  for needed in
    select g.role, g.member
    from (values ('authenticated', 'entitysync'), ('entitysync', current_user::text)) as g (role, member)
    where not pg_has_role(g.member, g.role, 'usage')
  loop
    begin
      execute format('grant %I to %I', needed.role, needed.member);
    exception
      when unique_violation then null;
    end;
  end loop;
end
$$;

create schema if not exists entitysync;
revoke all on schema entitysync from public;
grant usage on schema entitysync to authenticated, service_role, entitysync;

-- One row: which SQL this is, and which database cluster counted its transactions.
create table if not exists entitysync.installation (
  is_only boolean primary key default true check (is_only),
  sql_version integer not null,
  cluster bigint not null,
  numbering uuid not null default gen_random_uuid(),
  -- What syncserver applied, so that it applies the same text only once.
  digest text,
  -- The columns of each entity that syncserver applied, with their types.
  entities jsonb
);
do $$
declare
  installed integer := (select sql_version from entitysync.installation);
begin
  if installed > 3 then
    raise exception 'This database has EntitySync SQL version %, and this file is version 3.', installed
      using hint = 'Apply the files of a newer EntitySync.';
  end if;
end
$$;

insert into entitysync.installation (sql_version, cluster)
select 3, system_identifier from pg_catalog.pg_control_system()
on conflict (is_only) do update set sql_version = excluded.sql_version;

-- A space holds the records that are synced together. Today each user has one, with the user's id.
create table if not exists entitysync.space (
  id uuid primary key,
  epoch text not null default replace(gen_random_uuid()::text, '-', ''),
  -- Tombstones of transactions up to this one were purged. All cursors from before it have expired, even if they had
  -- seen the tombstones: entitysync.purged says it exactly, but not for ever.
  floor xid8 not null default '0'
);

-- The transactions whose tombstones were purged. A cursor that had not seen one of them has expired.
create table if not exists entitysync.purged (
  space uuid not null,
  xid xid8 not null,
  primary key (space, xid)
);

-- One row per store that ever pushed or pulled something.
create table if not exists entitysync.device (
  space uuid not null references entitysync.space on delete cascade,
  device text collate "C" not null,
  -- The last batch that was stored.
  batch text,
  -- How many cursors the device was given. A higher number in a cursor proves that the database was rolled back.
  serial bigint not null default 0,
  seen_at timestamptz not null default now(),
  -- What its last token said, where policies of yours may read it.
  claims text,
  -- The numbers of cursors that it was given and that the database has forgotten, as it was rolled back.
  lost_from bigint,
  lost_to bigint,
  primary key (space, device)
);

-- Spaces for checks, which syncserver makes on demand and removes.
create table if not exists entitysync.scratch (
  space uuid primary key,
  -- The space of the account that made it.
  account uuid not null,
  made_at timestamptz not null default now()
);

-- What other programs wrote and no exchange has taken in yet: one row per statement, space and set of changed columns.
-- Whoever writes a row only adds one here, so that writers wait neither for each other nor for an exchange.
create table if not exists entitysync.log (
  space uuid not null,
  id bigint generated always as identity,
  entity text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  -- i: inserted, u: updated, d: deleted, a: there from before.
  op "char" not null,
  -- One bit per column of the entity that an update changed; null for all of them.
  mask bigint,
  keys text[] not null,
  primary key (space, id)
);

-- One row per record that exists or existed.
create table if not exists entitysync.state (
  -- NB: no foreign key. Otherwise the first transaction that writes into a space would make all others wait.
  space uuid not null,
  -- The hash of space, entity and key (entitysync.record_id).
  id uuid not null,
  entity text collate "C" not null,
  key text collate "C" not null,
  -- The transaction that wrote this state, and a count: the order of the feed.
  xid xid8 not null,
  number bigint not null,
  -- Names this state, for compare-and-set.
  revision text collate "C" not null,
  is_deleted boolean not null,
  -- Edit timestamps are texts: microseconds since 1970, device and number, with dots between them. `sent` is the
  -- timestamp that the client sent; `edit` differs from it if its clock was too far ahead.
  edit text collate "C" not null,
  sent text collate "C" not null,
  -- The version vector: device:number,... sorted by device.
  vector text collate "C" not null,
  -- Timestamps of single fields and elements; null if they all have the record's.
  detail json,
  merged_into text,
  -- The value as it was sent; null if the row in your table renders to exactly the same text.
  body json,
  -- The elements of the fields that merge as sets, so that it is known which of them another program added or removed.
  sets jsonb,
  stored_at timestamptz not null default now(),
  primary key (space, id)
);

-- Fingerprints of the live records that a device shows, to find devices that differ without knowing it.
create table if not exists entitysync.fingerprint (
  space uuid not null,
  device text collate "C" not null,
  name text collate "C" not null,
  digest text not null,
  -- The end of the feed that the device had seen, as a snapshot.
  seen pg_snapshot not null,
  told_at timestamptz not null default now(),
  primary key (space, name, device),
  foreign key (space, device) references entitysync.device on delete cascade
);

-- Counts states, and the edits of the server.
create sequence if not exists entitysync.numbers;

-- What older versions of this file made otherwise, and indexes. NB: an index that is there would lock its table, too, and
-- so would a column.
do $$
declare
  lacking record;
begin
  for lacking in
    select w.place, w.name, w.type
    from (
      values ('installation', 'digest', 'text'), ('installation', 'entities', 'jsonb'), ('device', 'claims', 'text'),
        ('state', 'sets', 'jsonb'), ('device', 'lost_from', 'bigint'), ('device', 'lost_to', 'bigint')
    ) as w (place, name, type)
    where not exists (
      select from pg_catalog.pg_attribute as a
      where a.attrelid = to_regclass('entitysync.' || w.place) and a.attname = w.name and not a.attisdropped
    )
  loop
    execute format('alter table entitysync.%I add column %I %s', lacking.place, lacking.name, lacking.type);
  end loop;
  if (
    select array_length(conkey, 1) from pg_catalog.pg_constraint
    where conrelid = 'entitysync.state'::regclass and contype = 'p'
  ) = 1 then
    alter table entitysync.state drop constraint state_pkey, add primary key (space, id);
  end if;
  if (
    select attstorage from pg_catalog.pg_attribute where attrelid = 'entitysync.log'::regclass and attname = 'keys'
  ) <> 'e' then
    -- To compress the keys takes longer than to write them.
    alter table entitysync.log alter column keys set storage external;
  end if;
  for lacking in
    select w.name, w.place
    from (
      values ('state_feed', 'state (space, xid, number)'), ('state_changes', 'state (entity, xid)'),
        ('state_tombstones', 'state (space, stored_at) where is_deleted'), ('scratch_account', 'scratch (account)')
    ) as w (name, place)
    where to_regclass('entitysync.' || w.name) is null
  loop
    execute format('create index %I on entitysync.%s', lacking.name, lacking.place);
  end loop;
end
$$;
