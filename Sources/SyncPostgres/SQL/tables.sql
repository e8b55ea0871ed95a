-- Tables that others made ---------------------------------------------------------------------------------------------
--
-- What the catalogue says of a table, before anything touches it and for entitysync.doctor(). Each finding has a
-- severity: `refused` where the table cannot be synced as it is, `error` where some records are not synced or not
-- protected, `warning` where something may surprise.

-- The type below domains.
create or replace function entitysync.base_type(type oid) returns oid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with recursive base as (
    select t.oid, t.typtype, t.typbasetype from pg_catalog.pg_type as t where t.oid = type
    union all
    select t.oid, t.typtype, t.typbasetype
    from base as b join pg_catalog.pg_type as t on b.typtype = 'd' and t.oid = b.typbasetype
  )
  select b.oid from base as b where b.typtype <> 'd'
$$;

-- Whether a value of one type can be stored in a column of another one. A text that is cut is an error in any case.
create or replace function entitysync.can_store(expected oid, present oid) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select expected = present or exists (
    select from pg_catalog.pg_type as e
    join pg_catalog.pg_type as p on p.oid = present
    join pg_catalog.pg_cast as c on (
      c.castsource = e.oid and c.casttarget = p.oid
      -- Arrays are stored element by element.
      or e.typcategory = 'A' and p.typcategory = 'A' and c.castsource = e.typelem and c.casttarget = p.typelem
    )
    where e.oid = expected and c.castcontext in ('i', 'a')
  )
$$;

-- Who reads the tables for the log: the role that applied the SQL, whoever is asking.
create or replace function entitysync.installer() returns oid
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (
      select p.proowner from pg_catalog.pg_proc as p
      where p.oid = to_regprocedure('entitysync.fold_piece(uuid, integer)')
    ),
    current_user::regrole::oid
  )
$$;

-- What the table is, and whose.
create or replace function entitysync.kind_findings(table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select f.severity, f.finding, f.help
  from pg_catalog.pg_class as t
  join pg_catalog.pg_roles as i on i.oid = entitysync.installer()
  cross join lateral (
    values
      (
        t.relkind not in ('r', 'p'), 'refused', format('%s is no table.', table_id),
        'Name the table in ''sql'' of the schema. A view has no rows of its own.'
      ),
      (
        t.relispartition, 'refused',
        format('The table is a partition of %s: what is written there is not seen.', (
          select h.inhparent::regclass from pg_catalog.pg_inherits as h where h.inhrelid = t.oid
        )),
        'Name the partitioned table in ''sql'' of the schema.'
      ),
      (
        t.relkind = 'r' and exists (select from pg_catalog.pg_inherits as h where h.inhparent = t.oid), 'refused',
        'Other tables inherit from the table: no key is unique across them, and what is written there is not seen.',
        'End the inheritance, or use a partitioned table.'
      ),
      (
        not t.relispartition and exists (select from pg_catalog.pg_inherits as h where h.inhrelid = t.oid), 'refused',
        'The table inherits from another one: what is written through that one is not seen.',
        format('alter table %s no inherit …;', table_id)
      ),
      (
        not i.rolsuper and not pg_has_role(i.oid, t.relowner, 'usage'), 'refused',
        format('The table belongs to %s, and %s may neither change it nor read it past its policies.',
          t.relowner::regrole, i.rolname),
        format('Apply the SQL as the table''s owner, or: alter table %s owner to %I;', table_id, i.rolname)
      ),
      (
        t.relrowsecurity and t.relforcerowsecurity and not i.rolsuper and not i.rolbypassrls, 'refused',
        format('Policies are forced on %s, too: rows that they hide from it would look like deleted ones.', i.rolname),
        format('alter table %s no force row level security;', table_id)
      )
  ) as f (is_found, severity, finding, help)
  where t.oid = table_id and f.is_found
$$;

-- Whether a key names one row: a unique index over no other columns than the owner and the key.
create or replace function entitysync.key_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'refused',
    format('The key (%s) is not unique: a change of one record would change several rows.', k.list),
    format('Name in the schema a key that is unique, or: alter table %s add unique (%s);', table_id, k.list)
  from (
    select string_agg(format('%I', m.value), ', ' order by m.ordinality) as list,
      array_agg(m.value) || coalesce(expected ->> 'owner', '') as columns
    from json_array_elements_text(expected -> 'key') with ordinality as m
  ) as k
  where not exists (
    select from pg_catalog.pg_index as i
    where i.indrelid = table_id and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
      and not exists (
        select from unnest(i.indkey::smallint[]) with ordinality as n (number, place)
        join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = n.number
        where n.place <= i.indnkeyatts and a.attname <> all (k.columns)
      )
  )
$$;

-- The columns of a table, with what the schema expects of them.
create or replace function entitysync.table_columns(expected json, table_id regclass)
returns table (
  name text, place smallint, type oid, expected_type text, is_owner boolean, is_optional boolean, is_not_null boolean,
  has_default boolean, identity "char", generated "char"
)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(c.key, a.attname::text), a.attnum, a.atttypid, c.value,
    coalesce(c.key, a.attname::text) is not distinct from expected ->> 'owner',
    c.key in (select o.value from json_array_elements_text(expected -> 'optional') as o),
    a.attnotnull or t.typnotnull, a.atthasdef or t.typdefault is not null, a.attidentity, a.attgenerated
  from json_each_text(expected -> 'columns') as c
  full join (
    select * from pg_catalog.pg_attribute where attrelid = table_id and attnum > 0 and not attisdropped
  ) as a on a.attname::text = c.key
  left join pg_catalog.pg_type as t on t.oid = a.atttypid
$$;

-- Columns that are missing, cannot be written, or must have a value that no device sends.
create or replace function entitysync.column_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select f.severity, f.finding, f.help
  from entitysync.table_columns(expected, table_id) as c
  cross join lateral (
    values
      (
        c.place is null, 'error', format('The column %I is not there.', c.name),
        'Apply the generated SQL again, or say in ''sql'' of the schema what the table has.'
      ),
      (
        c.place is not null and c.expected_type is not null
          and entitysync.base_type(c.type) is distinct from to_regtype(c.expected_type)::oid,
        case
          when c.is_owner or not entitysync.can_store(to_regtype(c.expected_type), entitysync.base_type(c.type))
            or entitysync.base_type(c.type) in ('money'::regtype, 'time'::regtype, 'timetz'::regtype)
            -- It pads keys, so that no record has the key of its row.
            or entitysync.base_type(c.type) = 'bpchar'::regtype
              and c.name in (select k.value from json_array_elements_text(expected -> 'key') as k)
            then 'refused'
          else 'error'
        end,
        format('The column %I is %s, and the schema expects %s.', c.name, c.type::regtype, c.expected_type),
        'Apply the generated SQL again, or say in ''sql'' of the schema what the table has.'
      ),
      (
        c.name in (select k.value from json_array_elements_text(expected -> 'key') as k) and (
          (select t.typname from pg_catalog.pg_type as t where t.oid = entitysync.base_type(c.type)) = 'citext'
            or exists (
              select from pg_catalog.pg_attribute as a join pg_catalog.pg_collation as l on l.oid = a.attcollation
              where a.attrelid = table_id and a.attnum = c.place and not l.collisdeterministic
            )
        ),
        'refused',
        format('The key column %I takes different texts for one, such as those that differ in the case of letters.', c.name),
        format('alter table %s alter column %I type text collate "C";', table_id, c.name)
      ),
      (
        c.expected_type is not null and (c.generated <> '' or c.identity = 'a'), 'refused',
        format('The database makes the values of the column %I: what a device sends cannot be written.', c.name),
        'Leave the field out of the schema, or make the column one that can be written.'
      ),
      (
        c.expected_type is null and c.is_not_null and not c.has_default and c.identity = '' and c.generated = '',
        case
          when exists (
            -- Before inserts, for each row.
            select from pg_catalog.pg_trigger as g
            where g.tgrelid = table_id and not g.tgisinternal and g.tgtype & 7 = 7
              and g.tgname not like 'entitysync%'
          ) then 'warning'
          else 'refused'
        end,
        format('The column %I must have a value, has no default and is no field: no device can add a row.', c.name),
        'Give the column a default, or the schema a required field.'
      ),
      (
        c.is_optional and c.is_not_null and not c.has_default, 'error',
        format('The column %I must have a value, and its field may be missing: such a record is rejected.', c.name),
        'Give the column a default, or make the field required.'
      )
  ) as f (is_found, severity, finding, help)
  where f.is_found
$$;

-- Rows of a table to which an owner's column is yet to be added: nobody would get them.
create or replace function entitysync.owner_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  has_rows boolean;
begin
  if expected ->> 'owner' is null or exists (
    select from pg_catalog.pg_attribute as a
    where a.attrelid = table_id and a.attname = expected ->> 'owner' and not a.attisdropped
  ) then
    return;
  end if;
  execute format('select exists (select from %s)', table_id) into has_rows;
  if has_rows then
    return query select 'refused',
      format('The table has rows and no column %I: nothing says whose they are.', expected ->> 'owner'),
      'Name the owner''s column in ''sql'' of the schema, or add one and fill it, for instance from the parent''s rows.';
  end if;
exception
  when insufficient_privilege then null;
end
$$;

-- The text of a policy's condition, if it says just that the row is the caller's; otherwise something else.
create or replace function entitysync.plain_condition(condition text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select regexp_replace(
    regexp_replace(lower(condition), '\m(select|as uid)\M|::text|::uuid', '', 'g'), '[() "]', '', 'g'
  )
$$;

-- Policies and triggers that see another name in the exchange, or show other rows than the owner's.
create or replace function entitysync.policy_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'error',
    format('The policy %I reads the name of the role, which is entitysync in an exchange.', p.polname),
    'Use auth.uid() or auth.jwt() in its place; auth.role() is the role of the token.'
  from pg_catalog.pg_policy as p
  where p.polrelid = table_id and concat_ws(
    ' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)
  ) ~ '(^|[^"''A-Za-z0-9_])(CURRENT_USER|SESSION_USER|CURRENT_ROLE|USER)($|[^"''A-Za-z0-9_])'
  union all
  select 'warning',
    format('The policy %I may show other rows than the owner''s.', p.polname),
    'A device gets all rows that the policies show to its user. Nothing is to be done if that is meant.'
  from pg_catalog.pg_policy as p
  where p.polrelid = table_id and expected ->> 'owner' is not null and p.polcmd in ('r', '*')
    and exists (
      select from unnest(p.polroles) as r (id) where r.id = 0 or pg_has_role('entitysync', r.id, 'usage')
    )
    and entitysync.plain_condition(pg_get_expr(p.polqual, p.polrelid)) <> all (array[
      entitysync.plain_condition(expected ->> 'owner') || '=auth.uid',
      'auth.uid=' || entitysync.plain_condition(expected ->> 'owner')
    ])
  union all
  select 'warning',
    format('The trigger %I reads the name of the role, which is entitysync in an exchange.', g.tgname),
    'Use auth.uid() or auth.jwt() in its place; auth.role() is the role of the token.'
  from pg_catalog.pg_trigger as g
  join pg_catalog.pg_proc as p on p.oid = g.tgfoid
  where g.tgrelid = table_id and not g.tgisinternal and p.pronamespace <> 'entitysync'::regnamespace
    and p.prosrc ~* case
      when p.prosecdef then '\msession_user\M'
      else '\m(current_user|session_user|current_role)\M'
    end
$$;

-- What users may not do with the table.
create or replace function entitysync.right_findings(expected json, table_id regclass)
returns table (severity text, finding text, help text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select f.severity, f.finding, f.help
  from (
    values
      (
        not (select t.relrowsecurity from pg_catalog.pg_class as t where t.oid = table_id)
          and expected ->> 'owner' is not null,
        'error', 'Row-level security is off: every user can read and write every row.',
        format('alter table %s enable row level security;', table_id)
      ),
      (
        (select t.relrowsecurity from pg_catalog.pg_class as t where t.oid = table_id)
          and not exists (select from pg_catalog.pg_policy as p where p.polrelid = table_id),
        'error', 'The table has no policy, so that no user sees a row.', 'Apply the generated SQL again.'
      ),
      (
        not (
          has_table_privilege('authenticated', table_id, 'select')
          and has_table_privilege('authenticated', table_id, 'insert')
          and has_table_privilege('authenticated', table_id, 'update')
          and has_table_privilege('authenticated', table_id, 'delete')
        ),
        'error', 'The role authenticated may not read and write the table.',
        format('grant select, insert, update, delete on %s to authenticated;', table_id)
      )
  ) as f (is_found, severity, finding, help)
  where f.is_found
  union all
  select 'error',
    format('The role authenticated may not select the column %I, and the exchange reads whole rows.', c.name),
    format('grant select (%I) on %s to authenticated;', c.name, table_id)
  from entitysync.table_columns(expected, table_id) as c
  where c.place is not null and has_any_column_privilege('authenticated', table_id, 'select')
    and not has_column_privilege('authenticated', table_id, c.place, 'select')
$$;

-- All of that for one table, which is described as entitysync.expected() describes it.
create or replace function entitysync.table_findings(expected json)
returns table (severity text, finding text, help text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  table_id regclass := to_regclass(expected ->> 'table');
begin
  if table_id is null then
    return query select 'refused', format('The table %s is not there.', expected ->> 'table'),
      'Make it if it is one of yours, and apply the generated SQL again.';
    return;
  end if;
  return query select * from entitysync.kind_findings(table_id);
  if (select c.relkind from pg_catalog.pg_class as c where c.oid = table_id) in ('r', 'p') then
    return query select * from entitysync.key_findings(expected, table_id);
    return query select * from entitysync.column_findings(expected, table_id);
    return query select * from entitysync.owner_findings(expected, table_id);
    return query select * from entitysync.right_findings(expected, table_id);
    return query select * from entitysync.policy_findings(expected, table_id);
  end if;
end
$$;
