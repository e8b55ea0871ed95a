/// Writes JSON into bytes: no white space, members in the order given, strings with the fewest escapes.
public struct JSONWriter {
    /// The bytes so far.
    public var bytes: [UInt8] = []
    private var needsComma = false

    /// Starts empty.
    public init() {}

    /// The bytes so far, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Removes the bytes, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Begins an object.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Ends an object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Begins an array.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Ends an array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name.
    public mutating func name(_ name: String) {
        separate()
        append(quoted: name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's name that is already quoted and followed by a colon.
    package mutating func name(quoted: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(contentsOf: quoted)
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ value: String) {
        separate()
        append(quoted: value)
    }

    /// Writes a string from its UTF-8 bytes.
    public mutating func string(_ value: UnsafeBufferPointer<UInt8>) {
        separate()
        append(quoted: value)
    }

    /// Writes an instant as a string, in the form of its `description`.
    package mutating func string(_ value: Timestamp) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        value.append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int64) {
        separate()
        bytes.append(decimal: value)
    }

    /// Writes a finite double in the shortest form that reads back as the same value.
    public mutating func number(_ value: Double) {
        separate()
        var text = value.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes `true` or `false`.
    public mutating func boolean(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Writes JSON text unchanged.
    public mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes JSON text unchanged.
    public mutating func raw(_ text: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    /// Writes JSON text without the white space between its tokens. The text must be well formed.
    public mutating func minified(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        var isInString = false
        var (start, index) = (0, 0)
        while index < text.count {
            // Most of a text is inside strings, and most of that is plain.
            if isInString, index + 8 <= text.count, Self.isPlain(value: text, at: index) {
                index += 8
                continue
            }
            let byte = text[index]
            if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if isInString {
                // The byte after a backslash cannot end the string.
                if byte == UInt8(ascii: "\\") { index += 1 }
            } else if byte <= 0x20 {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                start = index + 1
            }
            index += 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<text.count]))
    }

    /// Writes an array of strings.
    package mutating func strings(_ values: some Sequence<String>) {
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    /// Writes a member with a string, or with null for nil.
    package mutating func member(_ name: String, value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    /// Writes a member with an integer.
    package mutating func member(_ name: String, value: Int64) {
        self.name(name)
        integer(value)
    }

    /// Writes a member with `true` or `false`.
    package mutating func member(_ name: String, value: Bool) {
        self.name(name)
        boolean(value)
    }

    /// Writes a member with an array of strings.
    package mutating func member(_ name: String, value: some Sequence<String>) {
        self.name(name)
        strings(value)
    }
}

extension JSONWriter {
    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func append(quoted value: String) {
        var copy = value
        copy.withUTF8 { append(quoted: $0) }
    }

    private mutating func append(quoted value: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var (start, index) = (0, 0)
        while index < value.count {
            if index + 8 <= value.count, Self.isPlain(value: value, at: index) {
                index += 8
                continue
            }
            let byte = value[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: value[start..<index]))
                append(escaped: byte)
                start = index + 1
            }
            index += 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: value[start..<value.count]))
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether none of eight bytes needs an escape. Checks all of them at once.
    @inline(__always)
    private static func isPlain(value: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        guard let base = value.baseAddress else { return false }
        let word = UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        // The highest bit of a byte is set if the byte is less than 0x20, or 0 after the exclusive or.
        let below = (word &- ones &* 0x20) & ~word
        let found = below | (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        return found & highs == 0
    }

    private mutating func append(escaped byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        case 0x0c: bytes.append(UInt8(ascii: "f"))
        case 0x0d: bytes.append(UInt8(ascii: "r"))
        case 0x22, 0x5c: bytes.append(byte)
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: [0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]])
        }
    }
}
