public import Foundation

/// A type that is a JSON string on the wire: UUID, date-time, date, decimal, bytes, open enum.
public protocol WireText: FieldConvertible {
    /// What a message calls the text, for example `a UUID`.
    static var wireTextName: String { get }
    /// Reads the text; nil when it is none.
    init?(wireText: String)
    /// The one spelling of the value. Throws `FieldProblem` when the value has none.
    func wireText() throws -> String
}

extension WireText {
    /// Reads the text of a wire field. Throws `FieldProblem` that names the field.
    public init(wireText: String, field: String) throws {
        guard let value = Self(wireText: wireText) else {
            throw FieldProblem.relative("type", "must be \(Self.wireTextName)").inside(field)
        }
        self = value
    }

    /// The text of a wire field. Throws `FieldProblem` that names the field.
    public func wireText(field: String) throws -> String {
        try FieldProblem.path(field) { try wireText() }
    }

    public static func read(_ value: FieldValue, as type: FieldType) throws -> Self {
        guard case .text(let text) = value, let result = Self(wireText: text) else {
            throw FieldProblem.relative("type", "must be \(wireTextName)")
        }
        return result
    }

    public func fieldValue(as type: FieldType) throws -> FieldValue { .text(try wireText()) }
}

/// Lower-case.
extension UUID: WireText {
    public static var wireTextName: String { "a UUID" }
    public init?(wireText: String) { self.init(uuidString: wireText) }
    public func wireText() throws -> String { uuidString.lowercased() }
}

/// `yyyy-mm-dd`.
extension CalendarDate: WireText {
    public static var wireTextName: String { "a date" }
    public init?(wireText: String) { self.init(wireText) }
    public func wireText() throws -> String { description }
}

/// RFC 3339 in UTC, rounded to the microsecond. Exact in the years 1729 to 2272; a `Date` is coarser beyond.
extension Date: WireText {
    public static var wireTextName: String { "a date-time" }

    public init?(wireText: String) {
        guard let timestamp = Timestamp(wireText) else { return nil }
        self = timestamp.date
    }

    public func wireText() throws -> String { try timestamp().description }

    public static func read(_ value: FieldValue, as type: FieldType) throws -> Date {
        guard case .timestamp(let value) = value else {
            throw FieldProblem.relative("type", "must be \(wireTextName)")
        }
        return value.date
    }

    public func fieldValue(as type: FieldType) throws -> FieldValue { .timestamp(try timestamp()) }

    private func timestamp() throws -> Timestamp {
        // NB: an infinite or huge Date would trap in the conversion to whole seconds.
        guard (Self.firstSecond..<Self.afterLastSecond).contains(timeIntervalSince1970) else {
            throw FieldProblem.relative("date-time", "must lie in the years 0001 to 9999")
        }
        let timestamp = Timestamp(self)
        return min(timestamp, Timestamp(microseconds: Int64(Self.afterLastSecond) * 1_000_000 - 1))
    }

    private static let firstSecond = -62_135_596_800.0
    private static let afterLastSecond = 253_402_300_800.0
}

/// Digits without exponent.
extension Decimal: WireText {
    public static var wireTextName: String { "a decimal number" }

    public init?(wireText: String) {
        guard let canonical = DecimalText.canonical(wireText) else { return nil }
        self.init(string: canonical, locale: Locale(identifier: "en_US_POSIX"))
    }

    public func wireText() throws -> String {
        guard isFinite, let text = DecimalText.canonical(description) else {
            throw FieldProblem.relative("decimal", "must be a decimal number of at most 38 digits")
        }
        return text
    }
}

/// Base64 with padding; bytes in the column.
extension Data: WireText {
    public static var wireTextName: String { "base64" }
    public init?(wireText: String) { self.init(base64Encoded: wireText) }
    public func wireText() throws -> String { base64EncodedString() }

    public static func read(_ value: FieldValue, as type: FieldType) throws -> Data {
        guard case .bytes(let value) = value else { throw FieldProblem.relative("type", "must be bytes") }
        return Data(value)
    }

    public func fieldValue(as type: FieldType) throws -> FieldValue { .bytes([UInt8](self)) }
}

/// An enum that keeps what it does not know: the cases that the schema names, and `unknown` for the rest.
///
/// Values are told apart by their UTF-8 bytes.
public protocol OpenEnum: WireText, RawRepresentable<String>, CaseIterable, Codable, Hashable
where AllCases == [Self] {
    /// Every text is a value.
    init(rawValue: String)
    /// The case for a text that the schema does not name.
    static func unknown(_ text: String) -> Self
}

extension OpenEnum {
    public static var wireTextName: String { "a string" }

    public init(rawValue: String) {
        let known = Self.allCases.first { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }
        self = known ?? .unknown(rawValue)
    }

    public init?(wireText: String) { self.init(rawValue: wireText) }
    public func wireText() throws -> String { rawValue }

    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}
