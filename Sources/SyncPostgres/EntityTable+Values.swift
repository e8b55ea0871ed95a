import SyncSchema

/// Functions that make JSON of rows, and check JSON.
extension EntityTable {
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

        -- Changes of the entity that do not fit the schema, with the rule and one sentence.
        create or replace function \(function(purpose: "misfits"))(changes entitysync.change[])
        returns table ("position" integer, id uuid, reason text)
        language plpgsql stable
        set search_path = pg_catalog, pg_temp
        as \(SQLText.body(misfitsBody));
        """
    }

    /// Whether a body has a member twice. PostgreSQL's `jsonb` would keep the last one of them unseen.
    private var repeatsMember: String {
        let shape = BodyShape(columns: columns)
        guard shape.isFlat else {
            return "entitysync.has_repeated_member(c.body, \(SQLText.literal(shape.json))::jsonb)"
        }
        return
            "(select count(*) from json_object_keys(c.body)) <> (select count(*) from jsonb_object_keys(c.value))"
    }

    /// Whether a body has more unknown members than a device may send: those beside the schema's, in the body and in
    /// the objects that the schema flattens.
    private var hasTooManyMembers: String {
        var counts: [String] = []
        for path in Set(columns.map { $0.path.dropLast() }).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let known = columns.filter { $0.path.starts(with: path) && $0.path.count > path.count }
            let names = Set(known.map { $0.path[path.count] }).sorted()
            let object = path.isEmpty ? "c.value" : "(c.value #> \(SQLText.array(Array(path))))"
            let members =
                "jsonb_object_keys(case when jsonb_typeof(\(object)) = 'object' then \(object) else '{}' end)"
            counts.append(
                "(select count(*) from \(members) as m (name) where m.name <> all (\(SQLText.array(names))))"
            )
        }
        // Shorter bodies have fewer.
        return "octet_length(c.body::text) > 5000 and \(counts.joined(separator: " + ")) > 1000"
    }

    private var misfitsBody: String {
        var cases = [
            "when jsonb_typeof(c.value) <> 'object' then 'type: A record must be a JSON object.'",
            "when \(repeatsMember) then 'json: The body holds a member that stands twice in one object.'",
        ]
        for column in columns {
            let place = column.path.joined(separator: "/")
            let member = "(\(column.member(of: "c.value")))"
            // A value that is missing is the default, as it is on devices.
            if column.property.isRequired, column.property.defaultJSON == nil {
                let reason = SQLText.literal("required: \(place) is missing.")
                cases.append("when not c.is_deleted and \(member) is null then \(reason)")
            }
            let reason = SQLText.literal("type: \(place) is not what the schema says.")
            var fits = "jsonb_typeof(\(member)) = '\(column.kind.jsonType)'"
            if let condition = column.kind.condition(text: column.memberText(of: "c.value")) {
                fits = "case when \(fits) then \(condition) else false end"
            }
            if column.property.isNullable { fits = "jsonb_typeof(\(member)) = 'null' or \(fits)" }
            // The values of a deleted record are needed by nobody.
            cases.append("when not c.is_deleted and \(member) is not null and not (\(fits)) then \(reason)")
        }
        if let owner = ownerField {
            let member = "(\(owner.memberText(of: "c.value")))"
            cases.append(
                "when not c.is_deleted and lower(\(member)) <> c.space::text\n"
                    + "          then 'owner: The record belongs to another account.'"
            )
        }
        let isDifferent = "\(key(inJSON: "c.value")) is distinct from c.key"
        cases.append(
            "when \(hasTooManyMembers)\n"
                + "          then 'members: The record has more than 1000 members that its schema does not know.'"
        )
        cases.append(
            "when \(isDifferent) and not (c.is_deleted and \(key(inJSON: "c.value")) is null)\n"
                + "          then 'key: The key is not that of the body.'"
        )
        return """
            begin
              return query
              select f.position, f.id, f.reason
              from (
                select c.position, c.id,
                  case
                    \(cases.joined(separator: "\n        "))
                  end as reason
                from unnest(changes) as c
                where c.entity = \(entity)
              ) as f
              where f.reason is not null;
            end
            """
    }
}
