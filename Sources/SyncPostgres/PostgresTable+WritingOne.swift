/// How the row of one change is written. Nearly every push has one.
extension PostgresTable {
    /// The columns of a new row, and their values out of the body `json`.
    func newRow(json: String) -> [(name: String, value: String)] {
        let isCallers = ownerName != nil && ownerField == nil
        return columns.map { (SQLText.name($0.name), value(of: $0, json: json)) }
            + (isCallers ? [(ownerName ?? "", caller)] : [])
    }

    /// A column's new value, for a column whose bit is set. Columns that share a bit are looked at once more: of a value
    /// that did not change the row may have one that has no exact form.
    func changed(_ column: Column, bit: Int, given: String, to value: String) -> String {
        guard bit == 63, columns.count > 64 else { return value }
        let present = "\(function(purpose: "json"))(\(rowAlias))::jsonb"
        let isChanged =
            "(\(comparable(column, json: given))) is distinct from (\(comparable(column, json: "(\(present))")))"
        return "case when \(isChanged) then \(value) else \(column.of(rowAlias)) end"
    }

    /// What the row of a record says, if the caller may change it; locked, if asked for.
    var rowBody: String {
        let row = rowAlias
        let isRow =
            (ownerName.map { "\(row).\($0) = \(owner(space: "$1")) and " } ?? "")
            + hasKey(row, parts: keyParts(text: "$2"))
        let select = "select \(function(purpose: "json"))(\(row)) from \(table) as \(row) where \(isRow)"
        return """
            begin
              if locks then
                return (\(select) for no key update nowait);
              end if;
              return (\(select));
            end
            """
    }

    var writeOneBody: String {
        let row = rowAlias
        let json = function(purpose: "json")
        let changes = changingColumns.compactMap { column in
            bit(of: column).map {
                (
                    bit: $0,
                    text: "\(SQLText.name(column.name)) = "
                        + changed(column, bit: $0, given: "$1", to: value(of: column, json: "$1"))
                )
            }
        }
        func isRow(space: String, key: String) -> String {
            (ownerName.map { "\(row).\($0) = \(owner(space: space)) and " } ?? "")
                + hasKey(row, parts: keyParts(text: key))
        }
        let new = newRow(json: "(change).value")
        let update = "update \(table) as \(row) set "
        let condition = " where \(isRow(space: "$2", key: "$3")) returning \(json)(\(row))"
        return """
            declare
              -- Whether the row that was made has the record's key.
              is_row boolean;
              present jsonb;
              mask bigint;
              sets constant text[] := \(SQLText.array(changes.map(\.text)));
              bits constant integer[] := array[\(changes.map { "\($0.bit)" }.joined(separator: ", "))]::integer[];
            begin
              if row_json is null then
                if (change).lives or (change).space <> entitysync.my_space() then
                  \(notWritten)
                end if;
                perform set_config('entitysync.writes', \(entity), true);
                insert into \(table) as \(row) (\(new.map(\.name).joined(separator: ", ")))
                values (
                  \(new.map(\.value).joined(separator: ",\n      "))
                )
                returning \(json)(\(row)), \(hasKey(row, parts: keyParts(text: "($1).key"))) into row_json, is_row;
                if is_row is not true then
                  \(notWritten)
                end if;
                perform set_config('entitysync.writes', '', true);
                return \(function(purpose: "written"))(change, row_json);
              end if;
              present := row_json::jsonb;
              mask := \(function(purpose: "mask"))((change).value, present);
              if mask <> 0 then
                perform set_config('entitysync.writes', \(entity), true);
                execute \(SQLText.literal(update)) || (
                  select string_agg(s.text, ', ' order by s.place)
                  from unnest(sets, bits) with ordinality as s (text, bit, place)
                  where mask & (1::bigint << s.bit) <> 0
                ) || \(SQLText.literal(condition))
                into row_json
                using (change).value, (change).space, (change).key;
                if row_json is null then
                  \(notWritten)
                end if;
                perform set_config('entitysync.writes', '', true);
              end if;
              return \(function(purpose: "written"))(change, row_json);
            end
            """
    }
}
