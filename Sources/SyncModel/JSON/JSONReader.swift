/// Reads JSON from bytes in one pass, without building a tree. Strict: RFC 8259, no lone surrogates, no invalid
/// UTF-8.
///
/// The bytes must stay in place while the reader and its spans are used.
public struct JSONReader {
    /// The input.
    public let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte to read.
    public private(set) var position: Int

    /// How deep values may nest.
    public static let maxDepth = 512
    /// In how many objects and arrays the reader stands.
    private var depth = 0

    /// Starts at the first byte. Throws `JSONError` when the bytes are not UTF-8.
    public init(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        if let offset = UTF8Check.firstInvalidOffset(in: bytes) {
            throw JSONError(offset: offset, kind: .invalidUTF8)
        }
        self.init(validated: bytes)
    }

    /// Starts at the first byte of input that is known to be UTF-8.
    public init(validated bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        position = 0
    }

    /// Skips white space and returns the next byte without reading it.
    @inline(__always)
    public mutating func peek() throws -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else {
                throw error(kind: .unexpectedByte)
            }
            position += 1
        }
        throw error(kind: .unexpectedEnd)
    }

    /// Reads `{`. Returns whether the object has members.
    @inline(__always)
    public mutating func beginObject() throws -> Bool {
        try expect(UInt8(ascii: "{"))
        guard try peek() == UInt8(ascii: "}") else {
            depth += 1
            return true
        }
        position += 1
        return false
    }

    /// Reads a member's name and the colon.
    @inline(__always)
    public mutating func name() throws -> JSONText {
        let text = try string()
        try expect(UInt8(ascii: ":"))
        return text
    }

    /// Reads `,` (true) or `}` (false).
    @inline(__always)
    public mutating func nextMember() throws -> Bool {
        try next(closing: UInt8(ascii: "}"))
    }

    /// Reads `[`. Returns whether the array has elements.
    public mutating func beginArray() throws -> Bool {
        try expect(UInt8(ascii: "["))
        guard try peek() == UInt8(ascii: "]") else {
            depth += 1
            return true
        }
        position += 1
        return false
    }

    /// Reads `,` (true) or `]` (false).
    public mutating func nextElement() throws -> Bool {
        try next(closing: UInt8(ascii: "]"))
    }

    /// Reads `null` if it is next.
    @inline(__always)
    public mutating func null() throws -> Bool {
        guard try peek() == UInt8(ascii: "n") else { return false }
        try literal(text: "null")
        return true
    }

    /// Reads `true` or `false`.
    public mutating func boolean() throws -> Bool {
        switch try peek() {
        case UInt8(ascii: "t"):
            try literal(text: "true")
            return true
        case UInt8(ascii: "f"):
            try literal(text: "false")
            return false
        default: throw error(kind: .unexpectedByte)
        }
    }

    /// Reads a string and returns its span between the quotes: not unescaped, but well formed except for surrogates,
    /// which `JSONText.decode` checks.
    @inline(__always)
    public mutating func string() throws -> JSONText {
        guard try peek() == UInt8(ascii: "\"") else { throw error(kind: .unexpectedByte) }
        position += 1
        return try restOfString()
    }

    /// Continues inside a string up to its closing quote, after a part that the caller repairs, and returns the span
    /// it read. See `string`.
    @inline(__always)
    package mutating func restOfString() throws -> JSONText {
        let start = position
        var isEscaped = false
        while true {
            skipPlainWords()
            guard position < bytes.count else { throw error(kind: .unexpectedEnd) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let span = UnsafeBufferPointer(rebasing: bytes[start..<position])
                position += 1
                return JSONText(span: span, isEscaped: isEscaped, offset: start)
            case UInt8(ascii: "\\"):
                isEscaped = true
                position += 1
                try skipEscape()
            case 0..<0x20: throw error(kind: .controlCharacter)
            default: position += 1
            }
        }
    }

    /// Reads a number and returns its text.
    public mutating func number() throws -> UnsafeBufferPointer<UInt8> {
        _ = try peek()
        let start = position
        if byte == UInt8(ascii: "-") { position += 1 }
        if byte == UInt8(ascii: "0") {
            position += 1
        } else if try digits() == 0 {
            throw error(kind: position < bytes.count ? .unexpectedByte : .unexpectedEnd)
        }
        if byte == UInt8(ascii: ".") {
            position += 1
            if try digits() == 0 { throw error(kind: .invalidNumber) }
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            if try digits() == 0 { throw error(kind: .invalidNumber) }
        }
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    /// Reads a number that is a 64-bit integer.
    package mutating func integer() throws -> Int64 {
        guard let value = Int64(String(decoding: try number(), as: UTF8.self)) else {
            throw error(kind: .numberOutOfRange)
        }
        return value
    }

    /// Reads an array of strings.
    package mutating func strings() throws -> [String] {
        var strings: [String] = []
        guard try beginArray() else { return strings }
        repeat { strings.append(try string().decode()) } while try nextElement()
        return strings
    }

    /// Reads and validates any value. Returns its text with its white space.
    @discardableResult
    public mutating func skipValue() throws -> UnsafeBufferPointer<UInt8> {
        _ = try peek()
        let start = position
        try skip(checksText: true)
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    /// The same for a document of its own that stands here, such as a record's body: however deep it nests, and, without
    /// `checksText`, if its text is no Unicode.
    package mutating func skipDocument(checksText: Bool) throws -> UnsafeBufferPointer<UInt8> {
        _ = try peek()
        let start = self
        do { try skip(checksText: checksText) } catch let error as JSONError where error.kind == .tooDeep {
            self = start
            try skipAnyDepth(checksText: checksText)
        }
        return UnsafeBufferPointer(rebasing: bytes[start.position..<position])
    }

    /// Checks that only white space is left.
    public mutating func end() throws {
        while position < bytes.count {
            guard [0x20, 0x0a, 0x0d, 0x09].contains(bytes[position]) else {
                throw error(kind: .trailingBytes)
            }
            position += 1
        }
    }

    /// Continues at another position, for example behind an error that the caller repairs.
    package mutating func move(to position: Int) {
        self.position = position
    }

    /// An error at the present position.
    public func error(kind: JSONError.Kind) -> JSONError {
        JSONError(offset: position, kind: kind)
    }
}

extension JSONReader {
    private var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inline(__always)
    private mutating func expect(_ byte: UInt8) throws {
        guard try peek() == byte else { throw error(kind: .unexpectedByte) }
        position += 1
    }

    @inline(__always)
    private mutating func next(closing: UInt8) throws -> Bool {
        let byte = try peek()
        if byte == UInt8(ascii: ",") {
            position += 1
            return true
        }
        guard byte == closing else { throw error(kind: .unexpectedByte) }
        position += 1
        depth -= 1
        return false
    }

    /// Skips eight bytes at a time while none of them is a quote, a backslash or a control character.
    @inline(__always)
    private mutating func skipPlainWords() {
        while position + 8 <= bytes.count {
            let word = UnsafeRawPointer(bytes.baseAddress! + position).loadUnaligned(as: UInt64.self)
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            let quote = word ^ 0x2222_2222_2222_2222
            let backslash = word ^ 0x5c5c_5c5c_5c5c_5c5c
            let control = (word &- 0x2020_2020_2020_2020) & ~word
            let hits = (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | control) & highs
            guard hits == 0 else {
                position += UInt64(littleEndian: hits).trailingZeroBitCount >> 3
                return
            }
            position += 8
        }
    }

    private mutating func skipEscape() throws {
        guard position < bytes.count else { throw error(kind: .unexpectedEnd) }
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            guard position + 5 <= bytes.count else { throw error(kind: .unexpectedEnd) }
            for offset in 1...4 where JSONText.hexDigit(byte: bytes[position + offset]) == nil {
                throw error(kind: .invalidEscape)
            }
            position += 5
        default: throw error(kind: .invalidEscape)
        }
    }

    private mutating func literal(text: StaticString) throws {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { throw error(kind: .unexpectedEnd) }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] {
            throw error(kind: .unexpectedByte)
        }
        position += count
    }

    private mutating func digits() throws -> Int {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        return position - start
    }

    private mutating func skip(checksText: Bool) throws {
        guard depth < Self.maxDepth else { throw error(kind: .tooDeep) }
        switch try peek() {
        case UInt8(ascii: "{"):
            guard try beginObject() else { return }
            repeat {
                try skipName(checksText: checksText)
                try skip(checksText: checksText)
            } while try nextMember()
        case UInt8(ascii: "["):
            guard try beginArray() else { return }
            repeat { try skip(checksText: checksText) } while try nextElement()
        default: try skipScalar(checksText: checksText)
        }
    }

    /// The same without recursion.
    private mutating func skipAnyDepth(checksText: Bool) throws {
        // What is open around the reader: whether it is an object.
        var open: [Bool] = []
        repeat {
            let isObject = try peek() == UInt8(ascii: "{")
            let isArray = try peek() == UInt8(ascii: "[")
            if isObject ? try beginObject() : isArray ? try beginArray() : false {
                open.append(isObject)
                if isObject { try skipName(checksText: checksText) }
                continue
            }
            if !isObject && !isArray { try skipScalar(checksText: checksText) }
            while let isObject = open.last {
                guard isObject ? try nextMember() : try nextElement() else {
                    open.removeLast()
                    continue
                }
                if isObject { try skipName(checksText: checksText) }
                break
            }
        } while !open.isEmpty
    }

    private mutating func skipName(checksText: Bool) throws {
        let name = try name()
        if checksText { try name.check() }
    }

    private mutating func skipScalar(checksText: Bool) throws {
        switch try peek() {
        case UInt8(ascii: "\""):
            let text = try string()
            if checksText { try text.check() }
        case UInt8(ascii: "n"): try literal(text: "null")
        case UInt8(ascii: "t"): try literal(text: "true")
        case UInt8(ascii: "f"): try literal(text: "false")
        default: _ = try number()
        }
    }
}
