-- Columns that are new to an entity ---------------------------------------------------------------------------------

-- Until 1.0.0 they knew of no former names, and filled what they could without a word.
drop function if exists entitysync.fill_columns(text, jsonb, jsonb);
drop function if exists entitysync.fill_rows(entitysync.change[]);

-- Brings together what devices and other programs wrote before an entity had its new columns: devices are told what rows
-- say, and columns are filled with what devices have sent, which stands in the bodies of states. `former` names the members
-- that had columns before, where nothing is noted of the entity; `defaults` the default of each column; `renamed` pairs of
-- a former and a present member.
create or replace function entitysync.fill_columns(p_entity text, former jsonb, defaults jsonb, renamed jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  filled constant text := p_entity || ' filled';
  paths constant jsonb := entitysync.paths(p_entity);
  known constant jsonb := coalesce(
    (select a.given::jsonb from entitysync.applied as a where a.part = filled), nullif(former, 'null')
  );
  places constant integer[] := array(
    select p.place from jsonb_array_elements(paths) with ordinality as p (path, place)
    where p.path not in (select f.value from jsonb_array_elements(known) as f)
      and not exists (
        select from jsonb_array_elements(renamed) as r
        join jsonb_array_elements(known) as f on f.value = r.value -> 0
        where r.value -> 1 = p.path
      )
  );
begin
  if known is not null and places <> '{}' then
    perform entitysync.tell_columns(p_entity, places, defaults);
    perform entitysync.take_members(p_entity, places, defaults);
  end if;
  insert into entitysync.applied as a (part, given, found) values (filled, paths::text, '')
  on conflict on constraint applied_pkey do update set given = excluded.given;
end
$$;

-- Logs the rows that have values in some columns of which their states know nothing: devices are told of them. Where a
-- device had sent another value, the row's is a version beside it.
create or replace function entitysync.tell_columns(p_entity text, places integer[], defaults jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set row_security = off
as $$
declare
  paths constant jsonb := entitysync.paths(p_entity);
  part record;
begin
  for part in
    with told as (
      select s.space, s.id, s.key, bit_or(1::bigint << least(c.place - 1, 63)) as mask,
        bool_or(nullif(c.there, 'null') is not null) as is_beside
      from entitysync.valued_rows(p_entity, places) as v
      join entitysync.state as s on s.space = v.space and s.id = entitysync.record_id(v.space, p_entity, v.key)
      cross join lateral (
        select p.place, v.value #> p.path as here, s.body::jsonb #> p.path as there
        from (
          select n.place, array(select jsonb_array_elements_text(paths -> n.place - 1)) as path
          from unnest(places) as n (place)
        ) as p
      ) as c
      where not s.is_deleted and nullif(c.here, 'null') is distinct from nullif(c.there, 'null')
        and coalesce(c.here, 'null') not in ('null', coalesce(defaults -> c.place - 1, 'null'))
      group by s.space, s.id, s.key
    ), beside as (
      update entitysync.state as s set
        vector = entitysync.server_device(s.space) || ':'
          || entitysync.edit_number(0, s.vector, entitysync.server_device(s.space))
      from told as t where t.is_beside and s.space = t.space and s.id = t.id
    )
    select t.space, t.mask, array_agg(t.key) as keys from told as t group by t.space, t.mask
  loop
    insert into entitysync.log (space, entity, op, mask, keys) values (part.space, p_entity, 'u', part.mask, part.keys);
  end loop;
end
$$;

-- Fills columns with what devices have sent already: a program that fills such a column otherwise would not see that it has
-- values. A value that nobody can have chosen is filled; what does not fit stays in the body, and is warned of.
create or replace function entitysync.take_members(p_entity text, places integer[], defaults jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  paths constant jsonb := entitysync.paths(p_entity);
  claims constant text := current_setting('request.jwt.claims', true);
  state entitysync.state;
  row_json text;
  missing jsonb;
  present uuid;
  changes entitysync.change[] := '{}';
  refused bigint := 0;
begin
  for state in
    select s.* from entitysync.state as s
    where s.entity = p_entity and not s.is_deleted and s.body is not null and exists (
      select from unnest(places) as n (place)
      where nullif(s.body::jsonb #> array(select jsonb_array_elements_text(paths -> n.place - 1)), 'null') is not null
    )
    order by s.space
  loop
    if cardinality(changes) = 500 or state.space is distinct from present then
      refused := refused + entitysync.fill_rows(changes);
      changes := '{}';
    end if;
    if state.space is distinct from present then
      present := state.space;
      -- Devices of the account wait, as they do for each other.
      if not entitysync.try_space(present) then
        raise lock_not_available using message = 'A device of an account is pushing.';
      end if;
      -- Triggers of yours see the account, as they did when the device wrote.
      perform set_config(
        'request.jwt.claims', jsonb_build_object('sub', present, 'role', 'authenticated')::text, true
      );
    end if;
    row_json := entitysync.locked_row(p_entity, state.space, state.key);
    -- Read again: while the row is locked, no device writes the record.
    select s.* into state from entitysync.state as s
    where s.space = state.space and s.id = state.id and not s.is_deleted and s.body is not null;
    continue when not found;
    missing := (
      select jsonb_agg(p.path)
      from (
        select n.place, paths -> n.place - 1 as path, array(select jsonb_array_elements_text(paths -> n.place - 1)) as names
        from unnest(places) as n (place)
      ) as p
      where nullif(state.body::jsonb #> p.names, 'null') is distinct from nullif(row_json::jsonb #> p.names, 'null')
        and nullif(state.body::jsonb #> p.names, 'null') is not null
        and coalesce(row_json::jsonb #> p.names, 'null') in ('null', coalesce(defaults -> p.place - 1, 'null'))
    );
    if missing is not null then
      changes := changes || row(
        cardinality(changes) + 1, state.id, p_entity, state.key, state.edit, state.sent, state.vector, state.revision, false,
        null, state.detail, state.body, true, false,
        coalesce(entitysync.overlaid(row_json::json, state.body::jsonb, -1, missing), state.body)::jsonb, null, state.space
      )::entitysync.change;
    end if;
  end loop;
  refused := refused + entitysync.fill_rows(changes);
  perform set_config('request.jwt.claims', coalesce(claims, ''), true);
  if refused > 0 then
    raise warning '% records of % hold values that do not fit their new columns.', refused, p_entity
      using hint = 'Devices keep the values, and the columns are empty. What another program writes there replaces them.';
  end if;
end
$$;

-- Writes rows that say less than their states' bodies, and keeps what the rows say then. Returns how many it did not write.
create or replace function entitysync.fill_rows(changes entitysync.change[]) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  fitting constant entitysync.change[] := array(
    select c from unnest(changes) as c
    -- What the row will say is looked at, and not how a device had written it.
    where entitysync.misfit(jsonb_populate_record(c, jsonb_build_object('body', c.value))) is null
  );
  part record;
begin
  if cardinality(fitting) = 0 then
    return cardinality(changes);
  end if;
  part := entitysync.write_pieces(fitting, greatest(cardinality(fitting), 2));
  update entitysync.state as s set body = case when w.altered = 0 then w.body else s.body end, sets = w.sets
  from unnest(part.done) as w (position, body, sets, altered)
  join unnest(fitting) as c on c.position = w.position
  -- What another program wrote may have been taken in since.
  where s.space = c.space and s.id = c.id and s.revision = c.base;
  return cardinality(changes) - coalesce(cardinality(part.done), 0);
end
$$;
