begin;
set local check_function_bodies = off;
set local client_min_messages = warning;

-- EntitySync: the tables of your entities, and what keeps them in sync.
--
-- Generated from the schemas; apply after 10-entitysync.sql. Applying it again changes nothing.

-- bookmark ------------------------------------------------------------------------------------------------------------

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
    || ',"surah_name":' || coalesce(to_json(r."surah_name")::text, 'null')
    || ',"verse_text":' || coalesce(to_json(r."verse_text")::text, 'null')
    || ',"verse_translation":' || coalesce(to_json(r."verse_translation")::text, 'null')
    || coalesce(',"notes":' || to_json(r."notes")::text, '')
    || coalesce(',"tags":' || to_json(r."tags")::text, '')
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(r."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(r."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}'
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
        when not c.is_deleted and (c.value -> 'user_id') is not null and not (case when jsonb_typeof((c.value -> 'user_id')) = 'string' then (c.value ->> 'user_id') like '________-____-____-____-____________' and (c.value ->> 'user_id') ~ '^[0-9a-fA-F]+(-[0-9a-fA-F]+){4}$' else false end) then 'type: user_id is not what the schema says.'
        when not c.is_deleted and (c.value -> 'surah_number') is null then 'required: surah_number is missing.'
        when not c.is_deleted and (c.value -> 'surah_number') is not null and not (case when jsonb_typeof((c.value -> 'surah_number')) = 'number' then (c.value ->> 'surah_number')::numeric % 1 = 0 else false end) then 'type: surah_number is not what the schema says.'
        when not c.is_deleted and (c.value -> 'verse_number') is null then 'required: verse_number is missing.'
        when not c.is_deleted and (c.value -> 'verse_number') is not null and not (case when jsonb_typeof((c.value -> 'verse_number')) = 'number' then (c.value ->> 'verse_number')::numeric % 1 = 0 else false end) then 'type: verse_number is not what the schema says.'
        when not c.is_deleted and (c.value -> 'surah_name') is null then 'required: surah_name is missing.'
        when not c.is_deleted and (c.value -> 'surah_name') is not null and not (jsonb_typeof((c.value -> 'surah_name')) = 'string') then 'type: surah_name is not what the schema says.'
        when not c.is_deleted and (c.value -> 'verse_text') is null then 'required: verse_text is missing.'
        when not c.is_deleted and (c.value -> 'verse_text') is not null and not (jsonb_typeof((c.value -> 'verse_text')) = 'string') then 'type: verse_text is not what the schema says.'
        when not c.is_deleted and (c.value -> 'verse_translation') is null then 'required: verse_translation is missing.'
        when not c.is_deleted and (c.value -> 'verse_translation') is not null and not (jsonb_typeof((c.value -> 'verse_translation')) = 'string') then 'type: verse_translation is not what the schema says.'
        when not c.is_deleted and (c.value -> 'notes') is not null and not (jsonb_typeof((c.value -> 'notes')) = 'string') then 'type: notes is not what the schema says.'
        when not c.is_deleted and (c.value -> 'tags') is not null and not (jsonb_typeof((c.value -> 'tags')) = 'array') then 'type: tags is not what the schema says.'
        when not c.is_deleted and (c.value -> 'created_at') is null then 'required: created_at is missing.'
        when not c.is_deleted and (c.value -> 'created_at') is not null and not (case when jsonb_typeof((c.value -> 'created_at')) = 'string' then (c.value ->> 'created_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: created_at is not what the schema says.'
        when not c.is_deleted and (c.value -> 'updated_at') is null then 'required: updated_at is missing.'
        when not c.is_deleted and (c.value -> 'updated_at') is not null and not (case when jsonb_typeof((c.value -> 'updated_at')) = 'string' then (c.value ->> 'updated_at') ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$' else false end) then 'type: updated_at is not what the schema says.'
        when not c.is_deleted and lower((c.value ->> 'user_id')) <> (select auth.uid()::text)
          then 'owner: The record belongs to another account.'
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
      coalesce((c.value ->> 'user_id')::uuid, (select auth.uid())) as "user_id",
      (c.value ->> 'surah_number')::numeric::integer as "surah_number",
      (c.value ->> 'verse_number')::numeric::integer as "verse_number",
      (c.value ->> 'surah_name') as "surah_name",
      (c.value ->> 'verse_text') as "verse_text",
      (c.value ->> 'verse_translation') as "verse_translation",
      (c.value ->> 'notes') as "notes",
      case when jsonb_typeof(c.value -> 'tags') = 'array' then array(select e.value from jsonb_array_elements_text(c.value -> 'tags') as e)::text[] end as "tags",
      ((c.value ->> 'created_at')::timestamptz at time zone 'UTC') as "created_at",
      ((c.value ->> 'updated_at')::timestamptz at time zone 'UTC') as "updated_at"
    from unnest(changes) as c
  ), wanted as materialized (
    select w.*,
      '{' || right(',"id":' || coalesce(to_json(w."id")::text, 'null')
          || ',"user_id":' || coalesce(to_json(w."user_id")::text, 'null')
          || ',"surah_number":' || coalesce(w."surah_number"::text, 'null')
          || ',"verse_number":' || coalesce(w."verse_number"::text, 'null')
          || ',"surah_name":' || coalesce(to_json(w."surah_name")::text, 'null')
          || ',"verse_text":' || coalesce(to_json(w."verse_text")::text, 'null')
          || ',"verse_translation":' || coalesce(to_json(w."verse_translation")::text, 'null')
          || coalesce(',"notes":' || to_json(w."notes")::text, '')
          || coalesce(',"tags":' || to_json(w."tags")::text, '')
          || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char(w."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
          || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char(w."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' as "$json"
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
    where w."$lives" and "$t"."user_id" = (select auth.uid()) and "$t"."id" = w."id"
    returning "$t" as "$row"
  ), inserted as (
    insert into "public"."bookmarks" as "$t" ("id", "user_id", "surah_number", "verse_number", "surah_name", "verse_text", "verse_translation", "notes", "tags", "created_at", "updated_at")
    select w."id", w."user_id", w."surah_number", w."verse_number", w."surah_name", w."verse_text", w."verse_translation", w."notes", w."tags", w."created_at", w."updated_at"
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
      '{"":"rest","created_at":"time","notes":"field","surah_name":"field","surah_number":"field","tags":"set","updated_at":"time","user_id":"field","verse_number":"field","verse_text":"field","verse_translation":"field"}'::jsonb, array['notes', 'tags']
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
  where t."user_id" = (select auth.uid()) and t."id" = c."$0";
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
        coalesce((j.b ->> 'user_id')::uuid, (select auth.uid())) as "user_id",
        (j.b ->> 'surah_number')::numeric::integer as "surah_number",
        (j.b ->> 'verse_number')::numeric::integer as "verse_number",
        (j.b ->> 'surah_name') as "surah_name",
        (j.b ->> 'verse_text') as "verse_text",
        (j.b ->> 'verse_translation') as "verse_translation",
        (j.b ->> 'notes') as "notes",
        case when jsonb_typeof(j.b -> 'tags') = 'array' then array(select e.value from jsonb_array_elements_text(j.b -> 'tags') as e)::text[] end as "tags",
        ((j.b ->> 'created_at')::timestamptz at time zone 'UTC') as "created_at",
        ((j.b ->> 'updated_at')::timestamptz at time zone 'UTC') as "updated_at"
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
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and (old_key <> new_key or old."user_id" is distinct from new."user_id") then
    perform entitysync.note_edit(
      old."user_id", 'bookmark', old_key, null, old_json, true, null,
      '{"":"rest","created_at":"time","notes":"field","surah_name":"field","surah_number":"field","tags":"set","updated_at":"time","user_id":"field","verse_number":"field","verse_text":"field","verse_translation":"field"}'::jsonb, array['notes', 'tags']
    );
    old_json := null;
  end if;
  if tg_op <> 'DELETE' and old_json is distinct from new_json then
    perform entitysync.note_edit(
      new."user_id", 'bookmark', new_key, new_json, old_json, false, (new."updated_at" at time zone 'UTC'),
      '{"":"rest","created_at":"time","notes":"field","surah_name":"field","surah_number":"field","tags":"set","updated_at":"time","user_id":"field","verse_number":"field","verse_text":"field","verse_translation":"field"}'::jsonb, array['notes', 'tags']
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
    new."updated_at" := (greatest(clock_timestamp(), (old."updated_at" at time zone 'UTC') + interval '1 microsecond') at time zone 'UTC');
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
      select "$t" as row, "$t"."user_id" as space, entitysync."bookmark_key"("$t") as key,
        entitysync.record_id("$t"."user_id", 'bookmark', entitysync."bookmark_key"("$t")) as id,
        entitysync.server_device("$t"."user_id") as device,
        entitysync.microseconds(coalesce(least(("$t"."updated_at" at time zone 'UTC'), now()), now())) as time,
        nextval('entitysync.numbers') as number
      from "public"."bookmarks" as "$t"
      where "$t"."user_id" is not null
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

-- All entities --------------------------------------------------------------------------------------------------------

-- The names of the entities.
create or replace function entitysync.known_entities() returns text[]
language sql immutable
set search_path = ''
as $$
  select array['bookmark']
$$;

-- What the database should have for them, for entitysync.doctor().
create or replace function entitysync.expected() returns json
language sql immutable
set search_path = ''
as $$
  select '[{"entity":"bookmark","table":"\"public\".\"bookmarks\"","owner":"user_id","columns":{"id":"uuid","user_id":"uuid","surah_number":"integer","verse_number":"integer","surah_name":"text","verse_text":"text","verse_translation":"text","notes":"text","tags":"text[]","created_at":"timestamp","updated_at":"timestamp"},"unique":[],"compare":"bookmark_compare","adopt":"bookmark_adopt"}]'::json
$$;

-- The member that says when a record of the entity last changed; null if there is none.
create or replace function entitysync.updated_member(entity text) returns text
language sql immutable
set search_path = ''
as $$
  select case entity
    when 'bookmark' then 'updated_at'
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
  end case;
end
$$;

-- Until 1.0.0 these read the states once more.
drop function if exists entitysync.entries(uuid[]);
drop function if exists entitysync.bodies(uuid[]);

-- Records as entries of protocol v1, in the order of their states. A live record whose row the caller may not read
-- now has none. The body is the state's; if it has none, it is what the row says.
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
      || ',"body":' || coalesce(
        r.body,
        case
          when m.is_deleted then entitysync.last_body(m.entity, m.body)
          else entitysync.hidden_body(m.entity)
        end
      ) || '}'
  from (
    -- NB: the keys are cast here. Below, a cast could tell what policies hide, so that PostgreSQL would not
    -- search a table with policies by its key.
    select s.*,
      case when s.entity = 'bookmark' and not s.is_deleted then s.key::uuid end as "$0.0"
    from unnest(states) with ordinality as s
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
    || ',"created_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."created_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null')
    || ',"updated_at":' || coalesce('"' || rtrim(rtrim(to_char("$t"."updated_at", 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z' || '"', 'null'), -1) || '}' else m.body::text end as body
    from "public"."bookmarks" as "$t"
    where m.entity = 'bookmark' and not m.is_deleted
      and "$t"."user_id" = (select auth.uid()) and "$t"."id" = m."$0.0"
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
  delete from "public"."bookmarks" as t where t."user_id" = p_space;
  perform set_config('entitysync.writes', '', true);
  perform entitysync.erase(p_space);
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
    select c.relname as name from pg_catalog.pg_class as c
    where c.relnamespace = 'entitysync'::regnamespace and c.relkind in ('r', 'p')
  loop
    -- Until 1.0.0 users read some of the tables.
    execute format('drop policy if exists own on entitysync.%I', place.name);
    execute format('drop policy if exists exchange on entitysync.%I', place.name);
    execute format('create policy exchange on entitysync.%I to entitysync using (true) with check (true)', place.name);
  end loop;

  revoke all on all tables in schema entitysync from public, anon, authenticated, service_role, entitysync;
  revoke all on all sequences in schema entitysync from public, anon, authenticated, service_role, entitysync;
  grant select, insert, update, delete on all tables in schema entitysync to entitysync;
  grant usage on all sequences in schema entitysync to entitysync;

  -- All but what operators call, and what triggers call.
  revoke all on all functions in schema entitysync from public, anon, authenticated, service_role, entitysync;
  for called in
    select p.oid::regprocedure from pg_catalog.pg_proc as p
    where p.pronamespace = 'entitysync'::regnamespace and p.prorettype <> 'trigger'::regtype
      and p.proname not in (
        'purge', 'purge_older', 'remove_tombstones', 'next_with_tombstones', 'erase', 'empty', 'open_scratch',
        'restart_scratch', 'remove_scratch', 'doctor'
      ) and p.proname !~ '_(adopt|compare)$'
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

commit;
