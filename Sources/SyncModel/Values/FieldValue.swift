/// The value of one field, as stored in its column.
///
/// Text compares as UTF-8 bytes: two spellings that look alike are different.
public enum FieldValue: Sendable {
    /// An explicit null, which is not the same as absent.
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    /// An instant (`date-time`).
    case timestamp(Timestamp)
    /// Text of a string, uri, enum, lower-case uuid, `yyyy-mm-dd` date or canonical decimal.
    case text(String)
    /// Bytes (`contentEncoding: base64`).
    case bytes([UInt8])
    /// A list, set or nested object as canonical JSON text.
    case json(String)
}

extension FieldValue: Hashable {
    public static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left.bitPattern == right.bitPattern
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.json(let left), .json(let right)): left.hasSameBytes(as: right)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value.bitPattern)
        case .timestamp(let value): hasher.combine(value)
        case .text(let value), .json(let value):
            for byte in value.utf8 { hasher.combine(byte) }
        case .bytes(let value): hasher.combine(value)
        }
    }
}

/// A record's key as text, compared and ordered as UTF-8 bytes. For a composite key a JSON array of the values.
public struct RecordKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The key's text.
    public var text: String

    /// Wraps the key's text.
    public init(_ text: String) {
        self.text = text
    }

    public var description: String { text }

    public static func == (left: RecordKey, right: RecordKey) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        left.text.precedesByBytes(other: right.text)
    }

    public func hash(into hasher: inout Hasher) {
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension RecordKey {
    /// The first eight bytes as a number with the same order. A shorter key is padded with zero bytes, so two keys
    /// with the same prefix may still differ.
    package var prefix: UInt64 {
        var prefix: UInt64 = 0
        var count: UInt64 = 0
        for byte in text.utf8 {
            prefix = prefix << 8 | UInt64(byte)
            count += 1
            if count == 8 { return prefix }
        }
        return prefix << (8 * (8 - count))
    }
}
