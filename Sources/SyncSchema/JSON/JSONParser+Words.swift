extension JSONParser {
    /// Reads a number, `true`, `false` or `null`. A near miss (`NaN`, `01`, `True`) is reported and read as
    /// `invalid`; anything else ends the reading.
    mutating func word() throws -> JSONNode.Value {
        let start = position
        let first = index
        while let byte = next, Self.isWordByte(byte) { index += 1 }
        guard index > first else {
            throw fail(next == UInt8(ascii: "'") ? .singleQuotes : .unexpectedCharacter, at: start)
        }
        let word = bytes[first..<index]
        switch word.count {
        case 4 where word.elementsEqual("true".utf8): return .bool(true)
        case 5 where word.elementsEqual("false".utf8): return .bool(false)
        case 4 where word.elementsEqual("null".utf8): return .null
        default: break
        }
        if Self.isNumber(word) { return .number(String(decoding: word, as: UTF8.self)) }
        problems.add(.badWord, at: start)
        return .invalid
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether a word is a number by RFC 8259: no leading zero, no leading plus, digits around the point.
    private static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        var rest = word[...]
        func digits(rest: inout ArraySlice<UInt8>) -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == 0x30
        let whole = digits(rest: &rest)
        guard whole > 0, !(startsWithZero && whole > 1) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits(rest: &rest) > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits(rest: &rest) > 0 else { return false }
        }
        return rest.isEmpty
    }
}
