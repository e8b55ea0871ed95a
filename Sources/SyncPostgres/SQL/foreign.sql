-- Edits of everyone who does not know EntitySync ----------------------------------------------------------------
--
-- A row written by a web app, psql, a cascade or a trigger of yours is a version like any other: a trigger gives it
-- an edit timestamp of the server's device, on top of what it replaced.

-- The timestamps of fields and elements after such an edit: what changed has the new one, all else keeps its own.
-- `units` names the fields that merge by themselves: 'field', 'set' or 'time', and 'rest' under the empty name.
create or replace function entitysync.edited_detail(
  old_detail json, old_edit text, old_body jsonb, new_body jsonb, edit text, units jsonb
) returns json
language plpgsql immutable
set search_path = ''
as $$
declare
  detail jsonb := coalesce(old_detail::jsonb, jsonb_build_object('origin', old_edit)) - 'cause';
  unit record;
  element jsonb;
  elements jsonb;
  old_set jsonb;
  new_set jsonb;
  stamp jsonb := jsonb_build_array(jsonb_build_array(edit));
begin
  if units is null then
    return null;
  end if;
  for unit in select key as name, value #>> '{}' as kind from jsonb_each(units) loop
    continue when unit.kind in ('rest', 'time') or old_body -> unit.name is not distinct from new_body -> unit.name;
    if unit.kind = 'set' then
      old_set := case jsonb_typeof(old_body -> unit.name) when 'array' then old_body -> unit.name else '[]' end;
      new_set := case jsonb_typeof(new_body -> unit.name) when 'array' then new_body -> unit.name else '[]' end;
      elements := coalesce(detail #> array['elements', unit.name], '{}');
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
        array['elements', unit.name], elements, true
      );
    else
      detail := jsonb_set(
        case when detail ? 'units' then detail else detail || '{"units":{}}' end,
        array['units', unit.name], stamp, true
      );
    end if;
  end loop;
  -- Members that the schema does not know merge as one unit, under the empty name.
  if units ? '' and exists (
    select from jsonb_object_keys(coalesce(old_body, '{}') || new_body) as member (name)
    where not units ? member.name
      and old_body -> member.name is distinct from new_body -> member.name
  ) then
    detail := jsonb_set(
      case when detail ? 'units' then detail else detail || '{"units":{}}' end, array['units', ''], stamp, true
    );
  end if;
  return detail::json;
end
$$;

-- Notes an edit that did not come through the exchange. Called by the triggers on your tables.
--
-- `p_new` and `p_old` are what the columns say now and said before, as JSON; `p_optional` names the members that are
-- left out where the column is null.
create or replace function entitysync.note_edit(
  p_space uuid, p_entity text, p_key text, p_new jsonb, p_old jsonb, p_is_deleted boolean,
  p_updated timestamptz, p_units jsonb, p_optional text[]
) returns void
language plpgsql
set search_path = ''
as $$
declare
  state entitysync.state;
  device text := entitysync.server_device(p_space);
  number bigint;
  edit_time bigint;
  edit text;
  vector text;
  old_body jsonb;
  new_body jsonb;
  keeps_body boolean;
  detail json;
begin
  if p_space is null or p_key is null then
    return;
  end if;
  select * into state from entitysync.state s
  where s.id = entitysync.record_id(p_space, p_entity, p_key) for update;
  if found and state.is_deleted and p_is_deleted then
    return;
  end if;
  number := nextval('entitysync.numbers');
  edit_time := entitysync.microseconds(least(coalesce(p_updated, clock_timestamp()), clock_timestamp()));
  if state.edit is not null then
    edit_time := greatest(edit_time, split_part(state.edit, '.', 1)::bigint + 1);
  end if;
  edit := edit_time || '.' || device || '.' || number;
  vector := case
    when state.vector is null then device || ':' || number
    else entitysync.with_edit(state.vector, device, number)
  end;
  -- What was sent is kept where the columns did not change: members that the schema does not know, and exact texts.
  -- Without a body of its own, the state's value was what the columns said before.
  keeps_body := state.body is not null and not coalesce(state.is_deleted and p_old is null, false);
  old_body := coalesce(state.body::jsonb, p_old);
  if p_new is null then
    new_body := coalesce(old_body, '{}');
  elsif keeps_body then
    new_body := (old_body - array(select name from unnest(p_optional) as name where not p_new ? name)) || coalesce(
      (
        select jsonb_object_agg(member.key, member.value) from jsonb_each(p_new) as member
        where p_old is null or p_old -> member.key is distinct from member.value
      ),
      '{}'
    );
  else
    new_body := p_new;
  end if;
  if state.edit is not null and not p_is_deleted then
    detail := entitysync.edited_detail(state.detail, state.edit, old_body, new_body, edit, p_units);
  end if;
  insert into entitysync.state as s (
    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, body
  ) values (
    entitysync.record_id(p_space, p_entity, p_key), p_space, p_entity, p_key, pg_current_xact_id(), number,
    entitysync.new_revision(number), p_is_deleted, edit, edit, vector, detail,
    case when p_is_deleted or keeps_body then new_body::text::json end
  )
  on conflict (id) do update set
    xid = excluded.xid, number = excluded.number, revision = excluded.revision, is_deleted = excluded.is_deleted,
    edit = excluded.edit, sent = excluded.sent, vector = excluded.vector, detail = excluded.detail,
    merged_into = null, body = excluded.body, stored_at = now();
  perform entitysync.announce(p_space);
end
$$;
