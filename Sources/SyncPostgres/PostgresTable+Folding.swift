import SyncSchema

/// How the log of an entity becomes states.
extension PostgresTable {
    /// The function that folds touched records, and the bits of columns that differ.
    var foldingFunctions: String {
        """
        -- The columns in which two values of the entity differ, as bits.
        create or replace function \(function(purpose: "mask"))(given jsonb, present jsonb) returns bigint
        language sql stable
        return \(SQLText.indented(difference, by: 2).dropFirst(2));

        -- Gives records that other programs touched the states that their rows ask for.
        create or replace function \(function(purpose: "fold"))(
          p_space uuid, p_keys text[], p_ats bigint[], p_masks bigint[], p_appearing boolean[]
        ) returns void
        language plpgsql
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(foldBody));
        """
            + (buryBody.map {
                """


                -- Takes in the deleted rows of records that a device makes anew, without having been told of them.
                create or replace function \(function(purpose: "bury"))(changes entitysync.change[]) returns void
                language plpgsql
                set search_path = pg_catalog, public, extensions, pg_temp
                as \(SQLText.body($0));
                """
            } ?? "")
    }

    private var difference: String {
        let bits = columns.compactMap { column -> String? in
            guard let bit = bit(of: column) else { return nil }
            let (given, present) = (column.member(of: "given"), column.member(of: "present"))
            let values =
                "\(comparable(column, json: "given")) is distinct from \(comparable(column, json: "present"))"
            // Who does not name the owner leaves it as it is.
            let isNamed = column.name == ownerField?.name ? "\(given) is not null and " : ""
            return
                "(case when \(isNamed)\(given) is distinct from \(present) then (\(values))::int::bigint else 0 end << \(bit))"
        }
        return bits.joined(separator: "\n| ")
    }

    /// A column's value out of the body `json`, as something that can be compared.
    func comparable(_ column: Column, json: String) -> String {
        let value = value(of: column, json: json)
        return column.type.base == .json && !column.type.isArray ? "(\(value))::jsonb" : value
    }

    /// When a touched record was edited, in microseconds: what the row says of its last change, but not later than the
    /// write. A program that did not set it says nothing.
    private var editTime: String {
        guard let updated = column(of: schema.updated), let bit = bit(of: updated) else { return "f.at" }
        let time = "entitysync.microseconds(\(updated.instant(of: "(f.row)")))"
        return "case when f.mask & (1::bigint << \(bit)) <> 0 then least(\(time), f.at) else f.at end"
    }

    /// When a touched record was deleted, in microseconds. Who writes into its row afterwards does not delete it later, or
    /// once more.
    private var deleteTime: String {
        guard let mirror = column(of: schema.deleted), case .moment = mirror.kind else { return "f.at" }
        let time = "entitysync.microseconds(\(mirror.instant(of: "(f.row)")))"
        return "case when f.keeps_words then least(\(time), f.at) else f.at end"
    }

    /// Whether the row of a deleted record is there.
    private var isKept: String {
        column(of: schema.deleted) == nil ? "false" : isDeleted(alias: rowAlias)
    }

    /// Whether somebody wrote into the row of a deleted record, or into one by the statement that deleted it.
    private var keepsWords: String {
        guard let mirror = column(of: schema.deleted) else { return "false" }
        let silent = [mirror, column(of: schema.updated)].compactMap { $0.flatMap(bit(of:)) }.filter {
            $0 < 63
        }
        let words = silent.reduce("t.mask") { "\($0) & ~(1::bigint << \($1))" }
        return "\(isDeleted(alias: rowAlias)) and not t.appears and \(words) <> 0"
    }

    /// The sets of a record before somebody touched it. A deleted one had no elements: whoever makes it live again adds all
    /// that it shows, and they are newer than what devices did when they knew of the deletion.
    private var formerSets: String {
        guard !setColumns.isEmpty else { return "(e.state).sets" }
        let empty = setColumns.map { "\(JSONString($0.path[0])):[]" }.joined(separator: ",")
        return
            "case when (e.state).is_deleted then \(SQLText.literal("{\(empty)}"))::jsonb else (e.state).sets end"
    }

    /// The columns whose timestamps change: of a record that lives again also its sets.
    private var editedMask: String {
        let bits = setColumns.compactMap(bit(of:)).map { "(1::bigint << \($0))" }
        guard !bits.isEmpty else { return "e.mask" }
        return "e.mask | case when (e.state).is_deleted then \(bits.joined(separator: " | ")) else 0 end"
    }

    /// An edit timestamp of no device, in place of the given one.
    private static func nobodys(edit: String) -> String {
        "split_part(\(edit), '.', 1) || '.0000000000000000.' || split_part(\(edit), '.', 3)"
    }

    /// Gives new records whose rows are there, deleted, the state that the row asks for: a device that makes such a record
    /// anew would replace what the row says. Also where the account may read a deleted row of which it was told nothing.
    var buryBody: String? {
        guard column(of: schema.deleted) != nil else { return nil }
        let row = rowAlias
        let parts = zip(keyParts(text: "c.key"), keyColumns.indices)
            .map { ", \($0) as \(SQLText.name("$\($1)"))" }.joined()
        let isOwn = ownerName.map { "\(row).\($0) = \(owner(space: "c.space")) and " } ?? ""
        let key = hasKey(row, parts: keyColumns.indices.map { "c.\(SQLText.name("$\($0)"))" })
        return """
            begin
              with found as materialized (
                select c.id, c.key, c.space, \(function(purpose: "json"))(\(row)) as body, nextval('entitysync.numbers') as number,
                  entitysync.edit_number(currval('entitysync.numbers')) as edit_number,
                  entitysync.server_device(c.space) as device
                from (
                  select c.*\(parts) from unnest(changes) as c
                  where c.entity = \(entity) and c.base is null
                  offset 0
                ) as c
                join \(table) as \(row) on \(isOwn)\(key)
                where \(isDeleted(alias: row))
              ), buried as (
                insert into entitysync.state (
                  space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, body
                )
                select f.space, f.id, \(entity), f.key, pg_current_xact_id(), f.number,
                  entitysync.new_revision(f.number), true, e.edit, \(Self.nobodys(edit: "e.edit")),
                  f.device || ':' || f.edit_number, f.body::json
                from found as f
                cross join lateral (select '0.' || f.device || '.' || f.edit_number as edit) as e
                where not exists (select from entitysync.state as s where s.space = f.space and s.id = f.id)
                returning space, id, key, number
              )
              insert into entitysync.view as w (space, id, owner, entity, key, xid, number, is_hidden, version)
              select entitysync.reader(), k.id, k.space, \(entity), k.key, pg_current_xact_id(),
                nextval('entitysync.numbers'), false, k.number
              from (
                select b.* from buried as b
                union all
                select s.space, s.id, s.key, s.number from found as f
                join entitysync.state as s on s.space = f.space and s.id = f.id and s.is_deleted and s.body is not null
              ) as k
              where \(entity) = any (entitysync.viewed_entities())
              on conflict (space, id) do update set
                xid = excluded.xid, number = excluded.number, is_hidden = false, version = excluded.version
              where w.is_hidden;
            end
            """
    }

    private var foldBody: String {
        let row = rowAlias
        let parts = zip(keyParts(text: "t.key"), keyColumns.indices)
            .map { ", \($0) as \(SQLText.name("$\($1)"))" }.joined()
        let isOwn = ownerName.map { "\(row).\($0) = \(owner(space: "\"$space\"")) and " } ?? ""
        let key = hasKey(row, parts: keyColumns.indices.map { "t.\(SQLText.name("$\($0)"))" })
        let isThere = keyColumns[0].of(row) + " is not null"
        return """
            #variable_conflict use_column
            declare
              -- NB: a name that no column has.
              "$space" constant uuid := $1;
              device text := entitysync.server_device("$space");
            begin
              -- No field changed, but policies may read what did: these records are looked at again.
              update entitysync.state as s set xid = pg_current_xact_id()
              from unnest(p_keys, p_masks) as t (key, mask)
              where t.mask = 0 and s.space = "$space" and s.id = entitysync.record_id("$space", \(entity), t.key)
                and not s.is_deleted;
              with touched as (
                select t.*, entitysync.record_id("$space", \(entity), t.key) as id\(parts)
                from unnest(p_keys, p_ats, p_masks, p_appearing) as t (key, at, mask, appears)
                offset 0
              ), found as materialized (
                select t.*, "$state" as state, \(row) as row, \(isThere) and not \(isDeleted(alias: row)) as lives,
                  -- The row of a deleted record says its last value; what is written into it is a version.
                  \(isKept) as is_kept, \(keepsWords) as keeps_words
                from touched as t
                left join entitysync.state as "$state" on "$state".space = "$space" and "$state".id = t.id
                left join \(table) as \(row) on \(isOwn)\(key)
              ), numbered as (
                select f.*, entitysync.edit_number(f.number, (f.state).vector, device) as edit_number,
                  greatest(
                    case
                      when f.lives then \(editTime)
                      when (f.state).is_deleted is not true then \(deleteTime)
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
                    when n.is_kept or n.lives and ((n.state).body is not null or \(units) is not null)
                      then \(function(purpose: "json"))(n.row)::jsonb
                  end as row_json
                from numbered as n
              ), made as materialized (
                select e.*, case when e.lives then \(sets(ofJSON: "e.row_json")) end as sets,
                  case
                    when e.is_kept
                      then coalesce(
                        entitysync.overlaid((e.state).body, e.row_json, e.mask, \(paths)), e.row_json::text::json
                      )
                    when not e.lives or (e.state).is_deleted then null
                    when (e.state).body is not null
                      then entitysync.overlaid((e.state).body, e.row_json, e.mask, \(paths))
                  end as body,
                  case
                    when e.lives and (e.state).id is not null and (e.state).merged_into is null
                      then entitysync.edited_detail(
                        (e.state).detail, (e.state).edit, e.edit, \(editedMask), \(paths), \(units), \(formerSets),
                        \(sets(ofJSON: "e.row_json"))
                      )
                  end as detail
                from edited as e
              ), changed as (
                update entitysync.state as s set
                  xid = pg_current_xact_id(), number = m.number, revision = entitysync.new_revision(m.number),
                  is_deleted = not m.lives, edit = m.edit,
                  -- Nobody sent what was written into a deleted record: devices shall look at it.
                  sent = case when m.keeps_words then \(Self.nobodys(edit: "m.edit")) else m.edit end,
                  vector = m.vector, detail = m.detail,
                  merged_into = null, body = m.body, sets = m.sets, stored_at = now()
                from made as m
                where s.space = "$space" and s.id = m.id and (m.state).id is not null
              )
              insert into entitysync.state (
                space, id, entity, key, xid, number, revision, is_deleted, edit, sent, vector, detail, body, sets
              )
              select "$space", m.id, \(entity), m.key, pg_current_xact_id(), m.number,
                entitysync.new_revision(m.number), false, m.edit, m.edit, m.vector, null, null, m.sets
              from made as m
              where (m.state).id is null;
            end
            """
    }
}
