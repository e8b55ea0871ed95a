public import Foundation

/// A key of an entity's own type, such as `Recipe.ID`, so that it cannot be taken for the key of another entity. Generated
/// code has one where the schema says `"swiftType": "ID"`.
///
/// Its raw value is what the schema describes: a `UUID`, a `String`, an `Int` or a `CalendarDate`. Texts are compared by their
/// UTF-8 bytes.
public protocol TypedKey: OrderedFieldValue, RawRepresentable, Codable, Hashable, CustomStringConvertible
where RawValue: OrderedFieldValue & Codable & Hashable {
    /// Every raw value is a key.
    init(rawValue: RawValue)
}

extension TypedKey {
    /// A key of a value.
    public init(_ rawValue: RawValue) { self.init(rawValue: rawValue) }

    /// The raw value as text.
    public var description: String { "\(rawValue)" }

    /// Whether two keys differ.
    public static func != (left: Self, right: Self) -> Bool { !(left == right) }

    /// Reads the raw value alone.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(RawValue.self))
    }

    /// Writes the raw value alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

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

extension TypedKey where RawValue == UUID {
    /// A new key, at random.
    public init() { self.init(rawValue: UUID()) }

    /// The UUID in lower case, as it is stored.
    public var description: String { rawValue.lowercaseText }
}

extension TypedKey where RawValue == String {
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}
