/// What is known about a field's values without writing them as JSON: enough to answer at once for nearly all of them.
package struct FieldSpelling: Sendable {
    private let kind: Kind
    private let isNullable: Bool
    private let isRequired: Bool

    private enum Kind {
        case boolean, timestamp, uuid, enumeration, bytes, otherText, structured
        case integer(ClosedRange<Int64>)
        case number(ClosedRange<Double>)
        case text(minLength: Int, maxLength: Int)
        /// A list or a set of texts that may be anything.
        case texts
    }

    init(_ field: FieldDescriptor) {
        isNullable = field.isNullable
        isRequired = field.isRequired
        kind =
            switch field.type {
            case .boolean: .boolean
            case .dateTime: .timestamp
            case .uuid: .uuid
            case .enumeration: .enumeration
            case .data: .bytes
            case .integer(let minimum, let maximum) where minimum ?? .min <= maximum ?? .max:
                .integer((minimum ?? .min)...(maximum ?? .max))
            case .number(let minimum, let maximum) where minimum ?? -.infinity <= maximum ?? .infinity:
                .number((minimum ?? -.infinity)...(maximum ?? .infinity))
            case .string(let minLength, let maxLength, nil):
                .text(minLength: minLength ?? 0, maxLength: maxLength ?? .max)
            // Also what no value can fit.
            case .string, .uri, .date, .decimal, .integer, .number: .otherText
            case .array(.string(nil, nil, nil), _, _, nil, nil), .array(.enumeration, _, _, nil, nil): .texts
            case .array, .object: .structured
            }
    }

    /// Whether two values are written alike in the plain form; nil where that must be tried.
    package func areSame(left: FieldValue?, right: FieldValue?) -> Bool? {
        guard let left, let right else { return left == nil && right == nil }
        switch (kind, left, right) {
        case (.boolean, .boolean(let left), .boolean(let right)): return left == right
        case (.integer, .integer(let left), .integer(let right)): return left == right
        case (.timestamp, .timestamp(let left), .timestamp(let right)): return left == right
        case (.bytes, .bytes(let left), .bytes(let right)): return left == right
        case (.text, .text(let left), .text(let right)), (.uuid, .text(let left), .text(let right)),
            (.enumeration, .text(let left), .text(let right)),
            (.otherText, .text(let left), .text(let right)),
            (.texts, .json(let left), .json(let right)), (.structured, .json(let left), .json(let right)):
            return left.hasSameBytes(as: right)
        default: return left == right ? true : nil
        }
    }

    /// Whether a value surely fits the schema; false also where it must be tried.
    package func surelyFits(value: FieldValue?) -> Bool {
        guard let value else { return !isRequired }
        switch (kind, value) {
        case (_, .null): return isNullable
        case (.boolean, .boolean), (.enumeration, .text): return true
        case (.integer(let range), .integer(let value)): return range.contains(value)
        case (.number(let range), .number(let value)): return value.isFinite && range.contains(value)
        case (.timestamp, .timestamp(let value)): return Timestamp.written.contains(value)
        case (.text(let minLength, let maxLength), .text(let value)):
            // There are at most as many characters as bytes, and at least a quarter as many.
            let count = value.utf8.count
            return count <= maxLength && (count + 3) / 4 >= minLength
        case (.uuid, .text(let value)):
            return value.utf8.withContiguousStorageIfAvailable(Self.isUUID) == true
        case (.texts, .json(let value)):
            return value.utf8.withContiguousStorageIfAvailable(Self.isSetOfTexts) == true
        default: return false
        }
    }

    /// Whether a value that surely fits is surely spelled as the codec writes it; false also where it must be tried.
    func isSurelyCanonical(_ value: FieldValue) -> Bool {
        switch (kind, value) {
        case (.number, .number(let value)): return value != 0 || value.sign == .plus
        case (.uuid, .text(let value)): return !value.utf8.contains { (0x41...0x46).contains($0) }
        default: return true
        }
    }

    private static func isUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        for index in 0..<36 {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard bytes[index] == UInt8(ascii: "-") else { return false }
            } else {
                guard JSONText.hexDigit(byte: bytes[index]) != nil else { return false }
            }
        }
        return true
    }

    /// Whether this is a JSON array of texts without escapes and spaces between them, sorted and each one once.
    private static func isSetOfTexts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var reader = JSONReader(validated: bytes)
        do {
            guard try reader.beginArray() else {
                try reader.end()
                return bytes.count == 2
            }
            var length = 1
            var last: UnsafeBufferPointer<UInt8>?
            repeat {
                let text = try reader.string()
                if text.isEscaped { return false }
                if let last, !last.lexicographicallyPrecedes(text.span) { return false }
                last = text.span
                length += text.span.count + 3
            } while try reader.nextElement()
            try reader.end()
            return length == bytes.count
        } catch { return false }
    }
}

extension EntityDescriptor {
    /// Whether writing a record and reading it back surely gives it as it is; false also where it must be tried.
    package func surelyKeeps(record: Record) -> Bool {
        guard surelyFits(record: record) else { return false }
        for index in record.values.indices {
            guard let value = record.values[index] else {
                if layout.defaults[index] != nil { return false }
                continue
            }
            guard layout.spellings[index].isSurelyCanonical(value) else { return false }
        }
        return true
    }

    /// Whether a record surely fits the schema; false also where it must be written and read to know.
    package func surelyFits(record: Record) -> Bool {
        guard record.unknown.isEmpty, record.values.count == layout.spellings.count else { return false }
        for index in record.values.indices
        where !layout.spellings[index].surelyFits(value: record.values[index]) {
            return false
        }
        return true
    }
}
