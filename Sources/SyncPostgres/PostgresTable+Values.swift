import SyncSchema

/// Functions that make JSON of rows, and check JSON.
extension PostgresTable {
    /// The functions that make keys and values of rows.
    var valueFunctions: String {
        """
        -- A row's key, and its value as devices write it.
        create or replace function \(function(purpose: "key"))(r \(table)) returns text
        language sql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body("  select \(key(of: "r"))"));

        -- NB: a session keeps the plan of such a function, and would plan one in SQL at each call.
        create or replace function \(function(purpose: "json"))(r \(table)) returns text
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body("begin\n  return \(json(of: "r"));\nend"));
        """
    }

    /// The function that finds changes that do not fit the schema.
    var misfitsFunction: String {
        """
        -- Until 1.0.0 it gave no `id`.
        drop function if exists \(function(purpose: "misfits"))(entitysync.change[]);

        -- Why a change does not fit the schema, as the rule and one sentence; null if it does. PostgreSQL's `jsonb`
        -- keeps the last one of members that stand twice, unseen: whether there are some is found by who asks.
        create or replace function \(function(purpose: "misfit"))(c entitysync.change, repeats_member boolean)
        returns text
        language sql stable
        return \(misfitReason);

        -- Changes of the entity that do not fit the schema.
        create or replace function \(function(purpose: "misfits"))(changes entitysync.change[])
        returns table ("position" integer, id uuid, reason text)
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body("""
            begin
              return query
              select f.position, f.id, f.reason
              from (
                select c.position, c.id, \(function(purpose: "misfit"))(
                  c,
                  \(eachRepeatsMember)
                ) as reason
                from unnest(changes) as c
                where c.entity = \(entity)
                offset 0
              ) as f
              where f.reason is not null;
            end
            """));
        """
    }

    /// Whether the body of one change has a member twice.
    func repeatsMember(_ change: String) -> String {
        let shape = BodyShape(columns: columns)
        return shape.isFlat
            ? "entitysync.repeats_member(\(change).body, \(change).value)"
            : "entitysync.has_repeated_member(\(change).body, \(SQLText.literal(shape.json))::jsonb)"
    }

    /// The same within a statement about many changes, where a query takes less than the call of a function.
    private var eachRepeatsMember: String {
        guard BodyShape(columns: columns).isFlat else { return repeatsMember("c") }
        func count(_ keys: String) -> String { "(select count(*) from (select \(keys)) as m)" }
        return "case when jsonb_typeof(c.value) = 'object' then "
            + "\(count("json_object_keys(c.body)")) <> \(count("jsonb_object_keys(c.value)")) end"
    }

    /// Whether a body has more unknown members than a device may send: those beside the schema's, in the body and in
    /// the objects that the schema flattens.
    private var hasTooManyMembers: String {
        var counts: [String] = []
        for path in Set(columns.map { $0.path.dropLast() }).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let known = columns.filter { $0.path.starts(with: path) && $0.path.count > path.count }
            let names = Set(known.map { $0.path[path.count] }).sorted()
            let object = path.isEmpty ? "c.value" : "(c.value #> \(SQLText.array(Array(path))))"
            counts.append("entitysync.unknown_members(\(object), \(SQLText.array(names)))")
        }
        // Shorter bodies have fewer.
        return "octet_length(c.body::text) > 5000 and \(counts.joined(separator: " + ")) > 1000"
    }

    /// Why a live record does not fit, as cases. The values of a deleted one are needed by nobody.
    private var misfittingValues: [String] {
        var cases: [String] = []
        for column in columns {
            let place = column.path.joined(separator: "/")
            let member = "(\(column.member(of: "c.value")))"
            // A value that is missing is the default, as it is on devices.
            if column.property.isRequired, column.property.defaultJSON == nil {
                cases.append(
                    "when \(member) is null then \(SQLText.literal("required: \(place) is missing."))"
                )
            }
            let reason = SQLText.literal("type: \(place) is not what the schema says.")
            cases.append("when \(misfit(column: column, member: member)) then \(reason)")
        }
        if let owner = ownerField {
            let member = "(\(owner.memberText(of: "c.value")))"
            cases.append(
                "when lower(\(member)) <> c.space::text then 'owner: The record belongs to another account.'"
            )
        }
        return cases
    }

    /// A condition that a member is there and is not what its column takes. NB: nothing equals what is not there.
    private func misfit(column: Column, member: String) -> String {
        let (type, isNullable) = (column.kind.jsonType, column.property.isNullable)
        guard let condition = column.kind.condition(text: column.memberText(of: "c.value")) else {
            return isNullable
                ? "jsonb_typeof(\(member)) not in ('\(type)', 'null')"
                : "jsonb_typeof(\(member)) <> '\(type)'"
        }
        let null = isNullable ? " when 'null' then false" : ""
        return
            "case jsonb_typeof(\(member)) when '\(type)' then not (\(condition))\(null) else \(member) is not null end"
    }

    /// NB: an expression without queries, so that it becomes a part of the statement that calls the function.
    private var misfitReason: String {
        let shape = [
            "when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'",
            "when repeats_member then 'json: The body holds a member that stands twice in one object.'",
        ]
        let isDifferent = "\(key(inJSON: "c.value")) is distinct from c.key"
        let whole = [
            "when \(hasTooManyMembers)\n"
                + "      then 'members: The record has more than 1000 members that its schema does not know.'",
            "when \(isDifferent) and not (c.is_deleted and \(key(inJSON: "c.value")) is null)\n"
                + "      then 'key: The key is not that of the body.'",
        ]
        func reason(_ cases: [String]) -> String {
            "case\n\(SQLText.indented(cases.joined(separator: "\n"), by: 2))\nend"
        }
        let live = "case when not c.is_deleted then \(reason(misfittingValues)) end"
        let reasons = [reason(shape), live, reason(whole)]
        return "coalesce(\n\(SQLText.indented(reasons.joined(separator: ",\n"), by: 2))\n)"
    }
}
