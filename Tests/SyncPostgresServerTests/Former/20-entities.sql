begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

-- EntitySync: the tables of your entities, and what keeps them in sync.
--
-- Generated from the schemas; apply after 10-entitysync.sql. Applying it again changes nothing.

-- bookmark ------------------------------------------------------------------------------------------------------------

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
create index if not exists "bookmarks_user_id_surah_number_verse_number_sync" on "public"."bookmarks" ("owner_id", "user_id", "surah_number", "verse_number");
create index if not exists "bookmarks_created_at_sync" on "public"."bookmarks" ("owner_id", "created_at");
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

-- A row's key, and its value as devices write it.
create or replace function entitysync."bookmark_key"(r "public"."bookmarks") returns text
language sql stable
set search_path = ''
as $$
  select r."id"::text
$$;

create or replace function entitysync."bookmark_json"(r "public"."bookmarks") returns text
language sql stable
set search_path = ''
as $$
  select '{' || right(',"id":' || coalesce(to_json(r."id")::text, 'null')
    || ',"user_id":' || coalesce(to_json(r."user_id")::text, 'null')
    || ',"surah_number":' || coalesce(r."surah_number"::text, 'null')
    || ',"verse_number":' || coalesce(r."verse_number"::text, 'null')
    || coalesce(',"surah_name":' || to_json(r."surah_name")::text, '')
    || coalesce(',"verse_text":' || to_json(r."verse_text")::text, '')
    || coalesce(',"verse_translation":' || to_json(r."verse_translation")::text, '')
    || ',"notes":' || coalesce(to_json(r."notes")::text, 'null')
    || coalesce(',"tags":' || case when strpos(r."tags"::text, '\') > 0 then r."tags"::text else replace(r."tags"::text, '", "', '","') end, '')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}'
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."bookmark_misfits"(entitysync.change[]);

-- Changes of the entity that do not fit the schema, with the rule and one sentence.
create or replace function entitysync."bookmark_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id,
      case
        when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'
        when (select count(*) from json_object_keys(c.body)) <> (select count(*) from jsonb_object_keys(c.value)) then 'json: The body holds a member that stands twice in one object.'
        when not c.is_deleted and (c.value -> 'id') is null then 'required: id is missing.'
        when not c.is_deleted and (c.value -> 'id') is not null and not (case when jsonb_typeof((c.value -> 'id')) = 'string' then (c.value ->> 'id') like '________-____-____-____-____________' and (c.value ->> 'id') ~ '^[0-9a-fA-F]+(-[0-9a-fA-F]+){4}$' else false end) then 'type: id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'user_id') is null then 'required: user_id is missing.'
        when not c.is_deleted and (c.value -> 'user_id') is not null and not (jsonb_typeof((c.value -> 'user_id')) = 'string') then 'type: user_id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'surah_number') is null then 'required: surah_number is missing.'
        when not c.is_deleted and (c.value -> 'surah_number') is not null and not (case when jsonb_typeof((c.value -> 'surah_number')) = 'number' then (c.value ->> 'surah_number')::numeric % 1 = 0 else false end) then 'type: surah_number is not what the schema says.'
        when not c.is_deleted and (c.value -> 'verse_number') is null then 'required: verse_number is missing.'
        when not c.is_deleted and (c.value -> 'verse_number') is not null and not (case when jsonb_typeof((c.value -> 'verse_number')) = 'number' then (c.value ->> 'verse_number')::numeric % 1 = 0 else false end) then 'type: verse_number is not what the schema says.'
        when not c.is_deleted and (c.value -> 'surah_name') is not null and not (jsonb_typeof((c.value -> 'surah_name')) = 'string') then 'type: surah_name is not what the schema says.'
        when not c.is_deleted and (c.value -> 'verse_text') is not null and not (jsonb_typeof((c.value -> 'verse_text')) = 'string') then 'type: verse_text is not what the schema says.'
        when not c.is_deleted and (c.value -> 'verse_translation') is not null and not (jsonb_typeof((c.value -> 'verse_translation')) = 'string') then 'type: verse_translation is not what the schema says.'
        when not c.is_deleted and (c.value -> 'notes') is not null and not (jsonb_typeof((c.value -> 'notes')) = 'null' or jsonb_typeof((c.value -> 'notes')) = 'string') then 'type: notes is not what the schema says.'
        when not c.is_deleted and (c.value -> 'tags') is not null and not (jsonb_typeof((c.value -> 'tags')) = 'array') then 'type: tags is not what the schema says.'
        when not c.is_deleted and (c.value -> 'created_at') is null then 'required: created_at is missing.'
        when not c.is_deleted and (c.value -> 'created_at') is not null and not (case when jsonb_typeof((c.value -> 'created_at')) = 'string' then (c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: created_at is not what the schema says.'
        when not c.is_deleted and (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
        when not c.is_deleted and (c.value -> 'updated_at') is not null and not (case when jsonb_typeof((c.value -> 'updated_at')) = 'string' then (c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: updated_at is not what the schema says.'
        when octet_length(c.body::text) > 5000 and (select count(*) from jsonb_object_keys(case when jsonb_typeof(c.value) = 'object' then c.value else '{}' end) as m (name) where m.name <> all (array['created_at', 'id', 'notes', 'surah_name', 'surah_number', 'tags', 'updated_at', 'user_id', 'verse_number', 'verse_text', 'verse_translation'])) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
        when (c.value ->> 'id') is distinct from c.key and not (c.is_deleted and (c.value ->> 'id') is null)
          then 'key: The key is not that of the body.'
      end as reason
    from unnest(changes) as c
    where c.entity = 'bookmark'
  ) as f
  where f.reason is not null;
end
$$;

-- Stores versions of different records: their states, then their rows. What a trigger of yours makes of a row
-- becomes an edit of the server's on top.
create or replace function entitysync."bookmark_write"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  alterations jsonb;
  alteration jsonb;
begin
  perform set_config('entitysync.writes', 'on', true);
  with valued as materialized (
    select c.lives as "$lives", c as "$change",
      (c.value ->> 'id')::uuid as "id",
      (c.value ->> 'user_id') as "user_id",
      (c.value ->> 'surah_number')::numeric::bigint as "surah_number",
      (c.value ->> 'verse_number')::numeric::bigint as "verse_number",
      (c.value ->> 'surah_name') as "surah_name",
      (c.value ->> 'verse_text') as "verse_text",
      (c.value ->> 'verse_translation') as "verse_translation",
      (c.value ->> 'notes') as "notes",
      case when c.value -> 'tags' is null then '[]'::jsonb else nullif(c.value -> 'tags', 'null') end as "tags",
      (c.value ->> 'created_at')::timestamptz as "created_at",
      (c.value ->> 'updated_at')::timestamptz as "updated_at"
    from unnest(changes) as c
  ), wanted as materialized (
    select w.*,
      '{' || right(',"id":' || coalesce(to_json(w."id")::text, 'null')
          || ',"user_id":' || coalesce(to_json(w."user_id")::text, 'null')
          || ',"surah_number":' || coalesce(w."surah_number"::text, 'null')
          || ',"verse_number":' || coalesce(w."verse_number"::text, 'null')
          || coalesce(',"surah_name":' || to_json(w."surah_name")::text, '')
          || coalesce(',"verse_text":' || to_json(w."verse_text")::text, '')
          || coalesce(',"verse_translation":' || to_json(w."verse_translation")::text, '')
          || ',"notes":' || coalesce(to_json(w."notes")::text, 'null')
          || coalesce(',"tags":' || case when strpos(w."tags"::text, '\') > 0 then w."tags"::text else replace(w."tags"::text, '", "', '","') end, '')
          || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(w."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(w."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as "$json"
    from valued as w
  ), stored as materialized (
    select s.id, s.revision
    from entitysync.store(
      array(
        -- The body is left out where the row says the same.
        select row(
          (w."$change").position, (w."$change").id, (w."$change").entity, (w."$change").key, (w."$change").edit,
          (w."$change").sent, (w."$change").vector, (w."$change").base, false, null, (w."$change").detail,
          case
            when (w."$change").body::text is distinct from w."$json" then (w."$change").body
          end,
          (w."$change").lives, (w."$change").is_lowered, null
        )::entitysync.change
        from wanted as w
      )
    ) as s
  ), updated as (
    update "public"."bookmarks" as "$t" set
      "user_id" = w."user_id",
      "surah_number" = w."surah_number",
      "verse_number" = w."verse_number",
      "surah_name" = w."surah_name",
      "verse_text" = w."verse_text",
      "verse_translation" = w."verse_translation",
      "notes" = w."notes",
      "tags" = w."tags",
      "created_at" = w."created_at",
      "updated_at" = w."updated_at"
    from wanted as w
    where w."$lives" and "$t"."owner_id" = (select auth.uid()) and "$t"."id" = w."id"
    returning "$t" as "$row"
  ), inserted as (
    insert into "public"."bookmarks" as "$t" ("id", "user_id", "surah_number", "verse_number", "surah_name", "verse_text", "verse_translation", "notes", "tags", "created_at", "updated_at", "owner_id")
    select w."id", w."user_id", w."surah_number", w."verse_number", w."surah_name", w."verse_text", w."verse_translation", w."notes", w."tags", w."created_at", w."updated_at", (select auth.uid())
    from wanted as w
    where not exists (select from updated as t where (t."$row")."id" = w."id") and exists (select from stored)
    returning "$t" as "$row"
  ), written as (
    select * from updated union all select * from inserted
  )
  select
    array_agg(
      row((w."$change").position, (w."$change").id, 'accepted', null, null, s.revision, (w."$change").is_lowered, null)::entitysync.verdict
    ),
    jsonb_agg(jsonb_build_array((w."$change").key, entitysync."bookmark_json"(t."$row"), w."$json"))
      filter (where ((t."$row")."id", (t."$row")."user_id", (t."$row")."surah_number", (t."$row")."verse_number", (t."$row")."surah_name", (t."$row")."verse_text", (t."$row")."verse_translation", (t."$row")."notes", (t."$row")."tags", (t."$row")."created_at", (t."$row")."updated_at") is distinct from (w."id", w."user_id", w."surah_number", w."verse_number", w."surah_name", w."verse_text", w."verse_translation", w."notes", w."tags", w."created_at", w."updated_at"))
  into verdicts, alterations
  from wanted as w
  join stored as s on s.id = (w."$change").id
  join written as t on (t."$row")."id" = w."id";
  perform set_config('entitysync.writes', '', true);
  if coalesce(cardinality(verdicts), 0) < cardinality(changes) then
    raise insufficient_privilege using message = 'A row of the table could not be written.';
  end if;
  for alteration in select value from jsonb_array_elements(alterations) loop
    perform entitysync.note_alteration(
      'bookmark', alteration ->> 0, (alteration ->> 1)::jsonb, (alteration ->> 2)::jsonb,
      '{"":"rest","created_at":"time","tags":"set","updated_at":"time"}'::jsonb, array['surah_name', 'verse_text', 'verse_translation', 'tags']
    );
  end loop;
  return verdicts;
end
$$;

-- Deletes records: stores their tombstones, then deletes their rows.
create or replace function entitysync."bookmark_remove"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  removed integer;
begin
  select array_agg(
    row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered, null)::entitysync.verdict
  )
  into verdicts
  from entitysync.store(changes) as s
  join unnest(changes) as c on c.id = s.id;
  perform set_config('entitysync.writes', 'on', true);
  delete from "public"."bookmarks" as t using (select c.value, c.key::uuid as "$0" from unnest(changes) as c offset 0) as c
  where t."owner_id" = (select auth.uid()) and t."id" = c."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return verdicts;
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."bookmark_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = ''
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
        (j.b ->> 'created_at')::timestamptz as "created_at",
        (j.b ->> 'updated_at')::timestamptz as "updated_at",
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

-- Every other write of a row is an edit of the server's device.
create or replace function entitysync."bookmark_track"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  old_json jsonb;
  new_json jsonb;
  old_key text;
  new_key text;
begin
  if tg_op <> 'INSERT' then
    old_json := entitysync."bookmark_json"(old)::jsonb;
    old_key := entitysync."bookmark_key"(old);
  end if;
  if tg_op <> 'DELETE' then
    new_json := entitysync."bookmark_json"(new)::jsonb;
    new_key := entitysync."bookmark_key"(new);
  end if;
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and (old_key <> new_key or old."owner_id" is distinct from new."owner_id") then
    perform entitysync.note_edit(
      old."owner_id", 'bookmark', old_key, null, old_json, true, null,
      '{"":"rest","created_at":"time","tags":"set","updated_at":"time"}'::jsonb, array['surah_name', 'verse_text', 'verse_translation', 'tags']
    );
    old_json := null;
  end if;
  if tg_op <> 'DELETE' and old_json is distinct from new_json then
    perform entitysync.note_edit(
      new."owner_id", 'bookmark', new_key, new_json, old_json, false, new."updated_at",
      '{"":"rest","created_at":"time","tags":"set","updated_at":"time"}'::jsonb, array['surah_name', 'verse_text', 'verse_translation', 'tags']
    );
  end if;
  return null;
end
$$;

create or replace trigger entitysync_track after insert or update or delete on "public"."bookmarks"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0) execute function entitysync."bookmark_track"();
alter table "public"."bookmarks" enable always trigger entitysync_track;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."bookmark_touch"() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new."updated_at" is not distinct from old."updated_at" and new *<> old then
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."bookmarks"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0)
  execute function entitysync."bookmark_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."bookmark_truncated"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform entitysync.note_edit(s.space, s.entity, s.key, null, null, true, null, null, '{}')
  from entitysync.state as s where s.entity = 'bookmark' and not s.is_deleted;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."bookmarks"
  for each statement execute function entitysync."bookmark_truncated"();
alter table "public"."bookmarks" enable always trigger entitysync_truncated;

-- Gives a state to each row that has none, such as rows from before EntitySync. Returns how many.
create or replace function entitysync."bookmark_adopt"() returns bigint
language plpgsql
set search_path = ''
as $$
declare
  adopted bigint;
begin
  insert into entitysync.state (
    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector
  )
  select a.id, a.space, 'bookmark', a.key, pg_current_xact_id(), a.number,
    entitysync.new_revision(a.number), false, a.edit, a.edit, a.device || ':' || a.number
  from (
    select n.*, n.time || '.' || n.device || '.' || n.number as edit
    from (
      select "$t" as row, "$t"."owner_id" as space, entitysync."bookmark_key"("$t") as key,
        entitysync.record_id("$t"."owner_id", 'bookmark', entitysync."bookmark_key"("$t")) as id,
        entitysync.server_device("$t"."owner_id") as device,
        entitysync.microseconds(coalesce(least("$t"."updated_at", now()), now())) as time,
        nextval('entitysync.numbers') as number
      from "public"."bookmarks" as "$t"
      where "$t"."owner_id" is not null
    ) as n
  ) as a
  where not exists (select from entitysync.state as s where s.id = a.id)
  on conflict (id) do nothing;
  get diagnostics adopted = row_count;
  return adopted;
end
$$;

revoke all on function entitysync."bookmark_adopt"() from public, anon, authenticated;
do $$ begin perform entitysync."bookmark_adopt"(); end $$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."bookmark_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = ''
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

-- project -------------------------------------------------------------------------------------------------------------

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
create index if not exists "projects_company_id_status_sync" on "public"."projects" ("owner_id", "company_id", "status");
create index if not exists "projects_start_date_sync" on "public"."projects" ("owner_id", "start_date");
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

-- A row's key, and its value as devices write it.
create or replace function entitysync."project_key"(r "public"."projects") returns text
language sql stable
set search_path = ''
as $$
  select r."id"::text
$$;

create or replace function entitysync."project_json"(r "public"."projects") returns text
language sql stable
set search_path = ''
as $$
  select '{' || right(',"id":' || coalesce(to_json(r."id")::text, 'null')
    || ',"company_id":' || coalesce(to_json(r."company_id")::text, 'null')
    || ',"client_id":' || coalesce(to_json(r."client_id")::text, 'null')
    || ',"title":' || coalesce(to_json(r."title")::text, 'null')
    || ',"address":' || coalesce(to_json(r."address")::text, 'null')
    || ',"latitude":' || coalesce(to_json(r."latitude")::text, 'null')
    || ',"longitude":' || coalesce(to_json(r."longitude")::text, 'null')
    || ',"status":' || coalesce(to_json(r."status")::text, 'null')
    || ',"start_date":' || coalesce('"' || rtrim(rtrim(to_char(r."start_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"end_date":' || coalesce('"' || rtrim(rtrim(to_char(r."end_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"duration":' || coalesce(to_json(r."duration")::text, 'null')
    || ',"event_type":' || coalesce(to_json(r."event_type")::text, 'null')
    || coalesce(',"all_day":' || r."all_day"::text, '')
    || ',"notes":' || coalesce(to_json(r."notes")::text, 'null')
    || coalesce(',"team_member_ids":' || case when strpos(r."team_member_ids"::text, '\') > 0 then r."team_member_ids"::text else replace(r."team_member_ids"::text, '", "', '","') end, '')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"deleted_at":' || coalesce('"' || rtrim(rtrim(to_char(r."deleted_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}'
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."project_misfits"(entitysync.change[]);

-- Changes of the entity that do not fit the schema, with the rule and one sentence.
create or replace function entitysync."project_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id,
      case
        when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'
        when (select count(*) from json_object_keys(c.body)) <> (select count(*) from jsonb_object_keys(c.value)) then 'json: The body holds a member that stands twice in one object.'
        when not c.is_deleted and (c.value -> 'id') is null then 'required: id is missing.'
        when not c.is_deleted and (c.value -> 'id') is not null and not (jsonb_typeof((c.value -> 'id')) = 'string') then 'type: id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'company_id') is null then 'required: company_id is missing.'
        when not c.is_deleted and (c.value -> 'company_id') is not null and not (jsonb_typeof((c.value -> 'company_id')) = 'string') then 'type: company_id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'client_id') is not null and not (jsonb_typeof((c.value -> 'client_id')) = 'null' or jsonb_typeof((c.value -> 'client_id')) = 'string') then 'type: client_id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'title') is null then 'required: title is missing.'
        when not c.is_deleted and (c.value -> 'title') is not null and not (jsonb_typeof((c.value -> 'title')) = 'string') then 'type: title is not what the schema says.'
        when not c.is_deleted and (c.value -> 'address') is not null and not (jsonb_typeof((c.value -> 'address')) = 'null' or jsonb_typeof((c.value -> 'address')) = 'string') then 'type: address is not what the schema says.'
        when not c.is_deleted and (c.value -> 'latitude') is not null and not (jsonb_typeof((c.value -> 'latitude')) = 'null' or jsonb_typeof((c.value -> 'latitude')) = 'number') then 'type: latitude is not what the schema says.'
        when not c.is_deleted and (c.value -> 'longitude') is not null and not (jsonb_typeof((c.value -> 'longitude')) = 'null' or jsonb_typeof((c.value -> 'longitude')) = 'number') then 'type: longitude is not what the schema says.'
        when not c.is_deleted and (c.value -> 'status') is not null and not (jsonb_typeof((c.value -> 'status')) = 'string') then 'type: status is not what the schema says.'
        when not c.is_deleted and (c.value -> 'start_date') is not null and not (jsonb_typeof((c.value -> 'start_date')) = 'null' or case when jsonb_typeof((c.value -> 'start_date')) = 'string' then (c.value ->> 'start_date') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: start_date is not what the schema says.'
        when not c.is_deleted and (c.value -> 'end_date') is not null and not (jsonb_typeof((c.value -> 'end_date')) = 'null' or case when jsonb_typeof((c.value -> 'end_date')) = 'string' then (c.value ->> 'end_date') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: end_date is not what the schema says.'
        when not c.is_deleted and (c.value -> 'duration') is not null and not (jsonb_typeof((c.value -> 'duration')) = 'null' or jsonb_typeof((c.value -> 'duration')) = 'number') then 'type: duration is not what the schema says.'
        when not c.is_deleted and (c.value -> 'event_type') is not null and not (jsonb_typeof((c.value -> 'event_type')) = 'null' or jsonb_typeof((c.value -> 'event_type')) = 'string') then 'type: event_type is not what the schema says.'
        when not c.is_deleted and (c.value -> 'all_day') is not null and not (jsonb_typeof((c.value -> 'all_day')) = 'boolean') then 'type: all_day is not what the schema says.'
        when not c.is_deleted and (c.value -> 'notes') is not null and not (jsonb_typeof((c.value -> 'notes')) = 'null' or jsonb_typeof((c.value -> 'notes')) = 'string') then 'type: notes is not what the schema says.'
        when not c.is_deleted and (c.value -> 'team_member_ids') is not null and not (jsonb_typeof((c.value -> 'team_member_ids')) = 'array') then 'type: team_member_ids is not what the schema says.'
        when not c.is_deleted and (c.value -> 'created_at') is null then 'required: created_at is missing.'
        when not c.is_deleted and (c.value -> 'created_at') is not null and not (case when jsonb_typeof((c.value -> 'created_at')) = 'string' then (c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: created_at is not what the schema says.'
        when not c.is_deleted and (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
        when not c.is_deleted and (c.value -> 'updated_at') is not null and not (case when jsonb_typeof((c.value -> 'updated_at')) = 'string' then (c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: updated_at is not what the schema says.'
        when not c.is_deleted and (c.value -> 'deleted_at') is not null and not (jsonb_typeof((c.value -> 'deleted_at')) = 'null' or case when jsonb_typeof((c.value -> 'deleted_at')) = 'string' then (c.value ->> 'deleted_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: deleted_at is not what the schema says.'
        when octet_length(c.body::text) > 5000 and (select count(*) from jsonb_object_keys(case when jsonb_typeof(c.value) = 'object' then c.value else '{}' end) as m (name) where m.name <> all (array['address', 'all_day', 'client_id', 'company_id', 'created_at', 'deleted_at', 'duration', 'end_date', 'event_type', 'id', 'latitude', 'longitude', 'notes', 'start_date', 'status', 'team_member_ids', 'title', 'updated_at'])) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
        when (c.value ->> 'id') is distinct from c.key and not (c.is_deleted and (c.value ->> 'id') is null)
          then 'key: The key is not that of the body.'
      end as reason
    from unnest(changes) as c
    where c.entity = 'project'
  ) as f
  where f.reason is not null;
end
$$;

-- Stores versions of different records: their states, then their rows. What a trigger of yours makes of a row
-- becomes an edit of the server's on top.
create or replace function entitysync."project_write"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  alterations jsonb;
  alteration jsonb;
begin
  perform set_config('entitysync.writes', 'on', true);
  with valued as materialized (
    select c.lives as "$lives", c as "$change",
      (c.value ->> 'id') as "id",
      (c.value ->> 'company_id') as "company_id",
      (c.value ->> 'client_id') as "client_id",
      (c.value ->> 'title') as "title",
      (c.value ->> 'address') as "address",
      (c.value ->> 'latitude')::double precision as "latitude",
      (c.value ->> 'longitude')::double precision as "longitude",
      case when c.value -> 'status' is null then 'rfq'::text else (c.value ->> 'status') end as "status",
      (c.value ->> 'start_date')::timestamptz as "start_date",
      (c.value ->> 'end_date')::timestamptz as "end_date",
      (c.value ->> 'duration')::double precision as "duration",
      (c.value ->> 'event_type') as "event_type",
      case when c.value -> 'all_day' is null then 'false'::boolean else (c.value ->> 'all_day')::boolean end as "all_day",
      (c.value ->> 'notes') as "notes",
      case when c.value -> 'team_member_ids' is null then '[]'::jsonb else nullif(c.value -> 'team_member_ids', 'null') end as "team_member_ids",
      (c.value ->> 'created_at')::timestamptz as "created_at",
      (c.value ->> 'updated_at')::timestamptz as "updated_at",
      (c.value ->> 'deleted_at')::timestamptz as "deleted_at"
    from unnest(changes) as c
  ), wanted as materialized (
    select w.*,
      '{' || right(',"id":' || coalesce(to_json(w."id")::text, 'null')
          || ',"company_id":' || coalesce(to_json(w."company_id")::text, 'null')
          || ',"client_id":' || coalesce(to_json(w."client_id")::text, 'null')
          || ',"title":' || coalesce(to_json(w."title")::text, 'null')
          || ',"address":' || coalesce(to_json(w."address")::text, 'null')
          || ',"latitude":' || coalesce(to_json(w."latitude")::text, 'null')
          || ',"longitude":' || coalesce(to_json(w."longitude")::text, 'null')
          || ',"status":' || coalesce(to_json(w."status")::text, 'null')
          || ',"start_date":' || coalesce('"' || rtrim(rtrim(to_char(w."start_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"end_date":' || coalesce('"' || rtrim(rtrim(to_char(w."end_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"duration":' || coalesce(to_json(w."duration")::text, 'null')
          || ',"event_type":' || coalesce(to_json(w."event_type")::text, 'null')
          || coalesce(',"all_day":' || w."all_day"::text, '')
          || ',"notes":' || coalesce(to_json(w."notes")::text, 'null')
          || coalesce(',"team_member_ids":' || case when strpos(w."team_member_ids"::text, '\') > 0 then w."team_member_ids"::text else replace(w."team_member_ids"::text, '", "', '","') end, '')
          || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(w."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(w."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"deleted_at":' || coalesce('"' || rtrim(rtrim(to_char(w."deleted_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as "$json"
    from valued as w
  ), stored as materialized (
    select s.id, s.revision
    from entitysync.store(
      array(
        -- The body is left out where the row says the same.
        select row(
          (w."$change").position, (w."$change").id, (w."$change").entity, (w."$change").key, (w."$change").edit,
          (w."$change").sent, (w."$change").vector, (w."$change").base, false, null, (w."$change").detail,
          case
            when (w."$change").body::text is distinct from w."$json" then (w."$change").body
          end,
          (w."$change").lives, (w."$change").is_lowered, null
        )::entitysync.change
        from wanted as w
      )
    ) as s
  ), updated as (
    update "public"."projects" as "$t" set
      "company_id" = w."company_id",
      "client_id" = w."client_id",
      "title" = w."title",
      "address" = w."address",
      "latitude" = w."latitude",
      "longitude" = w."longitude",
      "status" = w."status",
      "start_date" = w."start_date",
      "end_date" = w."end_date",
      "duration" = w."duration",
      "event_type" = w."event_type",
      "all_day" = w."all_day",
      "notes" = w."notes",
      "team_member_ids" = w."team_member_ids",
      "created_at" = w."created_at",
      "updated_at" = w."updated_at",
      "deleted_at" = w."deleted_at"
    from wanted as w
    where "$t"."owner_id" = (select auth.uid()) and "$t"."id" = w."id"
    returning "$t" as "$row"
  ), inserted as (
    insert into "public"."projects" as "$t" ("id", "company_id", "client_id", "title", "address", "latitude", "longitude", "status", "start_date", "end_date", "duration", "event_type", "all_day", "notes", "team_member_ids", "created_at", "updated_at", "deleted_at", "owner_id")
    select w."id", w."company_id", w."client_id", w."title", w."address", w."latitude", w."longitude", w."status", w."start_date", w."end_date", w."duration", w."event_type", w."all_day", w."notes", w."team_member_ids", w."created_at", w."updated_at", w."deleted_at", (select auth.uid())
    from wanted as w
    where not exists (select from updated as t where (t."$row")."id" = w."id") and exists (select from stored)
    returning "$t" as "$row"
  ), written as (
    select * from updated union all select * from inserted
  )
  select
    array_agg(
      row((w."$change").position, (w."$change").id, 'accepted', null, null, s.revision, (w."$change").is_lowered, null)::entitysync.verdict
    ),
    jsonb_agg(jsonb_build_array((w."$change").key, entitysync."project_json"(t."$row"), w."$json"))
      filter (where ((t."$row")."id", (t."$row")."company_id", (t."$row")."client_id", (t."$row")."title", (t."$row")."address", (t."$row")."latitude", (t."$row")."longitude", (t."$row")."status", (t."$row")."start_date", (t."$row")."end_date", (t."$row")."duration", (t."$row")."event_type", (t."$row")."all_day", (t."$row")."notes", (t."$row")."team_member_ids", (t."$row")."created_at", (t."$row")."updated_at", (t."$row")."deleted_at") is distinct from (w."id", w."company_id", w."client_id", w."title", w."address", w."latitude", w."longitude", w."status", w."start_date", w."end_date", w."duration", w."event_type", w."all_day", w."notes", w."team_member_ids", w."created_at", w."updated_at", w."deleted_at"))
  into verdicts, alterations
  from wanted as w
  join stored as s on s.id = (w."$change").id
  join written as t on (t."$row")."id" = w."id";
  perform set_config('entitysync.writes', '', true);
  if coalesce(cardinality(verdicts), 0) < cardinality(changes) then
    raise insufficient_privilege using message = 'A row of the table could not be written.';
  end if;
  for alteration in select value from jsonb_array_elements(alterations) loop
    perform entitysync.note_alteration(
      'project', alteration ->> 0, (alteration ->> 1)::jsonb, (alteration ->> 2)::jsonb,
      '{"":"rest","created_at":"time","team_member_ids":"set","updated_at":"time"}'::jsonb, array['all_day', 'team_member_ids']
    );
  end loop;
  return verdicts;
end
$$;

-- Deletes records: stores their tombstones, then deletes their rows.
create or replace function entitysync."project_remove"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  removed integer;
begin
  select array_agg(
    row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered, null)::entitysync.verdict
  )
  into verdicts
  from entitysync.store(changes) as s
  join unnest(changes) as c on c.id = s.id;
  perform set_config('entitysync.writes', 'on', true);
  update "public"."projects" as t set "deleted_at" = coalesce((c.value ->> 'deleted_at')::timestamptz, now())
  from (select c.value, c.key::text as "$0" from unnest(changes) as c offset 0) as c
  where t."owner_id" = (select auth.uid()) and t."id" = c."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return verdicts;
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."project_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = ''
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
        (j.b ->> 'start_date')::timestamptz as "start_date",
        (j.b ->> 'end_date')::timestamptz as "end_date",
        (j.b ->> 'duration')::double precision as "duration",
        (j.b ->> 'event_type') as "event_type",
        case when j.b -> 'all_day' is null then 'false'::boolean else (j.b ->> 'all_day')::boolean end as "all_day",
        (j.b ->> 'notes') as "notes",
        case when j.b -> 'team_member_ids' is null then '[]'::jsonb else nullif(j.b -> 'team_member_ids', 'null') end as "team_member_ids",
        (j.b ->> 'created_at')::timestamptz as "created_at",
        (j.b ->> 'updated_at')::timestamptz as "updated_at",
        (j.b ->> 'deleted_at')::timestamptz as "deleted_at",
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

-- Every other write of a row is an edit of the server's device.
create or replace function entitysync."project_track"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  old_json jsonb;
  new_json jsonb;
  old_key text;
  new_key text;
begin
  if tg_op <> 'INSERT' then
    old_json := entitysync."project_json"(old)::jsonb;
    old_key := entitysync."project_key"(old);
  end if;
  if tg_op <> 'DELETE' then
    new_json := entitysync."project_json"(new)::jsonb;
    new_key := entitysync."project_key"(new);
  end if;
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and (old_key <> new_key or old."owner_id" is distinct from new."owner_id") then
    perform entitysync.note_edit(
      old."owner_id", 'project', old_key, null, old_json, true, null,
      '{"":"rest","created_at":"time","team_member_ids":"set","updated_at":"time"}'::jsonb, array['all_day', 'team_member_ids']
    );
    old_json := null;
  end if;
  if tg_op <> 'DELETE' and old_json is distinct from new_json then
    perform entitysync.note_edit(
      new."owner_id", 'project', new_key, new_json, old_json, new."deleted_at" is not null, new."updated_at",
      '{"":"rest","created_at":"time","team_member_ids":"set","updated_at":"time"}'::jsonb, array['all_day', 'team_member_ids']
    );
  end if;
  return null;
end
$$;

create or replace trigger entitysync_track after insert or update or delete on "public"."projects"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0) execute function entitysync."project_track"();
alter table "public"."projects" enable always trigger entitysync_track;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."project_touch"() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new."updated_at" is not distinct from old."updated_at" and new *<> old then
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."projects"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0)
  execute function entitysync."project_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."project_truncated"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform entitysync.note_edit(s.space, s.entity, s.key, null, null, true, null, null, '{}')
  from entitysync.state as s where s.entity = 'project' and not s.is_deleted;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."projects"
  for each statement execute function entitysync."project_truncated"();
alter table "public"."projects" enable always trigger entitysync_truncated;

-- Gives a state to each row that has none, such as rows from before EntitySync. Returns how many.
create or replace function entitysync."project_adopt"() returns bigint
language plpgsql
set search_path = ''
as $$
declare
  adopted bigint;
begin
  insert into entitysync.state (
    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector
  )
  select a.id, a.space, 'project', a.key, pg_current_xact_id(), a.number,
    entitysync.new_revision(a.number), (a.row)."deleted_at" is not null, a.edit, a.edit, a.device || ':' || a.number
  from (
    select n.*, n.time || '.' || n.device || '.' || n.number as edit
    from (
      select "$t" as row, "$t"."owner_id" as space, entitysync."project_key"("$t") as key,
        entitysync.record_id("$t"."owner_id", 'project', entitysync."project_key"("$t")) as id,
        entitysync.server_device("$t"."owner_id") as device,
        entitysync.microseconds(coalesce(least("$t"."updated_at", now()), now())) as time,
        nextval('entitysync.numbers') as number
      from "public"."projects" as "$t"
      where "$t"."owner_id" is not null
    ) as n
  ) as a
  where not exists (select from entitysync.state as s where s.id = a.id)
  on conflict (id) do nothing;
  get diagnostics adopted = row_count;
  return adopted;
end
$$;

revoke all on function entitysync."project_adopt"() from public, anon, authenticated;
do $$ begin perform entitysync."project_adopt"(); end $$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."project_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = ''
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

-- read-status ---------------------------------------------------------------------------------------------------------

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
create index if not exists "read_statuses_is_read_read_at_sync" on "public"."read_statuses" ("owner_id", "is_read", "read_at");
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
comment on table "public"."read_statuses" is 'Whether a person has read an article. Two devices that open the same link share one record.';
comment on column "public"."read_statuses"."link" is 'The article''s link, exactly as the feed gives it; any text identifies an article.';
comment on column "public"."read_statuses"."is_read" is 'Whether the article counts as read. Read on any device is read; marking it unread counts where that was known.';
comment on column "public"."read_statuses"."read_at" is 'When the article was last marked read; null while it is unread.';
comment on column "public"."read_statuses"."feed" is 'The feed that brought the article.';
comment on column "public"."read_statuses"."title" is 'The article''s headline.';
comment on column "public"."read_statuses"."created_at" is 'When the article was first seen.';
comment on column "public"."read_statuses"."updated_at" is 'When the record last changed.';

-- A row's key, and its value as devices write it.
create or replace function entitysync."read_status_key"(r "public"."read_statuses") returns text
language sql stable
set search_path = ''
as $$
  select r."link"::text
$$;

create or replace function entitysync."read_status_json"(r "public"."read_statuses") returns text
language sql stable
set search_path = ''
as $$
  select '{' || right(',"link":' || coalesce(to_json(r."link")::text, 'null')
    || ',"is_read":' || coalesce(r."is_read"::text, 'null')
    || ',"read_at":' || coalesce('"' || rtrim(rtrim(to_char(r."read_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"feed":' || coalesce(to_json(r."feed")::text, 'null')
    || ',"title":' || coalesce(to_json(r."title")::text, 'null')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}'
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."read_status_misfits"(entitysync.change[]);

-- Changes of the entity that do not fit the schema, with the rule and one sentence.
create or replace function entitysync."read_status_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id,
      case
        when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'
        when (select count(*) from json_object_keys(c.body)) <> (select count(*) from jsonb_object_keys(c.value)) then 'json: The body holds a member that stands twice in one object.'
        when not c.is_deleted and (c.value -> 'link') is null then 'required: link is missing.'
        when not c.is_deleted and (c.value -> 'link') is not null and not (jsonb_typeof((c.value -> 'link')) = 'string') then 'type: link is not what the schema says.'
        when not c.is_deleted and (c.value -> 'is_read') is null then 'required: is_read is missing.'
        when not c.is_deleted and (c.value -> 'is_read') is not null and not (jsonb_typeof((c.value -> 'is_read')) = 'boolean') then 'type: is_read is not what the schema says.'
        when not c.is_deleted and (c.value -> 'read_at') is not null and not (jsonb_typeof((c.value -> 'read_at')) = 'null' or case when jsonb_typeof((c.value -> 'read_at')) = 'string' then (c.value ->> 'read_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: read_at is not what the schema says.'
        when not c.is_deleted and (c.value -> 'feed') is not null and not (jsonb_typeof((c.value -> 'feed')) = 'null' or jsonb_typeof((c.value -> 'feed')) = 'string') then 'type: feed is not what the schema says.'
        when not c.is_deleted and (c.value -> 'title') is not null and not (jsonb_typeof((c.value -> 'title')) = 'null' or jsonb_typeof((c.value -> 'title')) = 'string') then 'type: title is not what the schema says.'
        when not c.is_deleted and (c.value -> 'created_at') is null then 'required: created_at is missing.'
        when not c.is_deleted and (c.value -> 'created_at') is not null and not (case when jsonb_typeof((c.value -> 'created_at')) = 'string' then (c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: created_at is not what the schema says.'
        when not c.is_deleted and (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
        when not c.is_deleted and (c.value -> 'updated_at') is not null and not (case when jsonb_typeof((c.value -> 'updated_at')) = 'string' then (c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: updated_at is not what the schema says.'
        when octet_length(c.body::text) > 5000 and (select count(*) from jsonb_object_keys(case when jsonb_typeof(c.value) = 'object' then c.value else '{}' end) as m (name) where m.name <> all (array['created_at', 'feed', 'is_read', 'link', 'read_at', 'title', 'updated_at'])) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
        when (c.value ->> 'link') is distinct from c.key and not (c.is_deleted and (c.value ->> 'link') is null)
          then 'key: The key is not that of the body.'
      end as reason
    from unnest(changes) as c
    where c.entity = 'read-status'
  ) as f
  where f.reason is not null;
end
$$;

-- Stores versions of different records: their states, then their rows. What a trigger of yours makes of a row
-- becomes an edit of the server's on top.
create or replace function entitysync."read_status_write"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  alterations jsonb;
  alteration jsonb;
begin
  perform set_config('entitysync.writes', 'on', true);
  with valued as materialized (
    select c.lives as "$lives", c as "$change",
      (c.value ->> 'link') as "link",
      (c.value ->> 'is_read')::boolean as "is_read",
      (c.value ->> 'read_at')::timestamptz as "read_at",
      (c.value ->> 'feed') as "feed",
      (c.value ->> 'title') as "title",
      (c.value ->> 'created_at')::timestamptz as "created_at",
      (c.value ->> 'updated_at')::timestamptz as "updated_at"
    from unnest(changes) as c
  ), wanted as materialized (
    select w.*,
      '{' || right(',"link":' || coalesce(to_json(w."link")::text, 'null')
          || ',"is_read":' || coalesce(w."is_read"::text, 'null')
          || ',"read_at":' || coalesce('"' || rtrim(rtrim(to_char(w."read_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"feed":' || coalesce(to_json(w."feed")::text, 'null')
          || ',"title":' || coalesce(to_json(w."title")::text, 'null')
          || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(w."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(w."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as "$json"
    from valued as w
  ), stored as materialized (
    select s.id, s.revision
    from entitysync.store(
      array(
        -- The body is left out where the row says the same.
        select row(
          (w."$change").position, (w."$change").id, (w."$change").entity, (w."$change").key, (w."$change").edit,
          (w."$change").sent, (w."$change").vector, (w."$change").base, false, null, (w."$change").detail,
          case
            when (w."$change").body::text is distinct from w."$json" then (w."$change").body
          end,
          (w."$change").lives, (w."$change").is_lowered, null
        )::entitysync.change
        from wanted as w
      )
    ) as s
  ), updated as (
    update "public"."read_statuses" as "$t" set
      "is_read" = w."is_read",
      "read_at" = w."read_at",
      "feed" = w."feed",
      "title" = w."title",
      "created_at" = w."created_at",
      "updated_at" = w."updated_at"
    from wanted as w
    where w."$lives" and "$t"."owner_id" = (select auth.uid()) and "$t"."link" = w."link"
    returning "$t" as "$row"
  ), inserted as (
    insert into "public"."read_statuses" as "$t" ("link", "is_read", "read_at", "feed", "title", "created_at", "updated_at", "owner_id")
    select w."link", w."is_read", w."read_at", w."feed", w."title", w."created_at", w."updated_at", (select auth.uid())
    from wanted as w
    where not exists (select from updated as t where (t."$row")."link" = w."link") and exists (select from stored)
    returning "$t" as "$row"
  ), written as (
    select * from updated union all select * from inserted
  )
  select
    array_agg(
      row((w."$change").position, (w."$change").id, 'accepted', null, null, s.revision, (w."$change").is_lowered, null)::entitysync.verdict
    ),
    jsonb_agg(jsonb_build_array((w."$change").key, entitysync."read_status_json"(t."$row"), w."$json"))
      filter (where ((t."$row")."link", (t."$row")."is_read", (t."$row")."read_at", (t."$row")."feed", (t."$row")."title", (t."$row")."created_at", (t."$row")."updated_at") is distinct from (w."link", w."is_read", w."read_at", w."feed", w."title", w."created_at", w."updated_at"))
  into verdicts, alterations
  from wanted as w
  join stored as s on s.id = (w."$change").id
  join written as t on (t."$row")."link" = w."link";
  perform set_config('entitysync.writes', '', true);
  if coalesce(cardinality(verdicts), 0) < cardinality(changes) then
    raise insufficient_privilege using message = 'A row of the table could not be written.';
  end if;
  for alteration in select value from jsonb_array_elements(alterations) loop
    perform entitysync.note_alteration(
      'read-status', alteration ->> 0, (alteration ->> 1)::jsonb, (alteration ->> 2)::jsonb,
      '{"":"rest","created_at":"time","feed":"field","is_read":"field","read_at":"field","title":"field","updated_at":"time"}'::jsonb, '{}'::text[]
    );
  end loop;
  return verdicts;
end
$$;

-- Deletes records: stores their tombstones, then deletes their rows.
create or replace function entitysync."read_status_remove"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  removed integer;
begin
  select array_agg(
    row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered, null)::entitysync.verdict
  )
  into verdicts
  from entitysync.store(changes) as s
  join unnest(changes) as c on c.id = s.id;
  perform set_config('entitysync.writes', 'on', true);
  delete from "public"."read_statuses" as t using (select c.value, c.key::text as "$0" from unnest(changes) as c offset 0) as c
  where t."owner_id" = (select auth.uid()) and t."link" = c."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return verdicts;
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."read_status_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = ''
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
        (j.b ->> 'read_at')::timestamptz as "read_at",
        (j.b ->> 'feed') as "feed",
        (j.b ->> 'title') as "title",
        (j.b ->> 'created_at')::timestamptz as "created_at",
        (j.b ->> 'updated_at')::timestamptz as "updated_at",
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

-- Every other write of a row is an edit of the server's device.
create or replace function entitysync."read_status_track"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  old_json jsonb;
  new_json jsonb;
  old_key text;
  new_key text;
begin
  if tg_op <> 'INSERT' then
    old_json := entitysync."read_status_json"(old)::jsonb;
    old_key := entitysync."read_status_key"(old);
  end if;
  if tg_op <> 'DELETE' then
    new_json := entitysync."read_status_json"(new)::jsonb;
    new_key := entitysync."read_status_key"(new);
  end if;
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and (old_key <> new_key or old."owner_id" is distinct from new."owner_id") then
    perform entitysync.note_edit(
      old."owner_id", 'read-status', old_key, null, old_json, true, null,
      '{"":"rest","created_at":"time","feed":"field","is_read":"field","read_at":"field","title":"field","updated_at":"time"}'::jsonb, '{}'::text[]
    );
    old_json := null;
  end if;
  if tg_op <> 'DELETE' and old_json is distinct from new_json then
    perform entitysync.note_edit(
      new."owner_id", 'read-status', new_key, new_json, old_json, false, new."updated_at",
      '{"":"rest","created_at":"time","feed":"field","is_read":"field","read_at":"field","title":"field","updated_at":"time"}'::jsonb, '{}'::text[]
    );
  end if;
  return null;
end
$$;

create or replace trigger entitysync_track after insert or update or delete on "public"."read_statuses"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0) execute function entitysync."read_status_track"();
alter table "public"."read_statuses" enable always trigger entitysync_track;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."read_status_touch"() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new."updated_at" is not distinct from old."updated_at" and new *<> old then
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."read_statuses"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0)
  execute function entitysync."read_status_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."read_status_truncated"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform entitysync.note_edit(s.space, s.entity, s.key, null, null, true, null, null, '{}')
  from entitysync.state as s where s.entity = 'read-status' and not s.is_deleted;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."read_statuses"
  for each statement execute function entitysync."read_status_truncated"();
alter table "public"."read_statuses" enable always trigger entitysync_truncated;

-- Gives a state to each row that has none, such as rows from before EntitySync. Returns how many.
create or replace function entitysync."read_status_adopt"() returns bigint
language plpgsql
set search_path = ''
as $$
declare
  adopted bigint;
begin
  insert into entitysync.state (
    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector
  )
  select a.id, a.space, 'read-status', a.key, pg_current_xact_id(), a.number,
    entitysync.new_revision(a.number), false, a.edit, a.edit, a.device || ':' || a.number
  from (
    select n.*, n.time || '.' || n.device || '.' || n.number as edit
    from (
      select "$t" as row, "$t"."owner_id" as space, entitysync."read_status_key"("$t") as key,
        entitysync.record_id("$t"."owner_id", 'read-status', entitysync."read_status_key"("$t")) as id,
        entitysync.server_device("$t"."owner_id") as device,
        entitysync.microseconds(coalesce(least("$t"."updated_at", now()), now())) as time,
        nextval('entitysync.numbers') as number
      from "public"."read_statuses" as "$t"
      where "$t"."owner_id" is not null
    ) as n
  ) as a
  where not exists (select from entitysync.state as s where s.id = a.id)
  on conflict (id) do nothing;
  get diagnostics adopted = row_count;
  return adopted;
end
$$;

revoke all on function entitysync."read_status_adopt"() from public, anon, authenticated;
do $$ begin perform entitysync."read_status_adopt"(); end $$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."read_status_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = ''
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

-- transaction ---------------------------------------------------------------------------------------------------------

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
create index if not exists "transactions_date_sync" on "public"."transactions" ("entitysync_owner_id", "date");
create index if not exists "transactions_owner_id_date_sync" on "public"."transactions" ("entitysync_owner_id", "owner_id", "date");
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

-- A row's key, and its value as devices write it.
create or replace function entitysync."transaction_key"(r "public"."transactions") returns text
language sql stable
set search_path = ''
as $$
  select r."id"::text
$$;

create or replace function entitysync."transaction_json"(r "public"."transactions") returns text
language sql stable
set search_path = ''
as $$
  select '{' || right(',"id":' || coalesce(to_json(r."id")::text, 'null')
    || ',"owner_id":' || coalesce(to_json(r."owner_id")::text, 'null')
    || ',"payee":' || coalesce(to_json(r."payee")::text, 'null')
    || ',"amount":' || coalesce('"' || trim_scale(r."amount") || '"', 'null')
    || ',"currency":' || coalesce(to_json(r."currency")::text, 'null')
    || ',"date":' || coalesce(to_json(r."date")::text, 'null')
    || ',"category":' || coalesce(to_json(r."category")::text, 'null')
    || ',"note":' || coalesce(to_json(r."note")::text, 'null')
    || coalesce(',"splits":' || r."splits"::text, '')
    || coalesce(',"payers":' || r."payers"::text, '')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(r."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(r."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}'
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync."transaction_misfits"(entitysync.change[]);

-- Changes of the entity that do not fit the schema, with the rule and one sentence.
create or replace function entitysync."transaction_misfits"(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  select f.position, f.id, f.reason
  from (
    select c.position, c.id,
      case
        when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'
        when entitysync.has_repeated_member(c.body, '{"payers":[{}],"splits":[{}]}'::jsonb) then 'json: The body holds a member that stands twice in one object.'
        when not c.is_deleted and (c.value -> 'id') is null then 'required: id is missing.'
        when not c.is_deleted and (c.value -> 'id') is not null and not (case when jsonb_typeof((c.value -> 'id')) = 'string' then (c.value ->> 'id') like '________-____-____-____-____________' and (c.value ->> 'id') ~ '^[0-9a-fA-F]+(-[0-9a-fA-F]+){4}$' else false end) then 'type: id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'owner_id') is null then 'required: owner_id is missing.'
        when not c.is_deleted and (c.value -> 'owner_id') is not null and not (jsonb_typeof((c.value -> 'owner_id')) = 'string') then 'type: owner_id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'payee') is not null and not (jsonb_typeof((c.value -> 'payee')) = 'null' or jsonb_typeof((c.value -> 'payee')) = 'string') then 'type: payee is not what the schema says.'
        when not c.is_deleted and (c.value -> 'amount') is null then 'required: amount is missing.'
        when not c.is_deleted and (c.value -> 'amount') is not null and not (case when jsonb_typeof((c.value -> 'amount')) = 'string' then (c.value ->> 'amount') ~ '^-?\d+(\.\d+)?$' else false end) then 'type: amount is not what the schema says.'
        when not c.is_deleted and (c.value -> 'currency') is null then 'required: currency is missing.'
        when not c.is_deleted and (c.value -> 'currency') is not null and not (jsonb_typeof((c.value -> 'currency')) = 'string') then 'type: currency is not what the schema says.'
        when not c.is_deleted and (c.value -> 'date') is null then 'required: date is missing.'
        when not c.is_deleted and (c.value -> 'date') is not null and not (case when jsonb_typeof((c.value -> 'date')) = 'string' then (c.value ->> 'date') ~ '^\d{4}-\d\d-\d\d$' else false end) then 'type: date is not what the schema says.'
        when not c.is_deleted and (c.value -> 'category') is not null and not (jsonb_typeof((c.value -> 'category')) = 'null' or jsonb_typeof((c.value -> 'category')) = 'string') then 'type: category is not what the schema says.'
        when not c.is_deleted and (c.value -> 'note') is not null and not (jsonb_typeof((c.value -> 'note')) = 'null' or jsonb_typeof((c.value -> 'note')) = 'string') then 'type: note is not what the schema says.'
        when not c.is_deleted and (c.value -> 'splits') is not null and not (jsonb_typeof((c.value -> 'splits')) = 'array') then 'type: splits is not what the schema says.'
        when not c.is_deleted and (c.value -> 'payers') is not null and not (jsonb_typeof((c.value -> 'payers')) = 'array') then 'type: payers is not what the schema says.'
        when not c.is_deleted and (c.value -> 'created_at') is null then 'required: created_at is missing.'
        when not c.is_deleted and (c.value -> 'created_at') is not null and not (case when jsonb_typeof((c.value -> 'created_at')) = 'string' then (c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: created_at is not what the schema says.'
        when not c.is_deleted and (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
        when not c.is_deleted and (c.value -> 'updated_at') is not null and not (case when jsonb_typeof((c.value -> 'updated_at')) = 'string' then (c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: updated_at is not what the schema says.'
        when octet_length(c.body::text) > 5000 and (select count(*) from jsonb_object_keys(case when jsonb_typeof(c.value) = 'object' then c.value else '{}' end) as m (name) where m.name <> all (array['amount', 'category', 'created_at', 'currency', 'date', 'id', 'note', 'owner_id', 'payee', 'payers', 'splits', 'updated_at'])) > 1000
          then 'members: The record has more than 1000 members that its schema does not know.'
        when (c.value ->> 'id') is distinct from c.key and not (c.is_deleted and (c.value ->> 'id') is null)
          then 'key: The key is not that of the body.'
      end as reason
    from unnest(changes) as c
    where c.entity = 'transaction'
  ) as f
  where f.reason is not null;
end
$$;

-- Stores versions of different records: their states, then their rows. What a trigger of yours makes of a row
-- becomes an edit of the server's on top.
create or replace function entitysync."transaction_write"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  alterations jsonb;
  alteration jsonb;
begin
  perform set_config('entitysync.writes', 'on', true);
  with valued as materialized (
    select c.lives as "$lives", c as "$change",
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
      (c.value ->> 'created_at')::timestamptz as "created_at",
      (c.value ->> 'updated_at')::timestamptz as "updated_at"
    from unnest(changes) as c
  ), wanted as materialized (
    select w.*,
      '{' || right(',"id":' || coalesce(to_json(w."id")::text, 'null')
          || ',"owner_id":' || coalesce(to_json(w."owner_id")::text, 'null')
          || ',"payee":' || coalesce(to_json(w."payee")::text, 'null')
          || ',"amount":' || coalesce('"' || trim_scale(w."amount") || '"', 'null')
          || ',"currency":' || coalesce(to_json(w."currency")::text, 'null')
          || ',"date":' || coalesce(to_json(w."date")::text, 'null')
          || ',"category":' || coalesce(to_json(w."category")::text, 'null')
          || ',"note":' || coalesce(to_json(w."note")::text, 'null')
          || coalesce(',"splits":' || w."splits"::text, '')
          || coalesce(',"payers":' || w."payers"::text, '')
          || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(w."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(w."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as "$json"
    from valued as w
  ), stored as materialized (
    select s.id, s.revision
    from entitysync.store(
      array(
        -- The body is left out where the row says the same.
        select row(
          (w."$change").position, (w."$change").id, (w."$change").entity, (w."$change").key, (w."$change").edit,
          (w."$change").sent, (w."$change").vector, (w."$change").base, false, null, (w."$change").detail,
          case
            when (w."$change").body::text is distinct from w."$json" then (w."$change").body
          end,
          (w."$change").lives, (w."$change").is_lowered, null
        )::entitysync.change
        from wanted as w
      )
    ) as s
  ), updated as (
    update "public"."transactions" as "$t" set
      "owner_id" = w."owner_id",
      "payee" = w."payee",
      "amount" = w."amount",
      "currency" = w."currency",
      "date" = w."date",
      "category" = w."category",
      "note" = w."note",
      "splits" = w."splits",
      "payers" = w."payers",
      "created_at" = w."created_at",
      "updated_at" = w."updated_at"
    from wanted as w
    where w."$lives" and "$t"."entitysync_owner_id" = (select auth.uid()) and "$t"."id" = w."id"
    returning "$t" as "$row"
  ), inserted as (
    insert into "public"."transactions" as "$t" ("id", "owner_id", "payee", "amount", "currency", "date", "category", "note", "splits", "payers", "created_at", "updated_at", "entitysync_owner_id")
    select w."id", w."owner_id", w."payee", w."amount", w."currency", w."date", w."category", w."note", w."splits", w."payers", w."created_at", w."updated_at", (select auth.uid())
    from wanted as w
    where not exists (select from updated as t where (t."$row")."id" = w."id") and exists (select from stored)
    returning "$t" as "$row"
  ), written as (
    select * from updated union all select * from inserted
  )
  select
    array_agg(
      row((w."$change").position, (w."$change").id, 'accepted', null, null, s.revision, (w."$change").is_lowered, null)::entitysync.verdict
    ),
    jsonb_agg(jsonb_build_array((w."$change").key, entitysync."transaction_json"(t."$row"), w."$json"))
      filter (where ((t."$row")."id", (t."$row")."owner_id", (t."$row")."payee", (t."$row")."amount", (t."$row")."currency", (t."$row")."date", (t."$row")."category", (t."$row")."note", (t."$row")."splits", (t."$row")."payers", (t."$row")."created_at", (t."$row")."updated_at") is distinct from (w."id", w."owner_id", w."payee", w."amount", w."currency", w."date", w."category", w."note", w."splits", w."payers", w."created_at", w."updated_at"))
  into verdicts, alterations
  from wanted as w
  join stored as s on s.id = (w."$change").id
  join written as t on (t."$row")."id" = w."id";
  perform set_config('entitysync.writes', '', true);
  if coalesce(cardinality(verdicts), 0) < cardinality(changes) then
    raise insufficient_privilege using message = 'A row of the table could not be written.';
  end if;
  for alteration in select value from jsonb_array_elements(alterations) loop
    perform entitysync.note_alteration(
      'transaction', alteration ->> 0, (alteration ->> 1)::jsonb, (alteration ->> 2)::jsonb,
      null, array['splits', 'payers']
    );
  end loop;
  return verdicts;
end
$$;

-- Deletes records: stores their tombstones, then deletes their rows.
create or replace function entitysync."transaction_remove"(changes entitysync.change[]) returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  verdicts entitysync.verdict[];
  removed integer;
begin
  select array_agg(
    row(c.position, c.id, 'accepted', null, null, s.revision, c.is_lowered, null)::entitysync.verdict
  )
  into verdicts
  from entitysync.store(changes) as s
  join unnest(changes) as c on c.id = s.id;
  perform set_config('entitysync.writes', 'on', true);
  delete from "public"."transactions" as t using (select c.value, c.key::uuid as "$0" from unnest(changes) as c offset 0) as c
  where t."entitysync_owner_id" = (select auth.uid()) and t."id" = c."$0";
  get diagnostics removed = row_count;
  perform set_config('entitysync.writes', '', true);
  if removed < (select count(*) from unnest(changes) as c where c.lives) then
    raise insufficient_privilege using message = 'A row of the table could not be deleted.';
  end if;
  return verdicts;
end
$$;

-- The key of a record that has the same values as a change, by a unique index; null if the caller may see none.
create or replace function entitysync."transaction_other"(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = ''
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
        (j.b ->> 'created_at')::timestamptz as "created_at",
        (j.b ->> 'updated_at')::timestamptz as "updated_at",
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

-- Every other write of a row is an edit of the server's device.
create or replace function entitysync."transaction_track"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  old_json jsonb;
  new_json jsonb;
  old_key text;
  new_key text;
begin
  if tg_op <> 'INSERT' then
    old_json := entitysync."transaction_json"(old)::jsonb;
    old_key := entitysync."transaction_key"(old);
  end if;
  if tg_op <> 'DELETE' then
    new_json := entitysync."transaction_json"(new)::jsonb;
    new_key := entitysync."transaction_key"(new);
  end if;
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and (old_key <> new_key or old."entitysync_owner_id" is distinct from new."entitysync_owner_id") then
    perform entitysync.note_edit(
      old."entitysync_owner_id", 'transaction', old_key, null, old_json, true, null,
      null, array['splits', 'payers']
    );
    old_json := null;
  end if;
  if tg_op <> 'DELETE' and old_json is distinct from new_json then
    perform entitysync.note_edit(
      new."entitysync_owner_id", 'transaction', new_key, new_json, old_json, false, new."updated_at",
      null, array['splits', 'payers']
    );
  end if;
  return null;
end
$$;

create or replace trigger entitysync_track after insert or update or delete on "public"."transactions"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0) execute function entitysync."transaction_track"();
alter table "public"."transactions" enable always trigger entitysync_track;

-- Sets the time of the last change for programs that forget it.
create or replace function entitysync."transaction_touch"() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new."updated_at" is not distinct from old."updated_at" and new *<> old then
    new."updated_at" := greatest(clock_timestamp(), old."updated_at" + interval '1 microsecond');
  end if;
  return new;
end
$$;

create or replace trigger entitysync_touch before update on "public"."transactions"
  for each row when (coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0)
  execute function entitysync."transaction_touch"();

-- TRUNCATE deletes every record.
create or replace function entitysync."transaction_truncated"() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform entitysync.note_edit(s.space, s.entity, s.key, null, null, true, null, null, '{}')
  from entitysync.state as s where s.entity = 'transaction' and not s.is_deleted;
  return null;
end
$$;

create or replace trigger entitysync_truncated after truncate on "public"."transactions"
  for each statement execute function entitysync."transaction_truncated"();
alter table "public"."transactions" enable always trigger entitysync_truncated;

-- Gives a state to each row that has none, such as rows from before EntitySync. Returns how many.
create or replace function entitysync."transaction_adopt"() returns bigint
language plpgsql
set search_path = ''
as $$
declare
  adopted bigint;
begin
  insert into entitysync.state (
    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector
  )
  select a.id, a.space, 'transaction', a.key, pg_current_xact_id(), a.number,
    entitysync.new_revision(a.number), false, a.edit, a.edit, a.device || ':' || a.number
  from (
    select n.*, n.time || '.' || n.device || '.' || n.number as edit
    from (
      select "$t" as row, "$t"."entitysync_owner_id" as space, entitysync."transaction_key"("$t") as key,
        entitysync.record_id("$t"."entitysync_owner_id", 'transaction', entitysync."transaction_key"("$t")) as id,
        entitysync.server_device("$t"."entitysync_owner_id") as device,
        entitysync.microseconds(coalesce(least("$t"."updated_at", now()), now())) as time,
        nextval('entitysync.numbers') as number
      from "public"."transactions" as "$t"
      where "$t"."entitysync_owner_id" is not null
    ) as n
  ) as a
  where not exists (select from entitysync.state as s where s.id = a.id)
  on conflict (id) do nothing;
  get diagnostics adopted = row_count;
  return adopted;
end
$$;

revoke all on function entitysync."transaction_adopt"() from public, anon, authenticated;
do $$ begin perform entitysync."transaction_adopt"(); end $$;

-- How many rows have no state, how many states no row, and how many rows no owner.
create or replace function entitysync."transaction_compare"()
returns table (without_state bigint, without_row bigint, without_owner bigint)
language sql stable
set search_path = ''
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

-- All entities --------------------------------------------------------------------------------------------------------

-- The names of the entities.
create or replace function entitysync.known_entities() returns text[]
language sql immutable
set search_path = ''
as $$
  select array['bookmark', 'project', 'read-status', 'transaction']
$$;

-- What the database should have for them, for entitysync.doctor().
create or replace function entitysync.expected() returns json
language sql immutable
set search_path = ''
as $$
  select '[{"entity":"bookmark","table":"\"public\".\"bookmarks\"","owner":"owner_id","columns":{"id":"uuid","user_id":"text","surah_number":"bigint","verse_number":"bigint","surah_name":"text","verse_text":"text","verse_translation":"text","notes":"text","tags":"jsonb","created_at":"timestamptz","updated_at":"timestamptz","owner_id":"uuid"},"unique":[["user_id","surah_number","verse_number"]],"compare":"bookmark_compare","adopt":"bookmark_adopt"},{"entity":"project","table":"\"public\".\"projects\"","owner":"owner_id","columns":{"id":"text","company_id":"text","client_id":"text","title":"text","address":"text","latitude":"double precision","longitude":"double precision","status":"text","start_date":"timestamptz","end_date":"timestamptz","duration":"double precision","event_type":"text","all_day":"boolean","notes":"text","team_member_ids":"jsonb","created_at":"timestamptz","updated_at":"timestamptz","deleted_at":"timestamptz","owner_id":"uuid"},"unique":[],"compare":"project_compare","adopt":"project_adopt"},{"entity":"read-status","table":"\"public\".\"read_statuses\"","owner":"owner_id","columns":{"link":"text","is_read":"boolean","read_at":"timestamptz","feed":"text","title":"text","created_at":"timestamptz","updated_at":"timestamptz","owner_id":"uuid"},"unique":[],"compare":"read_status_compare","adopt":"read_status_adopt"},{"entity":"transaction","table":"\"public\".\"transactions\"","owner":"entitysync_owner_id","columns":{"id":"uuid","owner_id":"text","payee":"text","amount":"numeric","currency":"text","date":"date","category":"text","note":"text","splits":"jsonb","payers":"jsonb","created_at":"timestamptz","updated_at":"timestamptz","entitysync_owner_id":"uuid"},"unique":[],"compare":"transaction_compare","adopt":"transaction_adopt"}]'::json
$$;

-- The member that says when a record of the entity last changed; null if there is none.
create or replace function entitysync.updated_member(entity text) returns text
language sql immutable
set search_path = ''
as $$
  select case entity
    when 'bookmark' then 'updated_at'
    when 'project' then 'updated_at'
    when 'read-status' then 'updated_at'
    when 'transaction' then 'updated_at'
  end
$$;

-- Until 1.0.0 it gave no `id`.
drop function if exists entitysync.misfits(entitysync.change[]);

-- Changes that do not fit their schema, with the rule and one sentence.
create or replace function entitysync.misfits(changes entitysync.change[])
returns table ("position" integer, id uuid, reason text)
language plpgsql stable
set search_path = ''
as $$
declare
  present text[] := array(select distinct c.entity from unnest(changes) as c);
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

-- Stores changes of different records: upserts with parents first, then deletes with children first.
create or replace function entitysync.write_changes(changes entitysync.change[])
returns entitysync.verdict[]
language plpgsql
set search_path = ''
as $$
declare
  part entitysync.change[];
  verdicts entitysync.verdict[] := '{}';
begin
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'bookmark' and not c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."bookmark_write"(part);
  end if;
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'project' and not c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."project_write"(part);
  end if;
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'read-status' and not c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."read_status_write"(part);
  end if;
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'transaction' and not c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."transaction_write"(part);
  end if;
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'transaction' and c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."transaction_remove"(part);
  end if;
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'read-status' and c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."read_status_remove"(part);
  end if;
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'project' and c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."project_remove"(part);
  end if;
  part := array(
    select c from unnest(changes) as c
    where c.entity = 'bookmark' and c.is_deleted
  );
  if cardinality(part) > 0 then
    verdicts := verdicts || entitysync."bookmark_remove"(part);
  end if;
  return verdicts;
end
$$;

-- The key of a record that has the same values as a change, according to a unique index of its table.
create or replace function entitysync.other_record(change entitysync.change, index text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  case (change).entity
    when 'bookmark' then return entitysync."bookmark_other"(change, index);
    when 'project' then return entitysync."project_other"(change, index);
    when 'read-status' then return entitysync."read_status_other"(change, index);
    when 'transaction' then return entitysync."transaction_other"(change, index);
  end case;
end
$$;

-- Until 1.0.0 these read the states once more.
drop function if exists entitysync.entries(uuid[]);
drop function if exists entitysync.bodies(uuid[]);

-- Records as entries of protocol v1, in the order of their states. The body is the state's; if it has none, it
-- is what the row says.
create or replace function entitysync.entries(states entitysync.state[])
returns table (id uuid, revision text, entry text)
language plpgsql stable
set search_path = ''
-- A session keeps the plan, also one from when a table was empty: it shall be the one by the keys.
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query
  select m.id, m.revision,
    '{"revision":"' || m.revision || '","entity":' || to_json(m.entity) || ',"key":' || to_json(m.key)
      || ',"mark":"' || m.edit || '","vector":"' || m.vector || '"'
      || case when m.is_deleted then ',"deleted":true' else '' end
      || coalesce(',"merged":' || to_json(m.merged_into), '') || coalesce(',"detail":' || m.detail, '')
      || ',"body":'
      || coalesce(
        m.body::text, r.body, case when m.is_deleted then '{}' else entitysync.hidden_body(m.entity) end
      ) || '}'
  from (
    -- NB: the keys are cast here. Below, a cast could tell what policies hide, so that PostgreSQL would not
    -- search a table with policies by its key.
    select s.*,
      case when s.entity = 'bookmark' and s.body is null then s.key::uuid end as "$0.0",
      case when s.entity = 'project' and s.body is null then s.key::text end as "$1.0",
      case when s.entity = 'read-status' and s.body is null then s.key::text end as "$2.0",
      case when s.entity = 'transaction' and s.body is null then s.key::uuid end as "$3.0"
    from unnest(states) with ordinality as s
    offset 0
  ) as m
  left join lateral (
    select '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
    || ',"user_id":' || coalesce(to_json("$t"."user_id")::text, 'null')
    || ',"surah_number":' || coalesce("$t"."surah_number"::text, 'null')
    || ',"verse_number":' || coalesce("$t"."verse_number"::text, 'null')
    || coalesce(',"surah_name":' || to_json("$t"."surah_name")::text, '')
    || coalesce(',"verse_text":' || to_json("$t"."verse_text")::text, '')
    || coalesce(',"verse_translation":' || to_json("$t"."verse_translation")::text, '')
    || ',"notes":' || coalesce(to_json("$t"."notes")::text, 'null')
    || coalesce(',"tags":' || case when strpos("$t"."tags"::text, '\') > 0 then "$t"."tags"::text else replace("$t"."tags"::text, '", "', '","') end, '')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as body
    from "public"."bookmarks" as "$t"
    where m.entity = 'bookmark' and m.body is null
      and "$t"."owner_id" = (select auth.uid()) and "$t"."id" = m."$0.0"
    union all
    select '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
    || ',"company_id":' || coalesce(to_json("$t"."company_id")::text, 'null')
    || ',"client_id":' || coalesce(to_json("$t"."client_id")::text, 'null')
    || ',"title":' || coalesce(to_json("$t"."title")::text, 'null')
    || ',"address":' || coalesce(to_json("$t"."address")::text, 'null')
    || ',"latitude":' || coalesce(to_json("$t"."latitude")::text, 'null')
    || ',"longitude":' || coalesce(to_json("$t"."longitude")::text, 'null')
    || ',"status":' || coalesce(to_json("$t"."status")::text, 'null')
    || ',"start_date":' || coalesce('"' || rtrim(rtrim(to_char("$t"."start_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"end_date":' || coalesce('"' || rtrim(rtrim(to_char("$t"."end_date" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"duration":' || coalesce(to_json("$t"."duration")::text, 'null')
    || ',"event_type":' || coalesce(to_json("$t"."event_type")::text, 'null')
    || coalesce(',"all_day":' || "$t"."all_day"::text, '')
    || ',"notes":' || coalesce(to_json("$t"."notes")::text, 'null')
    || coalesce(',"team_member_ids":' || case when strpos("$t"."team_member_ids"::text, '\') > 0 then "$t"."team_member_ids"::text else replace("$t"."team_member_ids"::text, '", "', '","') end, '')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"deleted_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."deleted_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as body
    from "public"."projects" as "$t"
    where m.entity = 'project' and m.body is null
      and "$t"."owner_id" = (select auth.uid()) and "$t"."id" = m."$1.0"
    union all
    select '{' || right(',"link":' || coalesce(to_json("$t"."link")::text, 'null')
    || ',"is_read":' || coalesce("$t"."is_read"::text, 'null')
    || ',"read_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."read_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"feed":' || coalesce(to_json("$t"."feed")::text, 'null')
    || ',"title":' || coalesce(to_json("$t"."title")::text, 'null')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as body
    from "public"."read_statuses" as "$t"
    where m.entity = 'read-status' and m.body is null
      and "$t"."owner_id" = (select auth.uid()) and "$t"."link" = m."$2.0"
    union all
    select '{' || right(',"id":' || coalesce(to_json("$t"."id")::text, 'null')
    || ',"owner_id":' || coalesce(to_json("$t"."owner_id")::text, 'null')
    || ',"payee":' || coalesce(to_json("$t"."payee")::text, 'null')
    || ',"amount":' || coalesce('"' || trim_scale("$t"."amount") || '"', 'null')
    || ',"currency":' || coalesce(to_json("$t"."currency")::text, 'null')
    || ',"date":' || coalesce(to_json("$t"."date")::text, 'null')
    || ',"category":' || coalesce(to_json("$t"."category")::text, 'null')
    || ',"note":' || coalesce(to_json("$t"."note")::text, 'null')
    || coalesce(',"splits":' || "$t"."splits"::text, '')
    || coalesce(',"payers":' || "$t"."payers"::text, '')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."updated_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as body
    from "public"."transactions" as "$t"
    where m.entity = 'transaction' and m.body is null
      and "$t"."entitysync_owner_id" = (select auth.uid()) and "$t"."id" = m."$3.0"
    offset 0
  ) as r on true
  order by m.ordinality;
end
$$;

-- Removes all rows of a space and everything that is known of it, as if it had never been.
create or replace function entitysync.empty(p_space uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(p_space::text, 7316));
  perform set_config('entitysync.writes', 'on', true);
  delete from "public"."transactions" as t where t."entitysync_owner_id" = p_space;
  delete from "public"."read_statuses" as t where t."owner_id" = p_space;
  delete from "public"."projects" as t where t."owner_id" = p_space;
  delete from "public"."bookmarks" as t where t."owner_id" = p_space;
  perform set_config('entitysync.writes', '', true);
  perform entitysync.erase(p_space);
end
$$;

-- Rights ----------------------------------------------------------------------------------------------------------
--
-- Everybody sees only what belongs to the own space, and writes nothing but through the exchange.

do $$
declare
  name text;
begin
  foreach name in array array['space', 'device', 'state', 'fingerprint'] loop
    execute format('drop policy if exists own on entitysync.%I', name);
  end loop;
end
$$;

create policy own on entitysync.space for select to authenticated
  using (id = (select entitysync.my_space()));
create policy own on entitysync.device for select to authenticated
  using (space = (select entitysync.my_space()));
-- NB: «is not distinct from» is a condition that no index serves. Records are looked up by id alone (see state_feed).
create policy own on entitysync.state for select to authenticated
  using (space is not distinct from (select entitysync.my_space()));

revoke all on all tables in schema entitysync from public, anon, authenticated, service_role;
revoke all on all sequences in schema entitysync from public, anon, authenticated, service_role;
grant select on entitysync.space, entitysync.device, entitysync.state to authenticated;

-- Functions for operators, and those that triggers call.
do $$
declare
  called regprocedure;
begin
  revoke all on all functions in schema entitysync from public, anon, authenticated, service_role;
  for called in
    select p.oid::regprocedure from pg_proc as p
    where p.pronamespace = 'entitysync'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in (
        'note_edit', 'renumber', 'purge', 'purge_older', 'remove_tombstones', 'next_with_tombstones', 'erase', 'empty',
        'open_scratch', 'restart_scratch', 'remove_scratch', 'doctor'
      ) and p.proname !~ '_(adopt|compare)$'
  loop
    execute format('grant execute on function %s to authenticated', called);
  end loop;
end
$$;

revoke all on function public.entitysync_exchange(json) from public, anon;
grant execute on function public.entitysync_exchange(json) to authenticated;

commit;
