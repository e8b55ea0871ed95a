public import Foundation

/// A type that is a JSON string on the wire: UUID, date-time, date, decimal, bytes.
public protocol WireText: FieldConvertible {
    /// The name of the text in messages, for example `a UUID`.
    static var wireTextName: String { get }
    /// Reads the text; nil if it is invalid.
    init?(wireText: String)
    /// The canonical spelling of the value. Throws `FieldError` if the value has none.
    func wireText() throws -> String
}

extension WireText {
    /// The value of a column of text.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Self {
        guard case .text(let text) = value, let result = Self(wireText: text) else {
            throw FieldError.relative(rule: "type", predicate: "must be \(wireTextName)")
        }
        return result
    }

    /// The value of a column of text.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Self? {
        guard fields.hasValue(at: index) else { return nil }
        guard let value = Self(wireText: fields.row.text(at: index)) else {
            return try fields.refuse(index, expected: wireTextName)
        }
        return value
    }

    /// The column has the same text as the wire.
    public func fieldValue(as type: FieldType) throws -> FieldValue { .text(try wireText()) }
}

extension FieldReader {
    /// Throws the error for a value of the wrong type.
    func refuse<Value>(_ index: Int, expected: String) throws -> Value {
        try naming(index: index) {
            throw FieldError.relative(rule: "type", predicate: "must be \(expected)")
        }
    }
}

/// Lower-case.
extension UUID: WireText {
    /// What a message calls the text.
    public static var wireTextName: String { "a UUID" }

    /// Reads 32 hexadecimal digits in either case, with hyphens after the 8th, 12th, 16th and 20th.
    public init?(wireText: String) {
        var copy = wireText
        guard let uuid = copy.withUTF8({ UUID(text: $0) }) else { return nil }
        self = uuid
    }

    /// The UUID in lower case.
    public func wireText() throws -> String { lowercaseText }

    /// The value of a column of text.
    public static func read(_ fields: FieldReader, at index: Int) throws -> UUID? {
        guard fields.hasValue(at: index) else { return nil }
        guard let value = fields.row.withText(at: index, body: { UUID(text: $0) }) else {
            return try fields.refuse(index, expected: wireTextName)
        }
        return value
    }
}

/// `yyyy-mm-dd`.
extension CalendarDate: WireText {
    /// What a message calls the text.
    public static var wireTextName: String { "a date" }
    /// Reads `yyyy-mm-dd`.
    public init?(wireText: String) { self.init(wireText) }
    /// The date as `yyyy-mm-dd`.
    public func wireText() throws -> String { description }
}

/// RFC 3339 in UTC, rounded to the microsecond. Exact from 1729 to 2272, and to the millisecond outside, where a `Date` is
/// coarser.
extension Date: WireText {
    /// What a message calls the text.
    public static var wireTextName: String { "a date-time" }

    /// Reads a date-time of RFC 3339 in any zone.
    public init?(wireText: String) {
        guard let timestamp = Timestamp(wireText) else { return nil }
        self = timestamp.date
    }

    /// The instant in UTC. Throws outside the years 0001 to 9999.
    public func wireText() throws -> String { try timestamp().description }

    /// The instant of a column of microseconds.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Date {
        guard case .timestamp(let value) = value else {
            throw FieldError.relative(rule: "type", predicate: "must be \(wireTextName)")
        }
        return value.date
    }

    /// The instant of a column of microseconds.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Date? {
        fields.hasValue(at: index) ? fields.row.timestamp(at: index).date : nil
    }

    /// The instant in microseconds. Throws outside the years 0001 to 9999.
    public func fieldValue(as type: FieldType) throws -> FieldValue { .timestamp(try timestamp()) }

    private func timestamp() throws -> Timestamp {
        // An infinite or huge `Date` would trap in the conversion to whole seconds.
        guard (Self.firstSecond..<Self.afterLastSecond).contains(timeIntervalSince1970) else {
            throw FieldError.relative(rule: "date-time", predicate: "must lie in the years 0001 to 9999")
        }
        let timestamp = Timestamp(self)
        return min(timestamp, Timestamp(microseconds: Int64(Self.afterLastSecond) * 1_000_000 - 1))
    }

    private static let firstSecond = -62_135_596_800.0
    private static let afterLastSecond = 253_402_300_800.0
}

/// A URI of RFC 3986, as it is written.
extension URL: WireText {
    /// What a message calls the text.
    public static var wireTextName: String { "a URI" }
    /// Reads a URI. Other text, which older apps may have written, is read as the URI that stands for it: `é` as `%C3%A9`.
    public init?(wireText: String) { self.init(string: wireText, encodingInvalidCharacters: true) }
    /// The URI. A relative one is resolved if it has a base; the field rejects it otherwise.
    public func wireText() throws -> String { absoluteString }
}

/// Digits without exponent.
extension Decimal: WireText {
    /// What a message calls the text.
    public static var wireTextName: String { "a decimal number" }

    /// Reads a decimal number of at most 38 digits, without exponent.
    public init?(wireText: String) {
        guard let value = DecimalText.decimal(text: wireText) else { return nil }
        self = value
    }

    /// The digits without exponent and trailing zeros. Throws for a value that is not a number.
    public func wireText() throws -> String {
        guard isFinite, let text = DecimalText.canonical(description) else {
            throw FieldError.relative(
                rule: "decimal",
                predicate: "must be a decimal number of at most 38 digits"
            )
        }
        return text
    }
}

/// Base64 with padding; bytes in the column.
extension Data: WireText {
    /// What a message calls the text.
    public static var wireTextName: String { "base64" }
    /// Reads base64 with padding.
    public init?(wireText: String) { self.init(base64Encoded: wireText) }
    /// The bytes in base64 with padding.
    public func wireText() throws -> String { base64EncodedString() }

    /// The bytes of a column of bytes.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Data {
        guard case .bytes(let value) = value else {
            throw FieldError.relative(rule: "type", predicate: "must be bytes")
        }
        return Data(value)
    }

    /// The bytes of a column of bytes.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Data? {
        fields.hasValue(at: index) ? Data(fields.row.bytes(at: index)) : nil
    }

    /// The bytes as they are.
    public func fieldValue(as type: FieldType) throws -> FieldValue { .bytes([UInt8](self)) }
}
