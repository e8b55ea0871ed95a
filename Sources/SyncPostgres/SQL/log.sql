-- Edits of everyone who does not know EntitySync ----------------------------------------------------------------
--
-- A row written by a web app, psql, a cascade or a trigger of yours is a version like any other. Triggers on your tables
-- log which records were touched, and when; an exchange folds that into the states, before it compares or reads them.
-- The row says what there is now, so no order within the log matters.

-- Until 1.0.0 the triggers wrote the states by it. Those that are still there write the log.
create or replace function entitysync.note_edit(
  p_space uuid, p_entity text, p_key text, p_new jsonb, p_old jsonb, p_is_deleted boolean,
  p_updated timestamptz, p_units jsonb, p_optional text[]
) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into entitysync.log (space, entity, op, keys)
  select p_space, p_entity, case when p_is_deleted then 'd' else 'u' end::"char", array[p_key]
  where p_space is not null and p_key is not null
$$;

-- The body of a record after others changed some columns of its row: their members say what the row says, all else is as
-- it was sent. Null if the row says the same. `paths` names the member of each column, in the order of the mask's bits.
create or replace function entitysync.overlaid(body json, row_json jsonb, mask bigint, paths jsonb) returns json
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  value jsonb := body::jsonb;
  path text[];
begin
  for place in 0..jsonb_array_length(paths) - 1 loop
    continue when mask & (1::bigint << least(place, 63)) = 0;
    path := array(select member from jsonb_array_elements_text(paths -> place) as member);
    if row_json #> path is null then
      value := value #- path;
    else
      for depth in 1..cardinality(path) - 1 loop
        if jsonb_typeof(value #> path[:depth]) is distinct from 'object' then
          value := jsonb_set(value, path[:depth], '{}');
        end if;
      end loop;
      value := jsonb_set(value, path, row_json #> path);
    end if;
  end loop;
  return case when value <> row_json then value::text::json end;
end
$$;

-- Until 1.0.0 it compared the bodies.
drop function if exists entitysync.edited_detail(json, text, jsonb, jsonb, text, jsonb);

-- The timestamps of fields and elements after such an edit: what changed has the new one, all else keeps its own.
-- `units` names the fields that merge by themselves: 'field', 'set' or 'time'; all others are one unit, under the empty
-- name. Null if the record merges as a whole.
create or replace function entitysync.edited_detail(
  old_detail json, old_edit text, edit text, mask bigint, paths jsonb, units jsonb, old_sets jsonb, new_sets jsonb
) returns json
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  detail jsonb := coalesce(old_detail::jsonb, jsonb_build_object('origin', old_edit)) - 'cause';
  name text;
  element jsonb;
  elements jsonb;
  old_set jsonb;
  new_set jsonb;
begin
  if units is null then
    return null;
  end if;
  for place in 0..jsonb_array_length(paths) - 1 loop
    name := paths -> place ->> 0;
    continue when mask & (1::bigint << least(place, 63)) = 0 or units ->> name = 'time';
    if not units ? name then
      name := '';
    end if;
    if units ->> name = 'set' then
      new_set := case jsonb_typeof(new_sets -> name) when 'array' then new_sets -> name else '[]' end;
      old_set := case
        -- If it is not known what there was, all of it was there.
        when old_sets -> name is null then new_set
        when jsonb_typeof(old_sets -> name) = 'array' then old_sets -> name
        else '[]'
      end;
      elements := coalesce(detail #> array['elements', name], '{}');
      for element in select value from jsonb_array_elements(old_set) loop
        if not new_set @> jsonb_build_array(element) then
          elements := elements - (element::text);
        end if;
      end loop;
      for element in select value from jsonb_array_elements(new_set) loop
        if not old_set @> jsonb_build_array(element) then
          elements := elements || jsonb_build_object(element::text, jsonb_build_array(edit));
        end if;
      end loop;
      detail := jsonb_set(
        case when detail ? 'elements' then detail else detail || '{"elements":{}}' end,
        array['elements', name], elements
      );
    else
      detail := jsonb_set(
        case when detail ? 'units' then detail else detail || '{"units":{}}' end,
        array['units', name], jsonb_build_array(jsonb_build_array(edit))
      );
    end if;
  end loop;
  return detail::json;
end
$$;

-- Cuts rows of the log with very many keys into pieces that one exchange can fold.
create or replace function entitysync.cut_log(p_space uuid, max_keys integer) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  with long as (
    delete from entitysync.log as l where l.space = p_space and cardinality(l.keys) > 2 * max_keys returning l.*
  )
  insert into entitysync.log (space, entity, at, op, mask, keys)
  select l.space, l.entity, l.at, l.op, l.mask, l.keys[first:first + max_keys - 1]
  from long as l cross join lateral generate_series(1, cardinality(l.keys), max_keys) as first
$$;

-- Has the following statements of this function planned for so many keys. NB: a plan that is kept may be from when the
-- tables were empty. Then it compares each key with each row, which is quadratic. To plan anew takes longer than to work
-- on a few keys.
create or replace function entitysync.plan_for(key_count integer) returns text
language sql volatile
return set_config(
  'plan_cache_mode', case when key_count > 20 then 'force_custom_plan' else 'force_generic_plan' end, true
);

-- Has the session plan its statements anew when the tables have doubled: what it keeps may be from when they were empty, and
-- then any index of an account's rows seems as good as the one by the keys.
create or replace function entitysync.plan_anew() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  size constant text := floor(ln(coalesce(pg_sequence_last_value('entitysync.numbers'), 1)::float8) / ln(2::float8))::text;
  planned constant text := current_setting('entitysync.size', true);
begin
  if planned is distinct from size then
    if planned <> '' then
      discard plans;
    end if;
    perform set_config('entitysync.size', size, false);
  end if;
end
$$;

-- Folds a piece of the log of a space into its states. Returns whether there was any. Called under the account's lock, so
-- that nobody else folds or pushes. It reads the tables without policies: a row that they hide is not deleted. Where they
-- are forced on their owner, it fails.
create or replace function entitysync.fold_piece(p_space uuid, max_keys integer) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set row_security = off
set enable_seqscan = off
set plan_cache_mode = auto
-- Some databases cut the digits of numbers.
set extra_float_digits = 1
as $$
declare
  last_id bigint;
  part record;
begin
  perform entitysync.cut_log(p_space, max_keys);
  last_id := (
    select max(l.id) from (
      select w.id, sum(cardinality(w.keys)) over (order by w.id) - cardinality(w.keys) as before
      from (select * from entitysync.log as l where l.space = p_space order by l.id limit 1000) as w
    ) as l
    where l.before < max_keys
  );
  if last_id is null then
    return false;
  end if;
  for part in
    with taken as (
      delete from entitysync.log as l where l.space = p_space and l.id <= last_id returning l.*
    ), touched as (
      select t.entity, k.key, max(entitysync.microseconds(t.at)) as at, bit_or(coalesce(t.mask, -1)) as mask,
        -- A row that appears where one lives already was restored or adopted, and is no edit.
        bool_and(t.op in ('i', 'a')) as appears
      from taken as t cross join lateral unnest(t.keys) as k (key)
      group by t.entity, k.key
    )
    select t.entity, array_agg(t.key) as keys, array_agg(t.at) as ats, array_agg(t.mask) as masks,
      array_agg(t.appears) as appearing
    from touched as t
    group by t.entity
  loop
    perform entitysync.plan_for(cardinality(part.keys));
    perform entitysync.fold_entity(part.entity, p_space, part.keys, part.ats, part.masks, part.appearing);
  end loop;
  return true;
end
$$;

-- Folds the log of a space, up to some 20,000 records. Returns whether all of it is folded.
create or replace function entitysync.fold(p_space uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  for piece in 1..4 loop
    if not exists (select from entitysync.log as l where l.space = p_space)
      or not entitysync.fold_piece(p_space, 5000)
    then
      return true;
    end if;
  end loop;
  return not exists (select from entitysync.log as l where l.space = p_space);
end
$$;

-- Whether nobody else folds or pushes in a space now. Until the end of the transaction, nobody does then.
create or replace function entitysync.try_space(p_space uuid) returns boolean
language sql
return pg_try_advisory_xact_lock(hashtextextended(p_space::text, 7316));

-- How long to wait for others: two seconds, or less if a statement may not take that long.
create or replace function entitysync.patience() returns interval
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select least(
    interval '2 seconds', nullif(current_setting('statement_timeout')::interval, interval '0') / 4
  )
$$;

-- Tries to be the only one who folds or pushes in a space, until the end of the transaction.
create or replace function entitysync.lock_space(p_space uuid) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  started timestamptz := clock_timestamp();
begin
  loop
    if entitysync.try_space(p_space) then
      return true;
    end if;
    if clock_timestamp() > started + entitysync.patience() then
      return false;
    end if;
    perform pg_sleep(0.005 + random() * 0.02);
  end loop;
end
$$;

-- Folds the log of the first space after another one, unless somebody else does at the moment. Returns that space; null
-- after the last one. So the log of an account that never exchanges does not grow for ever.
create or replace function entitysync.fold_next(after_space uuid) returns uuid
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  next_space uuid := (
    select l.space from entitysync.log as l where after_space is null or l.space > after_space order by l.space limit 1
  );
begin
  if next_space is not null and entitysync.try_space(next_space) then
    perform entitysync.fold(next_space);
  end if;
  return next_space;
end
$$;

-- Folds what waits in the log, of all spaces that nobody else folds at the moment.
create or replace function entitysync.fold_all() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  next_space uuid := entitysync.fold_next(null);
begin
  while next_space is not null loop
    next_space := entitysync.fold_next(next_space);
  end loop;
end
$$;
