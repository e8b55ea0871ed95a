extension JSONNodeReader {
    /// Reads a number, `true`, `false` or `null`. A near miss (`NaN`, `01`, `True`) is reported and read as
    /// `invalid`; anything else stops the reading.
    mutating func word(first: UInt8) throws -> JSONNode.Value {
        let start = reader.position
        if let value = strictWord(first: first), !Self.isWordByte(byte(at: reader.position)) { return value }
        let end = reader.bytes[start...].firstIndex { !Self.isWordByte($0) } ?? reader.bytes.count
        guard end > start else {
            throw fail(first == UInt8(ascii: "'") ? .singleQuotes : .unexpectedCharacter, at: start)
        }
        report(.badWord, at: start)
        reader.move(to: end)
        return .invalid
    }

    /// Reads a valid word; nil if the strict reader refuses it.
    private mutating func strictWord(first: UInt8) -> JSONNode.Value? {
        switch first {
        case UInt8(ascii: "t"), UInt8(ascii: "f"): (try? reader.boolean()).map { .bool($0) }
        case UInt8(ascii: "n"): (try? reader.null()) == true ? .null : nil
        case 0x30...0x39, UInt8(ascii: "-"):
            (try? reader.number()).map { .number(String(decoding: $0, as: UTF8.self)) }
        default: nil
        }
    }

    private static func isWordByte(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
