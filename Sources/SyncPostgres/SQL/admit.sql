-- Entities whose tables others made -----------------------------------------------------------------------------------

-- Entities that were left out when the SQL was applied, because their table cannot be synced as it is.
create table if not exists entitysync.refused_entity (
  entity text collate "C" primary key,
  -- The table as the generated SQL writes it, and the empty one that functions for all entities read instead.
  table_name text not null,
  stand_in text not null,
  reason text not null
);

-- Whether an entity's table can be synced. If not, the entity is left out, with a warning that says why; the others are
-- applied, and an exchange answers that it does not know this one.
create or replace function entitysync.admit(expected json) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  entity_name text := expected ->> 'entity';
  stand_in text := format('entitysync.%I', expected ->> 'stand_in');
  reasons text;
  helps text;
begin
  delete from entitysync.refused_entity as r where r.entity = entity_name;
  execute format('drop table if exists %s', stand_in);
  select string_agg(f.finding, ' '), string_agg(f.help, ' ') into reasons, helps
  from entitysync.table_findings(expected) as f
  where f.severity = 'refused';
  if reasons is null then
    return true;
  end if;
  raise warning 'The entity % is left out. %', entity_name, reasons using hint = helps;
  insert into entitysync.refused_entity values (entity_name, expected ->> 'table', stand_in, reasons);
  execute format(
    'create table %s (%s)', stand_in,
    (select string_agg(format('%I %s', c.key, c.value), ', ') from json_each_text(expected -> 'columns') as c)
  );
  execute format('alter table %s enable row level security', stand_in);
  if to_regclass(expected ->> 'table') is null then
    -- There is no row any more that it could be about.
    delete from entitysync.log as l where l.entity = entity_name;
  end if;
  return false;
end
$$;

-- SQL for all entities, in which those that are left out have an empty table.
create or replace function entitysync.with_stand_ins(statements text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  refused record;
begin
  for refused in select r.table_name, r.stand_in from entitysync.refused_entity as r order by r.entity loop
    statements := replace(statements, refused.table_name, refused.stand_in);
  end loop;
  return statements;
end
$$;

-- Where a column must have a value and its field may be missing, a row from a device gets the column's default.
create or replace function entitysync.use_defaults() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  row_json jsonb := to_jsonb(new);
  members text := (
    select string_agg(format('%L, %s', a.attname, pg_get_expr(d.adbin, d.adrelid)), ', ')
    from pg_catalog.pg_attribute as a
    join pg_catalog.pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = tg_relid and a.attname = any (tg_argv) and a.attgenerated = ''
      and row_json -> a.attname::text = 'null'
  );
  defaults jsonb;
begin
  if members is not null then
    execute format('select jsonb_build_object(%s)', members) into defaults;
    new := jsonb_populate_record(new, defaults);
  end if;
  return new;
end
$$;

-- Makes the trigger on a table that has such columns, and removes it from one that has none.
create or replace function entitysync.keep_defaults(expected json) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  table_id regclass := to_regclass(expected ->> 'table');
  names text := (
    select string_agg(quote_literal(c.name), ', ' order by c.place)
    from entitysync.table_columns(expected, table_id) as c
    where c.is_optional and c.is_not_null and c.has_default
  );
begin
  execute format('drop trigger if exists entitysync_defaults on %s', table_id);
  if names is not null then
    execute format(
      'create trigger entitysync_defaults before insert or update on %s for each row '
        || 'when (current_setting(''entitysync.writes'', true) = %L) execute function entitysync.use_defaults(%s)',
      table_id, expected ->> 'entity', names
    );
  end if;
end
$$;
