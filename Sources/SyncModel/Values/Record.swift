/// The values of one record, by the position of the field in its `EntityDescriptor`.
public struct Record: Sendable, Hashable {
    /// One value per field of the descriptor; nil means absent, `.null` means null.
    public var values: [FieldValue?]
    /// Members that this version of the schema does not know, sorted by path as bytes. They are kept unchanged.
    public var unknown: [UnknownField]

    /// Makes a record from its values.
    public init(values: [FieldValue?], unknown: [UnknownField] = []) {
        self.values = values
        self.unknown = unknown
    }

    /// A record without any value.
    public init(empty descriptor: EntityDescriptor) {
        self.init(values: Array(repeating: nil, count: descriptor.fields.count))
    }
}

/// A member that this version of the schema does not know.
public struct UnknownField: Sendable, Hashable {
    /// The member's name, or a JSON pointer (`/address/floor`) inside an object that the schema flattens.
    public var path: String
    /// The value's JSON text without white space between tokens.
    public var json: String

    /// Makes an unknown member.
    public init(path: String, json: String) {
        self.path = path
        self.json = json
    }

    public static func == (left: UnknownField, right: UnknownField) -> Bool {
        left.path.hasSameBytes(as: right.path) && left.json.hasSameBytes(as: right.json)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
        for byte in json.utf8 { hasher.combine(byte) }
    }
}
