extension JSONParser {
    /// Reads a string; the next byte is its opening quote. Bad escapes are reported and replaced, so that reading
    /// goes on.
    mutating func string() throws -> String {
        let start = position
        index += 1
        let contents = index
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            index += 1
        }
        if next == UInt8(ascii: "\"") {
            index += 1
            return String(decoding: bytes[contents..<index - 1], as: UTF8.self)
        }
        var text = Array(bytes[contents..<index])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &text, stringStart: start)
            case 0x0A, 0x0D:
                throw fail(.unclosedString, at: start)
            case 0..<0x20:
                problems.add(.controlCharacter, at: position)
                index += 1
            default:
                text.append(byte)
                index += 1
            }
        }
        throw fail(.unclosedString, at: start)
    }

    private mutating func escape(into text: inout [UInt8], stringStart: Position) throws {
        let start = position
        index += 1
        guard let byte = next else { throw fail(.unclosedString, at: stringStart) }
        if byte == UInt8(ascii: "u") {
            index += 1
            unicodeEscape(into: &text, start: start)
            return
        }
        guard let plain = Self.simpleEscapes[byte] else {
            problems.add(.badEscape, at: start)
            return
        }
        text.append(plain)
        index += 1
    }

    private static let simpleEscapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func unicodeEscape(into text: inout [UInt8], start: Position) {
        guard let unit = fourHexDigits() else {
            problems.add(.badEscape, at: start)
            return
        }
        var scalar = Unicode.Scalar(unit)
        if (0xD800..<0xDC00).contains(unit), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        {
            let afterFirst = index
            index += 2
            if let low = fourHexDigits(), (0xDC00..<0xE000).contains(low) {
                scalar = Unicode.Scalar(0x10000 + ((UInt32(unit) - 0xD800) << 10) + (UInt32(low) - 0xDC00))
            } else {
                index = afterFirst
            }
        }
        if scalar == nil { problems.add(.loneSurrogate, at: start) }
        text.append(contentsOf: String(Character(scalar ?? "\u{FFFD}")).utf8)
    }

    /// Reads four hexadecimal digits, or nothing at all.
    private mutating func fourHexDigits() -> UInt16? {
        guard index + 4 <= bytes.count else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[index..<index + 4] {
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt16(byte - 0x30)
            case 0x41...0x46: unit = unit << 4 | UInt16(byte - 0x41 + 10)
            case 0x61...0x66: unit = unit << 4 | UInt16(byte - 0x61 + 10)
            default: return nil
            }
        }
        index += 4
        return unit
    }
}
