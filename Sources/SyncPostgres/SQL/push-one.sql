-- The usual push --------------------------------------------------------------------------------------------------

-- Stores one change that goes on from what is stored, and gives its result and the revision. Nearly every push has one
-- change, and takes as long as its statements take to begin: these are few, each of them by a key. Without a result,
-- nothing was stored: whatever is not that usual is for `push`.
create or replace function entitysync.push_one(
  my_space uuid, sent json, allowed_entities text[], viewed text[], out result text, out revision text
)
language plpgsql
-- Triggers and policies of yours find what they find for PostgREST.
set search_path = pg_catalog, public, extensions, pg_temp
-- As for `push`.
set lock_timeout = '300ms'
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_variable
declare
  given constant jsonb := sent::jsonb;
  value constant jsonb := given -> 'body';
  entity constant text := given ->> 'entity';
  key constant text := given ->> 'key';
  mark constant text := given ->> 'mark';
  base constant text := given ->> 'base';
  vector text := given ->> 'vector';
  own_entry constant text := split_part(mark, '.', 2) || ':' || split_part(mark, '.', 3);
  body constant json := sent -> 'body';
  detail constant json := case when jsonb_typeof(given -> 'detail') <> 'null' then sent -> 'detail' end;
  latest constant timestamptz := now() + interval '5 minutes';
  id uuid;
  number bigint;
  row_json text;
  known record;
  change entitysync.change;
  written entitysync.written;
  is_told boolean := false;
  entry text;
begin
  if (
    jsonb_typeof(given -> 'entity') = 'string' and jsonb_typeof(given -> 'key') = 'string'
      and jsonb_typeof(given -> 'mark') = 'string' and jsonb_typeof(value) = 'object'
      and coalesce(jsonb_typeof(given -> 'base'), 'null') in ('string', 'null')
      and coalesce(jsonb_typeof(given -> 'vector'), 'null') in ('string', 'null')
      and coalesce(given -> 'deleted', 'null') in ('false', 'null') and given ->> 'merged' is null
      and entity = any (allowed_entities) and entity <> all (viewed)
      and key <> '' and entitysync.is_edit(mark)
      and split_part(mark, '.', 1)::numeric <= entitysync.microseconds(latest)
  ) is not true then
    return;
  end if;
  if vector is null then
    vector := own_entry;
  elsif length(vector) > 1000 then
    return;
  elsif vector <> own_entry or vector !~ '^[0-9a-f]{16}:[1-9][0-9]{0,17}$' then
    vector := entitysync.normal_vector(vector);
    if entitysync.covers(vector, own_entry) is not true then
      return;
    end if;
  end if;
  if octet_length(body::text) > 1000 and entitysync.is_too_deep(body) then
    return;
  end if;
  if detail is not null then
    if not entitysync.is_detail(detail) or exists (
      select from regexp_matches(detail::text, '"([0-9]{1,19})[.][0-9a-f]{16}[.]', 'g') as t
      where t[1]::numeric > entitysync.microseconds(latest)
    ) then
      return;
    end if;
  end if;
  id := entitysync.record_id(my_space, entity, key);
  begin
    row_json := entitysync.locked_row(entity, my_space, key);
    if base is null and row_json is not null then
      -- The row of a deleted record.
      return;
    end if;
    -- Read after the row was locked: what other programs wrote before is in the log.
    select s.id is not null as is_there, s.revision, s.edit, s.sent, s.vector, not s.is_deleted as lives,
      exists (select from entitysync.log as l where l.space = my_space) or exists (select from entitysync.adoption)
        as is_behind
    into known
    from (values (1)) as one
    left join entitysync.state as s on s.space = my_space and s.id = id;
    if known.is_behind or base is distinct from known.revision or known.is_there and (
      known.vector = vector and (known.edit = mark or known.sent = mark)
        or not entitysync.covers(vector, known.vector)
    ) then
      return;
    end if;
    change := row(
      1, id, entity, key, mark, mark, vector, base, false, null, detail, body, coalesce(known.lives, false), false, value,
      null, my_space
    );
    if entitysync.misfit(change) is not null
      or entitysync.moment(value ->> entitysync.updated_member(entity)) > latest
    then
      return;
    end if;
    written := entitysync.write_one(change, row_json);
    if written is null then
      return;
    end if;
    -- What a constraint would say at the end of the transaction is about this record.
    set constraints all immediate;
  exception
    -- What it is about is found out by `push`.
    when others or assert_failure then
      return;
    when query_canceled then
      -- So is what a trigger of yours raised, but not that the statement has no more time.
      if clock_timestamp() >= statement_timestamp()
        + nullif(current_setting('statement_timeout')::interval, interval '0')
      then
        raise;
      end if;
      return;
  end;
  number := nextval('entitysync.numbers');
  revision := entitysync.new_revision(number);
  if written.altered <> 0 then
    perform entitysync.keep(array[change], array[written]);
  elsif base is null then
    insert into entitysync.state (
      space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, body, sets
    ) values (
      my_space, id, entity, key, pg_current_xact_id(), number, revision, false, mark, mark, vector, detail,
      written.body, written.sets
    );
  else
    update entitysync.state as s set
      xid = pg_current_xact_id(), number = number, revision = revision, is_deleted = false,
      edit = mark, sent = mark, vector = vector, detail = detail, merged_into = null,
      body = written.body, sets = written.sets, stored_at = now()
    where s.space = my_space and s.id = id;
  end if;
  -- What triggers of yours made of the row after it was written is shown with the result, too.
  if exists (select from entitysync.log as l where l.space = my_space) then
    perform entitysync.fold(my_space);
    is_told := true;
  end if;
  if is_told or written.altered <> 0 then
    select s.revision, e.entry into revision, entry
    from entitysync.state as s
    left join lateral entitysync.entries(array[s]) as e on true
    where s.space = my_space and s.id = id;
  end if;
  result := '{"status":"accepted","revision":"' || revision || '"' || coalesce(',"stored":' || entry, '') || '}';
end
$$;
