/// An open enum: the cases of the schema, and `unknown` for any other value. Its raw value is that of the wire: a `String` or
/// an `Int`.
///
/// Texts are compared by their UTF-8 bytes.
public protocol OpenEnum: FieldConvertible, RawRepresentable, CaseIterable, Codable, Hashable
where AllCases == [Self], RawValue: FieldConvertible {
    /// Every raw value is a value.
    init(rawValue: RawValue)
    /// The case for a raw value that the schema does not name.
    static func unknown(_ value: RawValue) -> Self
}

extension OpenEnum {
    /// The value of the column.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Self {
        Self(rawValue: try RawValue.read(value, as: type))
    }

    /// The value of the column.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Self? {
        try RawValue.read(fields, at: index).map { Self(rawValue: $0) }
    }

    /// The raw value.
    public func fieldValue(as type: FieldType) throws -> FieldValue { try rawValue.fieldValue(as: type) }
}

extension OpenEnum where RawValue == String {
    /// The case that the schema names, or `unknown`.
    public init(rawValue: String) {
        let known = Self.allCases.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }
        self = known ?? .unknown(rawValue)
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension OpenEnum where RawValue == Int {
    /// The case that the schema names, or `unknown`.
    public init(rawValue: Int) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }

    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
