/// Reads scalar values and validates them against the schema. Messages name the field, never the value.
struct ValueCheck {
    let path: String
    let patterns: PatternTable
    /// The form that the value comes in.
    var form = RecordForm.plain

    func boolean(reader: inout JSONReader) throws -> Bool {
        let byte = try reader.peek()
        guard byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f") else {
            throw wrongType(expected: "true or false")
        }
        return try reader.boolean()
    }

    func integer(reader: inout JSONReader, minimum: Int64?, maximum: Int64?) throws -> Int64 {
        guard Self.startsNumber(byte: try reader.peek()) else { throw wrongType(expected: "an integer") }
        guard let value = Self.exactInteger(text: try reader.number()) else {
            throw wrongType(expected: "a 64-bit integer")
        }
        if let minimum, value < minimum {
            throw error(rule: "minimum", predicate: "must be at least \(minimum)")
        }
        if let maximum, value > maximum {
            throw error(rule: "maximum", predicate: "must be at most \(maximum)")
        }
        return value
    }

    func number(reader: inout JSONReader, minimum: Double?, maximum: Double?) throws -> Double {
        guard Self.startsNumber(byte: try reader.peek()) else { throw wrongType(expected: "a number") }
        let text = try reader.number()
        guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
            throw error(rule: "number-range", predicate: "is outside the range of a double")
        }
        if value == 0, Self.hasNonZeroDigit(text) {
            throw error(rule: "number-range", predicate: "is too close to zero for a double")
        }
        if let minimum, value < minimum {
            throw error(rule: "minimum", predicate: Self.least(minimum))
        }
        if let maximum, value > maximum {
            throw error(rule: "maximum", predicate: Self.greatest(maximum))
        }
        // A REAL column stores -0 as 0, so it is 0 everywhere.
        return value == 0 ? 0 : value
    }

    /// A lower bound in words. An exclusive one is held as the next number, which nobody would recognise.
    private static func least(_ bound: Double) -> String {
        let next = bound.nextDown
        return isShorter(next, than: bound) ? "must be greater than \(next)" : "must be at least \(bound)"
    }

    /// An upper bound in words.
    private static func greatest(_ bound: Double) -> String {
        let next = bound.nextUp
        return isShorter(next, than: bound) ? "must be less than \(next)" : "must be at most \(bound)"
    }

    private static func isShorter(_ number: Double, than other: Double) -> Bool {
        number.description.utf8.count < other.description.utf8.count
    }

    func timestamp(reader: inout JSONReader) throws -> Timestamp {
        let text = try string(reader: &reader, expected: "a date-time")
        let value = text.isEscaped ? Timestamp(try text.decode()) : Timestamp(rfc3339: text.span)
        guard let value else {
            throw error(
                rule: "date-time",
                predicate: "must be a date-time such as 2025-12-25T09:21:01.5Z, years 0001 to 9999"
            )
        }
        return value
    }

    func base64(reader: inout JSONReader) throws -> [UInt8] {
        let text = try string(reader: &reader, expected: "a base64 string").decode()
        guard let bytes = Base64.decode(text) else {
            throw error(rule: "base64", predicate: "must be base64")
        }
        return bytes
    }

    /// Reads a value whose column is text, and passes its bytes to `body`. `isStable`: they are the input's own.
    func text(
        reader: inout JSONReader,
        type: FieldType,
        scratch: inout [UInt8],
        body: (UnsafeBufferPointer<UInt8>, _ isStable: Bool) throws -> Void
    ) throws {
        let text = try string(reader: &reader, expected: "a string")
        if !text.isEscaped {
            try check(text.span, type: type, body: body, isStable: true)
            return
        }
        scratch.removeAll(keepingCapacity: true)
        try text.decode(into: &scratch)
        try scratch.withUnsafeBufferPointer { try check($0, type: type, body: body, isStable: false) }
    }

    /// Whether a text is a URI. What travels is held to the rule from before that check, since older apps go on.
    private func isLink(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if form == .plain { return URIReader.isURI(bytes: bytes) }
        return !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    /// Checks the bytes of a text.
    func check(_ bytes: UnsafeBufferPointer<UInt8>, type: FieldType) throws {
        try check(bytes, type: type, body: { _, _ in }, isStable: true)
    }

    private func check(
        _ bytes: UnsafeBufferPointer<UInt8>,
        type: FieldType,
        body: (UnsafeBufferPointer<UInt8>, Bool) throws -> Void,
        isStable: Bool
    ) throws {
        switch type {
        case .string(let minLength, let maxLength, let pattern, let maxBytes):
            try checkLength(bytes, minimum: minLength, maximum: maxLength)
            if let maxBytes, bytes.count > maxBytes {
                throw error(rule: "max-bytes", predicate: "must have at most \(maxBytes) bytes of UTF-8")
            }
            if let pattern, !patterns.matches(utf8: bytes, pattern: pattern) {
                throw error(rule: "pattern", predicate: "does not match its pattern")
            }
        case .uri(let maxLength):
            try checkLength(bytes, minimum: nil, maximum: maxLength)
            guard isLink(bytes) else {
                throw error(
                    rule: "uri",
                    predicate: "must be a URI such as https://example.org/page, with its scheme and in ASCII"
                )
            }
        case .date:
            guard CalendarDate(bytes: bytes) != nil else {
                throw error(rule: "date", predicate: "must be a date such as 2025-12-25")
            }
        case .uuid:
            guard let isLower = Self.uuidCase(bytes: bytes) else {
                throw error(
                    rule: "uuid",
                    predicate: "must be a UUID such as 379066e4-6dd5-4050-8470-004e08da28bd"
                )
            }
            if !isLower {
                let lower = bytes.map { (0x41...0x46).contains($0) ? $0 | 0x20 : $0 }
                return try lower.withUnsafeBufferPointer { try body($0, false) }
            }
        case .decimal:
            guard var canonical = DecimalText.canonical(bytes: bytes) else {
                throw error(
                    rule: "decimal",
                    predicate: "must be a decimal number in a string, without exponent, of at most 38 digits"
                )
            }
            return try canonical.withUTF8 { try body($0, false) }
        default: break
        }
        try body(bytes, isStable)
    }

    private func checkLength(_ bytes: UnsafeBufferPointer<UInt8>, minimum: Int?, maximum: Int?) throws {
        // A text has at most as many scalars as bytes, so most texts need no counting.
        if let maximum, bytes.count > maximum, UTF8Check.scalarCount(bytes: bytes) > maximum {
            throw error(rule: "max-length", predicate: "must have at most \(maximum) characters")
        }
        if let minimum, minimum > 0, UTF8Check.scalarCount(bytes: bytes) < minimum {
            throw error(rule: "min-length", predicate: "must have at least \(minimum) characters")
        }
    }

    private func string(reader: inout JSONReader, expected: String) throws -> JSONText {
        guard try reader.peek() == UInt8(ascii: "\"") else { throw wrongType(expected: expected) }
        return try reader.string()
    }

    func wrongType(expected: String) -> FieldError {
        error(rule: "type", predicate: "must be \(expected)")
    }

    func error(rule: String, predicate: String) -> FieldError {
        FieldError(field: path, rule: rule, message: "'\(path)' \(predicate).")
    }
}

extension ValueCheck {
    static func startsNumber(byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte &- 0x30 < 10
    }

    private static func hasNonZeroDigit(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        for byte in text {
            if byte | 0x20 == UInt8(ascii: "e") { return false }
            if (0x31...0x39).contains(byte) { return true }
        }
        return false
    }

    /// An integer, also if it is written as `1.0` or `1e2`, as JSON Schema allows; nil if it is not one or too large.
    ///
    /// NB: not by way of a double, for which 1.000000000000000005 is 1 and 1e-999 is 0 (`aNumberIsExactOrRefused`).
    private static func exactInteger(text: UnsafeBufferPointer<UInt8>) -> Int64? {
        if let value = Int64(decimal: text[...]) { return value }
        return ExactNumber(String(decoding: text, as: UTF8.self)).integer
    }

    /// Whether a UUID is lower-case; nil if it is not a UUID.
    static func uuidCase(bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard bytes.count == 36 else { return nil }
        var isLower = true
        for index in 0..<36 {
            let byte = bytes[index]
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard JSONText.hexDigit(byte: byte) != nil else { return nil }
                if (0x41...0x46).contains(byte) { isLower = false }
            }
        }
        return isLower
    }
}
