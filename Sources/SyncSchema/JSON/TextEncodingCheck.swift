/// What the first look at a file's bytes finds.
enum TextEncodingCheck {
    /// UTF-8 text that starts at the given offset (behind a byte order mark).
    case utf8(start: Int)
    /// Another Unicode encoding, by its name.
    case other(String)
    /// Bytes that are no UTF-8, the first of them at the given offset.
    case invalid(offset: Int, start: Int)

    /// Looks at byte order marks, at the zero bytes that UTF-16 and UTF-32 put between ASCII characters, and at
    /// every UTF-8 sequence.
    init(_ bytes: [UInt8]) {
        let head = Array(bytes.prefix(4))
        if let name = Self.wideEncoding(head: head) {
            self = .other(name)
            return
        }
        let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if let offset = Self.firstInvalid(bytes: bytes, from: start) {
            self = .invalid(offset: offset, start: start)
        } else {
            self = .utf8(start: start)
        }
    }

    private static func wideEncoding(head: [UInt8]) -> String? {
        switch head.count {
        case 4 where head == [0x00, 0x00, 0xFE, 0xFF] || head[0...2] == [0, 0, 0]: "UTF-32"
        case 4 where head == [0xFF, 0xFE, 0x00, 0x00] || head[1...3] == [0, 0, 0]: "UTF-32"
        case 2... where head[0...1] == [0xFF, 0xFE] || head[0...1] == [0xFE, 0xFF]: "UTF-16"
        // An ASCII character with a zero byte before or behind it.
        case 2... where (head[0] == 0) != (head[1] == 0): "UTF-16"
        default: nil
        }
    }

    /// The offset of the first byte that does not belong to a well-formed sequence (RFC 3629), or nil.
    private static func firstInvalid(bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            var index = start
            while index < buffer.count {
                let first = buffer[index]
                if first < 0x80 {
                    index += 1
                    continue
                }
                guard let length = sequenceLength(buffer: buffer, at: index, first: first) else {
                    return index
                }
                index += length
            }
            return nil
        }
    }

    private static func sequenceLength(
        buffer: UnsafeBufferPointer<UInt8>,
        at index: Int,
        first: UInt8
    ) -> Int? {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= buffer.count, second.contains(buffer[index + 1]) else { return nil }
        for offset in 2..<max(length, 2) where buffer[index + offset] & 0xC0 != 0x80 { return nil }
        return length
    }
}
