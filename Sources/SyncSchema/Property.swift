/// One field of an entity or of a nested object.
public struct Property: Sendable, Hashable {
    /// The name in the schema, which is also the Swift name and the column name.
    public var name: String
    /// The path on the wire: one member name, or several if the schema gives a JSON pointer.
    public var wirePath: [String]
    /// The `title` of the field, its name for people; nil if there is none.
    public var title: String?
    /// The `description` of the field; empty if there is none.
    public var summary: String
    /// The type and its constraints.
    public var type: SchemaType
    /// Whether `null` is allowed (`"type": ["string", "null"]`).
    public var isNullable: Bool
    /// Whether the field must be present.
    public var isRequired: Bool
    /// The `default` as canonical JSON; nil if there is none.
    public var defaultJSON: String?
    /// The field's own merge rule; nil to follow the entity's.
    public var merge: MergeRule?
    /// The field's former name; nil if it was not renamed.
    public var renamedFrom: String?
    /// What the field was called before that, newest first.
    public var earlierNames: [String]
    /// Whether the field stays on this device.
    public var isLocalOnly: Bool
    /// Whether the field is a list, not a set, that holds no element twice: `uniqueItems` with `sync.ordered`.
    public var hasUniqueItems: Bool
    /// The Swift type of its values, or of a list's elements, where it is not the usual one.
    public var swiftType: SwiftType?

    /// Makes a property.
    public init(
        name: String,
        wirePath: [String],
        title: String? = nil,
        summary: String = "",
        type: SchemaType,
        isNullable: Bool = false,
        isRequired: Bool = false,
        defaultJSON: String? = nil,
        merge: MergeRule? = nil,
        renamedFrom: String? = nil,
        earlierNames: [String] = [],
        isLocalOnly: Bool = false,
        hasUniqueItems: Bool = false,
        swiftType: SwiftType? = nil
    ) {
        self.name = name
        self.wirePath = wirePath
        self.title = title
        self.summary = summary
        self.type = type
        self.isNullable = isNullable
        self.isRequired = isRequired
        self.defaultJSON = defaultJSON
        self.merge = merge
        self.renamedFrom = renamedFrom
        self.earlierNames = earlierNames
        self.isLocalOnly = isLocalOnly
        self.hasUniqueItems = hasUniqueItems
        self.swiftType = swiftType
    }

    /// All names that the field had, newest first.
    package var formerNames: [String] { (renamedFrom.map { [$0] } ?? []) + earlierNames }
}

/// A Swift type that a schema may choose for a field. It changes neither store nor wire. The raw value is the schema's word.
public enum SwiftType: String, Sendable, Hashable, CaseIterable {
    /// Foundation's `URL` for a `uri`.
    case url = "URL"
    /// A type of the entity's own for its key, such as `Recipe.ID`.
    case key = "ID"
}

/// The type of a field with its constraints.
public indirect enum SchemaType: Sendable, Hashable {
    /// Text. Lengths are in Unicode scalars, as in JSON Schema.
    case string(minLength: Int?, maxLength: Int?, pattern: String?, maxBytes: Int? = nil)
    /// A 64-bit integer.
    case integer(minimum: Int64?, maximum: Int64?)
    /// A double. The bounds are exactly as in the schema.
    case number(minimum: Double?, maximum: Double?)
    case boolean
    case uuid
    /// A point in time with microseconds.
    case dateTime
    /// A calendar date, `yyyy-mm-dd`.
    case date
    case uri(maxLength: Int?)
    /// An exact decimal number, encoded as a string.
    case decimal
    /// Bytes, encoded as base64.
    case data
    /// An open enum of strings or integers.
    case enumeration(EnumType)
    /// A list, or a set if `isSet`.
    case array(item: Property, isSet: Bool, minItems: Int?, maxItems: Int?)
    /// A nested object.
    case object(ObjectType)
    /// A map: values of one scalar type by names that the schema does not list.
    case map(value: Property)
}

/// An open enum: the values in the schema, and any value of a newer client.
public struct EnumType: Sendable, Hashable {
    /// The Swift type nested in the entity's type, for example `Status`.
    public var typeName: String
    /// The values in file order with their Swift case names.
    public var cases: [Case]
    /// Whether the values are integers. Those not in the schema are values, too, so that stores and wire treat the field as
    /// any integer.
    public var isInteger: Bool

    /// Makes an enum.
    public init(typeName: String, cases: [Case], isInteger: Bool = false) {
        self.typeName = typeName
        self.cases = cases
        self.isInteger = isInteger
    }

    /// One named value of an enum.
    public struct Case: Sendable, Hashable {
        /// The Swift case name, for example `inProgress`.
        public var name: String
        /// The value on the wire, for example `in-progress`; the digits of an integer.
        public var value: String

        /// Makes a case.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// A nested object with its fields.
public struct ObjectType: Sendable, Hashable {
    /// The Swift type nested in the entity's type, for example `Split`.
    public var typeName: String
    /// The `description` of the object; empty if there is none.
    public var summary: String
    /// Fields in file order; none if the object is free in form.
    public var properties: [Property]
    /// Whether unknown members are refused (`additionalProperties: false`).
    public var forbidsUnknownFields: Bool

    /// Makes a nested object.
    public init(
        typeName: String,
        summary: String = "",
        properties: [Property],
        forbidsUnknownFields: Bool = false
    ) {
        self.typeName = typeName
        self.summary = summary
        self.properties = properties
        self.forbidsUnknownFields = forbidsUnknownFields
    }
}
