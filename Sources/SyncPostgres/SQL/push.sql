-- Changes that a device sends -------------------------------------------------------------------------------------

do $$
begin
  if to_regtype('entitysync.change') is null then
    create type entitysync.change as (
      position integer, id uuid, entity text, key text, edit text, sent text, vector text, base text,
      is_deleted boolean, merged_into text, detail json, body json,
      -- Whether a live row is there to be updated, and whether the server changes what was sent.
      lives boolean, is_lowered boolean,
      -- The body, as it was read.
      value jsonb,
      -- The elements of the fields that merge as sets.
      sets jsonb,
      -- The space of the record: another one than the caller's if it is of somebody else.
      space uuid
    );
    create type entitysync.verdict as (
      position integer, id uuid, status text, rule text, reason text, revision text, shows_stored boolean,
      -- The key of the record that a refused change clashes with.
      other text
    );
  end if;
  if to_regtype('entitysync.written') is null then
    -- What became of a change in the tables.
    create type entitysync.written as (
      position integer,
      -- The body, if the row does not say the same, and the elements of the fields that merge as sets.
      body json, sets jsonb,
      -- One bit per column whose value the table altered.
      altered bigint
    );
  end if;
end
$$;

do $$
declare
  lacking record;
begin
  for lacking in
    select * from (
      values ('verdict', 'other', 'text'), ('change', 'value', 'jsonb'), ('change', 'sets', 'jsonb'),
        ('change', 'space', 'uuid')
    ) as v (type, name, kind)
    where not exists (
      select from pg_catalog.pg_attribute as a
      join pg_catalog.pg_class as c on c.oid = a.attrelid and c.relname = v.type
      where c.relnamespace = 'entitysync'::regnamespace and a.attname = v.name
    )
  loop
    execute format('alter type entitysync.%I add attribute %I %s', lacking.type, lacking.name, lacking.kind);
  end loop;
end
$$;

-- Until 1.0.0.
drop function if exists entitysync.lock_states(uuid[]);
drop function if exists entitysync.note_alteration(text, text, jsonb, jsonb, jsonb, text[]);
drop function if exists entitysync.attempt(entitysync.change[]);
drop function if exists entitysync.store(entitysync.change[]);

-- Locks the rows of changes. A program that holds one may want another one next, so nobody waits here with rows in hand:
-- all are given back, and tried again for two seconds. Rows of tables that the caller may not change are not locked.
create or replace function entitysync.lock_rows(changes entitysync.change[]) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  started timestamptz := clock_timestamp();
  part entitysync.change[];
begin
  loop
    begin
      begin
        perform entitysync.try_lock(changes);
      exception
        when insufficient_privilege then
          for part in select array_agg(c order by c.position) from unnest(changes) as c group by c.entity loop
            begin
              perform entitysync.try_lock(part);
            exception
              when insufficient_privilege then null;
            end;
          end loop;
      end;
      return true;
    exception
      -- Its end gives the locks back.
      when lock_not_available then null;
    end;
    if clock_timestamp() > started + entitysync.patience() then
      return false;
    end if;
    perform pg_sleep(0.005 + random() * 0.01);
  end loop;
end
$$;

-- Stores the states of changes that were written. Called under the account's lock, after the fold.
create or replace function entitysync.store(changes entitysync.change[])
returns table ("position" integer, revision text)
language plpgsql
set search_path = pg_catalog, pg_temp
-- Each by its key: all states of an account are many more.
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
  with numbered as materialized (
    select n.*, entitysync.new_revision(n.number) as new_revision
    from (
      select c.*, nextval('entitysync.numbers') as number
      from (select * from unnest(changes) as c order by c.position) as c
    ) as n
  ), changed as (
    update entitysync.state as s set
      xid = pg_current_xact_id(), number = n.number, revision = n.new_revision, is_deleted = n.is_deleted,
      edit = n.edit, sent = n.sent, vector = n.vector, detail = n.detail, merged_into = n.merged_into, body = n.body,
      sets = n.sets, stored_at = now()
    from numbered as n
    where n.base is not null and s.space = n.space and s.id = n.id
    returning n.position, n.new_revision
  ), made as (
    insert into entitysync.state (
      space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, merged_into, body, sets
    )
    select n.space, n.id, n.entity, n.key, pg_current_xact_id(), n.number, n.new_revision, n.is_deleted, n.edit,
      n.sent, n.vector, n.detail, n.merged_into, n.body, n.sets
    from numbered as n
    where n.base is null
  )
  select c.position, c.new_revision from changed as c
  union all
  select n.position, n.new_revision from numbered as n where n.base is null;
end
$$;

-- Compares changes of different records with what is stored, writes those that go on from it, and says what became of
-- each.
create or replace function entitysync.take(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  verdicts entitysync.verdict[];
  writes entitysync.change[];
  refused entitysync.verdict[];
begin
  with met as (
    select c as change, s.revision, s.edit as known_edit, not s.is_deleted as lives,
      case
        when s.revision is null then case when c.base is null then 'write' else 'conflict' end
        when s.vector = c.vector and (s.edit = c.edit or s.sent = c.edit) then 'repeated'
        -- A deleted record that the account never saw is none.
        when s.is_deleted and c.base is null and s.entity = any (entitysync.viewed_entities()) and not exists (
          select from entitysync.view as v where v.space = entitysync.reader() and v.id = s.id and not v.is_hidden
        )
          then 'write'
        when c.base is distinct from s.revision or not entitysync.covers(c.vector, s.vector) then 'conflict'
        else 'write'
      end as status
    from unnest(changes) as c
    -- Each by its key: all states of an account are many more.
    left join lateral (
      select s.* from entitysync.state as s where s.space = c.space and s.id = c.id offset 0
    ) as s on true
  )
  select
    array_agg(
      row(
        (change).position, (change).id, case status when 'repeated' then 'accepted' else status end, null, null,
        revision, known_edit <> (change).edit, null
      )::entitysync.verdict
    ) filter (where status <> 'write'),
    array_agg(
      row(
        (change).position, (change).id, (change).entity, (change).key, (change).edit, (change).sent,
        (change).vector, revision, (change).is_deleted, (change).merged_into, (change).detail, (change).body,
        coalesce(lives, false), false, (change).value, null, (change).space
      )::entitysync.change
    ) filter (where status = 'write')
  into verdicts, writes
  from met;
  if writes is null then
    return verdicts;
  end if;
  refused := array(
    select row(
      f.position, f.id, 'refused', split_part(f.reason, ': ', 1), substr(f.reason, strpos(f.reason, ': ') + 2), null,
      false, null
    )::entitysync.verdict
    from entitysync.misfits(writes) as f
  );
  if cardinality(refused) > 0 then
    writes := array(
      select c from unnest(writes) as c
      where c.position <> all (array(select r.position from unnest(refused) as r)) order by c.position
    );
  end if;
  if entitysync.are_ahead(writes) then
    writes := entitysync.lowered_changes(writes);
  end if;
  return verdicts || refused || entitysync.write_changes(writes);
end
$$;

-- Whether a time of a change is too far ahead: of an edit, or of the field that says when the record changed. A text in
-- `detail` that looks like an edit timestamp may count, too: lowered_changes tells them apart.
create or replace function entitysync.are_ahead(changes entitysync.change[]) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from unnest(changes) as c
    where split_part(c.edit, '.', 1)::bigint > (select entitysync.microseconds(now()) + 300000000)
      or not c.is_deleted and entitysync.moment(c.value ->> entitysync.updated_member(c.entity)) > now() + interval '5 minutes'
      or c.detail is not null and exists (
        select from regexp_matches(c.detail::text, '"([0-9]{1,19})[.][0-9a-f]{16}[.]', 'g') as t
        where t[1]::numeric > entitysync.microseconds(now()) + 300000000
      )
  );
end
$$;

-- Brings down times that are too far ahead.
create or replace function entitysync.lowered_changes(changes entitysync.change[]) returns entitysync.change[]
language sql
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    array_agg(
      row(
        c.position, c.id, c.entity, c.key,
        case when t.lowered = t.edit_time then c.edit else t.lowered || substr(c.edit, strpos(c.edit, '.')) end,
        c.edit, c.vector, c.base, c.is_deleted, c.merged_into, d.lowered,
        case when u.value is null then c.body else u.value::text::json end,
        c.lives, t.lowered <> t.edit_time or u.value is not null or d.lowered::text <> c.detail::text,
        coalesce(u.value, c.value), null, c.space
      )::entitysync.change
      order by c.position
    ),
    '{}'
  )
  from unnest(changes) as c
  left join entitysync.state as s on s.space = c.space and s.id = c.id
  cross join lateral (
    select split_part(c.edit, '.', 1)::bigint as edit_time,
      entitysync.lowered(split_part(c.edit, '.', 1)::bigint, s.edit) as lowered
  ) as t
  cross join lateral (
    select case when c.detail is not null then entitysync.lowered_detail(c.detail, s.edit) end as lowered
  ) as d
  left join lateral (
    -- NB: some versions make it also for entities without such a member.
    select c.value || jsonb_build_object(
      coalesce(n.name, ''), entitysync.moment_text('epoch'::timestamptz + l.lowered * interval '1 microsecond')
    ) as value
    from (
      select m.name, entitysync.microseconds(entitysync.moment(c.value ->> m.name)) as updated
      from (select entitysync.updated_member(c.entity) as name where not c.is_deleted offset 0) as m
      offset 0
    ) as n
    cross join lateral (select entitysync.lowered(n.updated, s.edit) as lowered) as l
    where l.lowered <> n.updated
  ) as u on true
$$;

-- Until 1.0.0 it was not told what the database named.
drop function if exists entitysync.refused(uuid, entitysync.change, text, text);

-- Why the database refused a change, as one sentence. It has names of the table, and what a trigger of yours says:
-- messages of PostgreSQL itself may hold values.
create or replace function entitysync.reason(code text, named_column text, named_constraint text, message text)
returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    -- What a trigger says to the user; the database itself always names a column or a constraint in class 23.
    when btrim(message) <> '' and (
      code = 'P0001' or code like 'PT%' or code like '23%' and coalesce(named_column, '') || coalesce(named_constraint, '') = ''
    ) then left(message, 1000)
    else
      case code
        when '23505' then 'Another record has the same value of a unique field'
        when '22001' then 'A text is longer than its column'
        when '22003' then 'A number is outside the range of its column'
        when '22008' then 'A date or time is none that there is'
        when '22P02' then 'A value is none of the type of its column'
        when '42501' then 'The account may not write this record'
        when '23502' then 'A column of the table needs a value'
        when '23503' then 'A record that it refers to is not there, or another one refers to it'
        when '23514' then 'A check of the table does not allow the record'
        when '23P01' then 'Another record excludes this one'
        when '55P03' then 'Another program holds the record'
        when '40P01' then 'Another program holds the record'
        when '40001' then 'Another program holds the record'
        when '57014' then 'The database did not write the record in time'
        when 'ES001' then 'The table would alter what was written'
        else 'The database does not take the record'
      end || coalesce(
        ' (' || nullif(
          concat_ws(
            ', ', 'column ' || nullif(named_column, ''), 'constraint ' || nullif(named_constraint, '')
          ),
          ''
        ) || ')',
        ''
      ) || '.'
  end
$$;

-- What the database refused a change for.
create or replace function entitysync.refused(
  change entitysync.change, code text, index text, reason text
) returns entitysync.verdict
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if code = '23505' and entitysync.fold(change.space) and exists (
    select from entitysync.state as s
    where s.space = change.space and s.id = change.id and s.revision is distinct from change.base
  ) then
    -- Another program had made the same record at this moment.
    return row(change.position, change.id, 'conflict', null, null, null, false, null)::entitysync.verdict;
  end if;
  return row(
    change.position, change.id, 'refused',
    case code
      when '23505' then 'unique'
      when '22001' then 'length'
      when '22003' then 'range'
      when '22008' then 'range'
      when '22P02' then 'type'
      when '42501' then 'row-level-security'
      when '23503' then 'reference'
      when '23514' then 'check'
      when 'ES001' then 'altered'
      when '55P03' then 'busy'
      when '40P01' then 'busy'
      when '40001' then 'busy'
      when '57014' then 'busy'
      else 'sql-' || code
    end,
    reason, null, false,
    case when code = '23505' and not change.is_deleted then entitysync.other_record(change, index) end
  )::entitysync.verdict;
end
$$;

-- Writes the rows of different changes. What does not fit is found in pieces of 20, and row by row within those that fail,
-- so that one bad record never keeps others from being stored.
create or replace function entitysync.write_pieces(
  changes entitysync.change[], size integer,
  out done entitysync.written[], out refused entitysync.verdict[]
)
language plpgsql
-- Triggers and policies of yours find what they find for PostgREST.
set search_path = pg_catalog, public, extensions, pg_temp
set plan_cache_mode = auto
as $$
declare
  piece entitysync.change[];
  written entitysync.written[];
  part record;
  code text;
  index text;
  reason text;
  named_column text;
  message text;
  failed integer := 0;
begin
  refused := '{}';
  for start in 1..cardinality(changes) by size loop
    piece := case when cardinality(changes) <= size then changes else changes[start:start + size - 1] end;
    perform entitysync.plan_for(cardinality(piece));
    -- Where half of the pieces fail, each row alone is faster.
    if size > 1 and failed * 2 * size > start then
      code := 'many';
    else
      begin
        written := entitysync.write_rows(piece);
        -- What a constraint would say at the end of the transaction is about these records.
        set constraints all immediate;
        done := done || written;
        continue;
      exception
        when lock_not_available or deadlock_detected or serialization_failure or query_canceled then
          -- Another program holds a record, or one that it refers to. Each time takes a while: a request with several
          -- changes comes again in parts. So it does if the statement as a whole has no more time.
          if cardinality(piece) > 1 or cardinality(refused) > 3 or sqlstate = '57014' and clock_timestamp()
            >= statement_timestamp() + nullif(current_setting('statement_timeout')::interval, interval '0')
          then
            raise;
          end if;
          code := sqlstate;
          reason := entitysync.reason(code, null, null, null);
        -- These are about the database, not about a record: the client tries again.
        when disk_full or out_of_memory or too_many_connections or admin_shutdown or crash_shutdown or io_error
        then
          raise;
        -- The others do not include what ASSERT raises.
        when others or assert_failure then
          get stacked diagnostics
            index = constraint_name, named_column = column_name, message = message_text;
          code := sqlstate;
          reason := entitysync.reason(code, named_column, index, message);
      end;
    end if;
    if cardinality(piece) = 1 then
      failed := failed + 1;
      refused := refused || entitysync.refused(piece[1], code, index, reason);
    else
      part := entitysync.write_pieces(piece, case when size <= 20 then 1 else 20 end);
      failed := failed + (cardinality(part.refused) > 0)::integer;
      done := done || part.done;
      refused := refused || part.refused;
    end if;
  end loop;
end
$$;

-- Keeps the states of changes whose rows were written. What the table made of a row is a version of the server's on top of
-- what was sent, one tick later.
create or replace function entitysync.keep(changes entitysync.change[], done entitysync.written[])
returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  stored entitysync.change[];
begin
  stored := array(
    select case
      when w.altered <> 0 then row(
        c.position, c.id, c.entity, c.key, a.edit, c.edit, entitysync.with_edit(c.vector, a.device, a.number), c.base,
        c.is_deleted, c.merged_into,
        entitysync.edited_detail(
          c.detail, c.edit, a.edit, w.altered, entitysync.paths(c.entity), entitysync.units(c.entity),
          entitysync.sets(c.entity, c.value), w.sets
        ),
        w.body, c.lives, true, null, w.sets, c.space
      )::entitysync.change
      else row(
        c.position, c.id, c.entity, c.key, c.edit, c.sent, c.vector, c.base, c.is_deleted, c.merged_into, c.detail,
        w.body, c.lives, c.is_lowered, null, w.sets, c.space
      )::entitysync.change
    end
    from unnest(done) as w (position, body, sets, altered)
    join unnest(changes) as c on c.position = w.position
    left join lateral (
      select n.number, n.device,
        (split_part(c.edit, '.', 1)::bigint + 1) || '.' || n.device || '.' || n.number as edit
      from (
        select entitysync.edit_number(nextval('entitysync.numbers'), c.vector, d.device) as number, d.device
        from (select entitysync.server_device(c.space) as device) as d
        where w.altered <> 0
      ) as n
    ) as a on true
  );
  -- Where the table altered whether the record is deleted, its row is looked at once more.
  insert into entitysync.log (space, entity, op, mask, keys)
  select c.space, c.entity, 'u', 0, array[c.key]
  from unnest(done) as w (position, body, sets, altered)
  join unnest(changes) as c on c.position = w.position
  where w.altered & entitysync.deleted_bit(c.entity) <> 0;
  return array(
    select row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered, null)::entitysync.verdict
    from entitysync.store(stored) as s
    join unnest(stored) as c on c.position = s.position
  );
end
$$;

-- Writes rows, then the states of those that were written.
create or replace function entitysync.write_changes(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  part record;
begin
  if cardinality(changes) = 0 then
    return '{}';
  end if;
  part := entitysync.write_pieces(changes, greatest(cardinality(changes), 2));
  return entitysync.keep(changes, part.done) || part.refused;
end
$$;

-- Stores changes of different records. Those that clashed with another record of the request are tried again as long as
-- others are stored: with what is stored by then, such as the delete of the other record, they may fit.
create or replace function entitysync.take_all(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  verdicts entitysync.verdict[] := entitysync.take(changes);
  again entitysync.change[];
  tried integer := cardinality(changes);
begin
  loop
    again := array(
      select c from unnest(changes) as c
      join unnest(verdicts) as v on v.position = c.position
      where v.status = 'refused' and v.rule in ('unique', 'reference')
      order by c.position
    );
    if cardinality(again) in (0, tried) then
      return verdicts;
    end if;
    tried := cardinality(again);
    verdicts := array(
      select v from unnest(verdicts) as v where v.position <> all (array(select c.position from unnest(again) as c))
    ) || entitysync.take(again);
  end loop;
end
$$;

-- Until 1.0.0 it had no `other`. With both of them, a call would not say which is meant.
drop function if exists entitysync.refusal(text, text);

-- One result of protocol v1 that refuses a change. `other` is the key of a record that it clashes with, if it is known.
create or replace function entitysync.refusal(rule text, reason text, other text default null) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select '{"status":"refused","rule":' || to_json(rule) || ',"reason":' || to_json(reason)
    || coalesce(',"other":' || to_json(other), '') || '}'
$$;

-- Until 1.0.0 it took the space from the caller's token.
drop function if exists entitysync.push(json, boolean);
-- Until 1.0.0 a number that PostgreSQL cannot hold failed the request.
drop function if exists entitysync.push(uuid, text[], text[], json, boolean);

-- Stores the changes of a request, each with a result of its own, in their order. `own` are the states of accepted
-- changes, stored now or before: the device has them, or the result shows what was stored in their place. `has_grown`
-- is whether something was stored now. `results` is null if other programs changed so many of the rows' records that
-- they could not be taken in first: then nothing is stored. `is_odd`: whether some change may hold a number or a text
-- that PostgreSQL cannot read.
create or replace function entitysync.push(
  my_space uuid, allowed_entities text[], viewed text[], sent json[], is_masked boolean, is_odd boolean,
  out results text[], out own text[], out has_grown boolean
)
language plpgsql
set search_path = pg_catalog, pg_temp
-- Shorter than deadlock_timeout: where unique indexes or foreign keys make it wait for another program, it gives up first.
set lock_timeout = '300ms'
-- A session keeps its plans, also those from when a table was empty: they shall be the ones by the keys.
set enable_seqscan = off
as $$
declare
  known_entities text[] := entitysync.known_entities();
  changes entitysync.change[];
  verdicts entitysync.verdict[] := '{}';
  change entitysync.change;
  unlocked entitysync.change[];
  held entitysync.change[];
  ids uuid[];
  spaces uuid[];
  -- The accounts of records that are somebody else's.
  others uuid[];
  other uuid;
begin
  -- Its plan depends on no table.
  perform entitysync.plan_for(1);
  -- NB: each `offset 0` has its columns computed once, without a copy of all changes in between.
  with given as not materialized (
    -- Each change is read once, and its body once more as it was sent. Of a member that stands twice, the last one counts.
    select e.ordinality::integer as position, e.value,
      case
        when json_typeof(e.value) = 'object' and (not is_odd or entitysync.is_plain_json(e.value)) then e.value::jsonb
        else '{}'
      end as members
    from unnest(sent) with ordinality as e (value)
    offset 0
  ), element as not materialized (
    select x.position, x.value, x.entity, x.key, x.mark, x.base, x.merged, x.is_deleted, x.has_members, x.own_entry, x.body_value,
      case when x.has_members then x.value -> 'body' end as body,
      case when x.has_detail then x.value -> 'detail' end as detail,
      case
        when x.vector is null then x.own_entry
        when x.vector ~ '^[0-9a-f]{16}:[1-9][0-9]{0,17}$' then x.vector
        else entitysync.normal_vector(x.vector)
      end as full_vector
    from (
      select g.position, g.value, g.members ->> 'entity' as entity, g.members ->> 'key' as key, g.members ->> 'mark' as mark,
        g.members ->> 'base' as base, g.members ->> 'merged' as merged, g.members ->> 'vector' as vector,
        coalesce(g.members ->> 'deleted' = 'true', false) as is_deleted, g.members -> 'body' as body_value,
        coalesce(jsonb_typeof(g.members -> 'detail'), 'null') <> 'null' as has_detail,
        split_part(g.members ->> 'mark', '.', 2) || ':' || split_part(g.members ->> 'mark', '.', 3) as own_entry,
        (
          jsonb_typeof(g.members -> 'entity') = 'string' and jsonb_typeof(g.members -> 'key') = 'string'
            and jsonb_typeof(g.members -> 'mark') = 'string' and jsonb_typeof(g.members -> 'body') <> 'null'
            and coalesce(jsonb_typeof(g.members -> 'vector'), 'null') in ('string', 'null')
            and coalesce(jsonb_typeof(g.members -> 'base'), 'null') in ('string', 'null')
            and coalesce(jsonb_typeof(g.members -> 'merged'), 'null') in ('string', 'null')
            and coalesce(jsonb_typeof(g.members -> 'deleted'), 'null') in ('boolean', 'null')
        ) is true as has_members
      from given as g
      offset 0
    ) as x
    offset 0
  ), checked as not materialized (
    select e.*,
      case
        when is_odd and not entitysync.is_plain_json(e.value)
          then entitysync.refusal('json', 'PostgreSQL cannot hold a number or a text of it.')
        when not e.has_members or e.full_vector is null or not entitysync.is_edit(e.mark)
          or e.detail is not null and not entitysync.is_detail(e.detail)
          then entitysync.refusal('malformed', 'This is not a change as the protocol writes it.')
        -- NB: nobody sends the character that stands for U+0000 here: Unicode reserves it.
        when is_masked and strpos(e.value::text, '\ufdd0') > 0
          then entitysync.refusal('json', 'PostgreSQL cannot hold U+0000.')
        when octet_length(e.body::text) > 1000 and entitysync.is_too_deep(e.body)
          then entitysync.refusal('json', 'The body holds values nested too deeply.')
        when e.entity <> all (known_entities)
          then entitysync.refusal('unknown-entity', 'The server does not know the entity.')
        when e.entity <> all (allowed_entities)
          then entitysync.refusal('forbidden', 'The account may not exchange the entity.')
        when e.key = '' then entitysync.refusal('key', 'The key is empty.')
        when not entitysync.is_key(e.entity, e.key)
          then entitysync.refusal('key', 'The key is not that of the body.')
        when length(e.full_vector) > 180000 and length(e.full_vector) - length(replace(e.full_vector, ',', '')) >= 10000
          then entitysync.refusal('vector', 'The vector holds more than 10000 devices.')
        when e.full_vector <> e.own_entry and not entitysync.covers(e.full_vector, e.own_entry)
          then entitysync.refusal('vector', 'The version vector does not include the edit itself.')
      end as refusal
    from element as e
    offset 0
  )
  -- Aggregates without an order take the changes as they come, which is as they were sent: to sort their bodies takes long.
  select array_agg(refusal),
    coalesce(
      array_agg(
        row(
          position, id, entity, key, mark, mark, full_vector, base,
          is_deleted, merged, detail, body, false, false, body_value, null, space
        )::entitysync.change
      ) filter (where refusal is null),
      '{}'
    ),
    array_agg(id) filter (where refusal is null), array_agg(space) filter (where refusal is null)
  into results, changes, ids, spaces
  from (
    select p.*, case when p.refusal is null then entitysync.record_id(p.space, p.entity, p.key) end as id
    from (
      select c.*,
        coalesce(
          case
            when c.entity = any (viewed) then (
              -- What goes on from a version is about its record, also if that is hidden or deleted now.
              select v.owner from entitysync.view as v
              left join entitysync.state as s on s.space = v.owner and s.id = v.id
              where v.space = entitysync.reader() and v.entity = c.entity and md5(v.key) = md5(c.key) and v.key = c.key
                and (not v.is_hidden or c.base is not null)
              order by v.is_hidden, coalesce(s.is_deleted, true), v.owner <> my_space limit 1
            )
          end,
          my_space
        ) as space
      from checked as c
      offset 0
    ) as p
    offset 0
  ) as c;
  perform entitysync.plan_for(cardinality(changes));
  others := array(select distinct s from unnest(spaces) as s where s <> my_space);
  foreach other in array others loop
    if not entitysync.lock_space(other) then
      raise lock_not_available using message = 'Another account is pushing.';
    end if;
  end loop;
  if not entitysync.lock_rows(changes) then
    -- What nobody else holds is stored all the same, unless a program holds much.
    unlocked := '{}';
    perform set_config('lock_timeout', '20ms', true);
    for round in 1..2 loop
      held := '{}';
      foreach change in array changes loop
        begin
          perform entitysync.try_lock(array[change]);
          unlocked := unlocked || change;
        exception
          when insufficient_privilege then
            unlocked := unlocked || change;
          when lock_not_available then
            held := held || change;
            if cardinality(held) > 5 then
              raise;
            end if;
        end;
      end loop;
      changes := held;
    end loop;
    if cardinality(unlocked) = 0 and cardinality(held) > 1 then
      raise lock_not_available using message = 'Another program holds the rows of the request.';
    end if;
    foreach change in array held loop
      results[(change).position] := entitysync.refusal('busy', entitysync.reason('55P03', null, null, null));
    end loop;
    perform set_config('lock_timeout', '300ms', true);
    changes := unlocked;
  end if;
  if exists (select from entitysync.adoption) then
    -- A row that nobody has looked at yet is a version, too.
    insert into entitysync.log (space, entity, op, keys)
    select c.space, c.entity, 'a', array_agg(c.key)
    from unnest(changes) as c
    where not exists (select from entitysync.state as s where s.space = c.space and s.id = c.id)
    group by c.space, c.entity;
  end if;
  foreach other in array my_space || others loop
    if not entitysync.fold(other) then
      -- Not raised: what was taken in now stays so, and the next push goes on from there.
      results := null;
      return;
    end if;
  end loop;
  perform entitysync.bury(changes);
  if (select count(distinct i) < count(*) from unnest(ids) as i) then
    -- A record twice: its second change is made on the first one.
    foreach change in array changes loop
      verdicts := verdicts || entitysync.take(array[change]);
    end loop;
  elsif cardinality(changes) > 0 then
    verdicts := entitysync.take_all(changes);
  end if;
  -- What triggers of yours made of rows after they were written is shown with the results.
  foreach other in array my_space || others loop
    perform entitysync.fold(other);
  end loop;
  with met as materialized (
    select v.*, s.revision as present,
      v.status = 'conflict' or v.status = 'accepted' and (v.shows_stored or s.revision <> v.revision) as shows_entry,
      v.status = 'accepted' and s.xid = pg_current_xact_id_if_assigned() as is_new
    from unnest(verdicts) as v
    join unnest(changes) as c on c.position = v.position
    left join lateral (
      select s.revision, s.xid from entitysync.state as s
      where s.space = c.space and s.id = v.id and v.status <> 'refused'
      offset 0
    ) as s on true
  ), answered as (
    select m.position,
      case m.status
        when 'refused' then entitysync.refusal(m.rule, m.reason, m.other)
        -- The caller may not read the record, or never saw it while it lived: there is nothing to merge with.
        when 'conflict' then case
          when m.present is not null and e.entry is null
            then entitysync.refusal('row-level-security', entitysync.reason('42501', null, null, null))
          else '{"status":"conflict"' || coalesce(',"current":' || e.entry, '') || '}'
        end
        else '{"status":"accepted","revision":"' || m.present || '"'
          || case when m.shows_entry then coalesce(',"stored":' || e.entry, '') else '' end || '}'
      end as result
    from met as m
    left join entitysync.entries(
      array(
        select s from entitysync.state as s
        where (s.space, s.id) in (
          select c.space, c.id from unnest(changes) as c join met as m on m.position = c.position and m.shows_entry
        )
          -- A deleted record has no row by which policies decide: who never saw it is told nothing of it.
          and (not s.is_deleted or s.entity <> all (viewed) or exists (
            select from entitysync.view as v where v.space = entitysync.reader() and v.id = s.id and not v.is_hidden
          ))
      )
    ) as e on e.id = m.id
  )
  select array_agg(coalesce(results[p.position], a.result) order by p.position),
    coalesce((select array_agg(present) from met where status = 'accepted'), '{}'),
    exists (select from met where is_new)
  into results, own, has_grown
  from generate_subscripts(results, 1) as p (position)
  left join answered as a on a.position = p.position;
end
$$;
