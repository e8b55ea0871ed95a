import SyncSchema

/// Triggers that see every write that does not come through the exchange.
extension EntityTable {
    /// Functions and triggers; and states for the rows that are there.
    var tracking: String {
        [track, touch, truncated, adopt].compactMap { $0 }.joined(separator: "\n\n")
    }

    private var track: String {
        let trigger = "entitysync_track"
        return """
            -- Every other write of a row is an edit of the server's device.
            create or replace function \(function(purpose: "track"))() returns trigger
            language plpgsql security definer
            set search_path = ''
            as \(SQLText.body(trackBody));

            create or replace trigger \(trigger) after insert or update or delete on \(table)
              for each row when (\(isOther)) execute function \(function(purpose: "track"))();
            alter table \(table) enable always trigger \(trigger);
            """
    }

    /// Tells the exchange's own statements apart from all others, and from what triggers of yours do meanwhile.
    private var isOther: String {
        "coalesce(current_setting('entitysync.writes', true), '') = '' or pg_trigger_depth() > 0"
    }

    private var trackBody: String {
        func note(row: String, key: String, new: String, old: String, isDeleted: String, updated: String)
            -> String
        {
            """
            perform entitysync.note_edit(
                  \(space(of: row)), \(entity), \(key), \(new), \(old), \(isDeleted), \(updated),
                  \(units), \(optionalMembers)
                );
            """
        }
        let updated = column(of: schema.updated).map { $0.instant(of: "new") } ?? "null"
        let ownerChanged = ownerName.map { " or old.\($0) is distinct from new.\($0)" } ?? ""
        return """
            declare
              old_json jsonb;
              new_json jsonb;
              old_key text;
              new_key text;
            begin
              if tg_op <> 'INSERT' then
                old_json := \(function(purpose: "json"))(old)::jsonb;
                old_key := \(function(purpose: "key"))(old);
              end if;
              if tg_op <> 'DELETE' then
                new_json := \(function(purpose: "json"))(new)::jsonb;
                new_key := \(function(purpose: "key"))(new);
              end if;
              if tg_op = 'DELETE' or tg_op = 'UPDATE' and (old_key <> new_key\(ownerChanged)) then
                \(note(row: "old", key: "old_key", new: "null", old: "old_json", isDeleted: "true", updated: "null"))
                old_json := null;
              end if;
              if tg_op <> 'DELETE' and old_json is distinct from new_json then
                \(note(row: "new", key: "new_key", new: "new_json", old: "old_json", isDeleted: isDeleted(alias: "new"), updated: updated))
              end if;
              return null;
            end
            """
    }

    /// Whether a row stands for a deleted record.
    func isDeleted(alias: String) -> String {
        guard let mirror = column(of: schema.deleted) else { return "false" }
        if case .boolean = mirror.kind { return "coalesce(\(mirror.of(alias)), false)" }
        return "\(mirror.of(alias)) is not null"
    }

    private var touch: String? {
        guard let column = column(of: schema.updated), case .moment = column.kind else { return nil }
        let name = SQLText.name(column.name)
        let next = column.value(
            ofInstant: "greatest(clock_timestamp(), \(column.instant(of: "old")) + interval '1 microsecond')"
        )
        return """
            -- Sets the time of the last change for programs that forget it.
            create or replace function \(function(purpose: "touch"))() returns trigger
            language plpgsql
            set search_path = ''
            as \(SQLText.body("""
                begin
                  if new.\(name) is not distinct from old.\(name) and new *<> old then
                    new.\(name) := \(next);
                  end if;
                  return new;
                end
                """));

            create or replace trigger entitysync_touch before update on \(table)
              for each row when (\(isOther))
              execute function \(function(purpose: "touch"))();
            """
    }

    private var truncated: String {
        """
        -- TRUNCATE deletes every record.
        create or replace function \(function(purpose: "truncated"))() returns trigger
        language plpgsql security definer
        set search_path = ''
        as \(SQLText.body("""
            begin
              perform entitysync.note_edit(s.space, s.entity, s.key, null, null, true, null, null, '{}')
              from entitysync.state as s where s.entity = \(entity) and not s.is_deleted;
              return null;
            end
            """));

        create or replace trigger entitysync_truncated after truncate on \(table)
          for each statement execute function \(function(purpose: "truncated"))();
        alter table \(table) enable always trigger entitysync_truncated;
        """
    }

    private var adopt: String {
        let row = rowAlias
        let updated =
            column(of: schema.updated).map { "least(\($0.instant(of: row)), now())" } ?? "now()"
        return """
            -- Gives a state to each row that has none, such as rows from before EntitySync. Returns how many.
            create or replace function \(function(purpose: "adopt"))() returns bigint
            language plpgsql
            set search_path = ''
            as \(SQLText.body("""
                declare
                  adopted bigint;
                begin
                  insert into entitysync.state (
                    id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector
                  )
                  select a.id, a.space, \(entity), a.key, pg_current_xact_id(), a.number,
                    entitysync.new_revision(a.number), \(isDeleted(alias: "(a.row)")), a.edit, a.edit, a.device || ':' || a.number
                  from (
                    select n.*, n.time || '.' || n.device || '.' || n.number as edit
                    from (
                      select \(row) as row, \(space(of: row)) as space, \(function(purpose: "key"))(\(row)) as key,
                        entitysync.record_id(\(space(of: row)), \(entity), \(function(purpose: "key"))(\(row))) as id,
                        entitysync.server_device(\(space(of: row))) as device,
                        entitysync.microseconds(coalesce(\(updated), now())) as time,
                        nextval('entitysync.numbers') as number
                      from \(table) as \(row)
                      where \(space(of: row)) is not null
                    ) as n
                  ) as a
                  where not exists (select from entitysync.state as s where s.id = a.id)
                  on conflict (id) do nothing;
                  get diagnostics adopted = row_count;
                  return adopted;
                end
                """));

            revoke all on function \(function(purpose: "adopt"))() from public, anon, authenticated;
            do $$ begin perform \(function(purpose: "adopt"))(); end $$;
            """
    }
}
