-- The exchange of protocol v1 -------------------------------------------------------------------------------------

-- The entities that the request may exchange: all, unless its token has the claim `entitysync_entities`.
create or replace function entitysync.allowed_entities() returns text[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  known text[] := entitysync.known_entities();
  allowed jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb -> 'entitysync_entities';
begin
  if allowed is null then
    return known;
  end if;
  return array(select e from unnest(known) as e where allowed ? e);
end
$$;

create or replace function entitysync.limits() returns json
language sql immutable
return '{"changes":1000,"requestBytes":4194304,"pageRecords":1000,"pageBytes":1048576}'::json;

-- An error in the form of RFC 9457. PostgREST takes the status from `response.status`.
create or replace function entitysync.problem(status integer, code text, title text, detail text) returns json
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  answer jsonb := jsonb_build_object(
    'type', 'about:blank', 'title', title, 'status', status, 'code', code, 'detail', detail
  );
begin
  perform set_config('response.status', status::text, true);
  perform set_config(
    'response.headers', '[{"Content-Type":"application/problem+json"},{"Cache-Control":"no-store"}]', true
  );
  if status = 413 then
    answer := answer || jsonb_build_object('limits', entitysync.limits());
  end if;
  return answer::json;
end
$$;

-- The answer to a request that is to come again soon.
create or replace function entitysync.busy(detail text) returns json
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  answer json := entitysync.problem(503, 'unavailable', 'Service Unavailable', detail);
begin
  perform set_config(
    'response.headers',
    '[{"Content-Type":"application/problem+json"},{"Cache-Control":"no-store"},{"Retry-After":"1"}]', true
  );
  return answer;
end
$$;

-- Until 1.0.0 it gave a table, and did not say whether tombstones were purged.
drop function if exists entitysync.enter(text, boolean);

-- What is known of the space and of a device; makes the space's row. With `writes`, makes the device's row.
create or replace function entitysync.enter(
  p_device text, writes boolean, out epoch text, out batch text, out serial bigint, out numbering uuid,
  out has_purged boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  my_space uuid := entitysync.my_space();
  is_elsewhere boolean;
  -- The cluster in which the session is: to read it takes longer than all else here.
  present_cluster text := coalesce(
    nullif(current_setting('entitysync.cluster', true), ''),
    set_config('entitysync.cluster', (select c.system_identifier::text from pg_catalog.pg_control_system() as c), false)
  );
begin
  -- Once more where something had to be made first.
  for round in 1..2 loop
    select s.epoch, d.batch, d.serial, i.numbering, i.cluster::text <> present_cluster,
      s.floor > '0' or exists (select from entitysync.purged as p where p.space = my_space)
    into epoch, batch, serial, numbering, is_elsewhere, has_purged
    from entitysync.installation as i
    left join entitysync.space as s on s.id = my_space
    left join entitysync.device as d on d.space = s.id and d.device = p_device;
    exit when (serial is not null or not writes) and epoch is not null and not is_elsewhere;
    if is_elsewhere then
      perform entitysync.renumber();
    end if;
    if epoch is null then
      insert into entitysync.space (id) values (my_space) on conflict do nothing;
    end if;
    if writes then
      insert into entitysync.device (space, device) values (my_space, p_device) on conflict do nothing;
    end if;
  end loop;
end
$$;

-- Numbers all states and places of views anew after a dump was loaded into another cluster, which counts its transactions
-- by itself: the stored numbers may lie in its future, where no snapshot sees them, and what it writes may lie before the
-- cursors that devices have. Those expire. After pg_upgrade the count goes on, and nothing is done: rows are what they
-- were, while a dump's are all written by its own transactions.
create or replace function entitysync.renumber() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  present bigint := (select c.system_identifier from pg_catalog.pg_control_system() as c);
begin
  perform pg_advisory_xact_lock(7316, 1);
  if (select i.cluster from entitysync.installation as i) = present then
    return;
  end if;
  if (
    select min(r.writer) > max(r.number) or bool_or(r.writer < r.number)
      or max(r.number) >= (pg_snapshot_xmax(pg_current_snapshot())::text::bigint & 4294967295)
    from (
      select s.xmin::text::bigint as writer, s.xid::text::bigint & 4294967295 as number from entitysync.state as s
    ) as r
  ) then
    -- The first number that PostgreSQL gives: every snapshot sees it, that of this exchange, too.
    update entitysync.state set xid = '3';
    update entitysync.view set xid = '3';
    delete from entitysync.viewer;
    update entitysync.space set floor = '0';
    delete from entitysync.purged;
    delete from entitysync.fingerprint;
    update entitysync.installation set numbering = gen_random_uuid();
  end if;
  update entitysync.installation set cluster = present;
end
$$;

-- Until 1.0.0 the exchange called it.
drop function if exists entitysync.leave(text, text, bigint);

-- Notes the fingerprints of a device that has seen everything, and names the entities in which another device, which
-- has seen the same, shows other records.
create or replace function entitysync.compare(p_device text, records json, p_seen pg_snapshot) returns text[]
language plpgsql
set search_path = pg_catalog, pg_temp
-- To plan it anew would take longer than all else of an exchange without news.
set plan_cache_mode = force_generic_plan
as $$
declare
  my_space uuid := entitysync.my_space();
begin
  if records is not null then
    delete from entitysync.fingerprint as f where f.space = my_space and f.device = p_device;
    insert into entitysync.fingerprint (space, device, name, digest, seen)
    select my_space, p_device, r.key, r.value, p_seen from json_each_text(records) as r;
  end if;
  return array(
    select distinct split_part(mine.name, ' ', 1)
    from entitysync.fingerprint as mine
    join entitysync.fingerprint as other
      on other.space = mine.space and other.name = mine.name and other.device <> mine.device
    where mine.space = my_space and mine.device = p_device and other.digest <> mine.digest
      and other.told_at > now() - interval '30 days'
      -- Both have seen all that the space has. What a snapshot has not seen is at its end, in the order of the feed.
      and not exists (
        select from entitysync.state as s
        where s.space = my_space and s.xid >= pg_snapshot_xmin(mine.seen)
          and not pg_visible_in_snapshot(s.xid, mine.seen)
      )
      and not exists (
        select from entitysync.state as s
        where s.space = my_space and s.xid >= pg_snapshot_xmin(other.seen)
          and not pg_visible_in_snapshot(s.xid, other.seen)
      )
    order by 1
  );
end
$$;

-- Whether a tombstone of the space was purged that the cursor had not seen. Transactions that are open elsewhere in the
-- cluster make no difference: what counts is which transactions the cursor's snapshot saw.
create or replace function entitysync.has_expired(cursor jsonb, entities text[]) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  my_space uuid := entitysync.my_space();
begin
  return exists (
    select from (
      select distinct s.value from jsonb_each_text(cursor -> 'seen') as s where s.key = any (entities)
    ) as seen
    cross join lateral (select seen.value::pg_snapshot as snapshot offset 0) as base
    where exists (
      select from entitysync.space as s where s.id = my_space and s.floor >= pg_snapshot_xmin(base.snapshot)
    ) or exists (
      select from entitysync.purged as p
      where p.space = my_space and p.xid >= pg_snapshot_xmin(base.snapshot)
        and not pg_visible_in_snapshot(p.xid, base.snapshot)
    )
  );
end
$$;

-- What the answer says of the space and the device if everything is as the cursor left it; else nulls, and the exchange
-- looks closer. In one statement, because most requests find nothing new.
create or replace function entitysync.unchanged(
  my_space uuid, p_device text, entities text[], cursor jsonb, out epoch text, out batch text
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  first_seen text := cursor -> 'seen' ->> entities[1];
  base pg_snapshot := first_seen;
  first_xid xid8 := pg_snapshot_xmin(base);
begin
  select s.epoch, d.batch into epoch, batch
  from entitysync.space as s
  join entitysync.device as d on d.space = s.id and d.device = p_device
  where s.id = my_space and s.epoch = cursor ->> 'epoch' and d.serial >= (cursor ->> 'serial')::bigint
    and ((cursor ->> 'serial')::bigint between d.lost_from and d.lost_to) is not true
    and s.floor < first_xid
    and (
      select i.numbering::text = cursor ->> 'numbering' and i.cluster = c.system_identifier
      from entitysync.installation as i cross join pg_catalog.pg_control_system() as c
    )
    and not exists (
      select from entitysync.state as n
      where n.space = my_space and n.xid >= first_xid and not pg_visible_in_snapshot(n.xid, base)
    )
    and not exists (select from entitysync.log as l where l.space = my_space)
    and not exists (select from entitysync.adoption)
    and not exists (
      select from entitysync.purged as p
      where p.space = my_space and p.xid >= first_xid and not pg_visible_in_snapshot(p.xid, base)
    )
    and not exists (
      select from entitysync.fingerprint as mine
      join entitysync.fingerprint as other on other.space = mine.space and other.name = mine.name
      where mine.space = my_space and mine.device = p_device and other.digest <> mine.digest
    );
end
$$;

-- Whether a cursor is from a future that the database has lost, as it was rolled back. It stays lost, however many cursors
-- the device is given since: what the device had stored by then is not there.
create or replace function entitysync.is_lost(my_space uuid, cursor jsonb) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  given constant bigint := cursor ->> 'serial';
  known record;
begin
  select d.serial, d.lost_from, d.lost_to into known
  from entitysync.device as d where d.space = my_space and d.device = cursor ->> 'device';
  if given <= coalesce(known.serial, 0) then
    return (given between known.lost_from and known.lost_to) is true;
  end if;
  insert into entitysync.device as d (space, device, serial, lost_from, lost_to)
  values (my_space, cursor ->> 'device', given, coalesce(known.serial, 0) + 1, given)
  on conflict (space, device) do update set
    lost_from = coalesce(d.lost_from, d.serial + 1), lost_to = given, serial = given;
  return true;
end
$$;

-- A snapshot that has seen this transaction, too, and none that began after the one given.
create or replace function entitysync.with_own(snapshot pg_snapshot, own xid8) returns pg_snapshot
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The usual case: nothing else is going on.
  if pg_snapshot_xmin(snapshot) = own and pg_snapshot_xmax(snapshot) = own then
    own := (own::text::bigint + 1)::text::xid8;
    return (own || ':' || own || ':')::pg_snapshot;
  end if;
  return (
    pg_snapshot_xmin(snapshot) || ':'
    || greatest(pg_snapshot_xmax(snapshot)::text::numeric, own::text::numeric + 1) || ':'
    || coalesce(
      (
        select string_agg(open.xid::text, ',' order by open.xid)
        from (
          select x::text::numeric as xid from pg_snapshot_xip(snapshot) as x
          union
          select generate_series(pg_snapshot_xmax(snapshot)::text::numeric, own::text::numeric - 1)
        ) as open
        where open.xid <> own::text::numeric
      ),
      ''
    )
  )::pg_snapshot;
end
$$;

-- Cursors are JSON in the alphabet of URLs.
create or replace function entitysync.cursor_text(cursor jsonb) returns text
language sql stable
return translate(encode(convert_to(cursor::text, 'UTF8'), 'base64'), E'+/=\n', '-_');

create or replace function entitysync.cursor_json(cursor text) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  value jsonb;
  -- What is read only to see whether it can be.
  serial bigint;
  target pg_snapshot;
  after_xid xid8;
  after_number bigint;
begin
  value := convert_from(
    decode(translate(cursor, '-_', '+/') || repeat('=', (4 - length(cursor) % 4) % 4), 'base64'), 'UTF8'
  )::jsonb;
  -- NB: as assignments these take no plan, which the executor would have to start.
  serial := value ->> 'serial';
  target := value ->> 'target';
  after_xid := value -> 'after' ->> 0;
  after_number := value -> 'after' ->> 1;
  perform s.value::pg_snapshot from jsonb_each_text(value -> 'seen') as s;
  if value ->> 'epoch' is null or value ->> 'device' is null or serial is null
    or jsonb_typeof(value -> 'seen') is distinct from 'object'
  then
    return null;
  end if;
  return value;
exception
  when others then
    return null;
end
$$;

-- One exchange: stores the changes of a device, and gives it one page of what is new. It reads and writes what belongs to
-- one space, which must be the caller's.
create or replace function entitysync.exchange(my_space uuid, sent json) returns json
-- The owner is the role `entitysync`, so that your policies rule, and nobody else may call what it calls.
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
-- To compile the statements would take longer than to run them.
set jit = off
-- A session keeps its plans, also those from when a table was empty: they shall be the ones by the keys.
set enable_seqscan = off
-- Some databases cut the digits of numbers.
set extra_float_digits = 1
as $$
declare
  -- NB: every JSON operator fails on U+0000 anywhere in the text. It is masked, so that the one record that holds it
  -- is refused alone.
  given text := sent::text;
  is_masked boolean := strpos(given, '\u0000') > 0;
  masked json := case
    when is_masked
      then regexp_replace(given, '(?<!\\)((?:\\\\)*)\\u0000', '\1\\ufdd0', 'g')::json
    else sent
  end;
  request record;
  changes json[];
  change_count integer := 0;
  max_records integer;
  known record;
  usual record;
  cursor jsonb;
  known_entities text[] := entitysync.known_entities();
  allowed_entities text[] := entitysync.allowed_entities();
  -- Those with policies of their own.
  viewed text[] := entitysync.viewed_entities();
  entities text[];
  unknown json;
  pushed_results text[] := '{}';
  own text[] := '{}';
  has_grown boolean := false;
  -- Whether other programs wrote what is not taken in yet.
  is_waiting boolean;
  -- Whether rows are yet to be looked at: those from before the triggers, or those that the account may read. Until then
  -- no full state is complete.
  is_adopting boolean;
  looked record;
  is_locked boolean;
  -- Whether something was taken in that is news. Where policies rule, what was shown is: rows that are hidden change
  -- nothing that is answered.
  has_folded boolean := false;
  snapshot pg_snapshot;
  target pg_snapshot;
  bases pg_snapshot[] := '{}';
  after_xid xid8;
  after_number bigint;
  is_full_state boolean;
  page record;
  has_more boolean;
  entity text;
  is_new boolean := false;
  own_xid xid8;
  next_cursor jsonb;
  next_text text;
  acknowledged text;
  differing text[];
  serial bigint;
  taken_in_first constant text := 'Other programs changed many rows, which are taken in first.';
  expired constant text := 'Tombstones after the cursor were purged: begin again without a cursor.';
  plans constant text := current_setting('plan_cache_mode');
  headers text := set_config('response.headers', '[{"Cache-Control":"no-store"}]', true);
begin
  if my_space is distinct from entitysync.my_space() then
    raise insufficient_privilege using message = 'The space is not that of the caller.';
  end if;
  if my_space is null then
    return entitysync.problem(401, 'unauthorized', 'Unauthorized', 'A token of a user is needed.');
  end if;
  -- Read once: each further look into a JSON text would read all of it again. So would a record with columns of JSON.
  select max(m.value #>> '{}') filter (where m.key = 'device') as device,
    max(m.value #>> '{}') filter (where m.key = 'batch') as batch,
    max(m.value #>> '{}') filter (where m.key = 'previous') as previous,
    max(m.value #>> '{}') filter (where m.key = 'cursor') as cursor,
    (array_agg(m.value) filter (where m.key = 'entities'))[1] as entities,
    (array_agg(m.value) filter (where m.key = 'changes'))[1] as changes,
    (array_agg(m.value) filter (where m.key = 'limit'))[1] as "limit",
    (array_agg(m.value) filter (where m.key = 'records'))[1] as records,
    coalesce(bool_or(m.value #>> '{}' = 'true') filter (where m.key = 'evicts'), false) as evicts,
    count(*) > count(distinct m.key) as repeats_member
  into request
  from (
    select e.key, case when json_typeof(e.value) <> 'null' then e.value end as value
    from json_each(case json_typeof(masked) when 'object' then masked else '{}' end) as e
  ) as m;
  if request.repeats_member then
    return entitysync.problem(400, 'malformed', 'Bad Request', 'A member stands twice.');
  end if;
  next_text := request.cursor;
  if coalesce(request.device, '') !~ '^[0-9a-f]{16}$' then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''device'' is missing, or is not 16 digits.');
  end if;
  if json_typeof(request.entities) is distinct from 'array' then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''entities'' is missing, or is no array.');
  end if;
  if coalesce(json_typeof(request.changes), 'array') <> 'array'
    or coalesce(json_typeof(request."limit"), 'number') <> 'number'
  then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''changes'' is no array, or ''limit'' is no number.');
  end if;
  if request.changes is not null then
    changes := array(select value from json_array_elements(request.changes));
    change_count := cardinality(changes);
  end if;
  max_records := least(coalesce((request."limit" #>> '{}')::numeric, 1000), 1000);
  if max_records < 1 then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''limit'' is less than 1.');
  end if;
  if change_count > 1000 or octet_length(given) > 4194304 then
    return entitysync.problem(
      413, 'too-large', 'Content Too Large', 'A request has at most 1000 changes and 4194304 bytes.'
    );
  end if;
  if change_count > 0 and coalesce(request.batch, '') = '' then
    return entitysync.problem(400, 'malformed', 'Bad Request', '''changes'' without ''batch''.');
  end if;
  if next_text is not null then
    cursor := entitysync.cursor_json(next_text);
    if cursor is null then
      return entitysync.problem(
        410, 'cursor-expired', 'Gone', 'The cursor is not one that this server gave: begin again without a cursor.'
      );
    end if;
  end if;
  select array_agg(e.name order by e.name) filter (where e.name = any (allowed_entities)),
    json_agg(
      json_build_object(
        'entity', e.name, 'rule', case when e.name = any (known_entities) then 'forbidden' else 'unknown' end
      )
      order by e.name
    ) filter (where e.name <> all (allowed_entities))
  into entities, unknown
  from (select distinct value collate "C" as name from json_array_elements_text(request.entities)) as e;
  entities := coalesce(entities, '{}');

  if change_count = 0 and request.records is null and cursor ->> 'device' = request.device
    and not cursor ?| '{target,isFullState}' and not entities && viewed and (
      select bool_and(cursor -> 'seen' -> e is not distinct from cursor -> 'seen' -> entities[1]) from unnest(entities) as e
    )
  then
    known := entitysync.unchanged(my_space, request.device, entities, cursor);
    if known.epoch is not null then
      return (
        '{"account":"' || my_space || '","epoch":"' || known.epoch
        || '","time":"' || entitysync.moment_text(clock_timestamp()) || '","limits":' || entitysync.limits()
        || coalesce(',"batch":' || to_json(known.batch), '') || coalesce(',"refused":' || unknown, '')
        || ',"results":[],"changes":[],"cursor":"' || next_text || '","more":false}'
      )::json;
    end if;
  end if;
  perform entitysync.plan_anew();
  is_adopting := exists (select from entitysync.adoption) and entitysync.adopt_piece(100);
  -- What other programs wrote is taken in first, by one exchange of the space at a time.
  is_waiting := exists (select from entitysync.log as l where l.space = my_space);
  is_locked := (change_count > 0 or is_waiting) and entitysync.lock_space(my_space);
  if change_count > 0 and not is_locked then
    return entitysync.busy('Another device of the account is pushing.');
  end if;
  known := entitysync.enter(request.device, change_count > 0);
  if is_waiting and is_locked then
    is_waiting := not entitysync.fold(my_space);
    has_folded := not entities <@ viewed;
    if change_count > 0 and is_waiting then
      return entitysync.busy(taken_in_first);
    end if;
  end if;
  if cursor is not null then
    if cursor ->> 'epoch' <> known.epoch or entitysync.is_lost(my_space, cursor) then
      return entitysync.problem(
        409, 'history-changed', 'Conflict', 'The cursor is of another history of these records.'
      );
    end if;
    -- Without changes it is enough to look after the page was made.
    if cursor ->> 'numbering' <> known.numbering::text
      or change_count > 0 and known.has_purged and entitysync.has_expired(cursor, entities)
    then
      return entitysync.problem(410, 'cursor-expired', 'Gone', expired);
    end if;
  end if;

  if change_count > 0 then
    if known.batch is distinct from request.batch and known.batch is distinct from request.previous then
      return entitysync.problem(
        409, 'device-copied', 'Conflict', 'The device''s last batch is not the one that the request names.'
      );
    end if;
    begin
      if change_count = 1 and not is_masked then
        usual := entitysync.push_one(my_space, changes[1], allowed_entities, viewed);
        if usual.result is not null then
          pushed_results := array[usual.result];
          own := array[usual.revision];
          has_grown := true;
        end if;
      end if;
      if not has_grown then
        select p.results, p.own, p.has_grown into pushed_results, own, has_grown
        from entitysync.push(my_space, allowed_entities, viewed, changes, is_masked, false) as p;
      end if;
    exception
      -- Some change holds what PostgreSQL cannot read, such as the number 1e200000. It is refused alone.
      when numeric_value_out_of_range or invalid_text_representation or untranslatable_character then
        select p.results, p.own, p.has_grown into pushed_results, own, has_grown
        from entitysync.push(my_space, allowed_entities, viewed, changes, is_masked, true) as p;
    end;
    perform set_config('plan_cache_mode', plans, true);
    if pushed_results is null then
      return entitysync.busy(taken_in_first);
    end if;
    -- What is left of what triggers and cascades of yours made of it.
    if exists (select from entitysync.log as l where l.space = my_space) then
      is_waiting := not entitysync.fold(my_space);
      has_folded := not entities <@ viewed;
    end if;
    -- For the metrics of a server: how many changes were accepted, conflicts and refused.
    perform set_config(
      'entitysync.outcome',
      (
        select count(*) filter (where r like '{"status":"accepted"%') || ' '
          || count(*) filter (where r like '{"status":"conflict"%') || ' '
          || count(*) filter (where r like '{"status":"refused"%')
        from unnest(pushed_results) as r
      ),
      true
    );
    if change_count > 1 and (select sum(octet_length(r)) from unnest(pushed_results) as r) > 4194304 then
      -- Raised, so that nothing is stored; PostgREST answers what it says.
      raise sqlstate 'PGRST' using
        message = json_build_object(
          'code', 'too-large', 'message', 'The answer to so many changes is too large: send fewer at once.'
        )::text,
        detail = '{"status":413,"headers":{}}';
    end if;
  end if;

  if viewed && entities then
    looked := entitysync.look(my_space, request.device, viewed, is_locked);
    has_folded := has_folded or looked.has_moved;
    is_adopting := is_adopting or not looked.is_complete;
  end if;
  if has_grown or has_folded then
    own_xid := pg_current_xact_id();
  end if;
  snapshot := pg_current_snapshot();
  is_full_state := cursor is null or coalesce((cursor ->> 'isFullState')::boolean, false);
  foreach entity in array entities loop
    bases := array_append(bases, (cursor -> 'seen' ->> entity)::pg_snapshot);
    is_new := is_new or bases[cardinality(bases)] is null;
  end loop;
  target := (cursor ->> 'target')::pg_snapshot;
  if target is not null and cursor -> 'after' ->> 2 = array_to_string(entities, ' ') then
    after_xid := (cursor -> 'after' ->> 0)::xid8;
    after_number := (cursor -> 'after' ->> 1)::bigint;
  else
    -- With what this transaction wrote: what triggers and cascades made of the changes is news for the device, too.
    target := case when own_xid is null then snapshot else entitysync.with_own(snapshot, own_xid) end;
  end if;
  page := entitysync.page(
    entities, viewed, bases, target, after_xid, after_number, own, request.evicts,
    max_records, 1048576
  );
  if cardinality(page.hidden) > 0 then
    perform entitysync.hide(page.hidden);
  end if;

  -- Looked up here, because nearly always nothing was ever purged.
  if cursor is not null and exists (
    select from entitysync.space as s
    where s.id = my_space and (s.floor > '0' or exists (select from entitysync.purged as p where p.space = my_space))
  ) and entitysync.has_expired(cursor, entities) then
    if change_count = 0 then
      return entitysync.problem(410, 'cursor-expired', 'Gone', expired);
    end if;
    -- A purge that ended meanwhile may have taken what the page should have held. Raised, so that nothing is stored.
    raise sqlstate 'PGRST' using
      message = json_build_object('code', 'cursor-expired', 'message', expired)::text,
      detail = '{"status":410,"headers":{}}';
  end if;
  has_more := page.has_more or is_waiting and is_locked or is_adopting;
  if page.has_more then
    next_cursor := jsonb_build_object(
      'seen', coalesce(cursor -> 'seen', '{}'), 'target', target::text,
      'after', jsonb_build_array(page.last_xid::text, page.last_number, array_to_string(entities, ' ')),
      'isFullState', is_full_state
    );
  elsif cursor is null or page.shown > 0 or cursor ? 'target' or cardinality(own) > 0
    or is_new or own_xid is not null
  then
    next_cursor := jsonb_build_object(
      'seen',
      coalesce(cursor -> 'seen', '{}') || coalesce(
        (select jsonb_object_agg(e, target::text) from unnest(entities) as e), '{}'
      )
    ) || case when has_more and is_full_state then '{"isFullState":true}' else '{}'::jsonb end;
  elsif cardinality(entities) = 0 and change_count > 0 then
    next_cursor := cursor - 'serial';
  end if;
  -- Where there is more, the device asks on with a cursor of its own, also if this page told nothing.
  if next_cursor is not null or change_count > 0 or has_more then
    serial := coalesce(known.serial, 0) + 1;
    -- The batch that was stored, and how many cursors the device was given.
    insert into entitysync.device as d (space, device, batch, serial)
    values (my_space, request.device, case when change_count > 0 then request.batch end, serial)
    on conflict (space, device) do update set
      batch = coalesce(excluded.batch, d.batch), serial = greatest(d.serial, excluded.serial), seen_at = now();
    if next_cursor is null then
      next_cursor := cursor;
    end if;
    next_text := entitysync.cursor_text(
      next_cursor || jsonb_build_object(
        'epoch', known.epoch, 'numbering', known.numbering, 'device', request.device, 'serial', serial
      )
    );
    if change_count > 0 and cursor is not null then
      -- Where the request stood, by a cursor that knows of its changes.
      acknowledged := entitysync.cursor_text(
        cursor || jsonb_build_object('device', request.device, 'serial', serial)
      );
    end if;
  elsif page.shown = 0 then
    differing := entitysync.compare(request.device, request.records, target);
  end if;

  return (
    '{"account":"' || my_space || '","epoch":"' || known.epoch
    || '","time":"' || entitysync.moment_text(clock_timestamp()) || '","limits":' || entitysync.limits()
    || coalesce(
      ',"batch":' || to_json(case when change_count > 0 then request.batch else known.batch end), ''
    )
    || coalesce(',"refused":' || unknown, '')
    || case when cardinality(differing) > 0 then ',"differing":' || to_json(differing) else '' end
    || ',"results":[' || coalesce(array_to_string(pushed_results, ','), '') || ']'
    || case when is_full_state then ',"snapshot":true' else '' end
    || ',"changes":['
    -- NB: in two steps, because each one copies all entries.
    || coalesce(page.entries, '')
    || (
      '],"cursor":"' || next_text || '"' || coalesce(',"acknowledged":"' || acknowledged || '"', '')
      || ',"more":' || has_more || '}'
    )
  )::json;
end
$$;

-- A Supabase app calls it by POST /rest/v1/rpc/entitysync_exchange with the request as body.
create or replace function public.entitysync_exchange(json) returns json
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return entitysync.exchange(entitysync.my_space(), $1);
end
$$;

comment on function public.entitysync_exchange(json) is
  'EntitySync: one exchange of protocol v1. Stores the changes of a device, and returns what is new for it.';
