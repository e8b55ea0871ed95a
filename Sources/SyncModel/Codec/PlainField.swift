/// A field whose value is usually stored as it is written. A value type, because accessing a `FieldType` would retain
/// a reference for each field of each record.
enum PlainField {
    /// Text with only a length constraint.
    case text(Length)
    case uuid
    case dateTime
    case integer(minimum: Int64?, maximum: Int64?)
    /// A list or set of such texts.
    case texts(Length, isSet: Bool, items: ClosedRange<Int>)
    /// Any other type.
    case other

    /// How long a text may be.
    struct Length {
        private let minimum: Int
        private let maximum: Int

        /// Nil for a type with other constraints.
        init?(_ type: FieldType) {
            switch type {
            case .string(let minimum, let maximum, nil, let maxBytes):
                (self.minimum, self.maximum) = (minimum ?? 0, min(maximum ?? .max, maxBytes ?? .max))
            case .enumeration: (minimum, maximum) = (0, .max)
            default: return nil
            }
        }

        /// Whether the text certainly meets the length constraint. Counts bytes only: a text has at most as many
        /// scalars as bytes, and at least a quarter as many.
        func surelyHolds(text: UnsafeBufferPointer<UInt8>) -> Bool {
            text.count <= maximum && (text.count + 3) / 4 >= minimum
        }
    }

    init(_ type: FieldType) {
        switch type {
        case .uuid: self = .uuid
        case .dateTime: self = .dateTime
        case .integer(let minimum, let maximum): self = .integer(minimum: minimum, maximum: maximum)
        case .array(let element, _, let isSet, let minItems, let maxItems):
            let (minItems, maxItems) = (max(0, minItems ?? 0), maxItems ?? .max)
            guard let length = Length(element), minItems <= maxItems else {
                self = .other
                return
            }
            self = .texts(length, isSet: isSet, items: minItems...maxItems)
        default: self = Length(type).map { .text($0) } ?? .other
        }
    }

    /// Reads the next value as it is written. Returns false if it needs closer inspection: then nothing is bound, and
    /// the reader has not moved. Throws `JSONError`, or the error of the row.
    func take(_ reader: inout JSONReader, into row: any RowBinder, at index: Int) throws -> Bool {
        var ahead = reader
        switch self {
        case .other: return false
        case .text(let length):
            guard let text = try Self.text(reader: &ahead), length.surelyHolds(text: text) else {
                return false
            }
            try row.bind(text: text, isStable: true, at: index)
        case .uuid:
            guard let text = try Self.text(reader: &ahead), ValueCheck.uuidCase(bytes: text) == true else {
                return false
            }
            try row.bind(text: text, isStable: true, at: index)
        case .dateTime:
            guard let text = try Self.text(reader: &ahead), let time = Timestamp(rfc3339: text) else {
                return false
            }
            try row.bind(time, at: index)
        case .integer(let minimum, let maximum):
            guard ValueCheck.startsNumber(byte: try ahead.peek()),
                let value = Int64(decimal: try ahead.number()[...]),
                value >= minimum ?? .min, value <= maximum ?? .max
            else { return false }
            try row.bind(value, at: index)
        case .texts(let length, let isSet, let items):
            guard let (list, count) = try Self.texts(reader: &ahead, length: length, isSet: isSet),
                items.contains(count)
            else {
                return false
            }
            try row.bind(text: list, isStable: true, at: index)
        }
        reader = ahead
        return true
    }

    /// A string without escapes; nil for anything else.
    private static func text(reader: inout JSONReader) throws -> UnsafeBufferPointer<UInt8>? {
        guard try reader.peek() == UInt8(ascii: "\"") else { return nil }
        let text = try reader.string()
        return text.isEscaped ? nil : text.span
    }

    /// An array of such strings of valid lengths, in canonical spelling: without white space, and for a set in order.
    /// Nil for anything else.
    private static func texts(reader: inout JSONReader, length: Length, isSet: Bool) throws -> (
        list: UnsafeBufferPointer<UInt8>, count: Int
    )? {
        guard try reader.peek() == UInt8(ascii: "[") else { return nil }
        let (bytes, start) = (reader.bytes, reader.position)
        guard try reader.beginArray() else { return nil }
        var (end, count) = (start + 1, 0)
        var last: UnsafeBufferPointer<UInt8>?
        repeat {
            guard let text = try text(reader: &reader), length.surelyHolds(text: text),
                reader.position == end + text.count + 2
            else { return nil }
            // With quotes, because sets are sorted by the canonical text of their elements.
            let quoted = UnsafeBufferPointer(rebasing: bytes[end..<reader.position])
            if isSet, let last, !last.lexicographicallyPrecedes(quoted) { return nil }
            last = quoted
            count += 1
            end = reader.position + 1
        } while try reader.nextElement()
        guard reader.position == end else { return nil }
        return (UnsafeBufferPointer(rebasing: bytes[start..<end]), count)
    }
}
