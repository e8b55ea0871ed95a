-- EntitySync: the tables of your entities, and what keeps them in sync.
--
-- Generated from the schemas; apply after 10-entitysync.sql. Applying it again changes nothing, and locks
-- no table. Each entity is a transaction of its own, which is applied whole or not at all: if one fails,
-- mend what the message says and apply the file again.

-- What other programs wrote waits in a log, which names columns by their places in the former schema.
do $$
begin
  if to_regprocedure('entitysync.paths(text)') is null
    or to_regprocedure('entitysync.fold_all()') is null
  then
    return;
  end if;
  if exists (
    select from (values
        ('bookmark', '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb)
      ) as e (name, paths)
    where entitysync.paths(e.name) <> e.paths
  ) then
    perform entitysync.fold_all();
  end if;
end
$$;

-- bookmark ------------------------------------------------------------------------------------------------------------
-- Checked by devices and syncserver, and not by this SQL alone; devices set such a record aside:
--   tags: uniqueItems
--   tags[]: type
--   createdAt: format
--   updatedAt: format

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

do $body4$
begin
  if entitysync.admit('{"entity":"bookmark","table":"\"public\".\"bookmarks\"","owner":"user_id","columns":{"id":"uuid","user_id":"uuid","surah_number":"integer","verse_number":"integer","surah_name":"text","verse_text":"text","verse_translation":"text","notes":"text","tags":"text[]","created_at":"timestamp","updated_at":"timestamp"},"key":["id"],"optional":["notes","tags"],"unique":[],"compare":"bookmark_compare","stand_in":"bookmark_stand_in"}') then
    execute $body3$
-- A row's key, and its value as devices write it.
create or replace function entitysync."bookmark_key"(r "public"."bookmarks") returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r."id"::text
$$;

-- NB: a session keeps the plan of such a function, and would plan one in SQL at each call.
create or replace function entitysync."bookmark_json"(r "public"."bookmarks") returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{' || right(',"id":' || coalesce(to_json(r."id")::text, 'null')
    || ',"user_id":' || coalesce(to_json(r."user_id")::text, 'null')
    || ',"surah_number":' || coalesce(r."surah_number"::text, 'null')
    || ',"verse_number":' || coalesce(r."verse_number"::text, 'null')
    || ',"surah_name":' || coalesce(to_json(r."surah_name")::text, 'null')
    || ',"verse_text":' || coalesce(to_json(r."verse_text")::text, 'null')
    || ',"verse_translation":' || coalesce(to_json(r."verse_translation")::text, 'null')
    || coalesce(',"notes":' || to_json(r."notes")::text, '')
    || coalesce(',"tags":' || to_json(r."tags")::text, '')
    || ',"created_at":' || coalesce(case when r."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when r."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}';
end
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."bookmark_misfits"(entitysync.change[]);

-- Why a change does not fit the schema, as the rule and one sentence; null if it does. PostgreSQL's `jsonb`
-- keeps the last one of members that stand twice, unseen: whether there are some is found by who asks.
create or replace function entitysync."bookmark_misfit"(c entitysync.change, repeats_member boolean)
returns text
language sql stable
return coalesce(
  case
    when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'
    when repeats_member then 'json: The body holds a member that stands twice in one object.'
  end,
  case when not c.is_deleted then case
    when (c.value -> 'id') is null then 'required: id is missing.'
    when case jsonb_typeof((c.value -> 'id')) when 'string' then not ((c.value ->> 'id') like '________-____-____-____-____________' and (c.value ->> 'id') ~ '^[0-9a-fA-F]+(-[0-9a-fA-F]+){4}$') else (c.value -> 'id') is not null end then 'type: id is not what the schema says.'
    when (c.value -> 'user_id') is null then 'required: user_id is missing.'
    when case jsonb_typeof((c.value -> 'user_id')) when 'string' then not ((c.value ->> 'user_id') like '________-____-____-____-____________' and (c.value ->> 'user_id') ~ '^[0-9a-fA-F]+(-[0-9a-fA-F]+){4}$') else (c.value -> 'user_id') is not null end then 'type: user_id is not what the schema says.'
    when (c.value -> 'surah_number') is null then 'required: surah_number is missing.'
    when case jsonb_typeof((c.value -> 'surah_number')) when 'number' then not ((c.value ->> 'surah_number')::numeric % 1 = 0) else (c.value -> 'surah_number') is not null end then 'type: surah_number is not what the schema says.'
    when (c.value -> 'verse_number') is null then 'required: verse_number is missing.'
    when case jsonb_typeof((c.value -> 'verse_number')) when 'number' then not ((c.value ->> 'verse_number')::numeric % 1 = 0) else (c.value -> 'verse_number') is not null end then 'type: verse_number is not what the schema says.'
    when (c.value -> 'surah_name') is null then 'required: surah_name is missing.'
    when jsonb_typeof((c.value -> 'surah_name')) <> 'string' then 'type: surah_name is not what the schema says.'
    when (c.value -> 'verse_text') is null then 'required: verse_text is missing.'
    when jsonb_typeof((c.value -> 'verse_text')) <> 'string' then 'type: verse_text is not what the schema says.'
    when (c.value -> 'verse_translation') is null then 'required: verse_translation is missing.'
    when jsonb_typeof((c.value -> 'verse_translation')) <> 'string' then 'type: verse_translation is not what the schema says.'
    when jsonb_typeof((c.value -> 'notes')) <> 'string' then 'type: notes is not what the schema says.'
    when jsonb_typeof((c.value -> 'tags')) <> 'array' then 'type: tags is not what the schema says.'
    when (c.value -> 'created_at') is null then 'required: created_at is missing.'
    when case jsonb_typeof((c.value -> 'created_at')) when 'string' then not ((c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'created_at') is not null end then 'type: created_at is not what the schema says.'
    when (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
    when case jsonb_typeof((c.value -> 'updated_at')) when 'string' then not ((c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'updated_at') is not null end then 'type: updated_at is not what the schema says.'
    when lower((c.value ->> 'user_id')) <> c.space::text then 'owner: The record belongs to another account.'
  end end,
  case
    when octet_length(c.body::text) > 5000 and entitysync.unknown_members(c.value, array['created_at', 'id', 'notes', 'surah_name', 'surah_number', 'tags', 'updated_at', 'user_id', 'verse_number', 'verse_text', 'verse_translation']) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
    when lower((c.value ->> 'id')) is distinct from c.key and not (c.is_deleted and lower((c.value ->> 'id')) is null)
          then 'key: The key is not that of the body.'
  end
);

-- Changes of the entity that do not fit the schema.
create or replace function entitysync."bookmark_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id, entitysync."bookmark_misfit"(
      c,
      case when jsonb_typeof(c.value) = 'object' then (select count(*) from (select json_object_keys(c.body)) as m) <> (select count(*) from (select jsonb_object_keys(c.value)) as m) end
    ) as reason
    from unnest(changes) as c
    where c.entity = 'bookmark'
    offset 0
  ) as f
  where f.reason is not null;
end
$$;

-- The columns in which two values of the entity differ, as bits.
create or replace function entitysync."bookmark_mask"(given jsonb, present jsonb) returns bigint
language sql stable
return (case when given -> 'id' is distinct from present -> 'id' then ((given ->> 'id')::uuid is distinct from (present ->> 'id')::uuid)::int::bigint else 0 end << 0)
  | (case when given -> 'user_id' is not null and given -> 'user_id' is distinct from present -> 'user_id' then (coalesce((given ->> 'user_id')::uuid, (select auth.uid())) is distinct from coalesce((present ->> 'user_id')::uuid, (select auth.uid())))::int::bigint else 0 end << 1)
  | (case when given -> 'surah_number' is distinct from present -> 'surah_number' then ((given ->> 'surah_number')::numeric::integer is distinct from (present ->> 'surah_number')::numeric::integer)::int::bigint else 0 end << 2)
  | (case when given -> 'verse_number' is distinct from present -> 'verse_number' then ((given ->> 'verse_number')::numeric::integer is distinct from (present ->> 'verse_number')::numeric::integer)::int::bigint else 0 end << 3)
  | (case when given -> 'surah_name' is distinct from present -> 'surah_name' then ((given ->> 'surah_name') is distinct from (present ->> 'surah_name'))::int::bigint else 0 end << 4)
  | (case when given -> 'verse_text' is distinct from present -> 'verse_text' then ((given ->> 'verse_text') is distinct from (present ->> 'verse_text'))::int::bigint else 0 end << 5)
  | (case when given -> 'verse_translation' is distinct from present -> 'verse_translation' then ((given ->> 'verse_translation') is distinct from (present ->> 'verse_translation'))::int::bigint else 0 end << 6)
  | (case when given -> 'notes' is distinct from present -> 'notes' then ((given ->> 'notes') is distinct from (present ->> 'notes'))::int::bigint else 0 end << 7)
  | (case when given -> 'tags' is distinct from present -> 'tags' then (case when jsonb_typeof(given -> 'tags') = 'array' then array(select e.value from jsonb_array_elements_text(given -> 'tags') as e)::text[] end is distinct from case when jsonb_typeof(present -> 'tags') = 'array' then array(select e.value from jsonb_array_elements_text(present -> 'tags') as e)::text[] end)::int::bigint else 0 end << 8)
  | (case when given -> 'created_at' is distinct from present -> 'created_at' then ((entitysync.moment((given ->> 'created_at')) at time zone 'UTC') is distinct from (entitysync.moment((present ->> 'created_at')) at time zone 'UTC'))::int::bigint else 0 end << 9)
  | (case when given -> 'updated_at' is distinct from present -> 'updated_at' then ((entitysync.moment((given ->> 'updated_at')) at time zone 'UTC') is distinct from (entitysync.moment((present ->> 'updated_at')) at time zone 'UTC'))::int::bigint else 0 end << 10);

-- Gives records that other programs touched the states that their rows ask for.
create or replace function entitysync."bookmark_fold"(
  p_space uuid, p_keys text[], p_ats bigint[], p_masks bigint[], p_appearing boolean[]
) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- NB: a name that no column has.
  "$space" constant uuid := $1;
  device text := entitysync.server_device("$space");
begin
  -- No field changed, but policies may read what did: these records are looked at again.
  update entitysync.state as s set xid = pg_current_xact_id()
  from unnest(p_keys, p_masks) as t (key, mask)
  where t.mask = 0 and s.space = "$space" and s.id = entitysync.record_id("$space", 'bookmark', t.key)
    and not s.is_deleted;
  with touched as (
    select t.*, entitysync.record_id("$space", 'bookmark', t.key) as id, t.key::uuid as "$0"
    from unnest(p_keys, p_ats, p_masks, p_appearing) as t (key, at, mask, appears)
    offset 0
  ), found as materialized (
    select t.*, "$state" as state, "$t" as row, "$t"."id" is not null and not false as lives,
      -- The row of a deleted record says its last value; what is written into it is a version.
      false as is_kept, false as keeps_words
    from touched as t
    left join entitysync.state as "$state" on "$state".space = "$space" and "$state".id = t.id
    left join "public"."bookmarks" as "$t" on "$t"."user_id" = "$space" and "$t"."id" = t."$0"
  ), numbered as (
    select f.*, entitysync.edit_number(f.number, (f.state).vector, device) as edit_number,
      greatest(
        case
          when f.lives then case when f.mask & (1::bigint << 10) <> 0 then least(entitysync.microseconds(((f.row)."updated_at" at time zone 'UTC')), f.at) else f.at end
          when (f.state).is_deleted is not true then f.at
        end,
        split_part((f.state).edit, '.', 1)::bigint + 1
      ) as edit_time
    from (
      select f.*, nextval('entitysync.numbers') as number from found as f
      -- Nothing is to be done where there is neither a row nor a live state, or a live one was restored.
      where case
        when (f.state).id is null then f.lives
        when (f.state).is_deleted then f.lives or f.keeps_words
        when f.lives and f.mask = 0 then false
        else not f.lives or not f.appears
      end
      order by f.at, f.key
    ) as f
  ), edited as (
    select n.*, n.edit_time || '.' || device || '.' || n.edit_number as edit,
      case
        -- Who inserts the key of a record that was merged into another one has seen nothing of that one.
        when (n.state).id is null or (n.state).merged_into is not null then device || ':' || n.edit_number
        else entitysync.with_edit((n.state).vector, device, n.edit_number)
      end as vector,
      case
        when n.is_kept or n.lives and ((n.state).body is not null or '{"":"rest","created_at":"time","notes":"field","surah_name":"field","surah_number":"field","tags":"set","updated_at":"time","user_id":"field","verse_number":"field","verse_text":"field","verse_translation":"field"}'::jsonb is not null)
          then entitysync."bookmark_json"(n.row)::jsonb
      end as row_json
    from numbered as n
  ), made as materialized (
    select e.*, case when e.lives then jsonb_build_object('tags', e.row_json -> 'tags') end as sets,
      case
        when e.is_kept
          then coalesce(
            entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb), e.row_json::text::json
          )
        when not e.lives or (e.state).is_deleted then null
        when (e.state).body is not null
          then entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb)
      end as body,
      case
        when e.lives and (e.state).id is not null and (e.state).merged_into is null
          then entitysync.edited_detail(
            (e.state).detail, (e.state).edit, e.edit, e.mask | case when (e.state).is_deleted then (1::bigint << 8) else 0 end, '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb, '{"":"rest","created_at":"time","notes":"field","surah_name":"field","surah_number":"field","tags":"set","updated_at":"time","user_id":"field","verse_number":"field","verse_text":"field","verse_translation":"field"}'::jsonb, case when (e.state).is_deleted then '{"tags":[]}'::jsonb else (e.state).sets end,
            jsonb_build_object('tags', e.row_json -> 'tags')
          )
      end as detail
    from edited as e
  ), changed as (
    update entitysync.state as s set
      xid = pg_current_xact_id(), number = m.number, revision = entitysync.new_revision(m.number),
      is_deleted = not m.lives, edit = m.edit,
      -- Nobody sent what was written into a deleted record: devices shall look at it.
      sent = case when m.keeps_words then split_part(m.edit, '.', 1) || '.0000000000000000.' || split_part(m.edit, '.', 3) else m.edit end,
      vector = m.vector, detail = m.detail,
      merged_into = null, body = m.body, sets = m.sets, stored_at = now()
    from made as m
    where s.space = "$space" and s.id = m.id and (m.state).id is not null
  )
  insert into entitysync.state (
    space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, body, sets
  )
  select "$space", m.id, 'bookmark', m.key, pg_current_xact_id(), m.number,
    entitysync.new_revision(m.number), false, m.edit, m.edit, m.vector, null, null, m.sets
  from made as m
  where (m.state).id is null;
end
$$;

-- Locks the rows of changes that the caller may change, or fails.
create or replace function entitysync."bookmark_lock"(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  perform from (select c.position, c.space as "$owner", c.key::uuid as "$0" from unnest(changes) as c where c.entity = 'bookmark' offset 0) as k
  join "public"."bookmarks" as "$t" on "$t"."user_id" = k."$owner" and "$t"."id" = k."$0"
  for no key update of "$t" nowait;
end
$$;

-- Until 1.0.0 these wrote the states, too.
drop function if exists entitysync."bookmark_write"(entitysync.change[]);
drop function if exists entitysync."bookmark_remove"(entitysync.change[]);

-- What the table made of a change: the row says it after it was written.
create or replace function entitysync."bookmark_written"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- To compare texts takes less than to read one.
  says_the_same constant boolean := (change).body::text = row_json;
  value constant jsonb := case when says_the_same then (change).value else row_json::jsonb end;
  altered constant bigint := case
    when says_the_same then 0 else entitysync."bookmark_mask"((change).value, value)
  end;
begin
  return row(
    (change).position,
    case
      when altered <> 0 then entitysync.overlaid((change).body, value, altered, '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb)
      when not says_the_same then (change).body
    end,
    jsonb_build_object('tags', value -> 'tags'), altered
  );
end
$$;

-- What the row of a record says; null if there is none.
create or replace function entitysync."bookmark_row"(p_space uuid, p_key text, locks boolean) returns text
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  if locks then
    return (select entitysync."bookmark_json"("$t") from "public"."bookmarks" as "$t" where "$t"."user_id" = $1 and "$t"."id" = $2::uuid for no key update nowait);
  end if;
  return (select entitysync."bookmark_json"("$t") from "public"."bookmarks" as "$t" where "$t"."user_id" = $1 and "$t"."id" = $2::uuid);
end
$$;

-- Writes the row of one change, by statements that are planned in no time. `row_json` is what it says before.
create or replace function entitysync."bookmark_write_one"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- Whether the row that was made has the record's key.
  is_row boolean;
  present jsonb;
  mask bigint;
  sets constant text[] := array['"user_id" = coalesce(($1 ->> ''user_id'')::uuid, (select auth.uid()))', '"surah_number" = ($1 ->> ''surah_number'')::numeric::integer', '"verse_number" = ($1 ->> ''verse_number'')::numeric::integer', '"surah_name" = ($1 ->> ''surah_name'')', '"verse_text" = ($1 ->> ''verse_text'')', '"verse_translation" = ($1 ->> ''verse_translation'')', '"notes" = ($1 ->> ''notes'')', '"tags" = case when jsonb_typeof($1 -> ''tags'') = ''array'' then array(select e.value from jsonb_array_elements_text($1 -> ''tags'') as e)::text[] end', '"created_at" = (entitysync.moment(($1 ->> ''created_at'')) at time zone ''UTC'')', '"updated_at" = (entitysync.moment(($1 ->> ''updated_at'')) at time zone ''UTC'')'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]::integer[];
begin
  if row_json is null then
    if (change).lives or (change).space <> entitysync.my_space() then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', 'bookmark', true);
    insert into "public"."bookmarks" as "$t" ("id", "user_id", "surah_number", "verse_number", "surah_name", "verse_text", "verse_translation", "notes", "tags", "created_at", "updated_at")
    values (
      ((change).value ->> 'id')::uuid,
      coalesce(((change).value ->> 'user_id')::uuid, (select auth.uid())),
      ((change).value ->> 'surah_number')::numeric::integer,
      ((change).value ->> 'verse_number')::numeric::integer,
      ((change).value ->> 'surah_name'),
      ((change).value ->> 'verse_text'),
      ((change).value ->> 'verse_translation'),
      ((change).value ->> 'notes'),
      case when jsonb_typeof((change).value -> 'tags') = 'array' then array(select e.value from jsonb_array_elements_text((change).value -> 'tags') as e)::text[] end,
      (entitysync.moment(((change).value ->> 'created_at')) at time zone 'UTC'),
      (entitysync.moment(((change).value ->> 'updated_at')) at time zone 'UTC')
    )
    returning entitysync."bookmark_json"("$t"), "$t"."id" = ($1).key::uuid into row_json, is_row;
    if is_row is not true then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
    return entitysync."bookmark_written"(change, row_json);
  end if;
  present := row_json::jsonb;
  mask := entitysync."bookmark_mask"((change).value, present);
  if mask <> 0 then
    perform set_config('entitysync.writes', 'bookmark', true);
    execute 'update "public"."bookmarks" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where mask & (1::bigint << s.bit) <> 0
    ) || ' where "$t"."user_id" = $2 and "$t"."id" = $3::uuid returning entitysync."bookmark_json"("$t")'
    into row_json
    using (change).value, (change).space, (change).key;
    if row_json is null then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
  end if;
  return entitysync."bookmark_written"(change, row_json);
end
$$;

-- Writes rows: of each, only the columns that the change gives another value. Says what the table made of them.
create or replace function entitysync."bookmark_write"(changes entitysync.change[]) returns entitysync.written[]
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
#variable_conflict use_column
declare
  -- The changes whose rows are there, the columns to be written, and what the rows say.
  positions integer[];
  masks bigint[];
  rows text[];
  union_mask bigint;
  -- What rows say after they were written.
  written_positions integer[];
  written_rows text[];
  inserted_positions integer[];
  inserted_rows text[];
  sets constant text[] := array['"user_id" = case when w."$mask" & (1::bigint << 1) <> 0 then w."user_id" else "$t"."user_id" end', '"surah_number" = case when w."$mask" & (1::bigint << 2) <> 0 then w."surah_number" else "$t"."surah_number" end', '"verse_number" = case when w."$mask" & (1::bigint << 3) <> 0 then w."verse_number" else "$t"."verse_number" end', '"surah_name" = case when w."$mask" & (1::bigint << 4) <> 0 then w."surah_name" else "$t"."surah_name" end', '"verse_text" = case when w."$mask" & (1::bigint << 5) <> 0 then w."verse_text" else "$t"."verse_text" end', '"verse_translation" = case when w."$mask" & (1::bigint << 6) <> 0 then w."verse_translation" else "$t"."verse_translation" end', '"notes" = case when w."$mask" & (1::bigint << 7) <> 0 then w."notes" else "$t"."notes" end', '"tags" = case when w."$mask" & (1::bigint << 8) <> 0 then w."tags" else "$t"."tags" end', '"created_at" = case when w."$mask" & (1::bigint << 9) <> 0 then w."created_at" else "$t"."created_at" end', '"updated_at" = case when w."$mask" & (1::bigint << 10) <> 0 then w."updated_at" else "$t"."updated_at" end'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]::integer[];
  done entitysync.written[];
begin
  if cardinality(changes) = 1 then
    return array[entitysync."bookmark_write_one"(
      changes[1], entitysync."bookmark_row"(changes[1].space, changes[1].key, false)
    )];
  end if;
  select array_agg(p.position), array_agg(p.mask), array_agg(p.row_json), bit_or(p.mask)
  into positions, masks, rows, union_mask
  from (
    select m.position, m.row_json, entitysync."bookmark_mask"(m.value, m.present) as mask
    from (
      -- NB: read once. The mask looks into it for each column.
      select r.*, r.row_json::jsonb as present
      from (
        select k.position, k.value, entitysync."bookmark_json"("$t") as row_json
        from (select c.position, c.value, c.space as "$owner", c.key::uuid as "$0" from unnest(changes) as c where c.entity = 'bookmark' offset 0) as k
        join "public"."bookmarks" as "$t" on "$t"."user_id" = k."$owner" and "$t"."id" = k."$0"
        offset 0
      ) as r
      offset 0
    ) as m
  ) as p;
  if coalesce(cardinality(positions), 0) < cardinality(changes) and exists (
    select from unnest(changes) as c where c.lives and c.position <> all (coalesce(positions, '{}'))
  ) then
    raise insufficient_privilege using message = 'A row of the table could not be written.';
  end if;
  perform set_config('entitysync.writes', 'bookmark', true);
  if union_mask <> 0 then
    execute 'with u as (
  update "public"."bookmarks" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where union_mask & (1::bigint << s.bit) <> 0
    ) || '
  from (
    select c.position as "$position", m.mask as "$mask", c.value as "$value", c.space as "$owner",
      (c.value ->> ''id'')::uuid as "id",
      coalesce((c.value ->> ''user_id'')::uuid, (select auth.uid())) as "user_id",
      (c.value ->> ''surah_number'')::numeric::integer as "surah_number",
      (c.value ->> ''verse_number'')::numeric::integer as "verse_number",
      (c.value ->> ''surah_name'') as "surah_name",
      (c.value ->> ''verse_text'') as "verse_text",
      (c.value ->> ''verse_translation'') as "verse_translation",
      (c.value ->> ''notes'') as "notes",
      case when jsonb_typeof(c.value -> ''tags'') = ''array'' then array(select e.value from jsonb_array_elements_text(c.value -> ''tags'') as e)::text[] end as "tags",
      (entitysync.moment((c.value ->> ''created_at'')) at time zone ''UTC'') as "created_at",
      (entitysync.moment((c.value ->> ''updated_at'')) at time zone ''UTC'') as "updated_at"
    from unnest($1) as c join unnest($2, $3) as m (position, mask) on m.position = c.position
    where m.mask <> 0
    offset 0
  ) as w
  where "$t"."user_id" = w."$owner" and "$t"."id" = w."id"
  returning w."$position" as position, entitysync."bookmark_json"("$t") as row_json
)
select array_agg(u.position), array_agg(u.row_json) from u'
    into written_positions, written_rows
    using changes, positions, masks;
    if coalesce(cardinality(written_positions), 0) < cardinality(array_remove(masks, 0)) then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
  end if;
  if coalesce(cardinality(positions), 0) < cardinality(changes) then
    with w as materialized (
      select c.position as "$position",
        (c.value ->> 'id')::uuid as "id",
        coalesce((c.value ->> 'user_id')::uuid, (select auth.uid())) as "user_id",
        (c.value ->> 'surah_number')::numeric::integer as "surah_number",
        (c.value ->> 'verse_number')::numeric::integer as "verse_number",
        (c.value ->> 'surah_name') as "surah_name",
        (c.value ->> 'verse_text') as "verse_text",
        (c.value ->> 'verse_translation') as "verse_translation",
        (c.value ->> 'notes') as "notes",
        case when jsonb_typeof(c.value -> 'tags') = 'array' then array(select e.value from jsonb_array_elements_text(c.value -> 'tags') as e)::text[] end as "tags",
        (entitysync.moment((c.value ->> 'created_at')) at time zone 'UTC') as "created_at",
        (entitysync.moment((c.value ->> 'updated_at')) at time zone 'UTC') as "updated_at"
      from unnest(changes) as c
      where c.position <> all (coalesce(positions, '{}')) and c.space = (select entitysync.my_space())
    ), i as (
      insert into "public"."bookmarks" as "$t" ("id", "user_id", "surah_number", "verse_number", "surah_name", "verse_text", "verse_translation", "notes", "tags", "created_at", "updated_at")
      select w."id", w."user_id", w."surah_number", w."verse_number", w."surah_name", w."verse_text", w."verse_translation", w."notes", w."tags", w."created_at", w."updated_at"
      from w
      returning "$t"."id",
        '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
    || ',"user_id":' || coalesce(to_json("$t"."user_id")::text, 'null')
    || ',"surah_number":' || coalesce("$t"."surah_number"::text, 'null')
    || ',"verse_number":' || coalesce("$t"."verse_number"::text, 'null')
    || ',"surah_name":' || coalesce(to_json("$t"."surah_name")::text, 'null')
    || ',"verse_text":' || coalesce(to_json("$t"."verse_text")::text, 'null')
    || ',"verse_translation":' || coalesce(to_json("$t"."verse_translation")::text, 'null')
    || coalesce(',"notes":' || to_json("$t"."notes")::text, '')
    || coalesce(',"tags":' || to_json("$t"."tags")::text, '')
    || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' as "$json"
    )
    select array_agg(w."$position"), array_agg(i."$json")
    into inserted_positions, inserted_rows
    from i join w on i."id" = w."id";
    if coalesce(cardinality(inserted_positions || positions), 0) < cardinality(changes) then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
  end if;
  perform set_config('entitysync.writes', '', true);
  select array_agg(
    case
      when c.body::text = r.row_json
        then row(c.position, null, jsonb_build_object('tags', c.value -> 'tags'), 0)::entitysync.written
      else entitysync."bookmark_written"(c, r.row_json)
    end
  )
  into done
  from unnest(changes) as c
  join (
    select p.position, p.row_json from unnest(positions, rows, masks) as p (position, row_json, mask)
    where p.mask = 0
    union all
    select u.position, u.row_json from unnest(written_positions, written_rows) as u (position, row_json)
    union all
    select i.position, i.row_json from unnest(inserted_positions, inserted_rows) as i (position, row_json)
  ) as r on r.position = c.position;
  return done;
end
$$;

-- Deletes rows.
create or replace function entitysync."bookmark_remove"(changes entitysync.change[]) returns entitysync.written[]
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  removed integer;
begin
  perform set_config('entitysync.writes', 'bookmark', true);
  delete from "public"."bookmarks" as "$t" using (select c.value, c.space as "$owner", c.key::uuid as "$0" from unnest(changes) as c where c.entity = 'bookmark' offset 0) as k
  where "$t"."user_id" = k."$owner" and "$t"."id" = k."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return array(select row(c.position, c.body, null, 0)::entitysync.written from unnest(changes) as c);
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."bookmark_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  query text := entitysync.clash_query('"public"."bookmarks"'::regclass, index);
  given "public"."bookmarks";
  holder "public"."bookmarks";
begin
  if query is null then
    return null;
  end if;
  given := (
    select jsonb_populate_record(null::"public"."bookmarks", to_jsonb(v))
    from (
      select
        (j.b ->> 'id')::uuid as "id",
        coalesce((j.b ->> 'user_id')::uuid, (select auth.uid())) as "user_id",
        (j.b ->> 'surah_number')::numeric::integer as "surah_number",
        (j.b ->> 'verse_number')::numeric::integer as "verse_number",
        (j.b ->> 'surah_name') as "surah_name",
        (j.b ->> 'verse_text') as "verse_text",
        (j.b ->> 'verse_translation') as "verse_translation",
        (j.b ->> 'notes') as "notes",
        case when jsonb_typeof(j.b -> 'tags') = 'array' then array(select e.value from jsonb_array_elements_text(j.b -> 'tags') as e)::text[] end as "tags",
        (entitysync.moment((j.b ->> 'created_at')) at time zone 'UTC') as "created_at",
        (entitysync.moment((j.b ->> 'updated_at')) at time zone 'UTC') as "updated_at"
      from (select (change).body::jsonb as b) as j
    ) as v
  );
  execute query into holder using given;
  return nullif(holder."id"::text, (change).key);
exception
  -- The clash is told in any case, if without a name.
  when data_exception or syntax_error_or_access_rule_violation then
    return null;
end
$$;

-- Until 1.0.0 it read all rows at once.
drop function if exists entitysync."bookmark_adopt"();

-- Logs each row of some blocks that has no state, such as rows from before EntitySync.
create or replace function entitysync."bookmark_adopt"(first tid, past tid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into entitysync.log (space, entity, op, keys)
  select r.space, 'bookmark', 'a', array_agg(r.key)
  from (
    select "$t"."user_id" as space, "$t"."id"::text as key
    from "public"."bookmarks" as "$t"
    where "$t".ctid >= first and "$t".ctid < past and not false
  ) as r
  left join entitysync.state as s
    on s.space = r.space and s.id = entitysync.record_id(r.space, 'bookmark', r.key)
  where r.space is not null and s.id is null
  group by r.space
$$;

-- The live rows that have a value in one of some columns.
create or replace function entitysync."bookmark_valued"(places integer[])
returns table (space uuid, key text, value jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.space, r.key, r.value
  from (
    select "$t"."user_id" as space, "$t"."id"::text as key,
      entitysync."bookmark_json"("$t")::jsonb as value
    from "public"."bookmarks" as "$t"
    where not false and (
      3 = any (places) and "$t"."surah_number" is not null
          or 4 = any (places) and "$t"."verse_number" is not null
          or 5 = any (places) and "$t"."surah_name" is not null
          or 6 = any (places) and "$t"."verse_text" is not null
          or 7 = any (places) and "$t"."verse_translation" is not null
          or 8 = any (places) and "$t"."notes" is not null
          or 9 = any (places) and "$t"."tags" is not null
    )
  ) as r
  where r.space is not null
$$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."bookmark_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(*) filter (where s.id is null), count(*) filter (where r.id is null), (select count(*) from "public"."bookmarks" as "$t" where "$t"."user_id" is null)
  from (
    select entitysync.record_id("$t"."user_id", 'bookmark', entitysync."bookmark_key"("$t")) as id
    from "public"."bookmarks" as "$t"
    where "$t"."user_id" is not null and not false
  ) as r
  full join (
    select s.id from entitysync.state as s where s.entity = 'bookmark' and not s.is_deleted
  ) as s on s.id = r.id
$$;

do $body2$
begin
  perform entitysync.ensure_table('bookmark', '"public"."bookmarks"', $body1$
alter table "public"."bookmarks"
  add column if not exists "id" uuid not null default gen_random_uuid(),
  add column if not exists "user_id" uuid not null default auth.uid(),
  add column if not exists "surah_number" integer constraint "bookmarks_surah_number_limits" check ("surah_number" >= 1 and "surah_number" <= 114),
  add column if not exists "verse_number" integer constraint "bookmarks_verse_number_limits" check ("verse_number" >= 1),
  add column if not exists "surah_name" text,
  add column if not exists "verse_text" text,
  add column if not exists "verse_translation" text,
  add column if not exists "notes" text,
  add column if not exists "tags" text[],
  add column if not exists "created_at" timestamp not null default (now() at time zone 'UTC'),
  add column if not exists "updated_at" timestamp not null default (now() at time zone 'UTC');
-- A table with policies of its own keeps them as they are.
do $$
begin
  if not exists (select from pg_catalog.pg_policy where polrelid = '"public"."bookmarks"'::regclass and polname not like 'entitysync: %') then
    alter table "public"."bookmarks" enable row level security;
    drop policy if exists "entitysync: read" on "public"."bookmarks";
    create policy "entitysync: read" on "public"."bookmarks" for select to authenticated
      using ("user_id" = (select auth.uid()));
    drop policy if exists "entitysync: add" on "public"."bookmarks";
    create policy "entitysync: add" on "public"."bookmarks" for insert to authenticated
      with check ("user_id" = (select auth.uid()));
    drop policy if exists "entitysync: change" on "public"."bookmarks";
    create policy "entitysync: change" on "public"."bookmarks" for update to authenticated
      using ("user_id" = (select auth.uid())) with check ("user_id" = (select auth.uid()));
    drop policy if exists "entitysync: remove" on "public"."bookmarks";
    create policy "entitysync: remove" on "public"."bookmarks" for delete to authenticated
      using ("user_id" = (select auth.uid()));
    drop policy if exists "entitysync: service" on "public"."bookmarks";
    create policy "entitysync: service" on "public"."bookmarks" for all to service_role
      using (true) with check (true);
    grant select, insert, update, delete on "public"."bookmarks" to authenticated, service_role;
  end if;
end
$$;

select entitysync.move_log('bookmark', '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb, '[]'::jsonb);

-- Logs every other write: one row per statement, space and set of changed columns. Old and new rows come in one
-- order, so they are paired by place.
create or replace function entitysync."bookmark_track"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  loops text := current_setting('enable_nestloop');
  merges text := current_setting('enable_mergejoin');
  -- A statement keeps the plan of its first run: there is one for a single row, and one for many.
  is_single boolean;
  is_viewed boolean;
begin
  if tg_op = 'INSERT' then
    if (select count(*) < 2 from (select from added limit 2) as few) then
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'bookmark', 'i', array[t.key]
      from (select r."user_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'bookmark', 'i', array_agg(t.key)
      from (select r."user_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif tg_op = 'DELETE' then
    if (select count(*) < 2 from (select from gone limit 2) as few) then
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'bookmark', 'd', array[t.key]
      from (select r."user_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'bookmark', 'd', array_agg(t.key)
      from (select r."user_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif (select count(*) < 2 from (select from before limit 2) as few) then
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'bookmark', e.op::"char", e.mask, array[e.key]
    from before as "$old" cross join after as "$new"
    cross join lateral (
      values
        ('u', "$new"."user_id", "$new"."id"::text, (("$old"."user_id" is distinct from "$new"."user_id")::int::bigint << 1)
          | (("$old"."surah_number" is distinct from "$new"."surah_number")::int::bigint << 2)
          | (("$old"."verse_number" is distinct from "$new"."verse_number")::int::bigint << 3)
          | (("$old"."surah_name" collate "C" is distinct from "$new"."surah_name" collate "C")::int::bigint << 4)
          | (("$old"."verse_text" collate "C" is distinct from "$new"."verse_text" collate "C")::int::bigint << 5)
          | (("$old"."verse_translation" collate "C" is distinct from "$new"."verse_translation" collate "C")::int::bigint << 6)
          | (("$old"."notes" collate "C" is distinct from "$new"."notes" collate "C")::int::bigint << 7)
          | (("$old"."tags" collate "C" is distinct from "$new"."tags" collate "C")::int::bigint << 8)
          | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 9)
          | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 10),
          not ("$old"."user_id", "$old"."id"::text) is distinct from ("$new"."user_id", "$new"."id"::text)),
        ('d', "$old"."user_id", "$old"."id"::text, null, ("$old"."user_id", "$old"."id"::text) is distinct from ("$new"."user_id", "$new"."id"::text)),
        ('i', "$new"."user_id", "$new"."id"::text, null, ("$old"."user_id", "$old"."id"::text) is distinct from ("$new"."user_id", "$new"."id"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else "$old" *<> "$new" and 'bookmark' = any (entitysync.viewed_entities()) end;
  else
    -- NB: a nested loop by place is quadratic. Set here: at the function it would cost each single update.
    perform set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);
    is_viewed := 'bookmark' = any (entitysync.viewed_entities());
    with paired as materialized (
      select "$old"."user_id" as old_space, "$old"."id"::text as old_key,
        "$new"."user_id" as space, "$new"."id"::text as key,
        ("$old"."user_id", "$old"."id"::text) is distinct from ("$new"."user_id", "$new"."id"::text) as is_moved,
        (("$old"."user_id" is distinct from "$new"."user_id")::int::bigint << 1)
        | (("$old"."surah_number" is distinct from "$new"."surah_number")::int::bigint << 2)
        | (("$old"."verse_number" is distinct from "$new"."verse_number")::int::bigint << 3)
        | (("$old"."surah_name" collate "C" is distinct from "$new"."surah_name" collate "C")::int::bigint << 4)
        | (("$old"."verse_text" collate "C" is distinct from "$new"."verse_text" collate "C")::int::bigint << 5)
        | (("$old"."verse_translation" collate "C" is distinct from "$new"."verse_translation" collate "C")::int::bigint << 6)
        | (("$old"."notes" collate "C" is distinct from "$new"."notes" collate "C")::int::bigint << 7)
        | (("$old"."tags" collate "C" is distinct from "$new"."tags" collate "C")::int::bigint << 8)
        | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 9)
        | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 10) as mask,
        "$old" *<> "$new" as differs
      from (select *, row_number() over () as "$place" from before) as "$old"
      full join (select *, row_number() over () as "$place" from after) as "$new"
        on "$old"."$place" = "$new"."$place"
    )
    insert into entitysync.log (space, entity, op, mask, keys)
    select p.space, 'bookmark', 'u', p.mask, array_agg(p.key)
    from paired as p
    where not p.is_moved and p.space is not null and (p.mask <> 0 or is_viewed and p.differs)
    group by p.space, p.mask
    union all
    select p.old_space, 'bookmark', 'd', null, array_agg(p.old_key)
    from paired as p
    where p.is_moved and p.old_space is not null
    group by p.old_space
    union all
    select p.space, 'bookmark', 'i', null, array_agg(p.key)
    from paired as p
    where p.is_moved and p.space is not null
    group by p.space;
    perform set_config('enable_nestloop', loops, true), set_config('enable_mergejoin', merges, true);
  end if;
  return null;
end
$$;

-- The same for one row: in partitioned tables, and for what replication writes.
create or replace function entitysync."bookmark_track_row"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into entitysync.log (space, entity, op, keys)
    select new."user_id", 'bookmark', 'i', array[new."id"::text] where new."user_id" is not null;
  elsif tg_op = 'DELETE' then
    insert into entitysync.log (space, entity, op, keys)
    select old."user_id", 'bookmark', 'd', array[old."id"::text] where old."user_id" is not null;
  else
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'bookmark', e.op::"char", e.mask, array[e.key]
    from (
      values
        ('u', new."user_id", new."id"::text, ((old."user_id" is distinct from new."user_id")::int::bigint << 1)
          | ((old."surah_number" is distinct from new."surah_number")::int::bigint << 2)
          | ((old."verse_number" is distinct from new."verse_number")::int::bigint << 3)
          | ((old."surah_name" collate "C" is distinct from new."surah_name" collate "C")::int::bigint << 4)
          | ((old."verse_text" collate "C" is distinct from new."verse_text" collate "C")::int::bigint << 5)
          | ((old."verse_translation" collate "C" is distinct from new."verse_translation" collate "C")::int::bigint << 6)
          | ((old."notes" collate "C" is distinct from new."notes" collate "C")::int::bigint << 7)
          | ((old."tags" collate "C" is distinct from new."tags" collate "C")::int::bigint << 8)
          | ((old."created_at" is distinct from new."created_at")::int::bigint << 9)
          | ((old."updated_at" is distinct from new."updated_at")::int::bigint << 10),
          not (old."user_id", old."id"::text) is distinct from (new."user_id", new."id"::text)),
        ('d', old."user_id", old."id"::text, null, (old."user_id", old."id"::text) is distinct from (new."user_id", new."id"::text)),
        ('i', new."user_id", new."id"::text, null, (old."user_id", old."id"::text) is distinct from (new."user_id", new."id"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else old *<> new and 'bookmark' = any (entitysync.viewed_entities()) end;
  end if;
  return null;
end
$$;

do $$
begin
  -- Until 1.0.0.
  drop trigger if exists entitysync_track on "public"."bookmarks";
  if exists (
    select from pg_catalog.pg_class where oid = '"public"."bookmarks"'::regclass and relkind = 'p'
  ) then
    create or replace trigger entitysync_rows after insert or update or delete on "public"."bookmarks"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') not in ('bookmark', '*') or pg_trigger_depth() > 0) execute function entitysync."bookmark_track_row"();
    alter table "public"."bookmarks" enable always trigger entitysync_rows;
  else
    create or replace trigger entitysync_inserted after insert on "public"."bookmarks" referencing new table as added
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('bookmark', '*') or pg_trigger_depth() > 0) execute function entitysync."bookmark_track"();
    create or replace trigger entitysync_updated after update on "public"."bookmarks" referencing old table as before new table as after
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('bookmark', '*') or pg_trigger_depth() > 0) execute function entitysync."bookmark_track"();
    create or replace trigger entitysync_deleted after delete on "public"."bookmarks" referencing old table as gone
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('bookmark', '*') or pg_trigger_depth() > 0) execute function entitysync."bookmark_track"();
    create or replace trigger entitysync_replicated after insert or update or delete on "public"."bookmarks"
  for each row
      when (current_setting('session_replication_role') = 'replica')
      execute function entitysync."bookmark_track_row"();
    alter table "public"."bookmarks" enable replica trigger entitysync_replicated;
  end if;
end
$$;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."bookmark_touch"() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Columns that the table makes: here the new row does not have them yet.
  made text[];
begin
  -- NB: not a condition of the trigger, which must not read such columns.
  if new *= old then
    return new;
  end if;
  made := array(
    select a.attname::text from pg_catalog.pg_attribute as a
    where a.attrelid = tg_relid and a.attnum > 0 and a.attgenerated <> ''
  );
  if made = '{}' or to_jsonb(new) - made <> to_jsonb(old) - made then
    new."updated_at" := (greatest(clock_timestamp(), (old."updated_at" at time zone 'UTC') + interval '1 microsecond') at time zone 'UTC');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."bookmarks"
  for each row when (
    new."updated_at" is not distinct from old."updated_at" and (coalesce(current_setting('entitysync.writes', true), '') not in ('bookmark', '*') or pg_trigger_depth() > 0)
  )
  execute function entitysync."bookmark_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."bookmark_truncated"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Keys that only the log names need nothing: there is no row any more.
  insert into entitysync.log (space, entity, op, keys)
  select s.space, s.entity, 'd', array_agg(s.key)
  from entitysync.state as s where s.entity = 'bookmark' and not s.is_deleted
  group by s.space, s.entity;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."bookmarks"
  for each statement execute function entitysync."bookmark_truncated"();
alter table "public"."bookmarks" enable always trigger entitysync_truncated;

do $$
begin
  perform entitysync.keep_defaults('{"entity":"bookmark","table":"\"public\".\"bookmarks\"","owner":"user_id","columns":{"id":"uuid","user_id":"uuid","surah_number":"integer","verse_number":"integer","surah_name":"text","verse_text":"text","verse_translation":"text","notes":"text","tags":"text[]","created_at":"timestamp","updated_at":"timestamp"},"key":["id"],"optional":["notes","tags"],"unique":[],"compare":"bookmark_compare","stand_in":"bookmark_stand_in"}');
end
$$;
$body1$);
end
$body2$;

$body3$;
  end if;
end
$body4$;

commit;

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

-- The columns that each entity had until now.
do $$
begin
  perform set_config('entitysync.former_paths', '{}', true);
  if to_regprocedure('entitysync.paths(text)') is not null then
    perform set_config(
      'entitysync.former_paths', jsonb_object_agg(e.name, entitysync.paths(e.name))::text, true
    )
    from unnest(array['bookmark']) as e (name) having count(*) > 0;
  end if;
end
$$;

-- All entities --------------------------------------------------------------------------------------------------------

-- The names of the entities, without those whose tables cannot be synced as they are.
create or replace function entitysync.known_entities() returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select e.name from unnest(array['bookmark']) with ordinality as e (name, place)
    where not exists (select from entitysync.refused_entity as r where r.entity = e.name)
    order by e.place
  )
$$;

-- What the database should have for them, for entitysync.doctor().
create or replace function entitysync.expected() returns json
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select '[{"entity":"bookmark","table":"\"public\".\"bookmarks\"","owner":"user_id","columns":{"id":"uuid","user_id":"uuid","surah_number":"integer","verse_number":"integer","surah_name":"text","verse_text":"text","verse_translation":"text","notes":"text","tags":"text[]","created_at":"timestamp","updated_at":"timestamp"},"key":["id"],"optional":["notes","tags"],"unique":[],"compare":"bookmark_compare","stand_in":"bookmark_stand_in"}]'::json
$$;

-- The member that says when a record of the entity last changed; null if there is none.
create or replace function entitysync.updated_member(entity text) returns text
language sql immutable
return case entity
    when 'bookmark' then 'updated_at'
  end;

-- The bit of the column that says whether a record of the entity is deleted; 0 if there is none.
create or replace function entitysync.deleted_bit(entity text) returns bigint
language sql immutable
return 0::bigint;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync.misfits(entitysync.change[]);

-- Changes that do not fit their schema, with the rule and one sentence.
create or replace function entitysync.misfits(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  present text[] := array(select distinct (u.c).entity from (select unnest(changes) as c) as u);
begin
  if 'bookmark' = any (present) then
    return query select * from entitysync."bookmark_misfits"(changes);
  end if;
end
$$;

-- The same for one change.
create or replace function entitysync.misfit(change entitysync.change) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  case (change).entity
    when 'bookmark' then return entitysync."bookmark_misfit"(change, entitysync.repeats_member(change.body, change.value));
    else return null;
  end case;
end
$$;

-- Whether the columns of the entity's key take a text as its key.
create or replace function entitysync.is_key(entity text, key text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case entity
    when 'bookmark' then (key::uuid) is not null
    else true
  end;
exception
  when others then
    return false;
end
$$;

-- Folds touched records of an entity.
create or replace function entitysync.fold_entity(
  entity text, p_space uuid, keys text[], ats bigint[], masks bigint[], appearing boolean[]
) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  case entity
    when 'bookmark' then perform entitysync."bookmark_fold"(p_space, keys, ats, masks, appearing);
    else null;
  end case;
end
$$;

-- Logs the rows of some blocks of an entity's table that have no state.
create or replace function entitysync.adopt_rows(entity text, first tid, past tid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  case entity
    when 'bookmark' then
      perform entitysync."bookmark_adopt"(first, past);
  end case;
end
$$;

-- The live rows of an entity that have a value in one of some columns, which their places name.
create or replace function entitysync.valued_rows(entity text, places integer[])
returns table (space uuid, key text, value jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  case entity
    when 'bookmark' then
      return query select * from entitysync."bookmark_valued"(places);
  end case;
end
$$;

-- The entities whose tables have policies of their own.
create or replace function entitysync.viewed_entities() returns text[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select e.name
    from (
      values
        ('bookmark', to_regclass('"public"."bookmarks"'))
    ) as e (name, place)
    where e.name = any (entitysync.known_entities()) and exists (
      select from pg_catalog.pg_policy as p
      where p.polrelid = e.place and p.polname not like 'entitysync: %'
      union all
      -- Also after the last of them went: what devices were shown may be more than they may read now.
      select from entitysync.viewer as v where v.space = entitysync.reader() and v.entity = e.name
    )
  );
end
$$;

-- All records of an entity that the caller may read.
create or replace function entitysync.visible(entity text) returns table (id uuid, space uuid, key text)
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  case entity
    when 'bookmark' then
      return query
      select entitysync.record_id(r.space, 'bookmark', r.key), r.space, r.key
      from (
        select "$t"."user_id" as space, "$t"."id"::text as key
        from "public"."bookmarks" as "$t"
        where not false
      ) as r
      where r.space is not null;
  end case;
end
$$;

-- Those of some records of an entity that the caller may read.
create or replace function entitysync.seen(entity text, ids uuid[], spaces uuid[], keys text[])
returns setof uuid
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
set enable_seqscan = off
as $$
begin
  case entity
    when 'bookmark' then
      return query
      select k.id
      from (
        select t.id, t.space as space, t.key::uuid as "$0"
        from unnest(ids, spaces, keys) as t (id, space, key)
        offset 0
      ) as k
      join "public"."bookmarks" as "$t" on "$t"."user_id" = k.space and "$t"."id" = k."$0"
      where not false;
  end case;
end
$$;

-- The members of an entity's columns, in the order of a mask's bits.
create or replace function entitysync.paths(entity text) returns jsonb
language sql immutable
return case entity
    when 'bookmark' then '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb
  end;

-- The fields of an entity that merge by themselves; null if its records merge as a whole.
create or replace function entitysync.units(entity text) returns jsonb
language sql immutable
return case entity
    when 'bookmark' then '{"":"rest","created_at":"time","notes":"field","surah_name":"field","surah_number":"field","tags":"set","updated_at":"time","user_id":"field","verse_number":"field","verse_text":"field","verse_translation":"field"}'::jsonb
  end;

-- The elements of the fields of a body that merge as sets; null if there are none.
create or replace function entitysync.sets(entity text, value jsonb) returns jsonb
language sql immutable
return case entity
    when 'bookmark' then jsonb_build_object('tags', value -> 'tags')
  end;

-- Locks the rows of changes, or fails.
create or replace function entitysync.try_lock(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  present text[] := array(select distinct (u.c).entity from (select unnest(changes) as c) as u);
begin
  if 'bookmark' = any (present) then
    perform entitysync."bookmark_lock"(changes);
  end if;
end
$$;

-- Takes in the deleted rows of records that a device makes anew.
create or replace function entitysync.bury(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin

end
$$;

-- What the row of a record says, which is locked, or fails.
create or replace function entitysync.locked_row(entity text, p_space uuid, p_key text) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  case entity
    when 'bookmark' then
      return entitysync."bookmark_row"(p_space, p_key, true);
  end case;
end
$$;

-- Writes the row of one change; null if its table has to be looked at in the general way.
create or replace function entitysync.write_one(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  case (change).entity
    when 'bookmark' then return entitysync."bookmark_write_one"(change, row_json);
    else return null;
  end case;
end
$$;

-- Writes the rows of different records, all or none: upserts with parents first, then deletes with children
-- first.
create or replace function entitysync.write_rows(changes entitysync.change[])
returns entitysync.written[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  live text[];
  deleted text[];
  -- Whether all are of one entity, and none or all of them deletes.
  is_uniform boolean;
  done entitysync.written[] := '{}';
begin
  select
    array_agg(c.entity) filter (where not c.is_deleted), array_agg(c.entity) filter (where c.is_deleted),
    min(c.entity) = max(c.entity) and bool_or(c.is_deleted) = bool_and(c.is_deleted)
  into live, deleted, is_uniform
  from (select (u.c).entity, (u.c).is_deleted from (select unnest(changes) as c) as u) as c;
  if 'bookmark' = any (live) then
    done := done || entitysync."bookmark_write"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'bookmark' and not c.is_deleted
        )
      end
    );
  end if;
  if 'bookmark' = any (deleted) then
    done := done || entitysync."bookmark_remove"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'bookmark' and c.is_deleted
        )
      end
    );
  end if;
  return done;
end
$$;

-- The key of a record that has the same values as a change, according to a unique index of its table.
create or replace function entitysync.other_record(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  case (change).entity
    when 'bookmark' then return entitysync."bookmark_other"(change, index);
    else return null;
  end case;
end
$$;

do $body2$
begin
  execute entitysync.with_stand_ins($body1$
-- Until 1.0.0 these read the states once more.
drop function if exists entitysync.entries(uuid[]);
drop function if exists entitysync.bodies(uuid[]);
drop function if exists entitysync.entries(entitysync.state[]);

-- Records as entries of protocol v1, with the place of their states. A live record whose row the caller may not
-- read now has none. The body is the state's; if it has none, it is what the row says.
create or replace function entitysync.entries(states entitysync.state[])
returns table (id uuid, revision text, entry text, place bigint)
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
-- A session keeps the plan, also one from when a table was empty: it shall be the one by the keys.
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  -- The entities of the states.
  names constant text[] := case cardinality(states)
    when 1 then array[(states[1]).entity]
    else array(select distinct s.entity from unnest(states) as s)
  end;
  name text;
begin
  foreach name in array names loop
    case name
      when 'bookmark' then
        return query
        select m.id, m.revision,
          '{"revision":"' || m.revision || '","entity":"bookmark","key":' || to_json(m.key)
            || ',"mark":"' || m.edit || '","vector":"' || m.vector || '"'
            || case when m.is_deleted then ',"deleted":true' else '' end
            -- What the table made of an edit has another author than what was sent.
            || case
              when substr(m.sent, strpos(m.sent, '.')) <> substr(m.edit, strpos(m.edit, '.')) then ',"altered":true'
              else ''
            end
            || coalesce(',"merged":' || to_json(m.merged_into), '') || coalesce(',"detail":' || m.detail, '')
            || ',"body":' || coalesce(
              r.body,
              case
                when m.is_deleted then entitysync.last_body(m.entity, m.body)
                else entitysync.hidden_body(m.entity)
              end
            ) || '}',
          m.ordinality
        from (
          -- NB: the keys are cast here. Below, a cast could tell what policies hide, so that PostgreSQL would not
          -- search a table with policies by its key.
          select s.*, case when not s.is_deleted then s.key::uuid end as "$0"
          from unnest(states) with ordinality as s
          where s.entity = 'bookmark'
          offset 0
        ) as m
        left join lateral (
          select case when m.body is null then '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
            || ',"user_id":' || coalesce(to_json("$t"."user_id")::text, 'null')
            || ',"surah_number":' || coalesce("$t"."surah_number"::text, 'null')
            || ',"verse_number":' || coalesce("$t"."verse_number"::text, 'null')
            || ',"surah_name":' || coalesce(to_json("$t"."surah_name")::text, 'null')
            || ',"verse_text":' || coalesce(to_json("$t"."verse_text")::text, 'null')
            || ',"verse_translation":' || coalesce(to_json("$t"."verse_translation")::text, 'null')
            || coalesce(',"notes":' || to_json("$t"."notes")::text, '')
            || coalesce(',"tags":' || to_json("$t"."tags")::text, '')
            || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' else m.body::text end as body
          from "public"."bookmarks" as "$t"
          where not m.is_deleted and "$t"."user_id" = m.space and "$t"."id" = m."$0"
          offset 0
        ) as r on true;
      else
        -- A place in the list of what was shown, of a record that may not be read any more.
        return query
        select null::uuid, null::text, null::text, s.ordinality
        from unnest(states) with ordinality as s
        where s.entity is not distinct from name;
    end case;
  end loop;
end
$$;

-- Removes all rows of a space and everything that is known of it, as if it had never been.
create or replace function entitysync.empty(p_space uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(p_space::text, 7316));
  perform set_config('entitysync.writes', '*', true);
  delete from "public"."bookmarks" as t where t."user_id" = p_space;
  perform set_config('entitysync.writes', '', true);
  perform entitysync.erase(p_space);
end
$$;

$body1$);
end
$body2$;

-- What devices sent before there was a column for it, and what others wrote before there was a member.
do $$
begin
  perform entitysync.run_in_moments(format(
    'select entitysync.fill_columns(%L, %L, %L, %L)',
    e.name, f.paths -> e.name,
    '{}'::jsonb -> e.name,
    '{}'::jsonb -> e.name
  ))
  from unnest(entitysync.known_entities()) as e (name)
  cross join (select current_setting('entitysync.former_paths')::jsonb as paths) as f
  where not exists (
    select from entitysync.applied as a
    where a.part = e.name || ' filled' and a.given = entitysync.paths(e.name)::text
  );
end
$$;

-- Rights ----------------------------------------------------------------------------------------------------------
--
-- The role `entitysync` does what the exchange does. Users call the exchange, and nothing else.

do $$
declare
  place record;
  called regprocedure;
begin
  for place in
    select c.oid, c.relname as name, c.relrowsecurity as is_secure from pg_catalog.pg_class as c
    where c.relnamespace = 'entitysync'::regnamespace and c.relkind in ('r', 'p')
  loop
    -- NB: each of these locks the table, so nothing is done that is done.
    if not place.is_secure then
      execute format('alter table entitysync.%I enable row level security', place.name);
    end if;
    if exists (select from pg_catalog.pg_policy as p where p.polrelid = place.oid and p.polname = 'own') then
      -- Until 1.0.0 users read some of the tables.
      execute format('drop policy own on entitysync.%I', place.name);
    end if;
    if not exists (
      select from pg_catalog.pg_policy as p
      where p.polrelid = place.oid and p.polname = 'exchange' and p.polroles = array['entitysync'::regrole::oid]
    ) then
      execute format('drop policy if exists exchange on entitysync.%I', place.name);
      execute format(
        'create policy exchange on entitysync.%I to entitysync using (true) with check (true)', place.name
      );
    end if;
  end loop;

  revoke all on all tables in schema entitysync from public, anon, authenticated, service_role, entitysync;
  revoke all on all sequences in schema entitysync from public, anon, authenticated, service_role, entitysync;
  grant select, insert, update, delete on all tables in schema entitysync to entitysync;
  grant usage on all sequences in schema entitysync to entitysync;

  -- All but what operators call, and what triggers call.
  revoke all on all routines in schema entitysync from public, anon, authenticated, service_role, entitysync;
  for called in
    select p.oid::regprocedure from pg_catalog.pg_proc as p
    where p.pronamespace = 'entitysync'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in (
        'fold_next', 'fold_all', 'purge', 'purge_older', 'remove_tombstones', 'next_with_tombstones', 'erase', 'empty',
        'erase_account', 'open_scratch', 'restart_scratch', 'remove_scratch', 'doctor',
        'base_type', 'can_store', 'installer', 'table_columns', 'plain_condition', 'admit', 'with_stand_ins',
        'keep_defaults', 'catalogue', 'run_in_moments', 'ensure', 'ensure_table', 'adopt_again', 'adopt', 'adopt_rows',
        'fill_columns', 'tell_columns', 'take_members', 'fill_rows', 'valued_rows', 'moved_mask', 'move_log'
      ) and p.proname !~ '_(adopt|valued|compare|findings)$'
  loop
    execute format('grant execute on function %s to entitysync', called);
  end loop;
end
$$;

grant create on schema entitysync to entitysync;
alter function entitysync.exchange(uuid, json) owner to entitysync;
revoke create on schema entitysync from entitysync;
revoke all on function entitysync.exchange(uuid, json) from public, anon, service_role;
grant execute on function entitysync.exchange(uuid, json) to authenticated;

-- The caller's space, which the call names.
grant execute on function entitysync.my_space() to authenticated;
revoke all on function public.entitysync_exchange(json) from public, anon;
grant execute on function public.entitysync_exchange(json) to authenticated;

do $$
begin
  for piece in 1..20 loop
    exit when not entitysync.adopt_piece(100);
  end loop;
end
$$;

commit;
