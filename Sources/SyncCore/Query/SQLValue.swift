/// A value of SQLite: an argument of a statement, or what a column of a row holds.
public enum SQLValue: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number; also 0 and 1 for a boolean.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Text; also a date, a decimal, and JSON.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
}

extension SQLValue {
    /// The whole number; nil for any other value.
    public var integer: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }

    /// The number, whole or not; nil for any other value.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    /// The text; nil for any other value.
    public var text: String? { if case .text(let value) = self { value } else { nil } }

    /// The bytes; nil for any other value.
    public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
}
