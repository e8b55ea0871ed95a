import SyncSchema

/// How a value of JSON and a value of a column become each other.
extension Column {
    /// The column's value out of the JSON `json`.
    func value(of json: String) -> String {
        let text = "(\(memberText(of: json)))"
        let value =
            switch kind {
            case .text: type.base == .text ? text : "\(text)::\(type.cast)"
            case .integer: "\(text)::numeric::\(type.cast)"
            case .moment where type.base == .timestamp: "(entitysync.moment(\(text)) at time zone 'UTC')"
            case .moment where type.base == .timestamptz: "entitysync.moment(\(text))"
            case .decimal where type.base == .text: text
            case .number, .boolean, .uuid, .moment, .date, .decimal: "\(text)::\(type.cast)"
            case .bytes: "decode(\(memberText(of: json)), 'base64')"
            case .json where type.isArray: array(of: member(of: json))
            case .json where type.base == .json: "nullif(\(member(of: json)), 'null')::json"
            case .json: "nullif(\(member(of: json)), 'null')"
            }
        guard let initial = initialValue else { return value }
        return "case when \(member(of: json)) is null then \(initial) else \(value) end"
    }

    private func array(of member: String) -> String {
        let elements = "array(select e.value from jsonb_array_elements_text(\(member)) as e)"
        return "case when jsonb_typeof(\(member)) = 'array' then \(elements)::\(type.cast) end"
    }

    /// The JSON text of the value in an expression such as `r."id"`; null for null, and for a value that the schema's type
    /// cannot hold exactly.
    func json(of value: String) -> String {
        guard let exactness = exactness(of: value) else { return text(of: value) }
        return "case when \(exactness) then \(text(of: value)) end"
    }

    /// A condition that the schema's type can hold a value exactly; nil if it always can.
    func exactness(of value: String) -> String? {
        switch (kind, type.base) {
        case (.date, .date): "\(value) between '0001-01-01' and '9999-12-31'"
        case (.moment, .timestamp), (.moment, .timestamptz):
            "\(value) between '0001-01-01 00:00:00' and '9999-12-31 23:59:59.999999'"
        case (.number, .double), (.number, .real): "\(value) - \(value) = 0"
        case (.number, .numeric):
            // CASE, because AND may convert what is too large first.
            "case when \(value) between -1e308 and 1e308 then \(value)::float8::numeric = \(value) end"
        case (.integer, .numeric):
            "\(value) between -9223372036854775808 and 9223372036854775807 and \(value) % 1 = 0"
        case (.decimal, .numeric): "\(value) - \(value) = 0"
        case (.json, .json) where !type.isArray:
            "entitysync.is_plain_json(\(value)) and \(isShallow(value))"
        case (.json, .jsonb) where !type.isArray: isShallow(value)
        default: nil
        }
    }

    /// Whether JSON nests no deeper than devices read, counted from the body. Short texts cannot.
    private func isShallow(_ value: String) -> String {
        let body =
            "\(SQLText.literal(String(repeating: "[", count: path.count))) || \(value)::text"
            + " || \(SQLText.literal(String(repeating: "]", count: path.count)))"
        return "(length(\(value)::text) < 1000 or not entitysync.is_too_deep((\(body))::json))"
    }

    /// The column's value as text, as keys are written, whatever the settings of the session are.
    func keyText(of alias: String) -> String {
        let value = of(alias)
        switch (kind, type.base) {
        case (.moment, _): return momentText(of: value)
        case (.date, .date): return "to_char(\(value), 'YYYY-MM-DD')"
        case (.integer, .numeric): return "trim_scale(\(value))::text"
        default: return "\(value)::text"
        }
    }

    private func text(of value: String) -> String {
        switch kind {
        case .number where type.base == .numeric: "to_json(\(value)::float8)::text"
        case .text, .uuid, .date, .number: "to_json(\(value))::text"
        case .integer where type.base == .numeric: "trim_scale(\(value))::text"
        case .integer, .boolean: "\(value)::text"
        case .moment: #"'"' || \#(momentText(of: value)) || '"'"#
        case .decimal where type.base == .text: "to_json(\(value))::text"
        case .decimal: #"'"' || trim_scale(\#(value)) || '"'"#
        case .bytes: #"'"' || translate(encode(\#(value), 'base64'), E'\n', '') || '"'"#
        case .json where type.isArray: "to_json(\(value))::text"
        // The null of JSON is SQL's null, as it is when it is written.
        case .json(_, isOfTexts: true):
            // Without spaces, as devices write it. After a backslash, a quotation mark need not end an element.
            #"nullif(case when strpos(\#(jsonb(value))::text, '\') > 0 then \#(jsonb(value))::text else replace(\#(jsonb(value))::text, '", "', '","') end, 'null')"#
        case .json: "nullif(\(jsonb(value))::text, 'null')"
        }
    }

    private func jsonb(_ value: String) -> String { type.base == .json ? "\(value)::jsonb" : value }

    /// The column with an alias in front, as something that can be compared: not each type can, and some collations take
    /// different texts for one.
    func comparable(of alias: String) -> String {
        switch type.base {
        case .json, .named: "\(of(alias))::text collate \"C\""
        case .text, .varchar: "\(of(alias)) collate \"C\""
        default: of(alias)
        }
    }

    /// A moment as records have it on the wire: UTC, without trailing zeros.
    ///
    /// It stands in each row's expression, because PostgreSQL calls a function with a search path of its own for each
    /// value and cannot inline it.
    func momentText(of value: String, isZoned: Bool = false) -> String {
        let inUTC = type.base == .timestamp && !isZoned ? value : "\(value) at time zone 'UTC'"
        let text = #"to_char(\#(inUTC), 'YYYY-MM-DD"T"HH24:MI:SS.US')"#
        return "rtrim(rtrim(\(text), '0'), '.') || 'Z'"
    }

    /// The column's moment with an alias in front, as `timestamptz`. A `timestamp` without zone is UTC.
    func instant(of alias: String) -> String {
        type.base == .timestamp ? "(\(of(alias)) at time zone 'UTC')" : of(alias)
    }

    /// A `timestamptz` as a value of the column.
    func value(ofInstant instant: String) -> String {
        type.base == .timestamp ? "(\(instant) at time zone 'UTC')" : instant
    }

    /// A value of a former column, as a value of this one.
    func conversion(of value: String, from former: Column) -> String {
        switch (former.type.base, type.base) {
        case (.timestamp, .timestamptz), (.timestamptz, .timestamp): "\(value) at time zone 'UTC'"
        case _ where former.type.isArray && !type.isArray: "to_json(\(value))::\(type.cast)"
        case _ where type.isArray && !former.type.isArray:
            "\(Self.textsFunction)(\(value)::jsonb)::\(type.cast)"
        default: "\(value)::text::\(type.cast)"
        }
    }

    /// A function for `conversion`, where no subquery may stand.
    static let textsFunction = "pg_temp.entitysync_texts"

    /// The schema's default as SQL; nil if there is none.
    var initialValue: String? {
        guard let json = property.defaultJSON, json != "null" else { return nil }
        if type.isArray {
            return Self.arrayLiteral(json: json).map { "\(SQLText.literal($0))::\(type.cast)" }
        }
        if case .json = kind { return "\(SQLText.literal(json))::\(type.cast)" }
        // With escapes, the database reads the JSON.
        guard !json.utf8.contains(UInt8(ascii: "\\")) else {
            return "(\(SQLText.literal(json))::jsonb #>> '{}')::\(type.cast)"
        }
        let text = json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
        if case .moment = kind { return value(ofInstant: "\(SQLText.literal(text))::timestamptz") }
        return "\(SQLText.literal(text))::\(type.cast)"
    }

    /// A JSON array of scalars as the text of an array in PostgreSQL: `["a"]` is `{"a"}`. Nil if it has escapes, which
    /// differ.
    private static func arrayLiteral(json: String) -> String? {
        json.utf8.contains(UInt8(ascii: "\\")) ? nil : "{\(json.dropFirst().dropLast())}"
    }
}

extension SQLType {
    /// The type as a table declares it.
    var declaration: String {
        let numbers = arguments.isEmpty ? "" : "(\(arguments.map(String.init).joined(separator: ",")))"
        return name + numbers + (isArray ? "[]" : "")
    }

    /// The type as values are cast to it. Without a length, because a cast would cut what is too long, unseen.
    var cast: String { name + (isArray ? "[]" : "") }

    /// Whether the type holds text.
    var isText: Bool { base == .text || base == .varchar }

    private var name: String {
        switch base {
        case .text: "text"
        case .varchar: "varchar"
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .numeric: "numeric"
        case .real: "real"
        case .double: "double precision"
        case .boolean: "boolean"
        case .uuid: "uuid"
        case .timestamptz: "timestamptz"
        case .timestamp: "timestamp"
        case .date: "date"
        case .bytea: "bytea"
        case .json: "json"
        case .jsonb: "jsonb"
        case .named(let schema, let name): SQLText.name(schema: SQLText.name(schema), name)
        }
    }
}
