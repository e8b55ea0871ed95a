/// One field of an entity or of a nested object.
public struct Property: Sendable, Hashable {
    /// The schema's name, which is also the Swift name and the column name.
    public var name: String
    /// Where the value stands on the wire: one member name, or a path of them when the schema gives a JSON pointer.
    public var wirePath: [String]
    /// The `description` of the field, or empty.
    public var summary: String
    /// The type and its constraints.
    public var type: SchemaType
    /// Whether `null` is a value (`"type": ["string", "null"]`).
    public var isNullable: Bool
    /// Whether the field must be present.
    public var isRequired: Bool
    /// The `default` as canonical JSON text, or nil.
    public var defaultJSON: String?
    /// The field's own merge rule, or nil to follow the entity.
    public var merge: MergeRule?
    /// The field's former name, or nil.
    public var renamedFrom: String?
    /// Whether the field stays on this device.
    public var isLocalOnly: Bool

    /// Describes a field.
    public init(
        name: String,
        wirePath: [String],
        summary: String = "",
        type: SchemaType,
        isNullable: Bool = false,
        isRequired: Bool = false,
        defaultJSON: String? = nil,
        merge: MergeRule? = nil,
        renamedFrom: String? = nil,
        isLocalOnly: Bool = false
    ) {
        self.name = name
        self.wirePath = wirePath
        self.summary = summary
        self.type = type
        self.isNullable = isNullable
        self.isRequired = isRequired
        self.defaultJSON = defaultJSON
        self.merge = merge
        self.renamedFrom = renamedFrom
        self.isLocalOnly = isLocalOnly
    }
}

/// The type of a field, with the constraints that the schema puts on it.
public indirect enum SchemaType: Sendable, Hashable {
    /// Text. Lengths count Unicode scalars, as JSON Schema does.
    case string(minLength: Int?, maxLength: Int?, pattern: String?)
    /// A 64-bit integer.
    case integer(minimum: Int64?, maximum: Int64?)
    /// A double. Bounds are exact as the schema wrote them.
    case number(minimum: Double?, maximum: Double?)
    case boolean
    case uuid
    /// An instant with microseconds.
    case dateTime
    /// A calendar date, `yyyy-mm-dd`.
    case date
    case uri(maxLength: Int?)
    /// An exact decimal number, a string on the wire.
    case decimal
    /// Bytes, base64 on the wire.
    case data
    /// An open enum of strings. Case names are valid Swift.
    case enumeration(EnumType)
    /// A list, or a set when `isSet`.
    case array(item: Property, isSet: Bool, minItems: Int?, maxItems: Int?)
    /// A nested object.
    case object(ObjectType)
}

/// An open enum: values that the schema names, and any other that a newer client may send.
public struct EnumType: Sendable, Hashable {
    /// The Swift type, nested in the entity's, for example `Status`.
    public var typeName: String
    /// Wire values in file order with their Swift case names.
    public var cases: [Case]

    /// Describes an enum.
    public init(typeName: String, cases: [Case]) {
        self.typeName = typeName
        self.cases = cases
    }

    /// One named value.
    public struct Case: Sendable, Hashable {
        /// The Swift case name, for example `inProgress`.
        public var name: String
        /// The value on the wire, for example `in-progress`.
        public var value: String

        /// Describes a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// A nested object and its fields.
public struct ObjectType: Sendable, Hashable {
    /// The Swift type, nested in the entity's, for example `Split`.
    public var typeName: String
    /// The `description` of the object, or empty.
    public var summary: String
    /// Fields in file order.
    public var properties: [Property]
    /// Whether members that the schema does not name are refused (`additionalProperties: false`).
    public var forbidsUnknownFields: Bool

    /// Describes a nested object.
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
