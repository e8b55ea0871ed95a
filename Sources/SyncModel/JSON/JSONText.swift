/// A string in JSON, between its quotes. Borrowed: valid while the input is.
public struct JSONText {
    /// The bytes between the quotes.
    public let span: UnsafeBufferPointer<UInt8>
    /// Whether it contains escapes.
    public let isEscaped: Bool
    /// The offset of the span in the input.
    public let offset: Int

    package init(span: UnsafeBufferPointer<UInt8>, isEscaped: Bool, offset: Int) {
        self.span = span
        self.isEscaped = isEscaped
        self.offset = offset
    }

    /// The text. Throws for an unpaired surrogate.
    public func decode() throws -> String {
        guard isEscaped else { return String(decoding: span, as: UTF8.self) }
        var bytes: [UInt8] = []
        try decode(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text's UTF-8 bytes. Throws for an unpaired surrogate.
    public func decode(into bytes: inout [UInt8]) throws {
        var index = 0
        while index < span.count {
            let byte = span[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let escape = span[index]
            index += 1
            switch escape {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0c)
            case UInt8(ascii: "n"): bytes.append(0x0a)
            case UInt8(ascii: "r"): bytes.append(0x0d)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"): UTF8Check.append(try scalar(index: &index), to: &bytes)
            default: bytes.append(escape)
            }
        }
    }

    /// Whether the text is exactly these bytes.
    @inline(__always)
    public func equals(_ other: [UInt8]) -> Bool {
        if !isEscaped {
            guard span.count == other.count else { return false }
            for index in 0..<span.count where span[index] != other[index] { return false }
            return true
        }
        var bytes: [UInt8] = []
        guard (try? decode(into: &bytes)) != nil else { return false }
        return bytes == other
    }

    /// Throws for an unpaired surrogate.
    package func check() throws {
        guard isEscaped else { return }
        var index = 0
        while index < span.count {
            let byte = span[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else { continue }
            index += 1
            if span[index - 1] == UInt8(ascii: "u") { _ = try scalar(index: &index) }
        }
    }

    package static func hexDigit(byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x41 + 10)
        case 0x61...0x66: UInt32(byte - 0x61 + 10)
        default: nil
        }
    }

    /// Reads four digits, and a second escape if the first is half of a surrogate pair.
    private func scalar(index: inout Int) throws -> UInt32 {
        let first = unit(index: index)
        index += 4
        guard (0xD800...0xDFFF).contains(first) else { return first }
        guard first < 0xDC00, index + 6 <= span.count, span[index] == UInt8(ascii: "\\"),
            span[index + 1] == UInt8(ascii: "u")
        else { throw JSONError(offset: offset + index, kind: .loneSurrogate) }
        let second = unit(index: index + 2)
        guard (0xDC00...0xDFFF).contains(second) else {
            throw JSONError(offset: offset + index, kind: .loneSurrogate)
        }
        index += 6
        return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
    }

    private func unit(index: Int) -> UInt32 {
        var value: UInt32 = 0
        for digit in index..<(index + 4) { value = value << 4 | (Self.hexDigit(byte: span[digit]) ?? 0) }
        return value
    }
}
