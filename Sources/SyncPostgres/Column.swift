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
    /// The column's type.
    let type: SQLType
    /// Whether the entity's key holds the field.
    let isKey: Bool

    /// How a value of JSON and a value of a column become each other.
    enum Kind {
        case text, integer, number, boolean, uuid, moment, date, decimal, bytes
        /// JSON; a set or list of texts is written without spaces.
        case json(container: String, isOfTexts: Bool)
    }

    init(_ property: Property, isKey: Bool, declared: SQLColumn? = nil) {
        self.property = property
        self.isKey = isKey
        path = property.wirePath
        name = declared?.name ?? property.wirePath.joined(separator: "_")
        kind = Kind(property.type)
        type = declared?.type ?? SQLType(kind.base)
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
}

extension Column.Kind {
    init(_ type: SchemaType) {
        switch type {
        case .enumeration(let type): self = type.isInteger ? .integer : .text
        case .string, .uri: self = .text
        case .integer: self = .integer
        case .number: self = .number
        case .boolean: self = .boolean
        case .uuid: self = .uuid
        case .dateTime: self = .moment
        case .date: self = .date
        case .decimal: self = .decimal
        case .data: self = .bytes
        case .array(let item, _, _, _): self = .json(container: "array", isOfTexts: Self(item.type).isText)
        case .object, .map: self = .json(container: "object", isOfTexts: false)
        }
    }

    private var isText: Bool { if case .text = self { true } else { false } }

    /// The usual type of a column.
    var base: SQLType.Base {
        switch self {
        case .text: .text
        case .integer: .bigint
        case .number: .double
        case .boolean: .boolean
        case .uuid: .uuid
        case .moment: .timestamptz
        case .date: .date
        case .decimal: .numeric
        case .bytes: .bytea
        case .json: .jsonb
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
        case .uuid:
            // A pattern that counts the digits takes twice as long.
            "(\(text)) like '________-____-____-____-____________' and (\(text)) ~ '^[0-9a-fA-F]+(-[0-9a-fA-F]+){4}$'"
        case .moment:
            #"(\#(text)) ~ '^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$'"#
        case .date: #"(\#(text)) ~ '^\d{4}-\d\d-\d\d$'"#
        case .decimal: #"(\#(text)) ~ '^-?\d+(\.\d+)?$'"#
        case .bytes: "(\(text)) ~ '^[A-Za-z0-9+/]*={0,2}$'"
        }
    }
}
