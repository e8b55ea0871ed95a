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
        ('bookmark', '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb),
        ('project', '[["id"],["company_id"],["client_id"],["title"],["address"],["latitude"],["longitude"],["status"],["start_date"],["end_date"],["duration"],["event_type"],["all_day"],["notes"],["team_member_ids"],["created_at"],["updated_at"],["deleted_at"]]'::jsonb),
        ('read-status', '[["link"],["is_read"],["read_at"],["feed"],["title"],["created_at"],["updated_at"]]'::jsonb),
        ('transaction', '[["id"],["owner_id"],["payee"],["amount"],["currency"],["date"],["category"],["note"],["splits"],["payers"],["created_at"],["updated_at"]]'::jsonb)
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
--   tags[]: type, minLength, maxLength
--   createdAt: format
--   updatedAt: format

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

create table if not exists "public"."bookmarks" (
  "id" uuid not null default gen_random_uuid(),
  "user_id" text not null constraint "bookmarks_user_id_limits" check (char_length("user_id") >= 1 and char_length("user_id") <= 200),
  "surah_number" bigint not null constraint "bookmarks_surah_number_limits" check ("surah_number" >= 1 and "surah_number" <= 114),
  "verse_number" bigint not null constraint "bookmarks_verse_number_limits" check ("verse_number" >= 1),
  "surah_name" text constraint "bookmarks_surah_name_limits" check (char_length("surah_name") <= 200),
  "verse_text" text constraint "bookmarks_verse_text_limits" check (char_length("verse_text") <= 10000),
  "verse_translation" text constraint "bookmarks_verse_translation_limits" check (char_length("verse_translation") <= 10000),
  "notes" text constraint "bookmarks_notes_limits" check (char_length("notes") <= 100000),
  "tags" jsonb default '[]'::jsonb constraint "bookmarks_tags_limits" check (jsonb_typeof("tags") = 'array'),
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "owner_id" uuid not null default auth.uid(),
  primary key ("owner_id", "id")
);

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
    || coalesce(',"surah_name":' || to_json(r."surah_name")::text, '')
    || coalesce(',"verse_text":' || to_json(r."verse_text")::text, '')
    || coalesce(',"verse_translation":' || to_json(r."verse_translation")::text, '')
    || ',"notes":' || coalesce(to_json(r."notes")::text, 'null')
    || coalesce(',"tags":' || case when (length(r."tags"::text) < 1000 or not entitysync.is_too_deep(('[' || r."tags"::text || ']')::json)) then nullif(case when strpos(r."tags"::text, '\') > 0 then r."tags"::text else replace(r."tags"::text, '", "', '","') end, 'null') end, '')
    || ',"created_at":' || coalesce(case when r."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when r."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}';
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
    when jsonb_typeof((c.value -> 'user_id')) <> 'string' then 'type: user_id is not what the schema says.'
    when (c.value -> 'surah_number') is null then 'required: surah_number is missing.'
    when case jsonb_typeof((c.value -> 'surah_number')) when 'number' then not ((c.value ->> 'surah_number')::numeric % 1 = 0) else (c.value -> 'surah_number') is not null end then 'type: surah_number is not what the schema says.'
    when (c.value -> 'verse_number') is null then 'required: verse_number is missing.'
    when case jsonb_typeof((c.value -> 'verse_number')) when 'number' then not ((c.value ->> 'verse_number')::numeric % 1 = 0) else (c.value -> 'verse_number') is not null end then 'type: verse_number is not what the schema says.'
    when jsonb_typeof((c.value -> 'surah_name')) <> 'string' then 'type: surah_name is not what the schema says.'
    when jsonb_typeof((c.value -> 'verse_text')) <> 'string' then 'type: verse_text is not what the schema says.'
    when jsonb_typeof((c.value -> 'verse_translation')) <> 'string' then 'type: verse_translation is not what the schema says.'
    when jsonb_typeof((c.value -> 'notes')) not in ('string', 'null') then 'type: notes is not what the schema says.'
    when jsonb_typeof((c.value -> 'tags')) <> 'array' then 'type: tags is not what the schema says.'
    when (c.value -> 'created_at') is null then 'required: created_at is missing.'
    when case jsonb_typeof((c.value -> 'created_at')) when 'string' then not ((c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'created_at') is not null end then 'type: created_at is not what the schema says.'
    when (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
    when case jsonb_typeof((c.value -> 'updated_at')) when 'string' then not ((c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'updated_at') is not null end then 'type: updated_at is not what the schema says.'
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
  | (case when given -> 'user_id' is distinct from present -> 'user_id' then ((given ->> 'user_id') is distinct from (present ->> 'user_id'))::int::bigint else 0 end << 1)
  | (case when given -> 'surah_number' is distinct from present -> 'surah_number' then ((given ->> 'surah_number')::numeric::bigint is distinct from (present ->> 'surah_number')::numeric::bigint)::int::bigint else 0 end << 2)
  | (case when given -> 'verse_number' is distinct from present -> 'verse_number' then ((given ->> 'verse_number')::numeric::bigint is distinct from (present ->> 'verse_number')::numeric::bigint)::int::bigint else 0 end << 3)
  | (case when given -> 'surah_name' is distinct from present -> 'surah_name' then ((given ->> 'surah_name') is distinct from (present ->> 'surah_name'))::int::bigint else 0 end << 4)
  | (case when given -> 'verse_text' is distinct from present -> 'verse_text' then ((given ->> 'verse_text') is distinct from (present ->> 'verse_text'))::int::bigint else 0 end << 5)
  | (case when given -> 'verse_translation' is distinct from present -> 'verse_translation' then ((given ->> 'verse_translation') is distinct from (present ->> 'verse_translation'))::int::bigint else 0 end << 6)
  | (case when given -> 'notes' is distinct from present -> 'notes' then ((given ->> 'notes') is distinct from (present ->> 'notes'))::int::bigint else 0 end << 7)
  | (case when given -> 'tags' is distinct from present -> 'tags' then (case when given -> 'tags' is null then '[]'::jsonb else nullif(given -> 'tags', 'null') end is distinct from case when present -> 'tags' is null then '[]'::jsonb else nullif(present -> 'tags', 'null') end)::int::bigint else 0 end << 8)
  | (case when given -> 'created_at' is distinct from present -> 'created_at' then (entitysync.moment((given ->> 'created_at')) is distinct from entitysync.moment((present ->> 'created_at')))::int::bigint else 0 end << 9)
  | (case when given -> 'updated_at' is distinct from present -> 'updated_at' then (entitysync.moment((given ->> 'updated_at')) is distinct from entitysync.moment((present ->> 'updated_at')))::int::bigint else 0 end << 10);

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
    left join "public"."bookmarks" as "$t" on "$t"."owner_id" = "$space" and "$t"."id" = t."$0"
  ), numbered as (
    select f.*, entitysync.edit_number(f.number, (f.state).vector, device) as edit_number,
      greatest(
        case
          when f.lives then case when f.mask & (1::bigint << 10) <> 0 then least(entitysync.microseconds((f.row)."updated_at"), f.at) else f.at end
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
        when n.is_kept or n.lives and ((n.state).body is not null or '{"":"rest","created_at":"time","tags":"set","updated_at":"time"}'::jsonb is not null)
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
            (e.state).detail, (e.state).edit, e.edit, e.mask | case when (e.state).is_deleted then (1::bigint << 8) else 0 end, '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb, '{"":"rest","created_at":"time","tags":"set","updated_at":"time"}'::jsonb, case when (e.state).is_deleted then '{"tags":[]}'::jsonb else (e.state).sets end,
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
  join "public"."bookmarks" as "$t" on "$t"."owner_id" = k."$owner" and "$t"."id" = k."$0"
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
    return (select entitysync."bookmark_json"("$t") from "public"."bookmarks" as "$t" where "$t"."owner_id" = $1 and "$t"."id" = $2::uuid for no key update nowait);
  end if;
  return (select entitysync."bookmark_json"("$t") from "public"."bookmarks" as "$t" where "$t"."owner_id" = $1 and "$t"."id" = $2::uuid);
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
  sets constant text[] := array['"user_id" = ($1 ->> ''user_id'')', '"surah_number" = ($1 ->> ''surah_number'')::numeric::bigint', '"verse_number" = ($1 ->> ''verse_number'')::numeric::bigint', '"surah_name" = ($1 ->> ''surah_name'')', '"verse_text" = ($1 ->> ''verse_text'')', '"verse_translation" = ($1 ->> ''verse_translation'')', '"notes" = ($1 ->> ''notes'')', '"tags" = case when $1 -> ''tags'' is null then ''[]''::jsonb else nullif($1 -> ''tags'', ''null'') end', '"created_at" = entitysync.moment(($1 ->> ''created_at''))', '"updated_at" = entitysync.moment(($1 ->> ''updated_at''))'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]::integer[];
begin
  if row_json is null then
    if (change).lives or (change).space <> entitysync.my_space() then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', 'bookmark', true);
    insert into "public"."bookmarks" as "$t" ("id", "user_id", "surah_number", "verse_number", "surah_name", "verse_text", "verse_translation", "notes", "tags", "created_at", "updated_at", "owner_id")
    values (
      ((change).value ->> 'id')::uuid,
      ((change).value ->> 'user_id'),
      ((change).value ->> 'surah_number')::numeric::bigint,
      ((change).value ->> 'verse_number')::numeric::bigint,
      ((change).value ->> 'surah_name'),
      ((change).value ->> 'verse_text'),
      ((change).value ->> 'verse_translation'),
      ((change).value ->> 'notes'),
      case when (change).value -> 'tags' is null then '[]'::jsonb else nullif((change).value -> 'tags', 'null') end,
      entitysync.moment(((change).value ->> 'created_at')),
      entitysync.moment(((change).value ->> 'updated_at')),
      (select auth.uid())
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
    ) || ' where "$t"."owner_id" = $2 and "$t"."id" = $3::uuid returning entitysync."bookmark_json"("$t")'
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
        join "public"."bookmarks" as "$t" on "$t"."owner_id" = k."$owner" and "$t"."id" = k."$0"
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
      (c.value ->> ''user_id'') as "user_id",
      (c.value ->> ''surah_number'')::numeric::bigint as "surah_number",
      (c.value ->> ''verse_number'')::numeric::bigint as "verse_number",
      (c.value ->> ''surah_name'') as "surah_name",
      (c.value ->> ''verse_text'') as "verse_text",
      (c.value ->> ''verse_translation'') as "verse_translation",
      (c.value ->> ''notes'') as "notes",
      case when c.value -> ''tags'' is null then ''[]''::jsonb else nullif(c.value -> ''tags'', ''null'') end as "tags",
      entitysync.moment((c.value ->> ''created_at'')) as "created_at",
      entitysync.moment((c.value ->> ''updated_at'')) as "updated_at"
    from unnest($1) as c join unnest($2, $3) as m (position, mask) on m.position = c.position
    where m.mask <> 0
    offset 0
  ) as w
  where "$t"."owner_id" = w."$owner" and "$t"."id" = w."id"
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
        (c.value ->> 'user_id') as "user_id",
        (c.value ->> 'surah_number')::numeric::bigint as "surah_number",
        (c.value ->> 'verse_number')::numeric::bigint as "verse_number",
        (c.value ->> 'surah_name') as "surah_name",
        (c.value ->> 'verse_text') as "verse_text",
        (c.value ->> 'verse_translation') as "verse_translation",
        (c.value ->> 'notes') as "notes",
        case when c.value -> 'tags' is null then '[]'::jsonb else nullif(c.value -> 'tags', 'null') end as "tags",
        entitysync.moment((c.value ->> 'created_at')) as "created_at",
        entitysync.moment((c.value ->> 'updated_at')) as "updated_at"
      from unnest(changes) as c
      where c.position <> all (coalesce(positions, '{}')) and c.space = (select entitysync.my_space())
    ), i as (
      insert into "public"."bookmarks" as "$t" ("id", "user_id", "surah_number", "verse_number", "surah_name", "verse_text", "verse_translation", "notes", "tags", "created_at", "updated_at", "owner_id")
      select w."id", w."user_id", w."surah_number", w."verse_number", w."surah_name", w."verse_text", w."verse_translation", w."notes", w."tags", w."created_at", w."updated_at", (select auth.uid())
      from w
      returning "$t"."id",
        '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
    || ',"user_id":' || coalesce(to_json("$t"."user_id")::text, 'null')
    || ',"surah_number":' || coalesce("$t"."surah_number"::text, 'null')
    || ',"verse_number":' || coalesce("$t"."verse_number"::text, 'null')
    || coalesce(',"surah_name":' || to_json("$t"."surah_name")::text, '')
    || coalesce(',"verse_text":' || to_json("$t"."verse_text")::text, '')
    || coalesce(',"verse_translation":' || to_json("$t"."verse_translation")::text, '')
    || ',"notes":' || coalesce(to_json("$t"."notes")::text, 'null')
    || coalesce(',"tags":' || case when (length("$t"."tags"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."tags"::text || ']')::json)) then nullif(case when strpos("$t"."tags"::text, '\') > 0 then "$t"."tags"::text else replace("$t"."tags"::text, '", "', '","') end, 'null') end, '')
    || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' as "$json"
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
  where "$t"."owner_id" = k."$owner" and "$t"."id" = k."$0";
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
        (j.b ->> 'user_id') as "user_id",
        (j.b ->> 'surah_number')::numeric::bigint as "surah_number",
        (j.b ->> 'verse_number')::numeric::bigint as "verse_number",
        (j.b ->> 'surah_name') as "surah_name",
        (j.b ->> 'verse_text') as "verse_text",
        (j.b ->> 'verse_translation') as "verse_translation",
        (j.b ->> 'notes') as "notes",
        case when j.b -> 'tags' is null then '[]'::jsonb else nullif(j.b -> 'tags', 'null') end as "tags",
        entitysync.moment((j.b ->> 'created_at')) as "created_at",
        entitysync.moment((j.b ->> 'updated_at')) as "updated_at",
        (select auth.uid()) as "owner_id"
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
    select "$t"."owner_id" as space, "$t"."id"::text as key
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
    select "$t"."owner_id" as space, "$t"."id"::text as key,
      entitysync."bookmark_json"("$t")::jsonb as value
    from "public"."bookmarks" as "$t"
    where not false and (
      2 = any (places) and "$t"."user_id" is not null
          or 3 = any (places) and "$t"."surah_number" is not null
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
  select count(*) filter (where s.id is null), count(*) filter (where r.id is null), (select count(*) from "public"."bookmarks" as "$t" where "$t"."owner_id" is null)
  from (
    select entitysync.record_id("$t"."owner_id", 'bookmark', entitysync."bookmark_key"("$t")) as id
    from "public"."bookmarks" as "$t"
    where "$t"."owner_id" is not null and not false
  ) as r
  full join (
    select s.id from entitysync.state as s where s.entity = 'bookmark' and not s.is_deleted
  ) as s on s.id = r.id
$$;

do $body2$
begin
  perform entitysync.ensure_table('bookmark', '"public"."bookmarks"', $body1$
-- In a Supabase project, the rows of a user who is erased go, too.
do $$
begin
  if to_regclass('auth.users') is not null and not exists (
    select from pg_catalog.pg_constraint where conrelid = '"public"."bookmarks"'::regclass and confrelid = to_regclass('auth.users')
  ) then
    alter table "public"."bookmarks" add constraint "bookmarks_owner_sync"
      foreign key ("owner_id") references auth.users (id) on delete cascade;
  end if;
end
$$;
-- A table that has policies of its own, and none of these, keeps them as they are.
do $$
begin
  if exists (select from pg_catalog.pg_policy where polrelid = '"public"."bookmarks"'::regclass and polname like 'entitysync: %')
    or not exists (select from pg_catalog.pg_policy where polrelid = '"public"."bookmarks"'::regclass and polname not like 'entitysync: %')
  then
    alter table "public"."bookmarks" enable row level security;
    drop policy if exists "entitysync: read" on "public"."bookmarks";
    create policy "entitysync: read" on "public"."bookmarks" for select to authenticated
      using ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: add" on "public"."bookmarks";
    create policy "entitysync: add" on "public"."bookmarks" for insert to authenticated
      with check ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: change" on "public"."bookmarks";
    create policy "entitysync: change" on "public"."bookmarks" for update to authenticated
      using ("owner_id" = (select auth.uid())) with check ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: remove" on "public"."bookmarks";
    create policy "entitysync: remove" on "public"."bookmarks" for delete to authenticated
      using ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: service" on "public"."bookmarks";
    create policy "entitysync: service" on "public"."bookmarks" for all to service_role
      using (true) with check (true);
    grant select, insert, update, delete on "public"."bookmarks" to authenticated, service_role;
  end if;
end
$$;
comment on table "public"."bookmarks" is 'A verse that a reader marked, with notes and tags. A reader has one bookmark per verse.';
comment on column "public"."bookmarks"."id" is 'Identifies the bookmark on all devices.';
comment on column "public"."bookmarks"."user_id" is 'The account that owns the bookmark.';
comment on column "public"."bookmarks"."surah_number" is 'The chapter, counted from 1.';
comment on column "public"."bookmarks"."verse_number" is 'The verse within the chapter, counted from 1.';
comment on column "public"."bookmarks"."surah_name" is 'The chapter''s name as it was shown when the reader marked the verse.';
comment on column "public"."bookmarks"."verse_text" is 'The verse in Arabic, exactly as published; never normalised.';
comment on column "public"."bookmarks"."verse_translation" is 'The verse in the reader''s language.';
comment on column "public"."bookmarks"."notes" is 'What the reader wrote about the verse; null after the reader removed it.';
comment on column "public"."bookmarks"."tags" is 'The reader''s tags. Tags added on two devices are all kept.';
comment on column "public"."bookmarks"."created_at" is 'When the reader marked the verse.';
comment on column "public"."bookmarks"."updated_at" is 'When the bookmark last changed.';

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
      from (select r."owner_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'bookmark', 'i', array_agg(t.key)
      from (select r."owner_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif tg_op = 'DELETE' then
    if (select count(*) < 2 from (select from gone limit 2) as few) then
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'bookmark', 'd', array[t.key]
      from (select r."owner_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'bookmark', 'd', array_agg(t.key)
      from (select r."owner_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif (select count(*) < 2 from (select from before limit 2) as few) then
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'bookmark', e.op::"char", e.mask, array[e.key]
    from before as "$old" cross join after as "$new"
    cross join lateral (
      values
        ('u', "$new"."owner_id", "$new"."id"::text, (("$old"."user_id" collate "C" is distinct from "$new"."user_id" collate "C")::int::bigint << 1)
          | (("$old"."surah_number" is distinct from "$new"."surah_number")::int::bigint << 2)
          | (("$old"."verse_number" is distinct from "$new"."verse_number")::int::bigint << 3)
          | (("$old"."surah_name" collate "C" is distinct from "$new"."surah_name" collate "C")::int::bigint << 4)
          | (("$old"."verse_text" collate "C" is distinct from "$new"."verse_text" collate "C")::int::bigint << 5)
          | (("$old"."verse_translation" collate "C" is distinct from "$new"."verse_translation" collate "C")::int::bigint << 6)
          | (("$old"."notes" collate "C" is distinct from "$new"."notes" collate "C")::int::bigint << 7)
          | (("$old"."tags" is distinct from "$new"."tags")::int::bigint << 8)
          | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 9)
          | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 10),
          not ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text)),
        ('d', "$old"."owner_id", "$old"."id"::text, null, ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text)),
        ('i', "$new"."owner_id", "$new"."id"::text, null, ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else "$old" *<> "$new" and 'bookmark' = any (entitysync.viewed_entities()) end;
  else
    -- NB: a nested loop by place is quadratic. Set here: at the function it would cost each single update.
    perform set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);
    is_viewed := 'bookmark' = any (entitysync.viewed_entities());
    with paired as materialized (
      select "$old"."owner_id" as old_space, "$old"."id"::text as old_key,
        "$new"."owner_id" as space, "$new"."id"::text as key,
        ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text) as is_moved,
        (("$old"."user_id" collate "C" is distinct from "$new"."user_id" collate "C")::int::bigint << 1)
        | (("$old"."surah_number" is distinct from "$new"."surah_number")::int::bigint << 2)
        | (("$old"."verse_number" is distinct from "$new"."verse_number")::int::bigint << 3)
        | (("$old"."surah_name" collate "C" is distinct from "$new"."surah_name" collate "C")::int::bigint << 4)
        | (("$old"."verse_text" collate "C" is distinct from "$new"."verse_text" collate "C")::int::bigint << 5)
        | (("$old"."verse_translation" collate "C" is distinct from "$new"."verse_translation" collate "C")::int::bigint << 6)
        | (("$old"."notes" collate "C" is distinct from "$new"."notes" collate "C")::int::bigint << 7)
        | (("$old"."tags" is distinct from "$new"."tags")::int::bigint << 8)
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
    select new."owner_id", 'bookmark', 'i', array[new."id"::text] where new."owner_id" is not null;
  elsif tg_op = 'DELETE' then
    insert into entitysync.log (space, entity, op, keys)
    select old."owner_id", 'bookmark', 'd', array[old."id"::text] where old."owner_id" is not null;
  else
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'bookmark', e.op::"char", e.mask, array[e.key]
    from (
      values
        ('u', new."owner_id", new."id"::text, ((old."user_id" collate "C" is distinct from new."user_id" collate "C")::int::bigint << 1)
          | ((old."surah_number" is distinct from new."surah_number")::int::bigint << 2)
          | ((old."verse_number" is distinct from new."verse_number")::int::bigint << 3)
          | ((old."surah_name" collate "C" is distinct from new."surah_name" collate "C")::int::bigint << 4)
          | ((old."verse_text" collate "C" is distinct from new."verse_text" collate "C")::int::bigint << 5)
          | ((old."verse_translation" collate "C" is distinct from new."verse_translation" collate "C")::int::bigint << 6)
          | ((old."notes" collate "C" is distinct from new."notes" collate "C")::int::bigint << 7)
          | ((old."tags" is distinct from new."tags")::int::bigint << 8)
          | ((old."created_at" is distinct from new."created_at")::int::bigint << 9)
          | ((old."updated_at" is distinct from new."updated_at")::int::bigint << 10),
          not (old."owner_id", old."id"::text) is distinct from (new."owner_id", new."id"::text)),
        ('d', old."owner_id", old."id"::text, null, (old."owner_id", old."id"::text) is distinct from (new."owner_id", new."id"::text)),
        ('i', new."owner_id", new."id"::text, null, (old."owner_id", old."id"::text) is distinct from (new."owner_id", new."id"::text))
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
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
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
$body1$);
end
$body2$;

commit;

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

do $body1$
begin
  perform entitysync.ensure('bookmark indexes', '"public"."bookmarks"', true, $$
create index if not exists "bookmarks_user_id_surah_number_verse_number_sync" on "public"."bookmarks" ("owner_id", "user_id", "surah_number", "verse_number");
create index if not exists "bookmarks_created_at_sync" on "public"."bookmarks" ("owner_id", "created_at");
$$);
end
$body1$;

commit;

-- project -------------------------------------------------------------------------------------------------------------
-- Checked by devices and syncserver, and not by this SQL alone; devices set such a record aside:
--   startDate: format
--   endDate: format
--   teamMemberIds: uniqueItems
--   teamMemberIds[]: type, minLength, maxLength
--   createdAt: format
--   updatedAt: format
--   deletedAt: format

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

create table if not exists "public"."projects" (
  "id" text not null constraint "projects_id_limits" check (char_length("id") >= 1 and char_length("id") <= 200),
  "company_id" text not null constraint "projects_company_id_limits" check (char_length("company_id") >= 1 and char_length("company_id") <= 200),
  "client_id" text constraint "projects_client_id_limits" check (char_length("client_id") <= 200),
  "title" text not null constraint "projects_title_limits" check (char_length("title") <= 1000),
  "address" text constraint "projects_address_limits" check (char_length("address") <= 1000),
  "latitude" double precision constraint "projects_latitude_limits" check ("latitude" >= -90.0 and "latitude" <= 90.0),
  "longitude" double precision constraint "projects_longitude_limits" check ("longitude" >= -180.0 and "longitude" <= 180.0),
  "status" text not null default 'rfq'::text,
  "start_date" timestamptz,
  "end_date" timestamptz,
  "duration" double precision constraint "projects_duration_limits" check ("duration" >= 0.0),
  "event_type" text constraint "projects_event_type_limits" check (char_length("event_type") <= 200),
  "all_day" boolean default 'false'::boolean,
  "notes" text constraint "projects_notes_limits" check (char_length("notes") <= 100000),
  "team_member_ids" jsonb default '[]'::jsonb constraint "projects_team_member_ids_limits" check (jsonb_typeof("team_member_ids") = 'array'),
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "deleted_at" timestamptz,
  "owner_id" uuid not null default auth.uid(),
  primary key ("owner_id", "id")
);

-- A row's key, and its value as devices write it.
create or replace function entitysync."project_key"(r "public"."projects") returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r."id"::text
$$;

-- NB: a session keeps the plan of such a function, and would plan one in SQL at each call.
create or replace function entitysync."project_json"(r "public"."projects") returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{' || right(',"id":' || coalesce(to_json(r."id")::text, 'null')
    || ',"company_id":' || coalesce(to_json(r."company_id")::text, 'null')
    || ',"client_id":' || coalesce(to_json(r."client_id")::text, 'null')
    || ',"title":' || coalesce(to_json(r."title")::text, 'null')
    || ',"address":' || coalesce(to_json(r."address")::text, 'null')
    || ',"latitude":' || coalesce(case when r."latitude" - r."latitude" = 0 then to_json(r."latitude")::text end, 'null')
    || ',"longitude":' || coalesce(case when r."longitude" - r."longitude" = 0 then to_json(r."longitude")::text end, 'null')
    || ',"status":' || coalesce(to_json(r."status")::text, 'null')
    || ',"start_date":' || coalesce(case when r."start_date" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."start_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"end_date":' || coalesce(case when r."end_date" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."end_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"duration":' || coalesce(case when r."duration" - r."duration" = 0 then to_json(r."duration")::text end, 'null')
    || ',"event_type":' || coalesce(to_json(r."event_type")::text, 'null')
    || coalesce(',"all_day":' || r."all_day"::text, '')
    || ',"notes":' || coalesce(to_json(r."notes")::text, 'null')
    || coalesce(',"team_member_ids":' || case when (length(r."team_member_ids"::text) < 1000 or not entitysync.is_too_deep(('[' || r."team_member_ids"::text || ']')::json)) then nullif(case when strpos(r."team_member_ids"::text, '\') > 0 then r."team_member_ids"::text else replace(r."team_member_ids"::text, '", "', '","') end, 'null') end, '')
    || ',"created_at":' || coalesce(case when r."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when r."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"deleted_at":' || coalesce(case when r."deleted_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."deleted_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}';
end
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."project_misfits"(entitysync.change[]);

-- Why a change does not fit the schema, as the rule and one sentence; null if it does. PostgreSQL's `jsonb`
-- keeps the last one of members that stand twice, unseen: whether there are some is found by who asks.
create or replace function entitysync."project_misfit"(c entitysync.change, repeats_member boolean)
returns text
language sql stable
return coalesce(
  case
    when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'
    when repeats_member then 'json: The body holds a member that stands twice in one object.'
  end,
  case when not c.is_deleted then case
    when (c.value -> 'id') is null then 'required: id is missing.'
    when jsonb_typeof((c.value -> 'id')) <> 'string' then 'type: id is not what the schema says.'
    when (c.value -> 'company_id') is null then 'required: company_id is missing.'
    when jsonb_typeof((c.value -> 'company_id')) <> 'string' then 'type: company_id is not what the schema says.'
    when jsonb_typeof((c.value -> 'client_id')) not in ('string', 'null') then 'type: client_id is not what the schema says.'
    when (c.value -> 'title') is null then 'required: title is missing.'
    when jsonb_typeof((c.value -> 'title')) <> 'string' then 'type: title is not what the schema says.'
    when jsonb_typeof((c.value -> 'address')) not in ('string', 'null') then 'type: address is not what the schema says.'
    when jsonb_typeof((c.value -> 'latitude')) not in ('number', 'null') then 'type: latitude is not what the schema says.'
    when jsonb_typeof((c.value -> 'longitude')) not in ('number', 'null') then 'type: longitude is not what the schema says.'
    when jsonb_typeof((c.value -> 'status')) <> 'string' then 'type: status is not what the schema says.'
    when case jsonb_typeof((c.value -> 'start_date')) when 'string' then not ((c.value ->> 'start_date') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') when 'null' then false else (c.value -> 'start_date') is not null end then 'type: start_date is not what the schema says.'
    when case jsonb_typeof((c.value -> 'end_date')) when 'string' then not ((c.value ->> 'end_date') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') when 'null' then false else (c.value -> 'end_date') is not null end then 'type: end_date is not what the schema says.'
    when jsonb_typeof((c.value -> 'duration')) not in ('number', 'null') then 'type: duration is not what the schema says.'
    when jsonb_typeof((c.value -> 'event_type')) not in ('string', 'null') then 'type: event_type is not what the schema says.'
    when jsonb_typeof((c.value -> 'all_day')) <> 'boolean' then 'type: all_day is not what the schema says.'
    when jsonb_typeof((c.value -> 'notes')) not in ('string', 'null') then 'type: notes is not what the schema says.'
    when jsonb_typeof((c.value -> 'team_member_ids')) <> 'array' then 'type: team_member_ids is not what the schema says.'
    when (c.value -> 'created_at') is null then 'required: created_at is missing.'
    when case jsonb_typeof((c.value -> 'created_at')) when 'string' then not ((c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'created_at') is not null end then 'type: created_at is not what the schema says.'
    when (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
    when case jsonb_typeof((c.value -> 'updated_at')) when 'string' then not ((c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'updated_at') is not null end then 'type: updated_at is not what the schema says.'
    when case jsonb_typeof((c.value -> 'deleted_at')) when 'string' then not ((c.value ->> 'deleted_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') when 'null' then false else (c.value -> 'deleted_at') is not null end then 'type: deleted_at is not what the schema says.'
  end end,
  case
    when octet_length(c.body::text) > 5000 and entitysync.unknown_members(c.value, array['address', 'all_day', 'client_id', 'company_id', 'created_at', 'deleted_at', 'duration', 'end_date', 'event_type', 'id', 'latitude', 'longitude', 'notes', 'start_date', 'status', 'team_member_ids', 'title', 'updated_at']) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
    when (c.value ->> 'id') is distinct from c.key and not (c.is_deleted and (c.value ->> 'id') is null)
          then 'key: The key is not that of the body.'
  end
);

-- Changes of the entity that do not fit the schema.
create or replace function entitysync."project_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id, entitysync."project_misfit"(
      c,
      case when jsonb_typeof(c.value) = 'object' then (select count(*) from (select json_object_keys(c.body)) as m) <> (select count(*) from (select jsonb_object_keys(c.value)) as m) end
    ) as reason
    from unnest(changes) as c
    where c.entity = 'project'
    offset 0
  ) as f
  where f.reason is not null;
end
$$;

-- The columns in which two values of the entity differ, as bits.
create or replace function entitysync."project_mask"(given jsonb, present jsonb) returns bigint
language sql stable
return (case when given -> 'id' is distinct from present -> 'id' then ((given ->> 'id') is distinct from (present ->> 'id'))::int::bigint else 0 end << 0)
  | (case when given -> 'company_id' is distinct from present -> 'company_id' then ((given ->> 'company_id') is distinct from (present ->> 'company_id'))::int::bigint else 0 end << 1)
  | (case when given -> 'client_id' is distinct from present -> 'client_id' then ((given ->> 'client_id') is distinct from (present ->> 'client_id'))::int::bigint else 0 end << 2)
  | (case when given -> 'title' is distinct from present -> 'title' then ((given ->> 'title') is distinct from (present ->> 'title'))::int::bigint else 0 end << 3)
  | (case when given -> 'address' is distinct from present -> 'address' then ((given ->> 'address') is distinct from (present ->> 'address'))::int::bigint else 0 end << 4)
  | (case when given -> 'latitude' is distinct from present -> 'latitude' then ((given ->> 'latitude')::double precision is distinct from (present ->> 'latitude')::double precision)::int::bigint else 0 end << 5)
  | (case when given -> 'longitude' is distinct from present -> 'longitude' then ((given ->> 'longitude')::double precision is distinct from (present ->> 'longitude')::double precision)::int::bigint else 0 end << 6)
  | (case when given -> 'status' is distinct from present -> 'status' then (case when given -> 'status' is null then 'rfq'::text else (given ->> 'status') end is distinct from case when present -> 'status' is null then 'rfq'::text else (present ->> 'status') end)::int::bigint else 0 end << 7)
  | (case when given -> 'start_date' is distinct from present -> 'start_date' then (entitysync.moment((given ->> 'start_date')) is distinct from entitysync.moment((present ->> 'start_date')))::int::bigint else 0 end << 8)
  | (case when given -> 'end_date' is distinct from present -> 'end_date' then (entitysync.moment((given ->> 'end_date')) is distinct from entitysync.moment((present ->> 'end_date')))::int::bigint else 0 end << 9)
  | (case when given -> 'duration' is distinct from present -> 'duration' then ((given ->> 'duration')::double precision is distinct from (present ->> 'duration')::double precision)::int::bigint else 0 end << 10)
  | (case when given -> 'event_type' is distinct from present -> 'event_type' then ((given ->> 'event_type') is distinct from (present ->> 'event_type'))::int::bigint else 0 end << 11)
  | (case when given -> 'all_day' is distinct from present -> 'all_day' then (case when given -> 'all_day' is null then 'false'::boolean else (given ->> 'all_day')::boolean end is distinct from case when present -> 'all_day' is null then 'false'::boolean else (present ->> 'all_day')::boolean end)::int::bigint else 0 end << 12)
  | (case when given -> 'notes' is distinct from present -> 'notes' then ((given ->> 'notes') is distinct from (present ->> 'notes'))::int::bigint else 0 end << 13)
  | (case when given -> 'team_member_ids' is distinct from present -> 'team_member_ids' then (case when given -> 'team_member_ids' is null then '[]'::jsonb else nullif(given -> 'team_member_ids', 'null') end is distinct from case when present -> 'team_member_ids' is null then '[]'::jsonb else nullif(present -> 'team_member_ids', 'null') end)::int::bigint else 0 end << 14)
  | (case when given -> 'created_at' is distinct from present -> 'created_at' then (entitysync.moment((given ->> 'created_at')) is distinct from entitysync.moment((present ->> 'created_at')))::int::bigint else 0 end << 15)
  | (case when given -> 'updated_at' is distinct from present -> 'updated_at' then (entitysync.moment((given ->> 'updated_at')) is distinct from entitysync.moment((present ->> 'updated_at')))::int::bigint else 0 end << 16)
  | (case when given -> 'deleted_at' is distinct from present -> 'deleted_at' then (entitysync.moment((given ->> 'deleted_at')) is distinct from entitysync.moment((present ->> 'deleted_at')))::int::bigint else 0 end << 17);

-- Gives records that other programs touched the states that their rows ask for.
create or replace function entitysync."project_fold"(
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
  where t.mask = 0 and s.space = "$space" and s.id = entitysync.record_id("$space", 'project', t.key)
    and not s.is_deleted;
  with touched as (
    select t.*, entitysync.record_id("$space", 'project', t.key) as id, (to_jsonb(t.key) #>> '{}')::text as "$0"
    from unnest(p_keys, p_ats, p_masks, p_appearing) as t (key, at, mask, appears)
    offset 0
  ), found as materialized (
    select t.*, "$state" as state, "$t" as row, "$t"."id" is not null and not "$t"."deleted_at" is not null as lives,
      -- The row of a deleted record says its last value; what is written into it is a version.
      "$t"."deleted_at" is not null as is_kept, "$t"."deleted_at" is not null and not t.appears and t.mask & ~(1::bigint << 17) & ~(1::bigint << 16) <> 0 as keeps_words
    from touched as t
    left join entitysync.state as "$state" on "$state".space = "$space" and "$state".id = t.id
    left join "public"."projects" as "$t" on "$t"."owner_id" = "$space" and "$t"."id" = t."$0"
  ), numbered as (
    select f.*, entitysync.edit_number(f.number, (f.state).vector, device) as edit_number,
      greatest(
        case
          when f.lives then case when f.mask & (1::bigint << 16) <> 0 then least(entitysync.microseconds((f.row)."updated_at"), f.at) else f.at end
          when (f.state).is_deleted is not true then case when f.keeps_words then least(entitysync.microseconds((f.row)."deleted_at"), f.at) else f.at end
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
        when n.is_kept or n.lives and ((n.state).body is not null or '{"":"rest","created_at":"time","team_member_ids":"set","updated_at":"time"}'::jsonb is not null)
          then entitysync."project_json"(n.row)::jsonb
      end as row_json
    from numbered as n
  ), made as materialized (
    select e.*, case when e.lives then jsonb_build_object('team_member_ids', e.row_json -> 'team_member_ids') end as sets,
      case
        when e.is_kept
          then coalesce(
            entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["id"],["company_id"],["client_id"],["title"],["address"],["latitude"],["longitude"],["status"],["start_date"],["end_date"],["duration"],["event_type"],["all_day"],["notes"],["team_member_ids"],["created_at"],["updated_at"],["deleted_at"]]'::jsonb), e.row_json::text::json
          )
        when not e.lives or (e.state).is_deleted then null
        when (e.state).body is not null
          then entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["id"],["company_id"],["client_id"],["title"],["address"],["latitude"],["longitude"],["status"],["start_date"],["end_date"],["duration"],["event_type"],["all_day"],["notes"],["team_member_ids"],["created_at"],["updated_at"],["deleted_at"]]'::jsonb)
      end as body,
      case
        when e.lives and (e.state).id is not null and (e.state).merged_into is null
          then entitysync.edited_detail(
            (e.state).detail, (e.state).edit, e.edit, e.mask | case when (e.state).is_deleted then (1::bigint << 14) else 0 end, '[["id"],["company_id"],["client_id"],["title"],["address"],["latitude"],["longitude"],["status"],["start_date"],["end_date"],["duration"],["event_type"],["all_day"],["notes"],["team_member_ids"],["created_at"],["updated_at"],["deleted_at"]]'::jsonb, '{"":"rest","created_at":"time","team_member_ids":"set","updated_at":"time"}'::jsonb, case when (e.state).is_deleted then '{"team_member_ids":[]}'::jsonb else (e.state).sets end,
            jsonb_build_object('team_member_ids', e.row_json -> 'team_member_ids')
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
  select "$space", m.id, 'project', m.key, pg_current_xact_id(), m.number,
    entitysync.new_revision(m.number), false, m.edit, m.edit, m.vector, null, null, m.sets
  from made as m
  where (m.state).id is null;
end
$$;

-- Takes in the deleted rows of records that a device makes anew, without having been told of them.
create or replace function entitysync."project_bury"(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  with found as materialized (
    select c.id, c.key, c.space, entitysync."project_json"("$t") as body, nextval('entitysync.numbers') as number,
      entitysync.edit_number(currval('entitysync.numbers')) as edit_number,
      entitysync.server_device(c.space) as device
    from (
      select c.*, (to_jsonb(c.key) #>> '{}')::text as "$0" from unnest(changes) as c
      where c.entity = 'project' and c.base is null
      offset 0
    ) as c
    join "public"."projects" as "$t" on "$t"."owner_id" = c.space and "$t"."id" = c."$0"
    where "$t"."deleted_at" is not null
  ), buried as (
    insert into entitysync.state (
      space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, body
    )
    select f.space, f.id, 'project', f.key, pg_current_xact_id(), f.number,
      entitysync.new_revision(f.number), true, e.edit, split_part(e.edit, '.', 1) || '.0000000000000000.' || split_part(e.edit, '.', 3),
      f.device || ':' || f.edit_number, f.body::json
    from found as f
    cross join lateral (select '0.' || f.device || '.' || f.edit_number as edit) as e
    where not exists (select from entitysync.state as s where s.space = f.space and s.id = f.id)
    returning space, id, key, number
  )
  insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden, version)
  select entitysync.reader(), k.id, k.space, 'project', k.key, pg_current_xact_id(),
    nextval('entitysync.numbers'), false, k.number
  from (
    select b.* from buried as b
    union all
    select s.space, s.id, s.key, s.number from found as f
    join entitysync.state as s on s.space = f.space and s.id = f.id and s.is_deleted and s.body is not null
  ) as k
  where 'project' = any (entitysync.viewed_entities())
  on conflict (space, id) do update set
    xid = excluded.xid, number = excluded.number, is_hidden = false, version = excluded.version
  where w.is_hidden;
end
$$;

-- Locks the rows of changes that the caller may change, or fails.
create or replace function entitysync."project_lock"(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  perform from (select c.position, c.space as "$owner", (to_jsonb(c.key) #>> '{}')::text as "$0" from unnest(changes) as c where c.entity = 'project' offset 0) as k
  join "public"."projects" as "$t" on "$t"."owner_id" = k."$owner" and "$t"."id" = k."$0"
  for no key update of "$t" nowait;
end
$$;

-- Until 1.0.0 these wrote the states, too.
drop function if exists entitysync."project_write"(entitysync.change[]);
drop function if exists entitysync."project_remove"(entitysync.change[]);

-- What the table made of a change: the row says it after it was written.
create or replace function entitysync."project_written"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- To compare texts takes less than to read one.
  says_the_same constant boolean := (change).body::text = row_json;
  value constant jsonb := case when says_the_same then (change).value else row_json::jsonb end;
  altered constant bigint := case
    when says_the_same then 0 else entitysync."project_mask"((change).value, value)
  end;
begin
  return row(
    (change).position,
    case
      when altered <> 0 then entitysync.overlaid((change).body, value, altered, '[["id"],["company_id"],["client_id"],["title"],["address"],["latitude"],["longitude"],["status"],["start_date"],["end_date"],["duration"],["event_type"],["all_day"],["notes"],["team_member_ids"],["created_at"],["updated_at"],["deleted_at"]]'::jsonb)
      when not says_the_same then (change).body
    end,
    jsonb_build_object('team_member_ids', value -> 'team_member_ids'), altered
  );
end
$$;

-- What the row of a record says; null if there is none.
create or replace function entitysync."project_row"(p_space uuid, p_key text, locks boolean) returns text
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  if locks then
    return (select entitysync."project_json"("$t") from "public"."projects" as "$t" where "$t"."owner_id" = $1 and "$t"."id" = (to_jsonb($2) #>> '{}')::text for no key update nowait);
  end if;
  return (select entitysync."project_json"("$t") from "public"."projects" as "$t" where "$t"."owner_id" = $1 and "$t"."id" = (to_jsonb($2) #>> '{}')::text);
end
$$;

-- Writes the row of one change, by statements that are planned in no time. `row_json` is what it says before.
create or replace function entitysync."project_write_one"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- Whether the row that was made has the record's key.
  is_row boolean;
  present jsonb;
  mask bigint;
  sets constant text[] := array['"company_id" = ($1 ->> ''company_id'')', '"client_id" = ($1 ->> ''client_id'')', '"title" = ($1 ->> ''title'')', '"address" = ($1 ->> ''address'')', '"latitude" = ($1 ->> ''latitude'')::double precision', '"longitude" = ($1 ->> ''longitude'')::double precision', '"status" = case when $1 -> ''status'' is null then ''rfq''::text else ($1 ->> ''status'') end', '"start_date" = entitysync.moment(($1 ->> ''start_date''))', '"end_date" = entitysync.moment(($1 ->> ''end_date''))', '"duration" = ($1 ->> ''duration'')::double precision', '"event_type" = ($1 ->> ''event_type'')', '"all_day" = case when $1 -> ''all_day'' is null then ''false''::boolean else ($1 ->> ''all_day'')::boolean end', '"notes" = ($1 ->> ''notes'')', '"team_member_ids" = case when $1 -> ''team_member_ids'' is null then ''[]''::jsonb else nullif($1 -> ''team_member_ids'', ''null'') end', '"created_at" = entitysync.moment(($1 ->> ''created_at''))', '"updated_at" = entitysync.moment(($1 ->> ''updated_at''))', '"deleted_at" = entitysync.moment(($1 ->> ''deleted_at''))'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]::integer[];
begin
  if row_json is null then
    if (change).lives or (change).space <> entitysync.my_space() then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', 'project', true);
    insert into "public"."projects" as "$t" ("id", "company_id", "client_id", "title", "address", "latitude", "longitude", "status", "start_date", "end_date", "duration", "event_type", "all_day", "notes", "team_member_ids", "created_at", "updated_at", "deleted_at", "owner_id")
    values (
      ((change).value ->> 'id'),
      ((change).value ->> 'company_id'),
      ((change).value ->> 'client_id'),
      ((change).value ->> 'title'),
      ((change).value ->> 'address'),
      ((change).value ->> 'latitude')::double precision,
      ((change).value ->> 'longitude')::double precision,
      case when (change).value -> 'status' is null then 'rfq'::text else ((change).value ->> 'status') end,
      entitysync.moment(((change).value ->> 'start_date')),
      entitysync.moment(((change).value ->> 'end_date')),
      ((change).value ->> 'duration')::double precision,
      ((change).value ->> 'event_type'),
      case when (change).value -> 'all_day' is null then 'false'::boolean else ((change).value ->> 'all_day')::boolean end,
      ((change).value ->> 'notes'),
      case when (change).value -> 'team_member_ids' is null then '[]'::jsonb else nullif((change).value -> 'team_member_ids', 'null') end,
      entitysync.moment(((change).value ->> 'created_at')),
      entitysync.moment(((change).value ->> 'updated_at')),
      entitysync.moment(((change).value ->> 'deleted_at')),
      (select auth.uid())
    )
    returning entitysync."project_json"("$t"), "$t"."id" = (to_jsonb(($1).key) #>> '{}')::text into row_json, is_row;
    if is_row is not true then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
    return entitysync."project_written"(change, row_json);
  end if;
  present := row_json::jsonb;
  mask := entitysync."project_mask"((change).value, present);
  if mask <> 0 then
    perform set_config('entitysync.writes', 'project', true);
    execute 'update "public"."projects" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where mask & (1::bigint << s.bit) <> 0
    ) || ' where "$t"."owner_id" = $2 and "$t"."id" = (to_jsonb($3) #>> ''{}'')::text returning entitysync."project_json"("$t")'
    into row_json
    using (change).value, (change).space, (change).key;
    if row_json is null then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
  end if;
  return entitysync."project_written"(change, row_json);
end
$$;

-- Writes rows: of each, only the columns that the change gives another value. Says what the table made of them.
create or replace function entitysync."project_write"(changes entitysync.change[]) returns entitysync.written[]
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
  sets constant text[] := array['"company_id" = case when w."$mask" & (1::bigint << 1) <> 0 then w."company_id" else "$t"."company_id" end', '"client_id" = case when w."$mask" & (1::bigint << 2) <> 0 then w."client_id" else "$t"."client_id" end', '"title" = case when w."$mask" & (1::bigint << 3) <> 0 then w."title" else "$t"."title" end', '"address" = case when w."$mask" & (1::bigint << 4) <> 0 then w."address" else "$t"."address" end', '"latitude" = case when w."$mask" & (1::bigint << 5) <> 0 then w."latitude" else "$t"."latitude" end', '"longitude" = case when w."$mask" & (1::bigint << 6) <> 0 then w."longitude" else "$t"."longitude" end', '"status" = case when w."$mask" & (1::bigint << 7) <> 0 then w."status" else "$t"."status" end', '"start_date" = case when w."$mask" & (1::bigint << 8) <> 0 then w."start_date" else "$t"."start_date" end', '"end_date" = case when w."$mask" & (1::bigint << 9) <> 0 then w."end_date" else "$t"."end_date" end', '"duration" = case when w."$mask" & (1::bigint << 10) <> 0 then w."duration" else "$t"."duration" end', '"event_type" = case when w."$mask" & (1::bigint << 11) <> 0 then w."event_type" else "$t"."event_type" end', '"all_day" = case when w."$mask" & (1::bigint << 12) <> 0 then w."all_day" else "$t"."all_day" end', '"notes" = case when w."$mask" & (1::bigint << 13) <> 0 then w."notes" else "$t"."notes" end', '"team_member_ids" = case when w."$mask" & (1::bigint << 14) <> 0 then w."team_member_ids" else "$t"."team_member_ids" end', '"created_at" = case when w."$mask" & (1::bigint << 15) <> 0 then w."created_at" else "$t"."created_at" end', '"updated_at" = case when w."$mask" & (1::bigint << 16) <> 0 then w."updated_at" else "$t"."updated_at" end', '"deleted_at" = case when w."$mask" & (1::bigint << 17) <> 0 then w."deleted_at" else "$t"."deleted_at" end'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]::integer[];
  done entitysync.written[];
begin
  if cardinality(changes) = 1 then
    return array[entitysync."project_write_one"(
      changes[1], entitysync."project_row"(changes[1].space, changes[1].key, false)
    )];
  end if;
  select array_agg(p.position), array_agg(p.mask), array_agg(p.row_json), bit_or(p.mask)
  into positions, masks, rows, union_mask
  from (
    select m.position, m.row_json, entitysync."project_mask"(m.value, m.present) as mask
    from (
      -- NB: read once. The mask looks into it for each column.
      select r.*, r.row_json::jsonb as present
      from (
        select k.position, k.value, entitysync."project_json"("$t") as row_json
        from (select c.position, c.value, c.space as "$owner", (to_jsonb(c.key) #>> '{}')::text as "$0" from unnest(changes) as c where c.entity = 'project' offset 0) as k
        join "public"."projects" as "$t" on "$t"."owner_id" = k."$owner" and "$t"."id" = k."$0"
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
  perform set_config('entitysync.writes', 'project', true);
  if union_mask <> 0 then
    execute 'with u as (
  update "public"."projects" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where union_mask & (1::bigint << s.bit) <> 0
    ) || '
  from (
    select c.position as "$position", m.mask as "$mask", c.value as "$value", c.space as "$owner",
      (c.value ->> ''id'') as "id",
      (c.value ->> ''company_id'') as "company_id",
      (c.value ->> ''client_id'') as "client_id",
      (c.value ->> ''title'') as "title",
      (c.value ->> ''address'') as "address",
      (c.value ->> ''latitude'')::double precision as "latitude",
      (c.value ->> ''longitude'')::double precision as "longitude",
      case when c.value -> ''status'' is null then ''rfq''::text else (c.value ->> ''status'') end as "status",
      entitysync.moment((c.value ->> ''start_date'')) as "start_date",
      entitysync.moment((c.value ->> ''end_date'')) as "end_date",
      (c.value ->> ''duration'')::double precision as "duration",
      (c.value ->> ''event_type'') as "event_type",
      case when c.value -> ''all_day'' is null then ''false''::boolean else (c.value ->> ''all_day'')::boolean end as "all_day",
      (c.value ->> ''notes'') as "notes",
      case when c.value -> ''team_member_ids'' is null then ''[]''::jsonb else nullif(c.value -> ''team_member_ids'', ''null'') end as "team_member_ids",
      entitysync.moment((c.value ->> ''created_at'')) as "created_at",
      entitysync.moment((c.value ->> ''updated_at'')) as "updated_at",
      entitysync.moment((c.value ->> ''deleted_at'')) as "deleted_at"
    from unnest($1) as c join unnest($2, $3) as m (position, mask) on m.position = c.position
    where m.mask <> 0
    offset 0
  ) as w
  where "$t"."owner_id" = w."$owner" and "$t"."id" = w."id"
  returning w."$position" as position, entitysync."project_json"("$t") as row_json
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
        (c.value ->> 'id') as "id",
        (c.value ->> 'company_id') as "company_id",
        (c.value ->> 'client_id') as "client_id",
        (c.value ->> 'title') as "title",
        (c.value ->> 'address') as "address",
        (c.value ->> 'latitude')::double precision as "latitude",
        (c.value ->> 'longitude')::double precision as "longitude",
        case when c.value -> 'status' is null then 'rfq'::text else (c.value ->> 'status') end as "status",
        entitysync.moment((c.value ->> 'start_date')) as "start_date",
        entitysync.moment((c.value ->> 'end_date')) as "end_date",
        (c.value ->> 'duration')::double precision as "duration",
        (c.value ->> 'event_type') as "event_type",
        case when c.value -> 'all_day' is null then 'false'::boolean else (c.value ->> 'all_day')::boolean end as "all_day",
        (c.value ->> 'notes') as "notes",
        case when c.value -> 'team_member_ids' is null then '[]'::jsonb else nullif(c.value -> 'team_member_ids', 'null') end as "team_member_ids",
        entitysync.moment((c.value ->> 'created_at')) as "created_at",
        entitysync.moment((c.value ->> 'updated_at')) as "updated_at",
        entitysync.moment((c.value ->> 'deleted_at')) as "deleted_at"
      from unnest(changes) as c
      where c.position <> all (coalesce(positions, '{}')) and c.space = (select entitysync.my_space())
    ), i as (
      insert into "public"."projects" as "$t" ("id", "company_id", "client_id", "title", "address", "latitude", "longitude", "status", "start_date", "end_date", "duration", "event_type", "all_day", "notes", "team_member_ids", "created_at", "updated_at", "deleted_at", "owner_id")
      select w."id", w."company_id", w."client_id", w."title", w."address", w."latitude", w."longitude", w."status", w."start_date", w."end_date", w."duration", w."event_type", w."all_day", w."notes", w."team_member_ids", w."created_at", w."updated_at", w."deleted_at", (select auth.uid())
      from w
      returning "$t"."id",
        '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
    || ',"company_id":' || coalesce(to_json("$t"."company_id")::text, 'null')
    || ',"client_id":' || coalesce(to_json("$t"."client_id")::text, 'null')
    || ',"title":' || coalesce(to_json("$t"."title")::text, 'null')
    || ',"address":' || coalesce(to_json("$t"."address")::text, 'null')
    || ',"latitude":' || coalesce(case when "$t"."latitude" - "$t"."latitude" = 0 then to_json("$t"."latitude")::text end, 'null')
    || ',"longitude":' || coalesce(case when "$t"."longitude" - "$t"."longitude" = 0 then to_json("$t"."longitude")::text end, 'null')
    || ',"status":' || coalesce(to_json("$t"."status")::text, 'null')
    || ',"start_date":' || coalesce(case when "$t"."start_date" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."start_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"end_date":' || coalesce(case when "$t"."end_date" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."end_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"duration":' || coalesce(case when "$t"."duration" - "$t"."duration" = 0 then to_json("$t"."duration")::text end, 'null')
    || ',"event_type":' || coalesce(to_json("$t"."event_type")::text, 'null')
    || coalesce(',"all_day":' || "$t"."all_day"::text, '')
    || ',"notes":' || coalesce(to_json("$t"."notes")::text, 'null')
    || coalesce(',"team_member_ids":' || case when (length("$t"."team_member_ids"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."team_member_ids"::text || ']')::json)) then nullif(case when strpos("$t"."team_member_ids"::text, '\') > 0 then "$t"."team_member_ids"::text else replace("$t"."team_member_ids"::text, '", "', '","') end, 'null') end, '')
    || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"deleted_at":' || coalesce(case when "$t"."deleted_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."deleted_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' as "$json"
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
        then row(c.position, null, jsonb_build_object('team_member_ids', c.value -> 'team_member_ids'), 0)::entitysync.written
      else entitysync."project_written"(c, r.row_json)
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
create or replace function entitysync."project_remove"(changes entitysync.change[]) returns entitysync.written[]
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  removed integer;
begin
  perform set_config('entitysync.writes', 'project', true);
  update "public"."projects" as "$t" set "deleted_at" = coalesce(entitysync.moment(k.value ->> 'deleted_at'), now())
  from (select c.value, c.space as "$owner", (to_jsonb(c.key) #>> '{}')::text as "$0" from unnest(changes) as c where c.entity = 'project' offset 0) as k
  where "$t"."owner_id" = k."$owner" and "$t"."id" = k."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return array(select row(c.position, c.body, null, 0)::entitysync.written from unnest(changes) as c);
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."project_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  query text := entitysync.clash_query('"public"."projects"'::regclass, index);
  given "public"."projects";
  holder "public"."projects";
begin
  if query is null then
    return null;
  end if;
  given := (
    select jsonb_populate_record(null::"public"."projects", to_jsonb(v))
    from (
      select
        (j.b ->> 'id') as "id",
        (j.b ->> 'company_id') as "company_id",
        (j.b ->> 'client_id') as "client_id",
        (j.b ->> 'title') as "title",
        (j.b ->> 'address') as "address",
        (j.b ->> 'latitude')::double precision as "latitude",
        (j.b ->> 'longitude')::double precision as "longitude",
        case when j.b -> 'status' is null then 'rfq'::text else (j.b ->> 'status') end as "status",
        entitysync.moment((j.b ->> 'start_date')) as "start_date",
        entitysync.moment((j.b ->> 'end_date')) as "end_date",
        (j.b ->> 'duration')::double precision as "duration",
        (j.b ->> 'event_type') as "event_type",
        case when j.b -> 'all_day' is null then 'false'::boolean else (j.b ->> 'all_day')::boolean end as "all_day",
        (j.b ->> 'notes') as "notes",
        case when j.b -> 'team_member_ids' is null then '[]'::jsonb else nullif(j.b -> 'team_member_ids', 'null') end as "team_member_ids",
        entitysync.moment((j.b ->> 'created_at')) as "created_at",
        entitysync.moment((j.b ->> 'updated_at')) as "updated_at",
        entitysync.moment((j.b ->> 'deleted_at')) as "deleted_at",
        (select auth.uid()) as "owner_id"
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
drop function if exists entitysync."project_adopt"();

-- Logs each row of some blocks that has no state, such as rows from before EntitySync.
create or replace function entitysync."project_adopt"(first tid, past tid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into entitysync.log (space, entity, op, keys)
  select r.space, 'project', 'a', array_agg(r.key)
  from (
    select "$t"."owner_id" as space, "$t"."id"::text as key
    from "public"."projects" as "$t"
    where "$t".ctid >= first and "$t".ctid < past and not "$t"."deleted_at" is not null
  ) as r
  left join entitysync.state as s
    on s.space = r.space and s.id = entitysync.record_id(r.space, 'project', r.key)
  where r.space is not null and s.id is null
  group by r.space
$$;

-- The live rows that have a value in one of some columns.
create or replace function entitysync."project_valued"(places integer[])
returns table (space uuid, key text, value jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.space, r.key, r.value
  from (
    select "$t"."owner_id" as space, "$t"."id"::text as key,
      entitysync."project_json"("$t")::jsonb as value
    from "public"."projects" as "$t"
    where not "$t"."deleted_at" is not null and (
      2 = any (places) and "$t"."company_id" is not null
          or 3 = any (places) and "$t"."client_id" is not null
          or 4 = any (places) and "$t"."title" is not null
          or 5 = any (places) and "$t"."address" is not null
          or 6 = any (places) and "$t"."latitude" is not null
          or 7 = any (places) and "$t"."longitude" is not null
          or 8 = any (places) and "$t"."status" is not null
          or 9 = any (places) and "$t"."start_date" is not null
          or 10 = any (places) and "$t"."end_date" is not null
          or 11 = any (places) and "$t"."duration" is not null
          or 12 = any (places) and "$t"."event_type" is not null
          or 13 = any (places) and "$t"."all_day" is not null
          or 14 = any (places) and "$t"."notes" is not null
          or 15 = any (places) and "$t"."team_member_ids" is not null
    )
  ) as r
  where r.space is not null
$$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."project_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(*) filter (where s.id is null), count(*) filter (where r.id is null), (select count(*) from "public"."projects" as "$t" where "$t"."owner_id" is null)
  from (
    select entitysync.record_id("$t"."owner_id", 'project', entitysync."project_key"("$t")) as id
    from "public"."projects" as "$t"
    where "$t"."owner_id" is not null and not "$t"."deleted_at" is not null
  ) as r
  full join (
    select s.id from entitysync.state as s where s.entity = 'project' and not s.is_deleted
  ) as s on s.id = r.id
$$;

do $body2$
begin
  perform entitysync.ensure_table('project', '"public"."projects"', $body1$
-- In a Supabase project, the rows of a user who is erased go, too.
do $$
begin
  if to_regclass('auth.users') is not null and not exists (
    select from pg_catalog.pg_constraint where conrelid = '"public"."projects"'::regclass and confrelid = to_regclass('auth.users')
  ) then
    alter table "public"."projects" add constraint "projects_owner_sync"
      foreign key ("owner_id") references auth.users (id) on delete cascade;
  end if;
end
$$;
-- A table that has policies of its own, and none of these, keeps them as they are.
do $$
begin
  if exists (select from pg_catalog.pg_policy where polrelid = '"public"."projects"'::regclass and polname like 'entitysync: %')
    or not exists (select from pg_catalog.pg_policy where polrelid = '"public"."projects"'::regclass and polname not like 'entitysync: %')
  then
    alter table "public"."projects" enable row level security;
    drop policy if exists "entitysync: read" on "public"."projects";
    create policy "entitysync: read" on "public"."projects" for select to authenticated
      using ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: add" on "public"."projects";
    create policy "entitysync: add" on "public"."projects" for insert to authenticated
      with check ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: change" on "public"."projects";
    create policy "entitysync: change" on "public"."projects" for update to authenticated
      using ("owner_id" = (select auth.uid())) with check ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: remove" on "public"."projects";
    create policy "entitysync: remove" on "public"."projects" for delete to authenticated
      using ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: service" on "public"."projects";
    create policy "entitysync: service" on "public"."projects" for all to service_role
      using (true) with check (true);
    grant select, insert, update, delete on "public"."projects" to authenticated, service_role;
  end if;
end
$$;
comment on table "public"."projects" is 'A job that a company plans, carries out and bills, with its place, its time and its team.';
comment on column "public"."projects"."id" is 'Identifies the project; given by whoever creates it.';
comment on column "public"."projects"."company_id" is 'The company that the project belongs to.';
comment on column "public"."projects"."client_id" is 'The client that the project is for; null while there is none.';
comment on column "public"."projects"."title" is 'What people call the project.';
comment on column "public"."projects"."address" is 'Where the project takes place, as one text.';
comment on column "public"."projects"."latitude" is 'The place''s latitude in degrees, north positive.';
comment on column "public"."projects"."longitude" is 'The place''s longitude in degrees, east positive.';
comment on column "public"."projects"."status" is 'How far the project has come.';
comment on column "public"."projects"."start_date" is 'When the work begins; null while that is open.';
comment on column "public"."projects"."end_date" is 'When the work ends; null while that is open.';
comment on column "public"."projects"."duration" is 'The planned working time in seconds.';
comment on column "public"."projects"."event_type" is 'What kind of calendar entry stands for the project, for example ''visit''.';
comment on column "public"."projects"."all_day" is 'Whether the calendar entry covers whole days.';
comment on column "public"."projects"."notes" is 'What the team should know.';
comment on column "public"."projects"."team_member_ids" is 'The people on the team. People added on two devices are all kept.';
comment on column "public"."projects"."created_at" is 'When the project was entered.';
comment on column "public"."projects"."updated_at" is 'When the project last changed.';
comment on column "public"."projects"."deleted_at" is 'When the project was deleted; null while it is not. Setting it deletes, clearing it restores.';

select entitysync.move_log('project', '[["id"],["company_id"],["client_id"],["title"],["address"],["latitude"],["longitude"],["status"],["start_date"],["end_date"],["duration"],["event_type"],["all_day"],["notes"],["team_member_ids"],["created_at"],["updated_at"],["deleted_at"]]'::jsonb, '[]'::jsonb);

-- Logs every other write: one row per statement, space and set of changed columns. Old and new rows come in one
-- order, so they are paired by place.
create or replace function entitysync."project_track"() returns trigger
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
      select t.space, 'project', 'i', array[t.key]
      from (select r."owner_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'project', 'i', array_agg(t.key)
      from (select r."owner_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif tg_op = 'DELETE' then
    if (select count(*) < 2 from (select from gone limit 2) as few) then
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'project', 'd', array[t.key]
      from (select r."owner_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'project', 'd', array_agg(t.key)
      from (select r."owner_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif (select count(*) < 2 from (select from before limit 2) as few) then
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'project', e.op::"char", e.mask, array[e.key]
    from before as "$old" cross join after as "$new"
    cross join lateral (
      values
        ('u', "$new"."owner_id", "$new"."id"::text, (("$old"."company_id" collate "C" is distinct from "$new"."company_id" collate "C")::int::bigint << 1)
          | (("$old"."client_id" collate "C" is distinct from "$new"."client_id" collate "C")::int::bigint << 2)
          | (("$old"."title" collate "C" is distinct from "$new"."title" collate "C")::int::bigint << 3)
          | (("$old"."address" collate "C" is distinct from "$new"."address" collate "C")::int::bigint << 4)
          | (("$old"."latitude" is distinct from "$new"."latitude")::int::bigint << 5)
          | (("$old"."longitude" is distinct from "$new"."longitude")::int::bigint << 6)
          | (("$old"."status" collate "C" is distinct from "$new"."status" collate "C")::int::bigint << 7)
          | (("$old"."start_date" is distinct from "$new"."start_date")::int::bigint << 8)
          | (("$old"."end_date" is distinct from "$new"."end_date")::int::bigint << 9)
          | (("$old"."duration" is distinct from "$new"."duration")::int::bigint << 10)
          | (("$old"."event_type" collate "C" is distinct from "$new"."event_type" collate "C")::int::bigint << 11)
          | (("$old"."all_day" is distinct from "$new"."all_day")::int::bigint << 12)
          | (("$old"."notes" collate "C" is distinct from "$new"."notes" collate "C")::int::bigint << 13)
          | (("$old"."team_member_ids" is distinct from "$new"."team_member_ids")::int::bigint << 14)
          | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 15)
          | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 16)
          | (("$old"."deleted_at" is distinct from "$new"."deleted_at")::int::bigint << 17),
          not ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text)),
        ('d', "$old"."owner_id", "$old"."id"::text, null, ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text)),
        ('i', "$new"."owner_id", "$new"."id"::text, null, ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else "$old" *<> "$new" and 'project' = any (entitysync.viewed_entities()) end;
  else
    -- NB: a nested loop by place is quadratic. Set here: at the function it would cost each single update.
    perform set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);
    is_viewed := 'project' = any (entitysync.viewed_entities());
    with paired as materialized (
      select "$old"."owner_id" as old_space, "$old"."id"::text as old_key,
        "$new"."owner_id" as space, "$new"."id"::text as key,
        ("$old"."owner_id", "$old"."id"::text) is distinct from ("$new"."owner_id", "$new"."id"::text) as is_moved,
        (("$old"."company_id" collate "C" is distinct from "$new"."company_id" collate "C")::int::bigint << 1)
        | (("$old"."client_id" collate "C" is distinct from "$new"."client_id" collate "C")::int::bigint << 2)
        | (("$old"."title" collate "C" is distinct from "$new"."title" collate "C")::int::bigint << 3)
        | (("$old"."address" collate "C" is distinct from "$new"."address" collate "C")::int::bigint << 4)
        | (("$old"."latitude" is distinct from "$new"."latitude")::int::bigint << 5)
        | (("$old"."longitude" is distinct from "$new"."longitude")::int::bigint << 6)
        | (("$old"."status" collate "C" is distinct from "$new"."status" collate "C")::int::bigint << 7)
        | (("$old"."start_date" is distinct from "$new"."start_date")::int::bigint << 8)
        | (("$old"."end_date" is distinct from "$new"."end_date")::int::bigint << 9)
        | (("$old"."duration" is distinct from "$new"."duration")::int::bigint << 10)
        | (("$old"."event_type" collate "C" is distinct from "$new"."event_type" collate "C")::int::bigint << 11)
        | (("$old"."all_day" is distinct from "$new"."all_day")::int::bigint << 12)
        | (("$old"."notes" collate "C" is distinct from "$new"."notes" collate "C")::int::bigint << 13)
        | (("$old"."team_member_ids" is distinct from "$new"."team_member_ids")::int::bigint << 14)
        | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 15)
        | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 16)
        | (("$old"."deleted_at" is distinct from "$new"."deleted_at")::int::bigint << 17) as mask,
        "$old" *<> "$new" as differs
      from (select *, row_number() over () as "$place" from before) as "$old"
      full join (select *, row_number() over () as "$place" from after) as "$new"
        on "$old"."$place" = "$new"."$place"
    )
    insert into entitysync.log (space, entity, op, mask, keys)
    select p.space, 'project', 'u', p.mask, array_agg(p.key)
    from paired as p
    where not p.is_moved and p.space is not null and (p.mask <> 0 or is_viewed and p.differs)
    group by p.space, p.mask
    union all
    select p.old_space, 'project', 'd', null, array_agg(p.old_key)
    from paired as p
    where p.is_moved and p.old_space is not null
    group by p.old_space
    union all
    select p.space, 'project', 'i', null, array_agg(p.key)
    from paired as p
    where p.is_moved and p.space is not null
    group by p.space;
    perform set_config('enable_nestloop', loops, true), set_config('enable_mergejoin', merges, true);
  end if;
  return null;
end
$$;

-- The same for one row: in partitioned tables, and for what replication writes.
create or replace function entitysync."project_track_row"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into entitysync.log (space, entity, op, keys)
    select new."owner_id", 'project', 'i', array[new."id"::text] where new."owner_id" is not null;
  elsif tg_op = 'DELETE' then
    insert into entitysync.log (space, entity, op, keys)
    select old."owner_id", 'project', 'd', array[old."id"::text] where old."owner_id" is not null;
  else
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'project', e.op::"char", e.mask, array[e.key]
    from (
      values
        ('u', new."owner_id", new."id"::text, ((old."company_id" collate "C" is distinct from new."company_id" collate "C")::int::bigint << 1)
          | ((old."client_id" collate "C" is distinct from new."client_id" collate "C")::int::bigint << 2)
          | ((old."title" collate "C" is distinct from new."title" collate "C")::int::bigint << 3)
          | ((old."address" collate "C" is distinct from new."address" collate "C")::int::bigint << 4)
          | ((old."latitude" is distinct from new."latitude")::int::bigint << 5)
          | ((old."longitude" is distinct from new."longitude")::int::bigint << 6)
          | ((old."status" collate "C" is distinct from new."status" collate "C")::int::bigint << 7)
          | ((old."start_date" is distinct from new."start_date")::int::bigint << 8)
          | ((old."end_date" is distinct from new."end_date")::int::bigint << 9)
          | ((old."duration" is distinct from new."duration")::int::bigint << 10)
          | ((old."event_type" collate "C" is distinct from new."event_type" collate "C")::int::bigint << 11)
          | ((old."all_day" is distinct from new."all_day")::int::bigint << 12)
          | ((old."notes" collate "C" is distinct from new."notes" collate "C")::int::bigint << 13)
          | ((old."team_member_ids" is distinct from new."team_member_ids")::int::bigint << 14)
          | ((old."created_at" is distinct from new."created_at")::int::bigint << 15)
          | ((old."updated_at" is distinct from new."updated_at")::int::bigint << 16)
          | ((old."deleted_at" is distinct from new."deleted_at")::int::bigint << 17),
          not (old."owner_id", old."id"::text) is distinct from (new."owner_id", new."id"::text)),
        ('d', old."owner_id", old."id"::text, null, (old."owner_id", old."id"::text) is distinct from (new."owner_id", new."id"::text)),
        ('i', new."owner_id", new."id"::text, null, (old."owner_id", old."id"::text) is distinct from (new."owner_id", new."id"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else old *<> new and 'project' = any (entitysync.viewed_entities()) end;
  end if;
  return null;
end
$$;

do $$
begin
  -- Until 1.0.0.
  drop trigger if exists entitysync_track on "public"."projects";
  if exists (
    select from pg_catalog.pg_class where oid = '"public"."projects"'::regclass and relkind = 'p'
  ) then
    create or replace trigger entitysync_rows after insert or update or delete on "public"."projects"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') not in ('project', '*') or pg_trigger_depth() > 0) execute function entitysync."project_track_row"();
    alter table "public"."projects" enable always trigger entitysync_rows;
  else
    create or replace trigger entitysync_inserted after insert on "public"."projects" referencing new table as added
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('project', '*') or pg_trigger_depth() > 0) execute function entitysync."project_track"();
    create or replace trigger entitysync_updated after update on "public"."projects" referencing old table as before new table as after
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('project', '*') or pg_trigger_depth() > 0) execute function entitysync."project_track"();
    create or replace trigger entitysync_deleted after delete on "public"."projects" referencing old table as gone
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('project', '*') or pg_trigger_depth() > 0) execute function entitysync."project_track"();
    create or replace trigger entitysync_replicated after insert or update or delete on "public"."projects"
  for each row
      when (current_setting('session_replication_role') = 'replica')
      execute function entitysync."project_track_row"();
    alter table "public"."projects" enable replica trigger entitysync_replicated;
  end if;
end
$$;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."project_touch"() returns trigger
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
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."projects"
  for each row when (
    new."updated_at" is not distinct from old."updated_at" and (coalesce(current_setting('entitysync.writes', true), '') not in ('project', '*') or pg_trigger_depth() > 0)
  )
  execute function entitysync."project_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."project_truncated"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Keys that only the log names need nothing: there is no row any more.
  insert into entitysync.log (space, entity, op, keys)
  select s.space, s.entity, 'd', array_agg(s.key)
  from entitysync.state as s where s.entity = 'project' and not s.is_deleted
  group by s.space, s.entity;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."projects"
  for each statement execute function entitysync."project_truncated"();
alter table "public"."projects" enable always trigger entitysync_truncated;
$body1$);
end
$body2$;

commit;

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

do $body1$
begin
  perform entitysync.ensure('project indexes', '"public"."projects"', true, $$
create index if not exists "projects_company_id_status_sync" on "public"."projects" ("owner_id", "company_id", "status");
create index if not exists "projects_start_date_sync" on "public"."projects" ("owner_id", "start_date");
$$);
end
$body1$;

commit;

-- read-status ---------------------------------------------------------------------------------------------------------
-- Checked by devices and syncserver, and not by this SQL alone; devices set such a record aside:
--   readAt: format
--   createdAt: format
--   updatedAt: format

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

create table if not exists "public"."read_statuses" (
  "link" text not null constraint "read_statuses_link_limits" check (char_length("link") >= 1 and char_length("link") <= 4000),
  "is_read" boolean not null,
  "read_at" timestamptz,
  "feed" text constraint "read_statuses_feed_limits" check (char_length("feed") <= 4000),
  "title" text constraint "read_statuses_title_limits" check (char_length("title") <= 4000),
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "owner_id" uuid not null default auth.uid(),
  primary key ("owner_id", "link")
);

-- A row's key, and its value as devices write it.
create or replace function entitysync."read_status_key"(r "public"."read_statuses") returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r."link"::text
$$;

-- NB: a session keeps the plan of such a function, and would plan one in SQL at each call.
create or replace function entitysync."read_status_json"(r "public"."read_statuses") returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{' || right(',"link":' || coalesce(to_json(r."link")::text, 'null')
    || ',"is_read":' || coalesce(r."is_read"::text, 'null')
    || ',"read_at":' || coalesce(case when r."read_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."read_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"feed":' || coalesce(to_json(r."feed")::text, 'null')
    || ',"title":' || coalesce(to_json(r."title")::text, 'null')
    || ',"created_at":' || coalesce(case when r."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when r."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}';
end
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."read_status_misfits"(entitysync.change[]);

-- Why a change does not fit the schema, as the rule and one sentence; null if it does. PostgreSQL's `jsonb`
-- keeps the last one of members that stand twice, unseen: whether there are some is found by who asks.
create or replace function entitysync."read_status_misfit"(c entitysync.change, repeats_member boolean)
returns text
language sql stable
return coalesce(
  case
    when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'
    when repeats_member then 'json: The body holds a member that stands twice in one object.'
  end,
  case when not c.is_deleted then case
    when (c.value -> 'link') is null then 'required: link is missing.'
    when jsonb_typeof((c.value -> 'link')) <> 'string' then 'type: link is not what the schema says.'
    when (c.value -> 'is_read') is null then 'required: is_read is missing.'
    when jsonb_typeof((c.value -> 'is_read')) <> 'boolean' then 'type: is_read is not what the schema says.'
    when case jsonb_typeof((c.value -> 'read_at')) when 'string' then not ((c.value ->> 'read_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') when 'null' then false else (c.value -> 'read_at') is not null end then 'type: read_at is not what the schema says.'
    when jsonb_typeof((c.value -> 'feed')) not in ('string', 'null') then 'type: feed is not what the schema says.'
    when jsonb_typeof((c.value -> 'title')) not in ('string', 'null') then 'type: title is not what the schema says.'
    when (c.value -> 'created_at') is null then 'required: created_at is missing.'
    when case jsonb_typeof((c.value -> 'created_at')) when 'string' then not ((c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'created_at') is not null end then 'type: created_at is not what the schema says.'
    when (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
    when case jsonb_typeof((c.value -> 'updated_at')) when 'string' then not ((c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'updated_at') is not null end then 'type: updated_at is not what the schema says.'
  end end,
  case
    when octet_length(c.body::text) > 5000 and entitysync.unknown_members(c.value, array['created_at', 'feed', 'is_read', 'link', 'read_at', 'title', 'updated_at']) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
    when (c.value ->> 'link') is distinct from c.key and not (c.is_deleted and (c.value ->> 'link') is null)
          then 'key: The key is not that of the body.'
  end
);

-- Changes of the entity that do not fit the schema.
create or replace function entitysync."read_status_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id, entitysync."read_status_misfit"(
      c,
      case when jsonb_typeof(c.value) = 'object' then (select count(*) from (select json_object_keys(c.body)) as m) <> (select count(*) from (select jsonb_object_keys(c.value)) as m) end
    ) as reason
    from unnest(changes) as c
    where c.entity = 'read-status'
    offset 0
  ) as f
  where f.reason is not null;
end
$$;

-- The columns in which two values of the entity differ, as bits.
create or replace function entitysync."read_status_mask"(given jsonb, present jsonb) returns bigint
language sql stable
return (case when given -> 'link' is distinct from present -> 'link' then ((given ->> 'link') is distinct from (present ->> 'link'))::int::bigint else 0 end << 0)
  | (case when given -> 'is_read' is distinct from present -> 'is_read' then ((given ->> 'is_read')::boolean is distinct from (present ->> 'is_read')::boolean)::int::bigint else 0 end << 1)
  | (case when given -> 'read_at' is distinct from present -> 'read_at' then (entitysync.moment((given ->> 'read_at')) is distinct from entitysync.moment((present ->> 'read_at')))::int::bigint else 0 end << 2)
  | (case when given -> 'feed' is distinct from present -> 'feed' then ((given ->> 'feed') is distinct from (present ->> 'feed'))::int::bigint else 0 end << 3)
  | (case when given -> 'title' is distinct from present -> 'title' then ((given ->> 'title') is distinct from (present ->> 'title'))::int::bigint else 0 end << 4)
  | (case when given -> 'created_at' is distinct from present -> 'created_at' then (entitysync.moment((given ->> 'created_at')) is distinct from entitysync.moment((present ->> 'created_at')))::int::bigint else 0 end << 5)
  | (case when given -> 'updated_at' is distinct from present -> 'updated_at' then (entitysync.moment((given ->> 'updated_at')) is distinct from entitysync.moment((present ->> 'updated_at')))::int::bigint else 0 end << 6);

-- Gives records that other programs touched the states that their rows ask for.
create or replace function entitysync."read_status_fold"(
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
  where t.mask = 0 and s.space = "$space" and s.id = entitysync.record_id("$space", 'read-status', t.key)
    and not s.is_deleted;
  with touched as (
    select t.*, entitysync.record_id("$space", 'read-status', t.key) as id, (to_jsonb(t.key) #>> '{}')::text as "$0"
    from unnest(p_keys, p_ats, p_masks, p_appearing) as t (key, at, mask, appears)
    offset 0
  ), found as materialized (
    select t.*, "$state" as state, "$t" as row, "$t"."link" is not null and not false as lives,
      -- The row of a deleted record says its last value; what is written into it is a version.
      false as is_kept, false as keeps_words
    from touched as t
    left join entitysync.state as "$state" on "$state".space = "$space" and "$state".id = t.id
    left join "public"."read_statuses" as "$t" on "$t"."owner_id" = "$space" and "$t"."link" = t."$0"
  ), numbered as (
    select f.*, entitysync.edit_number(f.number, (f.state).vector, device) as edit_number,
      greatest(
        case
          when f.lives then case when f.mask & (1::bigint << 6) <> 0 then least(entitysync.microseconds((f.row)."updated_at"), f.at) else f.at end
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
        when n.is_kept or n.lives and ((n.state).body is not null or '{"":"rest","created_at":"time","feed":"field","is_read":"field","read_at":"field","title":"field","updated_at":"time"}'::jsonb is not null)
          then entitysync."read_status_json"(n.row)::jsonb
      end as row_json
    from numbered as n
  ), made as materialized (
    select e.*, case when e.lives then null::jsonb end as sets,
      case
        when e.is_kept
          then coalesce(
            entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["link"],["is_read"],["read_at"],["feed"],["title"],["created_at"],["updated_at"]]'::jsonb), e.row_json::text::json
          )
        when not e.lives or (e.state).is_deleted then null
        when (e.state).body is not null
          then entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["link"],["is_read"],["read_at"],["feed"],["title"],["created_at"],["updated_at"]]'::jsonb)
      end as body,
      case
        when e.lives and (e.state).id is not null and (e.state).merged_into is null
          then entitysync.edited_detail(
            (e.state).detail, (e.state).edit, e.edit, e.mask, '[["link"],["is_read"],["read_at"],["feed"],["title"],["created_at"],["updated_at"]]'::jsonb, '{"":"rest","created_at":"time","feed":"field","is_read":"field","read_at":"field","title":"field","updated_at":"time"}'::jsonb, (e.state).sets,
            null::jsonb
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
  select "$space", m.id, 'read-status', m.key, pg_current_xact_id(), m.number,
    entitysync.new_revision(m.number), false, m.edit, m.edit, m.vector, null, null, m.sets
  from made as m
  where (m.state).id is null;
end
$$;

-- Locks the rows of changes that the caller may change, or fails.
create or replace function entitysync."read_status_lock"(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  perform from (select c.position, c.space as "$owner", (to_jsonb(c.key) #>> '{}')::text as "$0" from unnest(changes) as c where c.entity = 'read-status' offset 0) as k
  join "public"."read_statuses" as "$t" on "$t"."owner_id" = k."$owner" and "$t"."link" = k."$0"
  for no key update of "$t" nowait;
end
$$;

-- Until 1.0.0 these wrote the states, too.
drop function if exists entitysync."read_status_write"(entitysync.change[]);
drop function if exists entitysync."read_status_remove"(entitysync.change[]);

-- What the table made of a change: the row says it after it was written.
create or replace function entitysync."read_status_written"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- To compare texts takes less than to read one.
  says_the_same constant boolean := (change).body::text = row_json;
  value constant jsonb := case when says_the_same then (change).value else row_json::jsonb end;
  altered constant bigint := case
    when says_the_same then 0 else entitysync."read_status_mask"((change).value, value)
  end;
begin
  return row(
    (change).position,
    case
      when altered <> 0 then entitysync.overlaid((change).body, value, altered, '[["link"],["is_read"],["read_at"],["feed"],["title"],["created_at"],["updated_at"]]'::jsonb)
      when not says_the_same then (change).body
    end,
    null::jsonb, altered
  );
end
$$;

-- What the row of a record says; null if there is none.
create or replace function entitysync."read_status_row"(p_space uuid, p_key text, locks boolean) returns text
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  if locks then
    return (select entitysync."read_status_json"("$t") from "public"."read_statuses" as "$t" where "$t"."owner_id" = $1 and "$t"."link" = (to_jsonb($2) #>> '{}')::text for no key update nowait);
  end if;
  return (select entitysync."read_status_json"("$t") from "public"."read_statuses" as "$t" where "$t"."owner_id" = $1 and "$t"."link" = (to_jsonb($2) #>> '{}')::text);
end
$$;

-- Writes the row of one change, by statements that are planned in no time. `row_json` is what it says before.
create or replace function entitysync."read_status_write_one"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- Whether the row that was made has the record's key.
  is_row boolean;
  present jsonb;
  mask bigint;
  sets constant text[] := array['"is_read" = ($1 ->> ''is_read'')::boolean', '"read_at" = entitysync.moment(($1 ->> ''read_at''))', '"feed" = ($1 ->> ''feed'')', '"title" = ($1 ->> ''title'')', '"created_at" = entitysync.moment(($1 ->> ''created_at''))', '"updated_at" = entitysync.moment(($1 ->> ''updated_at''))'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6]::integer[];
begin
  if row_json is null then
    if (change).lives or (change).space <> entitysync.my_space() then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', 'read-status', true);
    insert into "public"."read_statuses" as "$t" ("link", "is_read", "read_at", "feed", "title", "created_at", "updated_at", "owner_id")
    values (
      ((change).value ->> 'link'),
      ((change).value ->> 'is_read')::boolean,
      entitysync.moment(((change).value ->> 'read_at')),
      ((change).value ->> 'feed'),
      ((change).value ->> 'title'),
      entitysync.moment(((change).value ->> 'created_at')),
      entitysync.moment(((change).value ->> 'updated_at')),
      (select auth.uid())
    )
    returning entitysync."read_status_json"("$t"), "$t"."link" = (to_jsonb(($1).key) #>> '{}')::text into row_json, is_row;
    if is_row is not true then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
    return entitysync."read_status_written"(change, row_json);
  end if;
  present := row_json::jsonb;
  mask := entitysync."read_status_mask"((change).value, present);
  if mask <> 0 then
    perform set_config('entitysync.writes', 'read-status', true);
    execute 'update "public"."read_statuses" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where mask & (1::bigint << s.bit) <> 0
    ) || ' where "$t"."owner_id" = $2 and "$t"."link" = (to_jsonb($3) #>> ''{}'')::text returning entitysync."read_status_json"("$t")'
    into row_json
    using (change).value, (change).space, (change).key;
    if row_json is null then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
  end if;
  return entitysync."read_status_written"(change, row_json);
end
$$;

-- Writes rows: of each, only the columns that the change gives another value. Says what the table made of them.
create or replace function entitysync."read_status_write"(changes entitysync.change[]) returns entitysync.written[]
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
  sets constant text[] := array['"is_read" = case when w."$mask" & (1::bigint << 1) <> 0 then w."is_read" else "$t"."is_read" end', '"read_at" = case when w."$mask" & (1::bigint << 2) <> 0 then w."read_at" else "$t"."read_at" end', '"feed" = case when w."$mask" & (1::bigint << 3) <> 0 then w."feed" else "$t"."feed" end', '"title" = case when w."$mask" & (1::bigint << 4) <> 0 then w."title" else "$t"."title" end', '"created_at" = case when w."$mask" & (1::bigint << 5) <> 0 then w."created_at" else "$t"."created_at" end', '"updated_at" = case when w."$mask" & (1::bigint << 6) <> 0 then w."updated_at" else "$t"."updated_at" end'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6]::integer[];
  done entitysync.written[];
begin
  if cardinality(changes) = 1 then
    return array[entitysync."read_status_write_one"(
      changes[1], entitysync."read_status_row"(changes[1].space, changes[1].key, false)
    )];
  end if;
  select array_agg(p.position), array_agg(p.mask), array_agg(p.row_json), bit_or(p.mask)
  into positions, masks, rows, union_mask
  from (
    select m.position, m.row_json, entitysync."read_status_mask"(m.value, m.present) as mask
    from (
      -- NB: read once. The mask looks into it for each column.
      select r.*, r.row_json::jsonb as present
      from (
        select k.position, k.value, entitysync."read_status_json"("$t") as row_json
        from (select c.position, c.value, c.space as "$owner", (to_jsonb(c.key) #>> '{}')::text as "$0" from unnest(changes) as c where c.entity = 'read-status' offset 0) as k
        join "public"."read_statuses" as "$t" on "$t"."owner_id" = k."$owner" and "$t"."link" = k."$0"
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
  perform set_config('entitysync.writes', 'read-status', true);
  if union_mask <> 0 then
    execute 'with u as (
  update "public"."read_statuses" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where union_mask & (1::bigint << s.bit) <> 0
    ) || '
  from (
    select c.position as "$position", m.mask as "$mask", c.value as "$value", c.space as "$owner",
      (c.value ->> ''link'') as "link",
      (c.value ->> ''is_read'')::boolean as "is_read",
      entitysync.moment((c.value ->> ''read_at'')) as "read_at",
      (c.value ->> ''feed'') as "feed",
      (c.value ->> ''title'') as "title",
      entitysync.moment((c.value ->> ''created_at'')) as "created_at",
      entitysync.moment((c.value ->> ''updated_at'')) as "updated_at"
    from unnest($1) as c join unnest($2, $3) as m (position, mask) on m.position = c.position
    where m.mask <> 0
    offset 0
  ) as w
  where "$t"."owner_id" = w."$owner" and "$t"."link" = w."link"
  returning w."$position" as position, entitysync."read_status_json"("$t") as row_json
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
        (c.value ->> 'link') as "link",
        (c.value ->> 'is_read')::boolean as "is_read",
        entitysync.moment((c.value ->> 'read_at')) as "read_at",
        (c.value ->> 'feed') as "feed",
        (c.value ->> 'title') as "title",
        entitysync.moment((c.value ->> 'created_at')) as "created_at",
        entitysync.moment((c.value ->> 'updated_at')) as "updated_at"
      from unnest(changes) as c
      where c.position <> all (coalesce(positions, '{}')) and c.space = (select entitysync.my_space())
    ), i as (
      insert into "public"."read_statuses" as "$t" ("link", "is_read", "read_at", "feed", "title", "created_at", "updated_at", "owner_id")
      select w."link", w."is_read", w."read_at", w."feed", w."title", w."created_at", w."updated_at", (select auth.uid())
      from w
      returning "$t"."link",
        '{' || right(',"link":' || coalesce(to_json("$t"."link")::text, 'null')
    || ',"is_read":' || coalesce("$t"."is_read"::text, 'null')
    || ',"read_at":' || coalesce(case when "$t"."read_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."read_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"feed":' || coalesce(to_json("$t"."feed")::text, 'null')
    || ',"title":' || coalesce(to_json("$t"."title")::text, 'null')
    || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' as "$json"
    )
    select array_agg(w."$position"), array_agg(i."$json")
    into inserted_positions, inserted_rows
    from i join w on i."link" = w."link";
    if coalesce(cardinality(inserted_positions || positions), 0) < cardinality(changes) then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
  end if;
  perform set_config('entitysync.writes', '', true);
  select array_agg(
    case
      when c.body::text = r.row_json
        then row(c.position, null, null::jsonb, 0)::entitysync.written
      else entitysync."read_status_written"(c, r.row_json)
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
create or replace function entitysync."read_status_remove"(changes entitysync.change[]) returns entitysync.written[]
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  removed integer;
begin
  perform set_config('entitysync.writes', 'read-status', true);
  delete from "public"."read_statuses" as "$t" using (select c.value, c.space as "$owner", (to_jsonb(c.key) #>> '{}')::text as "$0" from unnest(changes) as c where c.entity = 'read-status' offset 0) as k
  where "$t"."owner_id" = k."$owner" and "$t"."link" = k."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return array(select row(c.position, c.body, null, 0)::entitysync.written from unnest(changes) as c);
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."read_status_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  query text := entitysync.clash_query('"public"."read_statuses"'::regclass, index);
  given "public"."read_statuses";
  holder "public"."read_statuses";
begin
  if query is null then
    return null;
  end if;
  given := (
    select jsonb_populate_record(null::"public"."read_statuses", to_jsonb(v))
    from (
      select
        (j.b ->> 'link') as "link",
        (j.b ->> 'is_read')::boolean as "is_read",
        entitysync.moment((j.b ->> 'read_at')) as "read_at",
        (j.b ->> 'feed') as "feed",
        (j.b ->> 'title') as "title",
        entitysync.moment((j.b ->> 'created_at')) as "created_at",
        entitysync.moment((j.b ->> 'updated_at')) as "updated_at",
        (select auth.uid()) as "owner_id"
      from (select (change).body::jsonb as b) as j
    ) as v
  );
  execute query into holder using given;
  return nullif(holder."link"::text, (change).key);
exception
  -- The clash is told in any case, if without a name.
  when data_exception or syntax_error_or_access_rule_violation then
    return null;
end
$$;

-- Until 1.0.0 it read all rows at once.
drop function if exists entitysync."read_status_adopt"();

-- Logs each row of some blocks that has no state, such as rows from before EntitySync.
create or replace function entitysync."read_status_adopt"(first tid, past tid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into entitysync.log (space, entity, op, keys)
  select r.space, 'read-status', 'a', array_agg(r.key)
  from (
    select "$t"."owner_id" as space, "$t"."link"::text as key
    from "public"."read_statuses" as "$t"
    where "$t".ctid >= first and "$t".ctid < past and not false
  ) as r
  left join entitysync.state as s
    on s.space = r.space and s.id = entitysync.record_id(r.space, 'read-status', r.key)
  where r.space is not null and s.id is null
  group by r.space
$$;

-- The live rows that have a value in one of some columns.
create or replace function entitysync."read_status_valued"(places integer[])
returns table (space uuid, key text, value jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.space, r.key, r.value
  from (
    select "$t"."owner_id" as space, "$t"."link"::text as key,
      entitysync."read_status_json"("$t")::jsonb as value
    from "public"."read_statuses" as "$t"
    where not false and (
      2 = any (places) and "$t"."is_read" is not null
          or 3 = any (places) and "$t"."read_at" is not null
          or 4 = any (places) and "$t"."feed" is not null
          or 5 = any (places) and "$t"."title" is not null
    )
  ) as r
  where r.space is not null
$$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."read_status_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(*) filter (where s.id is null), count(*) filter (where r.id is null), (select count(*) from "public"."read_statuses" as "$t" where "$t"."owner_id" is null)
  from (
    select entitysync.record_id("$t"."owner_id", 'read-status', entitysync."read_status_key"("$t")) as id
    from "public"."read_statuses" as "$t"
    where "$t"."owner_id" is not null and not false
  ) as r
  full join (
    select s.id from entitysync.state as s where s.entity = 'read-status' and not s.is_deleted
  ) as s on s.id = r.id
$$;

do $body2$
begin
  perform entitysync.ensure_table('read-status', '"public"."read_statuses"', $body1$
-- In a Supabase project, the rows of a user who is erased go, too.
do $$
begin
  if to_regclass('auth.users') is not null and not exists (
    select from pg_catalog.pg_constraint where conrelid = '"public"."read_statuses"'::regclass and confrelid = to_regclass('auth.users')
  ) then
    alter table "public"."read_statuses" add constraint "read_statuses_owner_sync"
      foreign key ("owner_id") references auth.users (id) on delete cascade;
  end if;
end
$$;
-- A table that has policies of its own, and none of these, keeps them as they are.
do $$
begin
  if exists (select from pg_catalog.pg_policy where polrelid = '"public"."read_statuses"'::regclass and polname like 'entitysync: %')
    or not exists (select from pg_catalog.pg_policy where polrelid = '"public"."read_statuses"'::regclass and polname not like 'entitysync: %')
  then
    alter table "public"."read_statuses" enable row level security;
    drop policy if exists "entitysync: read" on "public"."read_statuses";
    create policy "entitysync: read" on "public"."read_statuses" for select to authenticated
      using ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: add" on "public"."read_statuses";
    create policy "entitysync: add" on "public"."read_statuses" for insert to authenticated
      with check ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: change" on "public"."read_statuses";
    create policy "entitysync: change" on "public"."read_statuses" for update to authenticated
      using ("owner_id" = (select auth.uid())) with check ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: remove" on "public"."read_statuses";
    create policy "entitysync: remove" on "public"."read_statuses" for delete to authenticated
      using ("owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: service" on "public"."read_statuses";
    create policy "entitysync: service" on "public"."read_statuses" for all to service_role
      using (true) with check (true);
    grant select, insert, update, delete on "public"."read_statuses" to authenticated, service_role;
  end if;
end
$$;
comment on table "public"."read_statuses" is 'Whether a person has read an article. Two devices that open the same link share one record.';
comment on column "public"."read_statuses"."link" is 'The article''s link, exactly as the feed gives it; any text identifies an article.';
comment on column "public"."read_statuses"."is_read" is 'Whether the article counts as read. Read on any device is read; marking it unread counts where that was known.';
comment on column "public"."read_statuses"."read_at" is 'When the article was last marked read; null while it is unread.';
comment on column "public"."read_statuses"."feed" is 'The feed that brought the article.';
comment on column "public"."read_statuses"."title" is 'The article''s headline.';
comment on column "public"."read_statuses"."created_at" is 'When the article was first seen.';
comment on column "public"."read_statuses"."updated_at" is 'When the record last changed.';

select entitysync.move_log('read-status', '[["link"],["is_read"],["read_at"],["feed"],["title"],["created_at"],["updated_at"]]'::jsonb, '[]'::jsonb);

-- Logs every other write: one row per statement, space and set of changed columns. Old and new rows come in one
-- order, so they are paired by place.
create or replace function entitysync."read_status_track"() returns trigger
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
      select t.space, 'read-status', 'i', array[t.key]
      from (select r."owner_id" as space, r."link"::text as key from added as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'read-status', 'i', array_agg(t.key)
      from (select r."owner_id" as space, r."link"::text as key from added as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif tg_op = 'DELETE' then
    if (select count(*) < 2 from (select from gone limit 2) as few) then
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'read-status', 'd', array[t.key]
      from (select r."owner_id" as space, r."link"::text as key from gone as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'read-status', 'd', array_agg(t.key)
      from (select r."owner_id" as space, r."link"::text as key from gone as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif (select count(*) < 2 from (select from before limit 2) as few) then
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'read-status', e.op::"char", e.mask, array[e.key]
    from before as "$old" cross join after as "$new"
    cross join lateral (
      values
        ('u', "$new"."owner_id", "$new"."link"::text, (("$old"."is_read" is distinct from "$new"."is_read")::int::bigint << 1)
          | (("$old"."read_at" is distinct from "$new"."read_at")::int::bigint << 2)
          | (("$old"."feed" collate "C" is distinct from "$new"."feed" collate "C")::int::bigint << 3)
          | (("$old"."title" collate "C" is distinct from "$new"."title" collate "C")::int::bigint << 4)
          | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 5)
          | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 6),
          not ("$old"."owner_id", "$old"."link"::text) is distinct from ("$new"."owner_id", "$new"."link"::text)),
        ('d', "$old"."owner_id", "$old"."link"::text, null, ("$old"."owner_id", "$old"."link"::text) is distinct from ("$new"."owner_id", "$new"."link"::text)),
        ('i', "$new"."owner_id", "$new"."link"::text, null, ("$old"."owner_id", "$old"."link"::text) is distinct from ("$new"."owner_id", "$new"."link"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else "$old" *<> "$new" and 'read-status' = any (entitysync.viewed_entities()) end;
  else
    -- NB: a nested loop by place is quadratic. Set here: at the function it would cost each single update.
    perform set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);
    is_viewed := 'read-status' = any (entitysync.viewed_entities());
    with paired as materialized (
      select "$old"."owner_id" as old_space, "$old"."link"::text as old_key,
        "$new"."owner_id" as space, "$new"."link"::text as key,
        ("$old"."owner_id", "$old"."link"::text) is distinct from ("$new"."owner_id", "$new"."link"::text) as is_moved,
        (("$old"."is_read" is distinct from "$new"."is_read")::int::bigint << 1)
        | (("$old"."read_at" is distinct from "$new"."read_at")::int::bigint << 2)
        | (("$old"."feed" collate "C" is distinct from "$new"."feed" collate "C")::int::bigint << 3)
        | (("$old"."title" collate "C" is distinct from "$new"."title" collate "C")::int::bigint << 4)
        | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 5)
        | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 6) as mask,
        "$old" *<> "$new" as differs
      from (select *, row_number() over () as "$place" from before) as "$old"
      full join (select *, row_number() over () as "$place" from after) as "$new"
        on "$old"."$place" = "$new"."$place"
    )
    insert into entitysync.log (space, entity, op, mask, keys)
    select p.space, 'read-status', 'u', p.mask, array_agg(p.key)
    from paired as p
    where not p.is_moved and p.space is not null and (p.mask <> 0 or is_viewed and p.differs)
    group by p.space, p.mask
    union all
    select p.old_space, 'read-status', 'd', null, array_agg(p.old_key)
    from paired as p
    where p.is_moved and p.old_space is not null
    group by p.old_space
    union all
    select p.space, 'read-status', 'i', null, array_agg(p.key)
    from paired as p
    where p.is_moved and p.space is not null
    group by p.space;
    perform set_config('enable_nestloop', loops, true), set_config('enable_mergejoin', merges, true);
  end if;
  return null;
end
$$;

-- The same for one row: in partitioned tables, and for what replication writes.
create or replace function entitysync."read_status_track_row"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into entitysync.log (space, entity, op, keys)
    select new."owner_id", 'read-status', 'i', array[new."link"::text] where new."owner_id" is not null;
  elsif tg_op = 'DELETE' then
    insert into entitysync.log (space, entity, op, keys)
    select old."owner_id", 'read-status', 'd', array[old."link"::text] where old."owner_id" is not null;
  else
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'read-status', e.op::"char", e.mask, array[e.key]
    from (
      values
        ('u', new."owner_id", new."link"::text, ((old."is_read" is distinct from new."is_read")::int::bigint << 1)
          | ((old."read_at" is distinct from new."read_at")::int::bigint << 2)
          | ((old."feed" collate "C" is distinct from new."feed" collate "C")::int::bigint << 3)
          | ((old."title" collate "C" is distinct from new."title" collate "C")::int::bigint << 4)
          | ((old."created_at" is distinct from new."created_at")::int::bigint << 5)
          | ((old."updated_at" is distinct from new."updated_at")::int::bigint << 6),
          not (old."owner_id", old."link"::text) is distinct from (new."owner_id", new."link"::text)),
        ('d', old."owner_id", old."link"::text, null, (old."owner_id", old."link"::text) is distinct from (new."owner_id", new."link"::text)),
        ('i', new."owner_id", new."link"::text, null, (old."owner_id", old."link"::text) is distinct from (new."owner_id", new."link"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else old *<> new and 'read-status' = any (entitysync.viewed_entities()) end;
  end if;
  return null;
end
$$;

do $$
begin
  -- Until 1.0.0.
  drop trigger if exists entitysync_track on "public"."read_statuses";
  if exists (
    select from pg_catalog.pg_class where oid = '"public"."read_statuses"'::regclass and relkind = 'p'
  ) then
    create or replace trigger entitysync_rows after insert or update or delete on "public"."read_statuses"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') not in ('read-status', '*') or pg_trigger_depth() > 0) execute function entitysync."read_status_track_row"();
    alter table "public"."read_statuses" enable always trigger entitysync_rows;
  else
    create or replace trigger entitysync_inserted after insert on "public"."read_statuses" referencing new table as added
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('read-status', '*') or pg_trigger_depth() > 0) execute function entitysync."read_status_track"();
    create or replace trigger entitysync_updated after update on "public"."read_statuses" referencing old table as before new table as after
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('read-status', '*') or pg_trigger_depth() > 0) execute function entitysync."read_status_track"();
    create or replace trigger entitysync_deleted after delete on "public"."read_statuses" referencing old table as gone
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('read-status', '*') or pg_trigger_depth() > 0) execute function entitysync."read_status_track"();
    create or replace trigger entitysync_replicated after insert or update or delete on "public"."read_statuses"
  for each row
      when (current_setting('session_replication_role') = 'replica')
      execute function entitysync."read_status_track_row"();
    alter table "public"."read_statuses" enable replica trigger entitysync_replicated;
  end if;
end
$$;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."read_status_touch"() returns trigger
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
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."read_statuses"
  for each row when (
    new."updated_at" is not distinct from old."updated_at" and (coalesce(current_setting('entitysync.writes', true), '') not in ('read-status', '*') or pg_trigger_depth() > 0)
  )
  execute function entitysync."read_status_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."read_status_truncated"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Keys that only the log names need nothing: there is no row any more.
  insert into entitysync.log (space, entity, op, keys)
  select s.space, s.entity, 'd', array_agg(s.key)
  from entitysync.state as s where s.entity = 'read-status' and not s.is_deleted
  group by s.space, s.entity;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."read_statuses"
  for each statement execute function entitysync."read_status_truncated"();
alter table "public"."read_statuses" enable always trigger entitysync_truncated;
$body1$);
end
$body2$;

commit;

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

do $body1$
begin
  perform entitysync.ensure('read-status indexes', '"public"."read_statuses"', true, $$
create index if not exists "read_statuses_is_read_read_at_sync" on "public"."read_statuses" ("owner_id", "is_read", "read_at");
$$);
end
$body1$;

commit;

-- transaction ---------------------------------------------------------------------------------------------------------
-- Checked by devices and syncserver, and not by this SQL alone; devices set such a record aside:
--   amount: format
--   splits[]: type, required
--   splits[].person: type, minLength, maxLength
--   splits[].amount: type, format
--   splits[].note: type, maxLength
--   payers[]: type, required
--   payers[].person: type, minLength, maxLength
--   payers[].amount: type, format
--   payers[].note: type, maxLength
--   createdAt: format
--   updatedAt: format

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

create table if not exists "public"."transactions" (
  "id" uuid not null default gen_random_uuid(),
  "owner_id" text not null constraint "transactions_owner_id_limits" check (char_length("owner_id") >= 1 and char_length("owner_id") <= 200),
  "payee" text constraint "transactions_payee_limits" check (char_length("payee") <= 1000),
  "amount" numeric not null,
  "currency" text not null constraint "transactions_currency_limits" check (char_length("currency") >= 1 and char_length("currency") <= 32),
  "date" date not null,
  "category" text constraint "transactions_category_limits" check (char_length("category") <= 200),
  "note" text constraint "transactions_note_limits" check (char_length("note") <= 10000),
  "splits" jsonb default '[]'::jsonb constraint "transactions_splits_limits" check (jsonb_typeof("splits") = 'array'),
  "payers" jsonb default '[]'::jsonb constraint "transactions_payers_limits" check (jsonb_typeof("payers") = 'array'),
  "created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "entitysync_owner_id" uuid not null default auth.uid(),
  primary key ("entitysync_owner_id", "id")
);

-- A row's key, and its value as devices write it.
create or replace function entitysync."transaction_key"(r "public"."transactions") returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r."id"::text
$$;

-- NB: a session keeps the plan of such a function, and would plan one in SQL at each call.
create or replace function entitysync."transaction_json"(r "public"."transactions") returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{' || right(',"id":' || coalesce(to_json(r."id")::text, 'null')
    || ',"owner_id":' || coalesce(to_json(r."owner_id")::text, 'null')
    || ',"payee":' || coalesce(to_json(r."payee")::text, 'null')
    || ',"amount":' || coalesce(case when r."amount" - r."amount" = 0 then '"' || trim_scale(r."amount") || '"' end, 'null')
    || ',"currency":' || coalesce(to_json(r."currency")::text, 'null')
    || ',"date":' || coalesce(case when r."date" between '0001-01-01' and '9999-12-31' then to_json(r."date")::text end, 'null')
    || ',"category":' || coalesce(to_json(r."category")::text, 'null')
    || ',"note":' || coalesce(to_json(r."note")::text, 'null')
    || coalesce(',"splits":' || case when (length(r."splits"::text) < 1000 or not entitysync.is_too_deep(('[' || r."splits"::text || ']')::json)) then nullif(r."splits"::text, 'null') end, '')
    || coalesce(',"payers":' || case when (length(r."payers"::text) < 1000 or not entitysync.is_too_deep(('[' || r."payers"::text || ']')::json)) then nullif(r."payers"::text, 'null') end, '')
    || ',"created_at":' || coalesce(case when r."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when r."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}';
end
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."transaction_misfits"(entitysync.change[]);

-- Why a change does not fit the schema, as the rule and one sentence; null if it does. PostgreSQL's `jsonb`
-- keeps the last one of members that stand twice, unseen: whether there are some is found by who asks.
create or replace function entitysync."transaction_misfit"(c entitysync.change, repeats_member boolean)
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
    when (c.value -> 'owner_id') is null then 'required: owner_id is missing.'
    when jsonb_typeof((c.value -> 'owner_id')) <> 'string' then 'type: owner_id is not what the schema says.'
    when jsonb_typeof((c.value -> 'payee')) not in ('string', 'null') then 'type: payee is not what the schema says.'
    when (c.value -> 'amount') is null then 'required: amount is missing.'
    when case jsonb_typeof((c.value -> 'amount')) when 'string' then not ((c.value ->> 'amount') ~ '^-?\d+(\.\d+)?$') else (c.value -> 'amount') is not null end then 'type: amount is not what the schema says.'
    when (c.value -> 'currency') is null then 'required: currency is missing.'
    when jsonb_typeof((c.value -> 'currency')) <> 'string' then 'type: currency is not what the schema says.'
    when (c.value -> 'date') is null then 'required: date is missing.'
    when case jsonb_typeof((c.value -> 'date')) when 'string' then not ((c.value ->> 'date') ~ '^\d{4}-\d\d-\d\d$') else (c.value -> 'date') is not null end then 'type: date is not what the schema says.'
    when jsonb_typeof((c.value -> 'category')) not in ('string', 'null') then 'type: category is not what the schema says.'
    when jsonb_typeof((c.value -> 'note')) not in ('string', 'null') then 'type: note is not what the schema says.'
    when jsonb_typeof((c.value -> 'splits')) <> 'array' then 'type: splits is not what the schema says.'
    when jsonb_typeof((c.value -> 'payers')) <> 'array' then 'type: payers is not what the schema says.'
    when (c.value -> 'created_at') is null then 'required: created_at is missing.'
    when case jsonb_typeof((c.value -> 'created_at')) when 'string' then not ((c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'created_at') is not null end then 'type: created_at is not what the schema says.'
    when (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
    when case jsonb_typeof((c.value -> 'updated_at')) when 'string' then not ((c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$') else (c.value -> 'updated_at') is not null end then 'type: updated_at is not what the schema says.'
  end end,
  case
    when octet_length(c.body::text) > 5000 and entitysync.unknown_members(c.value, array['amount', 'category', 'created_at', 'currency', 'date', 'id', 'note', 'owner_id', 'payee', 'payers', 'splits', 'updated_at']) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
    when lower((c.value ->> 'id')) is distinct from c.key and not (c.is_deleted and lower((c.value ->> 'id')) is null)
          then 'key: The key is not that of the body.'
  end
);

-- Changes of the entity that do not fit the schema.
create or replace function entitysync."transaction_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id, entitysync."transaction_misfit"(
      c,
      entitysync.has_repeated_member(c.body, '{"payers":[{}],"splits":[{}]}'::jsonb)
    ) as reason
    from unnest(changes) as c
    where c.entity = 'transaction'
    offset 0
  ) as f
  where f.reason is not null;
end
$$;

-- The columns in which two values of the entity differ, as bits.
create or replace function entitysync."transaction_mask"(given jsonb, present jsonb) returns bigint
language sql stable
return (case when given -> 'id' is distinct from present -> 'id' then ((given ->> 'id')::uuid is distinct from (present ->> 'id')::uuid)::int::bigint else 0 end << 0)
  | (case when given -> 'owner_id' is distinct from present -> 'owner_id' then ((given ->> 'owner_id') is distinct from (present ->> 'owner_id'))::int::bigint else 0 end << 1)
  | (case when given -> 'payee' is distinct from present -> 'payee' then ((given ->> 'payee') is distinct from (present ->> 'payee'))::int::bigint else 0 end << 2)
  | (case when given -> 'amount' is distinct from present -> 'amount' then ((given ->> 'amount')::numeric is distinct from (present ->> 'amount')::numeric)::int::bigint else 0 end << 3)
  | (case when given -> 'currency' is distinct from present -> 'currency' then ((given ->> 'currency') is distinct from (present ->> 'currency'))::int::bigint else 0 end << 4)
  | (case when given -> 'date' is distinct from present -> 'date' then ((given ->> 'date')::date is distinct from (present ->> 'date')::date)::int::bigint else 0 end << 5)
  | (case when given -> 'category' is distinct from present -> 'category' then ((given ->> 'category') is distinct from (present ->> 'category'))::int::bigint else 0 end << 6)
  | (case when given -> 'note' is distinct from present -> 'note' then ((given ->> 'note') is distinct from (present ->> 'note'))::int::bigint else 0 end << 7)
  | (case when given -> 'splits' is distinct from present -> 'splits' then (case when given -> 'splits' is null then '[]'::jsonb else nullif(given -> 'splits', 'null') end is distinct from case when present -> 'splits' is null then '[]'::jsonb else nullif(present -> 'splits', 'null') end)::int::bigint else 0 end << 8)
  | (case when given -> 'payers' is distinct from present -> 'payers' then (case when given -> 'payers' is null then '[]'::jsonb else nullif(given -> 'payers', 'null') end is distinct from case when present -> 'payers' is null then '[]'::jsonb else nullif(present -> 'payers', 'null') end)::int::bigint else 0 end << 9)
  | (case when given -> 'created_at' is distinct from present -> 'created_at' then (entitysync.moment((given ->> 'created_at')) is distinct from entitysync.moment((present ->> 'created_at')))::int::bigint else 0 end << 10)
  | (case when given -> 'updated_at' is distinct from present -> 'updated_at' then (entitysync.moment((given ->> 'updated_at')) is distinct from entitysync.moment((present ->> 'updated_at')))::int::bigint else 0 end << 11);

-- Gives records that other programs touched the states that their rows ask for.
create or replace function entitysync."transaction_fold"(
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
  where t.mask = 0 and s.space = "$space" and s.id = entitysync.record_id("$space", 'transaction', t.key)
    and not s.is_deleted;
  with touched as (
    select t.*, entitysync.record_id("$space", 'transaction', t.key) as id, t.key::uuid as "$0"
    from unnest(p_keys, p_ats, p_masks, p_appearing) as t (key, at, mask, appears)
    offset 0
  ), found as materialized (
    select t.*, "$state" as state, "$t" as row, "$t"."id" is not null and not false as lives,
      -- The row of a deleted record says its last value; what is written into it is a version.
      false as is_kept, false as keeps_words
    from touched as t
    left join entitysync.state as "$state" on "$state".space = "$space" and "$state".id = t.id
    left join "public"."transactions" as "$t" on "$t"."entitysync_owner_id" = "$space" and "$t"."id" = t."$0"
  ), numbered as (
    select f.*, entitysync.edit_number(f.number, (f.state).vector, device) as edit_number,
      greatest(
        case
          when f.lives then case when f.mask & (1::bigint << 11) <> 0 then least(entitysync.microseconds((f.row)."updated_at"), f.at) else f.at end
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
        when n.is_kept or n.lives and ((n.state).body is not null or null::jsonb is not null)
          then entitysync."transaction_json"(n.row)::jsonb
      end as row_json
    from numbered as n
  ), made as materialized (
    select e.*, case when e.lives then null::jsonb end as sets,
      case
        when e.is_kept
          then coalesce(
            entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["id"],["owner_id"],["payee"],["amount"],["currency"],["date"],["category"],["note"],["splits"],["payers"],["created_at"],["updated_at"]]'::jsonb), e.row_json::text::json
          )
        when not e.lives or (e.state).is_deleted then null
        when (e.state).body is not null
          then entitysync.overlaid((e.state).body, e.row_json, e.mask, '[["id"],["owner_id"],["payee"],["amount"],["currency"],["date"],["category"],["note"],["splits"],["payers"],["created_at"],["updated_at"]]'::jsonb)
      end as body,
      case
        when e.lives and (e.state).id is not null and (e.state).merged_into is null
          then entitysync.edited_detail(
            (e.state).detail, (e.state).edit, e.edit, e.mask, '[["id"],["owner_id"],["payee"],["amount"],["currency"],["date"],["category"],["note"],["splits"],["payers"],["created_at"],["updated_at"]]'::jsonb, null::jsonb, (e.state).sets,
            null::jsonb
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
  select "$space", m.id, 'transaction', m.key, pg_current_xact_id(), m.number,
    entitysync.new_revision(m.number), false, m.edit, m.edit, m.vector, null, null, m.sets
  from made as m
  where (m.state).id is null;
end
$$;

-- Locks the rows of changes that the caller may change, or fails.
create or replace function entitysync."transaction_lock"(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  perform from (select c.position, c.space as "$owner", c.key::uuid as "$0" from unnest(changes) as c where c.entity = 'transaction' offset 0) as k
  join "public"."transactions" as "$t" on "$t"."entitysync_owner_id" = k."$owner" and "$t"."id" = k."$0"
  for no key update of "$t" nowait;
end
$$;

-- Until 1.0.0 these wrote the states, too.
drop function if exists entitysync."transaction_write"(entitysync.change[]);
drop function if exists entitysync."transaction_remove"(entitysync.change[]);

-- What the table made of a change: the row says it after it was written.
create or replace function entitysync."transaction_written"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- To compare texts takes less than to read one.
  says_the_same constant boolean := (change).body::text = row_json;
  value constant jsonb := case when says_the_same then (change).value else row_json::jsonb end;
  altered constant bigint := case
    when says_the_same then 0 else entitysync."transaction_mask"((change).value, value)
  end;
begin
  return row(
    (change).position,
    case
      when altered <> 0 then entitysync.overlaid((change).body, value, altered, '[["id"],["owner_id"],["payee"],["amount"],["currency"],["date"],["category"],["note"],["splits"],["payers"],["created_at"],["updated_at"]]'::jsonb)
      when not says_the_same then (change).body
    end,
    null::jsonb, altered
  );
end
$$;

-- What the row of a record says; null if there is none.
create or replace function entitysync."transaction_row"(p_space uuid, p_key text, locks boolean) returns text
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
begin
  if locks then
    return (select entitysync."transaction_json"("$t") from "public"."transactions" as "$t" where "$t"."entitysync_owner_id" = $1 and "$t"."id" = $2::uuid for no key update nowait);
  end if;
  return (select entitysync."transaction_json"("$t") from "public"."transactions" as "$t" where "$t"."entitysync_owner_id" = $1 and "$t"."id" = $2::uuid);
end
$$;

-- Writes the row of one change, by statements that are planned in no time. `row_json` is what it says before.
create or replace function entitysync."transaction_write_one"(change entitysync.change, row_json text)
returns entitysync.written
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  -- Whether the row that was made has the record's key.
  is_row boolean;
  present jsonb;
  mask bigint;
  sets constant text[] := array['"owner_id" = ($1 ->> ''owner_id'')', '"payee" = ($1 ->> ''payee'')', '"amount" = ($1 ->> ''amount'')::numeric', '"currency" = ($1 ->> ''currency'')', '"date" = ($1 ->> ''date'')::date', '"category" = ($1 ->> ''category'')', '"note" = ($1 ->> ''note'')', '"splits" = case when $1 -> ''splits'' is null then ''[]''::jsonb else nullif($1 -> ''splits'', ''null'') end', '"payers" = case when $1 -> ''payers'' is null then ''[]''::jsonb else nullif($1 -> ''payers'', ''null'') end', '"created_at" = entitysync.moment(($1 ->> ''created_at''))', '"updated_at" = entitysync.moment(($1 ->> ''updated_at''))'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]::integer[];
begin
  if row_json is null then
    if (change).lives or (change).space <> entitysync.my_space() then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', 'transaction', true);
    insert into "public"."transactions" as "$t" ("id", "owner_id", "payee", "amount", "currency", "date", "category", "note", "splits", "payers", "created_at", "updated_at", "entitysync_owner_id")
    values (
      ((change).value ->> 'id')::uuid,
      ((change).value ->> 'owner_id'),
      ((change).value ->> 'payee'),
      ((change).value ->> 'amount')::numeric,
      ((change).value ->> 'currency'),
      ((change).value ->> 'date')::date,
      ((change).value ->> 'category'),
      ((change).value ->> 'note'),
      case when (change).value -> 'splits' is null then '[]'::jsonb else nullif((change).value -> 'splits', 'null') end,
      case when (change).value -> 'payers' is null then '[]'::jsonb else nullif((change).value -> 'payers', 'null') end,
      entitysync.moment(((change).value ->> 'created_at')),
      entitysync.moment(((change).value ->> 'updated_at')),
      (select auth.uid())
    )
    returning entitysync."transaction_json"("$t"), "$t"."id" = ($1).key::uuid into row_json, is_row;
    if is_row is not true then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
    return entitysync."transaction_written"(change, row_json);
  end if;
  present := row_json::jsonb;
  mask := entitysync."transaction_mask"((change).value, present);
  if mask <> 0 then
    perform set_config('entitysync.writes', 'transaction', true);
    execute 'update "public"."transactions" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where mask & (1::bigint << s.bit) <> 0
    ) || ' where "$t"."entitysync_owner_id" = $2 and "$t"."id" = $3::uuid returning entitysync."transaction_json"("$t")'
    into row_json
    using (change).value, (change).space, (change).key;
    if row_json is null then
      raise insufficient_privilege using message = 'A row of the table could not be written.';
    end if;
    perform set_config('entitysync.writes', '', true);
  end if;
  return entitysync."transaction_written"(change, row_json);
end
$$;

-- Writes rows: of each, only the columns that the change gives another value. Says what the table made of them.
create or replace function entitysync."transaction_write"(changes entitysync.change[]) returns entitysync.written[]
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
  sets constant text[] := array['"owner_id" = case when w."$mask" & (1::bigint << 1) <> 0 then w."owner_id" else "$t"."owner_id" end', '"payee" = case when w."$mask" & (1::bigint << 2) <> 0 then w."payee" else "$t"."payee" end', '"amount" = case when w."$mask" & (1::bigint << 3) <> 0 then w."amount" else "$t"."amount" end', '"currency" = case when w."$mask" & (1::bigint << 4) <> 0 then w."currency" else "$t"."currency" end', '"date" = case when w."$mask" & (1::bigint << 5) <> 0 then w."date" else "$t"."date" end', '"category" = case when w."$mask" & (1::bigint << 6) <> 0 then w."category" else "$t"."category" end', '"note" = case when w."$mask" & (1::bigint << 7) <> 0 then w."note" else "$t"."note" end', '"splits" = case when w."$mask" & (1::bigint << 8) <> 0 then w."splits" else "$t"."splits" end', '"payers" = case when w."$mask" & (1::bigint << 9) <> 0 then w."payers" else "$t"."payers" end', '"created_at" = case when w."$mask" & (1::bigint << 10) <> 0 then w."created_at" else "$t"."created_at" end', '"updated_at" = case when w."$mask" & (1::bigint << 11) <> 0 then w."updated_at" else "$t"."updated_at" end'];
  bits constant integer[] := array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]::integer[];
  done entitysync.written[];
begin
  if cardinality(changes) = 1 then
    return array[entitysync."transaction_write_one"(
      changes[1], entitysync."transaction_row"(changes[1].space, changes[1].key, false)
    )];
  end if;
  select array_agg(p.position), array_agg(p.mask), array_agg(p.row_json), bit_or(p.mask)
  into positions, masks, rows, union_mask
  from (
    select m.position, m.row_json, entitysync."transaction_mask"(m.value, m.present) as mask
    from (
      -- NB: read once. The mask looks into it for each column.
      select r.*, r.row_json::jsonb as present
      from (
        select k.position, k.value, entitysync."transaction_json"("$t") as row_json
        from (select c.position, c.value, c.space as "$owner", c.key::uuid as "$0" from unnest(changes) as c where c.entity = 'transaction' offset 0) as k
        join "public"."transactions" as "$t" on "$t"."entitysync_owner_id" = k."$owner" and "$t"."id" = k."$0"
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
  perform set_config('entitysync.writes', 'transaction', true);
  if union_mask <> 0 then
    execute 'with u as (
  update "public"."transactions" as "$t" set ' || (
      select string_agg(s.text, ', ' order by s.place)
      from unnest(sets, bits) with ordinality as s (text, bit, place)
      where union_mask & (1::bigint << s.bit) <> 0
    ) || '
  from (
    select c.position as "$position", m.mask as "$mask", c.value as "$value", c.space as "$owner",
      (c.value ->> ''id'')::uuid as "id",
      (c.value ->> ''owner_id'') as "owner_id",
      (c.value ->> ''payee'') as "payee",
      (c.value ->> ''amount'')::numeric as "amount",
      (c.value ->> ''currency'') as "currency",
      (c.value ->> ''date'')::date as "date",
      (c.value ->> ''category'') as "category",
      (c.value ->> ''note'') as "note",
      case when c.value -> ''splits'' is null then ''[]''::jsonb else nullif(c.value -> ''splits'', ''null'') end as "splits",
      case when c.value -> ''payers'' is null then ''[]''::jsonb else nullif(c.value -> ''payers'', ''null'') end as "payers",
      entitysync.moment((c.value ->> ''created_at'')) as "created_at",
      entitysync.moment((c.value ->> ''updated_at'')) as "updated_at"
    from unnest($1) as c join unnest($2, $3) as m (position, mask) on m.position = c.position
    where m.mask <> 0
    offset 0
  ) as w
  where "$t"."entitysync_owner_id" = w."$owner" and "$t"."id" = w."id"
  returning w."$position" as position, entitysync."transaction_json"("$t") as row_json
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
        (c.value ->> 'owner_id') as "owner_id",
        (c.value ->> 'payee') as "payee",
        (c.value ->> 'amount')::numeric as "amount",
        (c.value ->> 'currency') as "currency",
        (c.value ->> 'date')::date as "date",
        (c.value ->> 'category') as "category",
        (c.value ->> 'note') as "note",
        case when c.value -> 'splits' is null then '[]'::jsonb else nullif(c.value -> 'splits', 'null') end as "splits",
        case when c.value -> 'payers' is null then '[]'::jsonb else nullif(c.value -> 'payers', 'null') end as "payers",
        entitysync.moment((c.value ->> 'created_at')) as "created_at",
        entitysync.moment((c.value ->> 'updated_at')) as "updated_at"
      from unnest(changes) as c
      where c.position <> all (coalesce(positions, '{}')) and c.space = (select entitysync.my_space())
    ), i as (
      insert into "public"."transactions" as "$t" ("id", "owner_id", "payee", "amount", "currency", "date", "category", "note", "splits", "payers", "created_at", "updated_at", "entitysync_owner_id")
      select w."id", w."owner_id", w."payee", w."amount", w."currency", w."date", w."category", w."note", w."splits", w."payers", w."created_at", w."updated_at", (select auth.uid())
      from w
      returning "$t"."id",
        '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
    || ',"owner_id":' || coalesce(to_json("$t"."owner_id")::text, 'null')
    || ',"payee":' || coalesce(to_json("$t"."payee")::text, 'null')
    || ',"amount":' || coalesce(case when "$t"."amount" - "$t"."amount" = 0 then '"' || trim_scale("$t"."amount") || '"' end, 'null')
    || ',"currency":' || coalesce(to_json("$t"."currency")::text, 'null')
    || ',"date":' || coalesce(case when "$t"."date" between '0001-01-01' and '9999-12-31' then to_json("$t"."date")::text end, 'null')
    || ',"category":' || coalesce(to_json("$t"."category")::text, 'null')
    || ',"note":' || coalesce(to_json("$t"."note")::text, 'null')
    || coalesce(',"splits":' || case when (length("$t"."splits"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."splits"::text || ']')::json)) then nullif("$t"."splits"::text, 'null') end, '')
    || coalesce(',"payers":' || case when (length("$t"."payers"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."payers"::text || ']')::json)) then nullif("$t"."payers"::text, 'null') end, '')
    || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
    || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' as "$json"
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
        then row(c.position, null, null::jsonb, 0)::entitysync.written
      else entitysync."transaction_written"(c, r.row_json)
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
create or replace function entitysync."transaction_remove"(changes entitysync.change[]) returns entitysync.written[]
language plpgsql
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  removed integer;
begin
  perform set_config('entitysync.writes', 'transaction', true);
  delete from "public"."transactions" as "$t" using (select c.value, c.space as "$owner", c.key::uuid as "$0" from unnest(changes) as c where c.entity = 'transaction' offset 0) as k
  where "$t"."entitysync_owner_id" = k."$owner" and "$t"."id" = k."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return array(select row(c.position, c.body, null, 0)::entitysync.written from unnest(changes) as c);
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."transaction_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = pg_catalog, public, extensions, pg_temp
as $$
declare
  query text := entitysync.clash_query('"public"."transactions"'::regclass, index);
  given "public"."transactions";
  holder "public"."transactions";
begin
  if query is null then
    return null;
  end if;
  given := (
    select jsonb_populate_record(null::"public"."transactions", to_jsonb(v))
    from (
      select
        (j.b ->> 'id')::uuid as "id",
        (j.b ->> 'owner_id') as "owner_id",
        (j.b ->> 'payee') as "payee",
        (j.b ->> 'amount')::numeric as "amount",
        (j.b ->> 'currency') as "currency",
        (j.b ->> 'date')::date as "date",
        (j.b ->> 'category') as "category",
        (j.b ->> 'note') as "note",
        case when j.b -> 'splits' is null then '[]'::jsonb else nullif(j.b -> 'splits', 'null') end as "splits",
        case when j.b -> 'payers' is null then '[]'::jsonb else nullif(j.b -> 'payers', 'null') end as "payers",
        entitysync.moment((j.b ->> 'created_at')) as "created_at",
        entitysync.moment((j.b ->> 'updated_at')) as "updated_at",
        (select auth.uid()) as "entitysync_owner_id"
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
drop function if exists entitysync."transaction_adopt"();

-- Logs each row of some blocks that has no state, such as rows from before EntitySync.
create or replace function entitysync."transaction_adopt"(first tid, past tid) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into entitysync.log (space, entity, op, keys)
  select r.space, 'transaction', 'a', array_agg(r.key)
  from (
    select "$t"."entitysync_owner_id" as space, "$t"."id"::text as key
    from "public"."transactions" as "$t"
    where "$t".ctid >= first and "$t".ctid < past and not false
  ) as r
  left join entitysync.state as s
    on s.space = r.space and s.id = entitysync.record_id(r.space, 'transaction', r.key)
  where r.space is not null and s.id is null
  group by r.space
$$;

-- The live rows that have a value in one of some columns.
create or replace function entitysync."transaction_valued"(places integer[])
returns table (space uuid, key text, value jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.space, r.key, r.value
  from (
    select "$t"."entitysync_owner_id" as space, "$t"."id"::text as key,
      entitysync."transaction_json"("$t")::jsonb as value
    from "public"."transactions" as "$t"
    where not false and (
      2 = any (places) and "$t"."owner_id" is not null
          or 3 = any (places) and "$t"."payee" is not null
          or 4 = any (places) and "$t"."amount" is not null
          or 5 = any (places) and "$t"."currency" is not null
          or 6 = any (places) and "$t"."date" is not null
          or 7 = any (places) and "$t"."category" is not null
          or 8 = any (places) and "$t"."note" is not null
          or 9 = any (places) and "$t"."splits" is not null
          or 10 = any (places) and "$t"."payers" is not null
    )
  ) as r
  where r.space is not null
$$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."transaction_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select count(*) filter (where s.id is null), count(*) filter (where r.id is null), (select count(*) from "public"."transactions" as "$t" where "$t"."entitysync_owner_id" is null)
  from (
    select entitysync.record_id("$t"."entitysync_owner_id", 'transaction', entitysync."transaction_key"("$t")) as id
    from "public"."transactions" as "$t"
    where "$t"."entitysync_owner_id" is not null and not false
  ) as r
  full join (
    select s.id from entitysync.state as s where s.entity = 'transaction' and not s.is_deleted
  ) as s on s.id = r.id
$$;

do $body2$
begin
  perform entitysync.ensure_table('transaction', '"public"."transactions"', $body1$
-- In a Supabase project, the rows of a user who is erased go, too.
do $$
begin
  if to_regclass('auth.users') is not null and not exists (
    select from pg_catalog.pg_constraint where conrelid = '"public"."transactions"'::regclass and confrelid = to_regclass('auth.users')
  ) then
    alter table "public"."transactions" add constraint "transactions_owner_sync"
      foreign key ("entitysync_owner_id") references auth.users (id) on delete cascade;
  end if;
end
$$;
-- A table that has policies of its own, and none of these, keeps them as they are.
do $$
begin
  if exists (select from pg_catalog.pg_policy where polrelid = '"public"."transactions"'::regclass and polname like 'entitysync: %')
    or not exists (select from pg_catalog.pg_policy where polrelid = '"public"."transactions"'::regclass and polname not like 'entitysync: %')
  then
    alter table "public"."transactions" enable row level security;
    drop policy if exists "entitysync: read" on "public"."transactions";
    create policy "entitysync: read" on "public"."transactions" for select to authenticated
      using ("entitysync_owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: add" on "public"."transactions";
    create policy "entitysync: add" on "public"."transactions" for insert to authenticated
      with check ("entitysync_owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: change" on "public"."transactions";
    create policy "entitysync: change" on "public"."transactions" for update to authenticated
      using ("entitysync_owner_id" = (select auth.uid())) with check ("entitysync_owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: remove" on "public"."transactions";
    create policy "entitysync: remove" on "public"."transactions" for delete to authenticated
      using ("entitysync_owner_id" = (select auth.uid()));
    drop policy if exists "entitysync: service" on "public"."transactions";
    create policy "entitysync: service" on "public"."transactions" for all to service_role
      using (true) with check (true);
    grant select, insert, update, delete on "public"."transactions" to authenticated, service_role;
  end if;
end
$$;
comment on table "public"."transactions" is 'An expense or a payment, who paid it and who bears it. Amounts are exact.';
comment on column "public"."transactions"."id" is 'Identifies the transaction on all devices.';
comment on column "public"."transactions"."owner_id" is 'The account that the transaction belongs to.';
comment on column "public"."transactions"."payee" is 'Who received the money.';
comment on column "public"."transactions"."amount" is 'The whole amount as an exact decimal; negative for money that came in.';
comment on column "public"."transactions"."currency" is 'The currency''s code, or the commodity''s name or symbol.';
comment on column "public"."transactions"."date" is 'The calendar day of the transaction, without time or time zone.';
comment on column "public"."transactions"."category" is 'What the money was for.';
comment on column "public"."transactions"."note" is 'A remark about the transaction.';
comment on column "public"."transactions"."splits" is 'Who bears the amount, and how much of it.';
comment on column "public"."transactions"."payers" is 'Who paid, and how much.';
comment on column "public"."transactions"."created_at" is 'When the transaction was entered.';
comment on column "public"."transactions"."updated_at" is 'When the transaction last changed.';

select entitysync.move_log('transaction', '[["id"],["owner_id"],["payee"],["amount"],["currency"],["date"],["category"],["note"],["splits"],["payers"],["created_at"],["updated_at"]]'::jsonb, '[]'::jsonb);

-- Logs every other write: one row per statement, space and set of changed columns. Old and new rows come in one
-- order, so they are paired by place.
create or replace function entitysync."transaction_track"() returns trigger
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
      select t.space, 'transaction', 'i', array[t.key]
      from (select r."entitysync_owner_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'transaction', 'i', array_agg(t.key)
      from (select r."entitysync_owner_id" as space, r."id"::text as key from added as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif tg_op = 'DELETE' then
    if (select count(*) < 2 from (select from gone limit 2) as few) then
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'transaction', 'd', array[t.key]
      from (select r."entitysync_owner_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null;
    else
      insert into entitysync.log (space, entity, op, keys)
      select t.space, 'transaction', 'd', array_agg(t.key)
      from (select r."entitysync_owner_id" as space, r."id"::text as key from gone as r) as t
      where t.space is not null
      group by t.space;
    end if;
  elsif (select count(*) < 2 from (select from before limit 2) as few) then
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'transaction', e.op::"char", e.mask, array[e.key]
    from before as "$old" cross join after as "$new"
    cross join lateral (
      values
        ('u', "$new"."entitysync_owner_id", "$new"."id"::text, (("$old"."owner_id" collate "C" is distinct from "$new"."owner_id" collate "C")::int::bigint << 1)
          | (("$old"."payee" collate "C" is distinct from "$new"."payee" collate "C")::int::bigint << 2)
          | (("$old"."amount" is distinct from "$new"."amount")::int::bigint << 3)
          | (("$old"."currency" collate "C" is distinct from "$new"."currency" collate "C")::int::bigint << 4)
          | (("$old"."date" is distinct from "$new"."date")::int::bigint << 5)
          | (("$old"."category" collate "C" is distinct from "$new"."category" collate "C")::int::bigint << 6)
          | (("$old"."note" collate "C" is distinct from "$new"."note" collate "C")::int::bigint << 7)
          | (("$old"."splits" is distinct from "$new"."splits")::int::bigint << 8)
          | (("$old"."payers" is distinct from "$new"."payers")::int::bigint << 9)
          | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 10)
          | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 11),
          not ("$old"."entitysync_owner_id", "$old"."id"::text) is distinct from ("$new"."entitysync_owner_id", "$new"."id"::text)),
        ('d', "$old"."entitysync_owner_id", "$old"."id"::text, null, ("$old"."entitysync_owner_id", "$old"."id"::text) is distinct from ("$new"."entitysync_owner_id", "$new"."id"::text)),
        ('i', "$new"."entitysync_owner_id", "$new"."id"::text, null, ("$old"."entitysync_owner_id", "$old"."id"::text) is distinct from ("$new"."entitysync_owner_id", "$new"."id"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else "$old" *<> "$new" and 'transaction' = any (entitysync.viewed_entities()) end;
  else
    -- NB: a nested loop by place is quadratic. Set here: at the function it would cost each single update.
    perform set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true);
    is_viewed := 'transaction' = any (entitysync.viewed_entities());
    with paired as materialized (
      select "$old"."entitysync_owner_id" as old_space, "$old"."id"::text as old_key,
        "$new"."entitysync_owner_id" as space, "$new"."id"::text as key,
        ("$old"."entitysync_owner_id", "$old"."id"::text) is distinct from ("$new"."entitysync_owner_id", "$new"."id"::text) as is_moved,
        (("$old"."owner_id" collate "C" is distinct from "$new"."owner_id" collate "C")::int::bigint << 1)
        | (("$old"."payee" collate "C" is distinct from "$new"."payee" collate "C")::int::bigint << 2)
        | (("$old"."amount" is distinct from "$new"."amount")::int::bigint << 3)
        | (("$old"."currency" collate "C" is distinct from "$new"."currency" collate "C")::int::bigint << 4)
        | (("$old"."date" is distinct from "$new"."date")::int::bigint << 5)
        | (("$old"."category" collate "C" is distinct from "$new"."category" collate "C")::int::bigint << 6)
        | (("$old"."note" collate "C" is distinct from "$new"."note" collate "C")::int::bigint << 7)
        | (("$old"."splits" is distinct from "$new"."splits")::int::bigint << 8)
        | (("$old"."payers" is distinct from "$new"."payers")::int::bigint << 9)
        | (("$old"."created_at" is distinct from "$new"."created_at")::int::bigint << 10)
        | (("$old"."updated_at" is distinct from "$new"."updated_at")::int::bigint << 11) as mask,
        "$old" *<> "$new" as differs
      from (select *, row_number() over () as "$place" from before) as "$old"
      full join (select *, row_number() over () as "$place" from after) as "$new"
        on "$old"."$place" = "$new"."$place"
    )
    insert into entitysync.log (space, entity, op, mask, keys)
    select p.space, 'transaction', 'u', p.mask, array_agg(p.key)
    from paired as p
    where not p.is_moved and p.space is not null and (p.mask <> 0 or is_viewed and p.differs)
    group by p.space, p.mask
    union all
    select p.old_space, 'transaction', 'd', null, array_agg(p.old_key)
    from paired as p
    where p.is_moved and p.old_space is not null
    group by p.old_space
    union all
    select p.space, 'transaction', 'i', null, array_agg(p.key)
    from paired as p
    where p.is_moved and p.space is not null
    group by p.space;
    perform set_config('enable_nestloop', loops, true), set_config('enable_mergejoin', merges, true);
  end if;
  return null;
end
$$;

-- The same for one row: in partitioned tables, and for what replication writes.
create or replace function entitysync."transaction_track_row"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    insert into entitysync.log (space, entity, op, keys)
    select new."entitysync_owner_id", 'transaction', 'i', array[new."id"::text] where new."entitysync_owner_id" is not null;
  elsif tg_op = 'DELETE' then
    insert into entitysync.log (space, entity, op, keys)
    select old."entitysync_owner_id", 'transaction', 'd', array[old."id"::text] where old."entitysync_owner_id" is not null;
  else
    insert into entitysync.log (space, entity, op, mask, keys)
    select e.space, 'transaction', e.op::"char", e.mask, array[e.key]
    from (
      values
        ('u', new."entitysync_owner_id", new."id"::text, ((old."owner_id" collate "C" is distinct from new."owner_id" collate "C")::int::bigint << 1)
          | ((old."payee" collate "C" is distinct from new."payee" collate "C")::int::bigint << 2)
          | ((old."amount" is distinct from new."amount")::int::bigint << 3)
          | ((old."currency" collate "C" is distinct from new."currency" collate "C")::int::bigint << 4)
          | ((old."date" is distinct from new."date")::int::bigint << 5)
          | ((old."category" collate "C" is distinct from new."category" collate "C")::int::bigint << 6)
          | ((old."note" collate "C" is distinct from new."note" collate "C")::int::bigint << 7)
          | ((old."splits" is distinct from new."splits")::int::bigint << 8)
          | ((old."payers" is distinct from new."payers")::int::bigint << 9)
          | ((old."created_at" is distinct from new."created_at")::int::bigint << 10)
          | ((old."updated_at" is distinct from new."updated_at")::int::bigint << 11),
          not (old."entitysync_owner_id", old."id"::text) is distinct from (new."entitysync_owner_id", new."id"::text)),
        ('d', old."entitysync_owner_id", old."id"::text, null, (old."entitysync_owner_id", old."id"::text) is distinct from (new."entitysync_owner_id", new."id"::text)),
        ('i', new."entitysync_owner_id", new."id"::text, null, (old."entitysync_owner_id", old."id"::text) is distinct from (new."entitysync_owner_id", new."id"::text))
    ) as e (op, space, key, mask, holds)
    where e.holds and e.space is not null
      and case when e.mask is distinct from 0 then true else old *<> new and 'transaction' = any (entitysync.viewed_entities()) end;
  end if;
  return null;
end
$$;

do $$
begin
  -- Until 1.0.0.
  drop trigger if exists entitysync_track on "public"."transactions";
  if exists (
    select from pg_catalog.pg_class where oid = '"public"."transactions"'::regclass and relkind = 'p'
  ) then
    create or replace trigger entitysync_rows after insert or update or delete on "public"."transactions"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') not in ('transaction', '*') or pg_trigger_depth() > 0) execute function entitysync."transaction_track_row"();
    alter table "public"."transactions" enable always trigger entitysync_rows;
  else
    create or replace trigger entitysync_inserted after insert on "public"."transactions" referencing new table as added
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('transaction', '*') or pg_trigger_depth() > 0) execute function entitysync."transaction_track"();
    create or replace trigger entitysync_updated after update on "public"."transactions" referencing old table as before new table as after
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('transaction', '*') or pg_trigger_depth() > 0) execute function entitysync."transaction_track"();
    create or replace trigger entitysync_deleted after delete on "public"."transactions" referencing old table as gone
      for each statement when (coalesce(current_setting('entitysync.writes', true), '') not in ('transaction', '*') or pg_trigger_depth() > 0) execute function entitysync."transaction_track"();
    create or replace trigger entitysync_replicated after insert or update or delete on "public"."transactions"
  for each row
      when (current_setting('session_replication_role') = 'replica')
      execute function entitysync."transaction_track_row"();
    alter table "public"."transactions" enable replica trigger entitysync_replicated;
  end if;
end
$$;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."transaction_touch"() returns trigger
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
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."transactions"
  for each row when (
    new."updated_at" is not distinct from old."updated_at" and (coalesce(current_setting('entitysync.writes', true), '') not in ('transaction', '*') or pg_trigger_depth() > 0)
  )
  execute function entitysync."transaction_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."transaction_truncated"() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Keys that only the log names need nothing: there is no row any more.
  insert into entitysync.log (space, entity, op, keys)
  select s.space, s.entity, 'd', array_agg(s.key)
  from entitysync.state as s where s.entity = 'transaction' and not s.is_deleted
  group by s.space, s.entity;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."transactions"
  for each statement execute function entitysync."transaction_truncated"();
alter table "public"."transactions" enable always trigger entitysync_truncated;
$body1$);
end
$body2$;

commit;

begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

do $body1$
begin
  perform entitysync.ensure('transaction indexes', '"public"."transactions"', true, $$
create index if not exists "transactions_date_sync" on "public"."transactions" ("entitysync_owner_id", "date");
create index if not exists "transactions_owner_id_date_sync" on "public"."transactions" ("entitysync_owner_id", "owner_id", "date");
$$);
end
$body1$;

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
    from unnest(array['bookmark', 'project', 'read-status', 'transaction']) as e (name) having count(*) > 0;
  end if;
end
$$;

-- All entities --------------------------------------------------------------------------------------------------------

-- The names of the entities. None is left out.
delete from entitysync.refused_entity;
create or replace function entitysync.known_entities() returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select array['bookmark', 'project', 'read-status', 'transaction']
$$;

-- What the database should have for them, for entitysync.doctor().
create or replace function entitysync.expected() returns json
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select '[{"entity":"bookmark","table":"\"public\".\"bookmarks\"","owner":"owner_id","columns":{"id":"uuid","user_id":"text","surah_number":"bigint","verse_number":"bigint","surah_name":"text","verse_text":"text","verse_translation":"text","notes":"text","tags":"jsonb","created_at":"timestamptz","updated_at":"timestamptz","owner_id":"uuid"},"key":["id"],"optional":["surah_name","verse_text","verse_translation","notes","tags"],"unique":[["user_id","surah_number","verse_number"]],"compare":"bookmark_compare","stand_in":"bookmark_stand_in"},{"entity":"project","table":"\"public\".\"projects\"","owner":"owner_id","columns":{"id":"text","company_id":"text","client_id":"text","title":"text","address":"text","latitude":"double precision","longitude":"double precision","status":"text","start_date":"timestamptz","end_date":"timestamptz","duration":"double precision","event_type":"text","all_day":"boolean","notes":"text","team_member_ids":"jsonb","created_at":"timestamptz","updated_at":"timestamptz","deleted_at":"timestamptz","owner_id":"uuid"},"key":["id"],"optional":["client_id","address","latitude","longitude","start_date","end_date","duration","event_type","all_day","notes","team_member_ids","deleted_at"],"unique":[],"compare":"project_compare","stand_in":"project_stand_in"},{"entity":"read-status","table":"\"public\".\"read_statuses\"","owner":"owner_id","columns":{"link":"text","is_read":"boolean","read_at":"timestamptz","feed":"text","title":"text","created_at":"timestamptz","updated_at":"timestamptz","owner_id":"uuid"},"key":["link"],"optional":["read_at","feed","title"],"unique":[],"compare":"read_status_compare","stand_in":"read_status_stand_in"},{"entity":"transaction","table":"\"public\".\"transactions\"","owner":"entitysync_owner_id","columns":{"id":"uuid","owner_id":"text","payee":"text","amount":"numeric","currency":"text","date":"date","category":"text","note":"text","splits":"jsonb","payers":"jsonb","created_at":"timestamptz","updated_at":"timestamptz","entitysync_owner_id":"uuid"},"key":["id"],"optional":["payee","category","note","splits","payers"],"unique":[],"compare":"transaction_compare","stand_in":"transaction_stand_in"}]'::json
$$;

-- The member that says when a record of the entity last changed; null if there is none.
create or replace function entitysync.updated_member(entity text) returns text
language sql immutable
return case entity
    when 'bookmark' then 'updated_at'
    when 'project' then 'updated_at'
    when 'read-status' then 'updated_at'
    when 'transaction' then 'updated_at'
  end;

-- The bit of the column that says whether a record of the entity is deleted; 0 if there is none.
create or replace function entitysync.deleted_bit(entity text) returns bigint
language sql immutable
return case entity
    when 'project' then 1::bigint << 17
    else 0
  end;

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
  if 'project' = any (present) then
    return query select * from entitysync."project_misfits"(changes);
  end if;
  if 'read-status' = any (present) then
    return query select * from entitysync."read_status_misfits"(changes);
  end if;
  if 'transaction' = any (present) then
    return query select * from entitysync."transaction_misfits"(changes);
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
    when 'project' then return entitysync."project_misfit"(change, entitysync.repeats_member(change.body, change.value));
    when 'read-status' then return entitysync."read_status_misfit"(change, entitysync.repeats_member(change.body, change.value));
    when 'transaction' then return entitysync."transaction_misfit"(change, entitysync.has_repeated_member(change.body, '{"payers":[{}],"splits":[{}]}'::jsonb));
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
    when 'transaction' then (key::uuid) is not null
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
    when 'project' then perform entitysync."project_fold"(p_space, keys, ats, masks, appearing);
    when 'read-status' then perform entitysync."read_status_fold"(p_space, keys, ats, masks, appearing);
    when 'transaction' then perform entitysync."transaction_fold"(p_space, keys, ats, masks, appearing);
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
    when 'project' then
      perform entitysync."project_adopt"(first, past);
    when 'read-status' then
      perform entitysync."read_status_adopt"(first, past);
    when 'transaction' then
      perform entitysync."transaction_adopt"(first, past);
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
    when 'project' then
      return query select * from entitysync."project_valued"(places);
    when 'read-status' then
      return query select * from entitysync."read_status_valued"(places);
    when 'transaction' then
      return query select * from entitysync."transaction_valued"(places);
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
        ('bookmark', to_regclass('"public"."bookmarks"')),
        ('project', to_regclass('"public"."projects"')),
        ('read-status', to_regclass('"public"."read_statuses"')),
        ('transaction', to_regclass('"public"."transactions"'))
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
        select "$t"."owner_id" as space, "$t"."id"::text as key
        from "public"."bookmarks" as "$t"
        where not false
      ) as r
      where r.space is not null;
    when 'project' then
      return query
      select entitysync.record_id(r.space, 'project', r.key), r.space, r.key
      from (
        select "$t"."owner_id" as space, "$t"."id"::text as key
        from "public"."projects" as "$t"
        where not "$t"."deleted_at" is not null
      ) as r
      where r.space is not null;
    when 'read-status' then
      return query
      select entitysync.record_id(r.space, 'read-status', r.key), r.space, r.key
      from (
        select "$t"."owner_id" as space, "$t"."link"::text as key
        from "public"."read_statuses" as "$t"
        where not false
      ) as r
      where r.space is not null;
    when 'transaction' then
      return query
      select entitysync.record_id(r.space, 'transaction', r.key), r.space, r.key
      from (
        select "$t"."entitysync_owner_id" as space, "$t"."id"::text as key
        from "public"."transactions" as "$t"
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
      join "public"."bookmarks" as "$t" on "$t"."owner_id" = k.space and "$t"."id" = k."$0"
      where not false;
    when 'project' then
      return query
      select k.id
      from (
        select t.id, t.space as space, (to_jsonb(t.key) #>> '{}')::text as "$0"
        from unnest(ids, spaces, keys) as t (id, space, key)
        offset 0
      ) as k
      join "public"."projects" as "$t" on "$t"."owner_id" = k.space and "$t"."id" = k."$0"
      where not "$t"."deleted_at" is not null;
    when 'read-status' then
      return query
      select k.id
      from (
        select t.id, t.space as space, (to_jsonb(t.key) #>> '{}')::text as "$0"
        from unnest(ids, spaces, keys) as t (id, space, key)
        offset 0
      ) as k
      join "public"."read_statuses" as "$t" on "$t"."owner_id" = k.space and "$t"."link" = k."$0"
      where not false;
    when 'transaction' then
      return query
      select k.id
      from (
        select t.id, t.space as space, t.key::uuid as "$0"
        from unnest(ids, spaces, keys) as t (id, space, key)
        offset 0
      ) as k
      join "public"."transactions" as "$t" on "$t"."entitysync_owner_id" = k.space and "$t"."id" = k."$0"
      where not false;
  end case;
end
$$;

-- The members of an entity's columns, in the order of a mask's bits.
create or replace function entitysync.paths(entity text) returns jsonb
language sql immutable
return case entity
    when 'bookmark' then '[["id"],["user_id"],["surah_number"],["verse_number"],["surah_name"],["verse_text"],["verse_translation"],["notes"],["tags"],["created_at"],["updated_at"]]'::jsonb
    when 'project' then '[["id"],["company_id"],["client_id"],["title"],["address"],["latitude"],["longitude"],["status"],["start_date"],["end_date"],["duration"],["event_type"],["all_day"],["notes"],["team_member_ids"],["created_at"],["updated_at"],["deleted_at"]]'::jsonb
    when 'read-status' then '[["link"],["is_read"],["read_at"],["feed"],["title"],["created_at"],["updated_at"]]'::jsonb
    when 'transaction' then '[["id"],["owner_id"],["payee"],["amount"],["currency"],["date"],["category"],["note"],["splits"],["payers"],["created_at"],["updated_at"]]'::jsonb
  end;

-- The fields of an entity that merge by themselves; null if its records merge as a whole.
create or replace function entitysync.units(entity text) returns jsonb
language sql immutable
return case entity
    when 'bookmark' then '{"":"rest","created_at":"time","tags":"set","updated_at":"time"}'::jsonb
    when 'project' then '{"":"rest","created_at":"time","team_member_ids":"set","updated_at":"time"}'::jsonb
    when 'read-status' then '{"":"rest","created_at":"time","feed":"field","is_read":"field","read_at":"field","title":"field","updated_at":"time"}'::jsonb
    when 'transaction' then null::jsonb
  end;

-- The elements of the fields of a body that merge as sets; null if there are none.
create or replace function entitysync.sets(entity text, value jsonb) returns jsonb
language sql immutable
return case entity
    when 'bookmark' then jsonb_build_object('tags', value -> 'tags')
    when 'project' then jsonb_build_object('team_member_ids', value -> 'team_member_ids')
    when 'read-status' then null::jsonb
    when 'transaction' then null::jsonb
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
  if 'project' = any (present) then
    perform entitysync."project_lock"(changes);
  end if;
  if 'read-status' = any (present) then
    perform entitysync."read_status_lock"(changes);
  end if;
  if 'transaction' = any (present) then
    perform entitysync."transaction_lock"(changes);
  end if;
end
$$;

-- Takes in the deleted rows of records that a device makes anew.
create or replace function entitysync.bury(changes entitysync.change[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (select from unnest(changes) as c where c.entity = 'project') then
    perform entitysync."project_bury"(changes);
  end if;
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
    when 'project' then
      return entitysync."project_row"(p_space, p_key, true);
    when 'read-status' then
      return entitysync."read_status_row"(p_space, p_key, true);
    when 'transaction' then
      return entitysync."transaction_row"(p_space, p_key, true);
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
    when 'project' then return entitysync."project_write_one"(change, row_json);
    when 'read-status' then return entitysync."read_status_write_one"(change, row_json);
    when 'transaction' then return entitysync."transaction_write_one"(change, row_json);
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
  if 'project' = any (live) then
    done := done || entitysync."project_write"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'project' and not c.is_deleted
        )
      end
    );
  end if;
  if 'read-status' = any (live) then
    done := done || entitysync."read_status_write"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'read-status' and not c.is_deleted
        )
      end
    );
  end if;
  if 'transaction' = any (live) then
    done := done || entitysync."transaction_write"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'transaction' and not c.is_deleted
        )
      end
    );
  end if;
  if 'transaction' = any (deleted) then
    done := done || entitysync."transaction_remove"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'transaction' and c.is_deleted
        )
      end
    );
  end if;
  if 'read-status' = any (deleted) then
    done := done || entitysync."read_status_remove"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'read-status' and c.is_deleted
        )
      end
    );
  end if;
  if 'project' = any (deleted) then
    done := done || entitysync."project_remove"(
      case when is_uniform then changes else
        array(
          select c from unnest(changes) as c
          where c.entity = 'project' and c.is_deleted
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
    when 'project' then return entitysync."project_other"(change, index);
    when 'read-status' then return entitysync."read_status_other"(change, index);
    when 'transaction' then return entitysync."transaction_other"(change, index);
    else return null;
  end case;
end
$$;

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
            || coalesce(',"surah_name":' || to_json("$t"."surah_name")::text, '')
            || coalesce(',"verse_text":' || to_json("$t"."verse_text")::text, '')
            || coalesce(',"verse_translation":' || to_json("$t"."verse_translation")::text, '')
            || ',"notes":' || coalesce(to_json("$t"."notes")::text, 'null')
            || coalesce(',"tags":' || case when (length("$t"."tags"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."tags"::text || ']')::json)) then nullif(case when strpos("$t"."tags"::text, '\') > 0 then "$t"."tags"::text else replace("$t"."tags"::text, '", "', '","') end, 'null') end, '')
            || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' else m.body::text end as body
          from "public"."bookmarks" as "$t"
          where not m.is_deleted and "$t"."owner_id" = m.space and "$t"."id" = m."$0"
          offset 0
        ) as r on true;
      when 'project' then
        return query
        select m.id, m.revision,
          '{"revision":"' || m.revision || '","entity":"project","key":' || to_json(m.key)
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
          select s.*, case when not s.is_deleted or s.body is not null and entitysync.is_key(s.entity, s.key) then (to_jsonb(s.key) #>> '{}')::text end as "$0"
          from unnest(states) with ordinality as s
          where s.entity = 'project'
          offset 0
        ) as m
        left join lateral (
          select case when m.body is null then '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
            || ',"company_id":' || coalesce(to_json("$t"."company_id")::text, 'null')
            || ',"client_id":' || coalesce(to_json("$t"."client_id")::text, 'null')
            || ',"title":' || coalesce(to_json("$t"."title")::text, 'null')
            || ',"address":' || coalesce(to_json("$t"."address")::text, 'null')
            || ',"latitude":' || coalesce(case when "$t"."latitude" - "$t"."latitude" = 0 then to_json("$t"."latitude")::text end, 'null')
            || ',"longitude":' || coalesce(case when "$t"."longitude" - "$t"."longitude" = 0 then to_json("$t"."longitude")::text end, 'null')
            || ',"status":' || coalesce(to_json("$t"."status")::text, 'null')
            || ',"start_date":' || coalesce(case when "$t"."start_date" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."start_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"end_date":' || coalesce(case when "$t"."end_date" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."end_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"duration":' || coalesce(case when "$t"."duration" - "$t"."duration" = 0 then to_json("$t"."duration")::text end, 'null')
            || ',"event_type":' || coalesce(to_json("$t"."event_type")::text, 'null')
            || coalesce(',"all_day":' || "$t"."all_day"::text, '')
            || ',"notes":' || coalesce(to_json("$t"."notes")::text, 'null')
            || coalesce(',"team_member_ids":' || case when (length("$t"."team_member_ids"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."team_member_ids"::text || ']')::json)) then nullif(case when strpos("$t"."team_member_ids"::text, '\') > 0 then "$t"."team_member_ids"::text else replace("$t"."team_member_ids"::text, '", "', '","') end, 'null') end, '')
            || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"deleted_at":' || coalesce(case when "$t"."deleted_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."deleted_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' else m.body::text end as body
          from "public"."projects" as "$t"
          where (not m.is_deleted or m.body is not null and "$t"."deleted_at" is not null) and "$t"."owner_id" = m.space and "$t"."id" = m."$0"
          offset 0
        ) as r on true;
      when 'read-status' then
        return query
        select m.id, m.revision,
          '{"revision":"' || m.revision || '","entity":"read-status","key":' || to_json(m.key)
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
          select s.*, case when not s.is_deleted then (to_jsonb(s.key) #>> '{}')::text end as "$0"
          from unnest(states) with ordinality as s
          where s.entity = 'read-status'
          offset 0
        ) as m
        left join lateral (
          select case when m.body is null then '{' || right(',"link":' || coalesce(to_json("$t"."link")::text, 'null')
            || ',"is_read":' || coalesce("$t"."is_read"::text, 'null')
            || ',"read_at":' || coalesce(case when "$t"."read_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."read_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"feed":' || coalesce(to_json("$t"."feed")::text, 'null')
            || ',"title":' || coalesce(to_json("$t"."title")::text, 'null')
            || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' else m.body::text end as body
          from "public"."read_statuses" as "$t"
          where not m.is_deleted and "$t"."owner_id" = m.space and "$t"."link" = m."$0"
          offset 0
        ) as r on true;
      when 'transaction' then
        return query
        select m.id, m.revision,
          '{"revision":"' || m.revision || '","entity":"transaction","key":' || to_json(m.key)
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
          where s.entity = 'transaction'
          offset 0
        ) as m
        left join lateral (
          select case when m.body is null then '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
            || ',"owner_id":' || coalesce(to_json("$t"."owner_id")::text, 'null')
            || ',"payee":' || coalesce(to_json("$t"."payee")::text, 'null')
            || ',"amount":' || coalesce(case when "$t"."amount" - "$t"."amount" = 0 then '"' || trim_scale("$t"."amount") || '"' end, 'null')
            || ',"currency":' || coalesce(to_json("$t"."currency")::text, 'null')
            || ',"date":' || coalesce(case when "$t"."date" between '0001-01-01' and '9999-12-31' then to_json("$t"."date")::text end, 'null')
            || ',"category":' || coalesce(to_json("$t"."category")::text, 'null')
            || ',"note":' || coalesce(to_json("$t"."note")::text, 'null')
            || coalesce(',"splits":' || case when (length("$t"."splits"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."splits"::text || ']')::json)) then nullif("$t"."splits"::text, 'null') end, '')
            || coalesce(',"payers":' || case when (length("$t"."payers"::text) < 1000 or not entitysync.is_too_deep(('[' || "$t"."payers"::text || ']')::json)) then nullif("$t"."payers"::text, 'null') end, '')
            || ',"created_at":' || coalesce(case when "$t"."created_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null')
            || ',"updated_at":' || coalesce(case when "$t"."updated_at" between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999' then '"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"' end, 'null'), -1) || '}' else m.body::text end as body
          from "public"."transactions" as "$t"
          where not m.is_deleted and "$t"."entitysync_owner_id" = m.space and "$t"."id" = m."$0"
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
  delete from "public"."transactions" as t where t."entitysync_owner_id" = p_space;
  delete from "public"."read_statuses" as t where t."owner_id" = p_space;
  delete from "public"."projects" as t where t."owner_id" = p_space;
  delete from "public"."bookmarks" as t where t."owner_id" = p_space;
  perform set_config('entitysync.writes', '', true);
  perform entitysync.erase(p_space);
end
$$;

-- What devices sent before there was a column for it, and what others wrote before there was a member.
do $$
begin
  perform entitysync.run_in_moments(format(
    'select entitysync.fill_columns(%L, %L, %L, %L)',
    e.name, f.paths -> e.name,
    '{"bookmark":[null,null,null,null,null,null,null,null,[],null,null],"project":[null,null,null,null,null,null,null,"rfq",null,null,null,null,false,null,[],null,null,null],"transaction":[null,null,null,null,null,null,null,null,[],[],null,null]}'::jsonb -> e.name,
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
