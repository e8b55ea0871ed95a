-- Columns that are new to an entity ---------------------------------------------------------------------------------

-- Fills columns that are new to an entity with what devices have sent already: it stands in the bodies of states. A program
-- that fills such a column otherwise would not see that it has values. `former` names the members that had columns before;
-- `defaults` the default of each column. A value that nobody can have chosen is filled; what does not fit stays in the body.
create or replace function entitysync.fill_columns(p_entity text, former jsonb, defaults jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  paths constant jsonb := entitysync.paths(p_entity);
  added constant text[] := array(
    select p.value::text from jsonb_array_elements(paths) as p
    where p.value not in (select f.value from jsonb_array_elements(former) as f)
  );
  state entitysync.state;
  row_json text;
  bits bigint;
  changes entitysync.change[] := '{}';
begin
  if former is null or added = '{}' then
    return;
  end if;
  for state in
    select s.* from entitysync.state as s where s.entity = p_entity and not s.is_deleted and s.body is not null
  loop
    row_json := entitysync.locked_row(p_entity, state.space, state.key);
    -- Read again: while the row is locked, no device writes the record.
    select s.* into state from entitysync.state as s
    where s.space = state.space and s.id = state.id and not s.is_deleted and s.body is not null;
    continue when not found;
    bits := (
      select bit_or(1::bigint << least(c.place - 1, 63)::integer)
      from (
        select p.ordinality as place, array(select jsonb_array_elements_text(p.value)) as path
        from jsonb_array_elements(paths) with ordinality as p where p.value::text = any (added)
      ) as c
      where nullif(state.body::jsonb #> c.path, 'null') is distinct from nullif(row_json::jsonb #> c.path, 'null')
        and nullif(state.body::jsonb #> c.path, 'null') is not null
        and coalesce(row_json::jsonb #> c.path, 'null') in ('null', coalesce(defaults -> (c.place - 1)::integer, 'null'))
    );
    if bits is not null then
      changes := changes || row(
        cardinality(changes) + 1, state.id, p_entity, state.key, state.edit, state.sent, state.vector, state.revision, false,
        null, state.detail, state.body, true, false,
        coalesce(entitysync.overlaid(row_json::json, state.body::jsonb, bits, paths), state.body)::jsonb, null, state.space
      )::entitysync.change;
    end if;
    if cardinality(changes) = 500 then
      perform entitysync.fill_rows(changes);
      changes := '{}';
    end if;
  end loop;
  perform entitysync.fill_rows(changes);
end
$$;

-- Writes rows that say less than their states' bodies, and keeps what the rows say then.
create or replace function entitysync.fill_rows(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  fitting constant entitysync.change[] := array(
    select c from unnest(changes) as c where c.position not in (select m.position from entitysync.misfits(changes) as m)
  );
  part record;
begin
  if cardinality(fitting) = 0 then
    return;
  end if;
  part := entitysync.write_pieces(fitting, greatest(cardinality(fitting), 2));
  update entitysync.state as s set body = case when w.altered = 0 then w.body else s.body end, sets = w.sets
  from unnest(part.done) as w (position, body, sets, altered)
  join unnest(fitting) as c on c.position = w.position
  -- What another program wrote may have been taken in since.
  where s.space = c.space and s.id = c.id and s.revision = c.base;
end
$$;
