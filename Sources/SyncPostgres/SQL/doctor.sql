-- What is not as it should be -------------------------------------------------------------------------------------

-- Compares what the generated SQL expects with the database, and each row with its state: one row per finding, `error`
-- where records are not synced or not protected, `warning` where something may surprise. For operators; it reads every
-- row. entitysync.expected() is generated with your entities.
create or replace function entitysync.doctor()
returns table (severity text, entity text, finding text, help text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  expected json;
  table_id regclass;
  again constant text := 'Apply the generated SQL again.';
  counts record;
begin
  while entitysync.adopt_piece(1000) loop
    null;
  end loop;
  begin
    perform entitysync.fold_all();
  exception
    -- What is wrong with the table is told below.
    when undefined_column or undefined_table or undefined_function or datatype_mismatch then
      return query select 'error', null::text, format('What other programs wrote cannot be taken in: %s.', sqlerrm), again;
  end;
  for expected in select e.value from json_array_elements(entitysync.expected()) as e loop
    entity := expected ->> 'entity';
    table_id := to_regclass(expected ->> 'table');
    return query
      select case f.severity when 'refused' then 'error' else f.severity end, entity, f.finding, f.help
      from entitysync.table_findings(expected) as f;
    if table_id is null or exists (
      select from entitysync.refused_entity as r where r.entity = expected ->> 'entity'
    ) then
      if not exists (select from entitysync.table_findings(expected) as f where f.severity = 'refused') then
        return query select 'error', entity, 'The entity was left out when the SQL was applied.', again;
      end if;
      continue;
    end if;
    return query
      select 'error', entity, f.finding, f.help
      from pg_catalog.pg_class as t
      cross join lateral (
        values
          (
            (
              select count(*) from pg_catalog.pg_trigger as g
              where g.tgrelid = t.oid and (g.tgname, g.tgenabled) in (
                ('entitysync_inserted', 'O'), ('entitysync_updated', 'O'), ('entitysync_deleted', 'O'),
                ('entitysync_replicated', 'R'), ('entitysync_truncated', 'A')
              )
            ) < 5 and (
              select count(*) from pg_catalog.pg_trigger as g
              where g.tgrelid = t.oid
                and (g.tgname, g.tgenabled) in (('entitysync_rows', 'A'), ('entitysync_truncated', 'A'))
            ) < 2,
            'A trigger is missing or disabled: what other programs write is not seen.', again
          )
      ) as f (is_found, finding, help)
      where t.oid = table_id and f.is_found;
    return query
      select 'warning', entity,
        format('The unique index %s is not in the schema: a record that clashes is rejected.', i.indexrelid::regclass),
        'Name its fields in ''unique'' of the schema; then records that clash are merged.'
      from pg_catalog.pg_index as i
      cross join lateral (
        select array_agg(a.attname::text order by a.attname::text) as columns
        from unnest(i.indkey::smallint[]) as k (number)
        join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
        where a.attname is distinct from (expected ->> 'owner')
      ) as n
      where i.indrelid = table_id and i.indisunique and not i.indisprimary and not exists (
        select from json_array_elements(expected -> 'unique') as u
        where n.columns = array(select m.value from json_array_elements_text(u.value) as m order by m.value)
      );
    execute format('select * from entitysync.%I()', expected ->> 'compare') into counts;
    return query
      select f.severity, entity, format(f.finding, f.number), f.help
      from (
        values
          (
            'error', counts.without_state, '%s rows have no sync state, so that no device sees them.',
            format('select entitysync.adopt_again(%L, %L);', entity, expected ->> 'table')
          ),
          (
            'error', counts.without_row, '%s records have a sync state and no row.',
            'Rows were deleted while triggers were off. Insert them again, or delete the records on a device.'
          ),
          (
            'warning', counts.without_owner, '%s rows have no owner, and are not synced.',
            format('Set the column %I.', expected ->> 'owner')
          )
      ) as f (severity, number, finding, help)
      where f.number > 0;
  end loop;
  return query
    select 'warning', s.entity, format('%s records belong to an entity that the schemas do not have.', count(*)),
      'Nothing, if it has left the schemas: apps that know it still have them.'
    from entitysync.state as s
    where s.entity <> all (entitysync.known_entities())
      and not exists (select from entitysync.refused_entity as r where r.entity = s.entity)
    group by s.entity;
end
$$;
