import SyncSchema

/// The table of an entity, and the names of what belongs to it.
struct PostgresTable {
    let schema: Schema
    let columns: [Column]
    /// The column that holds the owner; nil if rows have none.
    let owner: String?

    init(_ schema: Schema, owner: PostgresOptions.Owner) {
        self.schema = schema
        columns = schema.properties.filter { !$0.isLocalOnly }
            .map {
                Column($0, isKey: schema.key.contains($0.name), declared: schema.sql?.columns[$0.name])
            }
        let taken = Set(columns.map(\.name))
        let usual = ["owner_id", "entitysync_owner_id"].first { !taken.contains($0) }
        self.owner = owner == .none ? nil : schema.sql?.owner ?? usual
    }

    /// The table's name, without its schema.
    var name: String { names.name }

    /// The table with its schema.
    var table: String { SQLText.name(schema: schemaName, names.name) }

    /// The schema of the table, in quotation marks.
    var schemaName: String { SQLText.name(names.schema) }

    private var names: (schema: String, name: String) {
        guard let declared = schema.sql?.table else { return ("public", schema.remote ?? schema.name) }
        let parts = declared.split(separator: ".").map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : ("public", declared)
    }

    /// The entity's name as a literal.
    var entity: String { SQLText.literal(schema.name) }

    /// The columns of the key, in its order.
    var keyColumns: [Column] { schema.key.compactMap { field in column(of: field) } }

    /// The columns that an update may set.
    var changingColumns: [Column] { columns.filter { !$0.isKey } }

    /// An alias for the table's rows as a whole. A column of the same name would take its place.
    var rowAlias: String {
        var name = "$t"
        while columns.contains(where: { $0.name == name }) || owner == name { name += "$" }
        return SQLText.name(name)
    }

    /// The owner's column in quotation marks.
    var ownerName: String? { owner.map { SQLText.name($0) } }

    /// The field whose column holds the owner; nil if the column belongs to no field.
    var ownerField: Column? { columns.first { $0.name == owner } }

    /// The caller as a value of the owner's column. Evaluated once per statement.
    var caller: String {
        ownerField?.type.isText == true ? "(select auth.uid()::text)" : "(select auth.uid())"
    }

    func column(of field: String?) -> Column? {
        field.flatMap { field in columns.first { $0.property.name == field } }
    }

    /// A function of the entity in the schema `entitysync`.
    func function(purpose: String) -> String {
        "entitysync.\(SQLText.name(functionName(purpose: purpose)))"
    }

    /// The name of such a function, without its schema.
    func functionName(purpose: String) -> String {
        // NB: `try_lock` is a function for all entities, with the same arguments.
        let entity = schema.name == "try" ? "try_entity" : schema.name.replacing("-", with: "_")
        return SQLText.short("\(entity)_\(purpose)")
    }

    /// The space of a row, such as `new`; null if it has none, or a key that no device can name.
    func space(of alias: String) -> String {
        let conditions = keyColumns.compactMap { $0.exactness(of: $0.of(alias)) }
        let space = ownerSpace(of: alias)
        return conditions.isEmpty
            ? space : "(case when \(conditions.joined(separator: " and ")) then \(space) end)"
    }

    private func ownerSpace(of alias: String) -> String {
        guard let ownerName else { return "entitysync.my_space()" }
        let owner = "\(alias).\(ownerName)"
        guard ownerField?.type.isText == true else { return owner }
        // As `caller` writes it: otherwise nobody would find the row.
        let isUUID = "\(Column.Kind.uuid.condition(text: owner) ?? "true") and \(owner) = lower(\(owner))"
        return "(case when \(isUUID) then \(owner)::uuid end)"
    }

    /// A space as a value of the owner's column.
    func owner(space: String) -> String { ownerField?.type.isText == true ? "\(space)::text" : space }

    /// The bit of a column in a mask. Those after the 63rd share one.
    func bit(of column: Column) -> Int? { columns.firstIndex { $0.name == column.name }.map { min($0, 63) } }

    /// The members of the columns in the order of the bits, as JSON.
    var paths: String {
        let paths = columns.map { "[\($0.path.map { "\(JSONString($0))" }.joined(separator: ","))]" }
        return SQLText.literal("[\(paths.joined(separator: ","))]") + "::jsonb"
    }

    /// Former and present members of columns whose fields had other names, as JSON.
    var renamedPaths: String { SQLText.literal("[\(renamedPairs.joined(separator: ","))]") + "::jsonb" }

    /// The same, each as a list of two lists.
    var renamedPairs: [String] {
        columns.flatMap { column in
            FieldDescriptor(property: column.property).formerWireNames.map { former in
                "[[\(JSONString(former))],[\(column.path.map { "\(JSONString($0))" }.joined(separator: ","))]]"
            }
        }
    }

    /// The columns of the fields that merge as sets.
    var setColumns: [Column] { columns.filter { $0.path.count == 1 && unitKinds[$0.path[0]] == "set" } }

    /// The elements of the fields that merge as sets, out of the JSON `json`; SQL null if there are none.
    func sets(ofJSON json: String) -> String {
        let names = setColumns.map { SQLText.literal($0.path[0]) }
        guard !names.isEmpty else { return "null::jsonb" }
        return "jsonb_build_object(\(names.map { "\($0), \(json) -> \($0)" }.joined(separator: ", ")))"
    }

    /// The key of a row, as text.
    func key(of alias: String) -> String {
        guard keyColumns.count != 1 else {
            return keyColumns[0].keyText(of: alias)
        }
        let parts = keyColumns.map { $0.json(of: $0.of(alias)) }
        return "'[' || \(parts.joined(separator: " || ',' || ")) || ']'"
    }

    /// The key that a value of JSON holds, as text, in the one spelling that keys have.
    func key(inJSON json: String) -> String {
        guard keyColumns.count != 1 else {
            return spelling(of: keyColumns[0], text: "(\(keyColumns[0].memberText(of: json)))")
        }
        let parts = keyColumns.map { column in
            switch column.kind {
            case .uuid: "lower((\(column.member(of: json)))::text)"
            case .integer: spelling(of: column, text: "(\(column.memberText(of: json)))")
            default: "(\(column.member(of: json)))::text"
            }
        }
        return "'[' || \(parts.joined(separator: " || ',' || ")) || ']'"
    }

    /// A value of a key's column in the spelling that keys have; any other text as it is.
    private func spelling(of column: Column, text: String) -> String {
        switch column.kind {
        case .uuid: return "lower(\(text))"
        case .integer, .decimal:
            let isNumber = "\(text) ~ '^-?[0-9]{1,40}([.][0-9]{0,40})?$'"
            return "(case when \(isNumber) then trim_scale(\(text)::numeric)::text else \(text) end)"
        case .moment:
            let moment = column.momentText(of: "entitysync.moment(\(text))", isZoned: true)
            return
                "(case when \(column.kind.condition(text: text) ?? "true") then \(moment) else \(text) end)"
        default: return text
        }
    }

    /// The parts of a key that is given as text, as values of the key's columns. NB: the text may come with the collation of
    /// a state's key, which would win over the column's: then no index of the table fits. JSON has none.
    func keyParts(text: String) -> [String] {
        keyColumns.enumerated().map { position, column in
            let isText = if case .text = column.kind { true } else { false }
            let whole = isText ? "(to_jsonb(\(text)) #>> '{}')" : text
            let part = keyColumns.count == 1 ? whole : "(\(text)::jsonb ->> \(position))"
            return "\(part)::\(column.type.cast)"
        }
    }

    /// A condition that a row has a key that is given by its parts.
    func hasKey(_ alias: String, parts: [String]) -> String {
        zip(keyColumns, parts).map { "\($0.of(alias)) = \($1)" }.joined(separator: " and ")
    }

    /// The fields that merge by themselves, for `entitysync.edited_detail`; SQL null if the record merges as a whole.
    var units: String {
        guard !unitKinds.isEmpty else { return "null::jsonb" }
        let members = unitKinds.sorted { $0.key < $1.key }.map {
            "\(JSONString($0.key)):\(JSONString($0.value))"
        }
        return SQLText.literal("{\(members.joined(separator: ","))}") + "::jsonb"
    }

    var unitKinds: [String: String] {
        let isByField = schema.strategy == .setUnion || schema.granularity == .field
        guard isByField || columns.contains(where: { $0.property.merge != nil }) else { return [:] }
        var units = ["": "rest"]
        for column in changingColumns where column.path.count == 1 {
            let field = column.property
            if field.name == schema.created || field.name == schema.updated {
                units[column.path[0]] = "time"
            } else if let kind = unitKind(of: field, isByField: isByField) {
                units[column.path[0]] = kind
            }
        }
        return units
    }

    private func unitKind(of field: Property, isByField: Bool) -> String? {
        if field.merge == .union { return "set" }
        if case .array(_, isSet: true, _, _) = field.type, schema.strategy == .setUnion, field.merge == nil {
            return "set"
        }
        return field.merge != nil || isByField ? "field" : nil
    }

    /// The JSON text of a row: members in the order of the schema, without spaces, as the devices write it.
    func json(of alias: String) -> String {
        // NB: `substr` would read all characters of the text to count them.
        "'{' || right(\(members(columns: columns[...], depth: 0, alias: alias)), -1) || '}'"
    }

    /// The members as one expression: each begins with a comma.
    private func members(columns: ArraySlice<Column>, depth: Int, alias: String) -> String {
        var parts: [String] = []
        var seen: Set<String> = []
        for column in columns where seen.insert(column.path[depth]).inserted {
            let name = SQLText.literal(",\(JSONString(column.path[depth])):")
            guard column.path.count > depth + 1 else {
                parts.append(member(column: column, name: name, alias: alias))
                continue
            }
            let nested = columns.filter { $0.path.count > depth + 1 && $0.path[depth] == column.path[depth] }
            let inner = members(columns: nested[...], depth: depth + 1, alias: alias)
            parts.append("coalesce(\(name) || '{' || nullif(right(\(inner), -1), '') || '}', '')")
        }
        return parts.joined(separator: "\n    || ")
    }

    private func member(column: Column, name: String, alias: String) -> String {
        let json = column.json(of: column.of(alias))
        // A required value can be missing from a row of a table that was there before.
        if column.property.isNullable || column.property.isRequired {
            return "\(name) || coalesce(\(json), 'null')"
        }
        return "coalesce(\(name) || \(json), '')"
    }
}

/// A text as a JSON string.
struct JSONString: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        var writer = JSONWriter()
        writer.string(text)
        description = writer.text
    }
}
