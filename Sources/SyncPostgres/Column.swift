import SyncSchema

/// A column of a table: one field of an entity.
struct Column {
    /// The column's name.
    let name: String
    /// The members that lead to the value on the wire.
    let path: [String]
    /// The field.
    let property: Property
    /// How values are stored and written.
    let kind: Kind
    /// The column's type, as the table declares it.
    let type: String
    /// Whether the entity's key holds the field.
    let isKey: Bool

    /// How a value of JSON and a value of a column become each other.
    enum Kind {
        case text, integer, number, boolean, uuid, moment, date, decimal, bytes
        /// JSON; a set or list of texts is written without spaces.
        case json(container: String, isOfTexts: Bool)
    }

    init(_ property: Property, isKey: Bool) {
        self.property = property
        self.isKey = isKey
        path = property.wirePath
        name = property.wirePath.joined(separator: "_")
        kind = Kind(property.type)
        type = kind.type
    }

    /// The column with an alias in front.
    func of(_ alias: String) -> String { "\(alias).\(SQLText.name(name))" }

    /// The member in the JSON `json`.
    func member(of json: String) -> String {
        path.count == 1
            ? "\(json) -> \(SQLText.literal(path[0]))" : "\(json) #> \(SQLText.array(path))"
    }

    /// The member in the JSON `json`, as text.
    func memberText(of json: String) -> String {
        path.count == 1
            ? "\(json) ->> \(SQLText.literal(path[0]))" : "\(json) #>> \(SQLText.array(path))"
    }

    /// The column's value out of the JSON `json`.
    func value(of json: String) -> String {
        let text = "(\(memberText(of: json)))"
        let value =
            switch kind {
            case .text: text
            case .integer: "\(text)::numeric::bigint"
            case .number: "\(text)::double precision"
            case .boolean: "\(text)::boolean"
            case .uuid: "\(text)::uuid"
            case .moment: "\(text)::timestamptz"
            case .date: "\(text)::date"
            case .decimal: "\(text)::numeric"
            case .bytes: "decode(\(memberText(of: json)), 'base64')"
            case .json: "nullif(\(member(of: json)), 'null')"
            }
        guard let initial = initialValue else { return value }
        return "case when \(member(of: json)) is null then \(initial) else \(value) end"
    }

    /// The JSON text of the value in an expression such as `r."id"`.
    func json(of value: String) -> String {
        switch kind {
        case .text, .uuid, .date, .number: "to_json(\(value))::text"
        case .integer, .boolean: "\(value)::text"
        case .moment: #"'"' || \#(Self.momentText(value)) || '"'"#
        case .decimal: #"'"' || trim_scale(\#(value)) || '"'"#
        case .bytes: #"'"' || translate(encode(\#(value), 'base64'), E'\n', '') || '"'"#
        case .json(_, isOfTexts: true):
            // Without spaces, as devices write it. After a backslash, a quotation mark need not end an element.
            #"case when strpos(\#(value)::text, '\') > 0 then \#(value)::text else replace(\#(value)::text, '", "', '","') end"#
        case .json: "\(value)::text"
        }
    }

    /// A moment as records have it on the wire: UTC, without trailing zeros.
    ///
    /// It stands in each row's expression, because PostgreSQL calls a function with a search path of its own for each
    /// value and cannot inline it.
    static func momentText(_ value: String) -> String {
        let text = #"to_char(\#(value) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')"#
        return "rtrim(rtrim(\(text), '0'), '.') || 'Z'"
    }

    /// The schema's default as SQL; nil if there is none.
    var initialValue: String? {
        guard let json = property.defaultJSON, json != "null" else { return nil }
        if case .json = kind { return "\(SQLText.literal(json))::jsonb" }
        // With escapes, the database reads the JSON.
        guard !json.utf8.contains(UInt8(ascii: "\\")) else {
            return "(\(SQLText.literal(json))::jsonb #>> '{}')::\(type)"
        }
        let text = json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
        return "\(SQLText.literal(text))::\(type)"
    }
}

extension Column.Kind {
    init(_ type: SchemaType) {
        switch type {
        case .string, .uri, .enumeration: self = .text
        case .integer: self = .integer
        case .number: self = .number
        case .boolean: self = .boolean
        case .uuid: self = .uuid
        case .dateTime: self = .moment
        case .date: self = .date
        case .decimal: self = .decimal
        case .data: self = .bytes
        case .array(let item, _, _, _): self = .json(container: "array", isOfTexts: Self(item.type).isText)
        case .object: self = .json(container: "object", isOfTexts: false)
        }
    }

    private var isText: Bool { if case .text = self { true } else { false } }

    /// The type of a column.
    var type: String {
        switch self {
        case .text: "text"
        case .integer: "bigint"
        case .number: "double precision"
        case .boolean: "boolean"
        case .uuid: "uuid"
        case .moment: "timestamptz"
        case .date: "date"
        case .decimal: "numeric"
        case .bytes: "bytea"
        case .json: "jsonb"
        }
    }

    /// What `jsonb_typeof` says of a value.
    var jsonType: String {
        switch self {
        case .text, .uuid, .moment, .date, .decimal, .bytes: "string"
        case .integer, .number: "number"
        case .boolean: "boolean"
        case .json(let container, _): container
        }
    }

    /// A further condition on a value of that JSON type, so that it can be stored; nil if there is none.
    func condition(text: String) -> String? {
        switch self {
        case .text, .number, .boolean, .json: nil
        case .integer: "(\(text))::numeric % 1 = 0"
        case .uuid: "(\(text)) ~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'"
        case .moment:
            #"(\#(text)) ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$'"#
        case .date: #"(\#(text)) ~ '^\d{4}-\d\d-\d\d$'"#
        case .decimal: #"(\#(text)) ~ '^-?\d+(\.\d+)?$'"#
        case .bytes: "(\(text)) ~ '^[A-Za-z0-9+/]*={0,2}$'"
        }
    }
}
