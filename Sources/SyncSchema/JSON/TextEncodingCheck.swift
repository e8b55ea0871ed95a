/// Detects the encoding of a file.
enum TextEncodingCheck {
    /// UTF-8 text that starts at the given offset, after a byte order mark if there is one.
    case utf8(start: Int)
    /// Another Unicode encoding, by its name.
    case other(String)
    /// Invalid UTF-8, with the offset of the first invalid byte.
    case invalid(offset: Int, start: Int)

    /// Checks byte order marks, the zero bytes that UTF-16 and UTF-32 put between ASCII characters, and every
    /// UTF-8 sequence.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        let head = Array(bytes.prefix(4))
        if let name = Self.wideEncoding(head: head) {
            self = .other(name)
            return
        }
        let start = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        if let offset = UTF8Check.firstInvalidOffset(in: UnsafeBufferPointer(rebasing: bytes[start...])) {
            self = .invalid(offset: start + offset, start: start)
        } else {
            self = .utf8(start: start)
        }
    }

    private static func wideEncoding(head: [UInt8]) -> String? {
        switch head.count {
        case 4 where head == [0x00, 0x00, 0xFE, 0xFF] || head[0...2] == [0, 0, 0]: "UTF-32"
        case 4 where head == [0xFF, 0xFE, 0x00, 0x00] || head[1...3] == [0, 0, 0]: "UTF-32"
        case 2... where head[0...1] == [0xFF, 0xFE] || head[0...1] == [0xFE, 0xFF]: "UTF-16"
        // An ASCII character with a zero byte before or after it.
        case 2... where (head[0] == 0) != (head[1] == 0): "UTF-16"
        default: nil
        }
    }
}
