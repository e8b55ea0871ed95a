/// Writes JSON into bytes: no white space, members in the order given, strings with the fewest escapes.
public struct JSONWriter {
    /// What was written so far.
    public var bytes: [UInt8] = []
    private var needsComma = false

    /// Starts empty.
    public init() {}

    /// What was written so far, as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Forgets what was written, and keeps the memory.
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
    package mutating func name(quoted: [UInt8]) {
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

    /// Writes JSON text as it is.
    public mutating func raw(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes JSON text as it is.
    public mutating func raw(_ text: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    /// Writes JSON text without the white space between its tokens. The text must be well formed.
    public mutating func minified(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        var isInString = false
        var index = 0
        while index < text.count {
            let byte = text[index]
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    bytes.append(byte)
                    index += 1
                    bytes.append(text[index])
                    index += 1
                    continue
                }
                if byte == UInt8(ascii: "\"") { isInString = false }
                bytes.append(byte)
            } else if byte > 0x20 {
                if byte == UInt8(ascii: "\"") { isInString = true }
                bytes.append(byte)
            }
            index += 1
        }
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
        var start = 0
        for index in 0..<value.count {
            let byte = value[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: value[start..<index])
            append(escaped: byte)
            start = index + 1
        }
        bytes.append(contentsOf: value[start..<value.count])
        bytes.append(UInt8(ascii: "\""))
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
