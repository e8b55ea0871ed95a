/// The type of a field with its constraints, which are checked on write and on pull.
public indirect enum FieldType: Sendable, Hashable {
    /// Text; lengths count Unicode scalars, as JSON Schema does, and `maxBytes` the bytes of UTF-8.
    case string(minLength: Int? = nil, maxLength: Int? = nil, pattern: String? = nil, maxBytes: Int? = nil)
    /// A 64-bit integer.
    case integer(minimum: Int64? = nil, maximum: Int64? = nil)
    /// A finite double.
    case number(minimum: Double? = nil, maximum: Double? = nil)
    case boolean
    /// A UUID; lower-case text in the column.
    case uuid
    /// An instant; microseconds since 1970 in the column.
    case dateTime
    /// A calendar date; `yyyy-mm-dd` in the column.
    case date
    /// A URI of RFC 3986, with its scheme.
    case uri(maxLength: Int? = nil)
    /// An exact decimal; canonical text in the column and on the wire.
    case decimal
    /// Bytes; base64 on the wire.
    case data
    /// An open enum: these values, and any other text from a newer app.
    case enumeration([String])
    /// A list, or a set when `isSet`; canonical JSON in the column.
    case array(
        element: FieldType,
        elementIsNullable: Bool = false,
        isSet: Bool = false,
        minItems: Int? = nil,
        maxItems: Int? = nil
    )
    /// A nested object; canonical JSON in the column. Without fields it is free in form.
    case object([FieldDescriptor])
    /// Values of one scalar type by names that the schema does not list; canonical JSON in the column.
    case map(value: FieldType, valueIsNullable: Bool = false)
}

extension FieldType {
    /// The column's SQLite type in a STRICT table.
    public var columnType: String {
        switch self {
        case .integer, .boolean, .dateTime: "INTEGER"
        case .number: "REAL"
        case .data: "BLOB"
        default: "TEXT"
        }
    }

    /// Whether the column holds canonical JSON.
    public var isStructured: Bool {
        switch self {
        case .array, .object, .map: true
        default: false
        }
    }

    /// Whether the value is a set of elements.
    public var isSet: Bool {
        if case .array(_, _, true, _, _) = self { true } else { false }
    }
}

extension FieldType {
    /// A kept value of this field from an app with an older or newer schema, converted to this type: integer to
    /// number, and a whole number to integer. An app that does not know the field keeps the JSON of the wire.
    package func adopting(value: FieldValue) -> FieldValue {
        switch (self, value) {
        case (.number, .integer(let value)): .number(Double(value))
        case (.integer, .number(let value)): Int64(exactly: value).map { .integer($0) } ?? .number(value)
        case (_, .json("null")): .null
        case (_, .json(let text)) where !isStructured:
            (try? FieldJSON.elements(of: "[\(text)]", element: self).first) ?? value
        default: value
        }
    }
}

/// One field of an entity or of a nested object.
public struct FieldDescriptor: Sendable, Hashable {
    /// The schema's name; also the Swift name and the column name.
    public var name: String
    /// The value's path on the wire: member names from the outside in, usually one.
    public var wirePath: [String]
    /// The name for people, as the schema titles it; nil if it does not.
    public var title: String?
    /// The type and its constraints.
    public var type: FieldType
    /// Whether null is allowed.
    public var isNullable: Bool
    /// Whether the field must be present.
    public var isRequired: Bool
    /// The field's own merge rule.
    public var merge: MergeRule?
    /// The field's former name.
    public var renamedFrom: String?
    /// What the field was called before that, newest first.
    public var earlierNames: [String]
    /// Whether the field stays on this device.
    public var isLocalOnly: Bool
    /// Whether a list, which keeps its order, holds no element twice. A set does not either, without saying so here.
    public var hasUniqueItems: Bool
    /// The schema's default as canonical JSON text.
    public var defaultJSON: String?

    /// Describes a field.
    public init(
        name: String,
        wirePath: [String]? = nil,
        title: String? = nil,
        type: FieldType,
        isNullable: Bool = false,
        isRequired: Bool = false,
        merge: MergeRule? = nil,
        renamedFrom: String? = nil,
        earlierNames: [String] = [],
        isLocalOnly: Bool = false,
        hasUniqueItems: Bool = false,
        defaultJSON: String? = nil
    ) {
        self.name = name
        self.wirePath = wirePath ?? [name]
        self.title = title
        self.type = type
        self.isNullable = isNullable
        self.isRequired = isRequired
        self.merge = merge
        self.renamedFrom = renamedFrom
        self.earlierNames = earlierNames
        self.isLocalOnly = isLocalOnly
        self.hasUniqueItems = hasUniqueItems
        self.defaultJSON = defaultJSON
    }

    /// All names that the field had, newest first.
    package var formerNames: [String] { (renamedFrom.map { [$0] } ?? []) + earlierNames }
}

/// How a field's values merge if both sides changed it. The raw value is the schema's word.
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
    case union, max, min, or, and
    case lastWriteWins = "last-write-wins"
    case preserveLocal = "preserve-local"
}

/// How concurrent edits of a record merge. The raw value is the schema's word.
public enum MergeStrategy: String, Sendable, Hashable, CaseIterable {
    case preserveLocal = "preserve-local"
    case lastWriteWins = "last-write-wins"
    case setUnion = "set-union"
}

/// Whether records merge as a whole or field by field.
public enum MergeGranularity: String, Sendable, Hashable, CaseIterable {
    case record, field
}
