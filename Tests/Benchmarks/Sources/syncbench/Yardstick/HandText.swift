/// Pieces of JSON as somebody writes them by hand, straight into a buffer.
enum HandText {
    @inline(__always)
    static func literal(text: StaticString, bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// A string with its quotes. The input has no control character but the line break.
    @inline(__always)
    static func string(text: UnsafeBufferPointer<UInt8>, bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for place in text.indices
        where text[place] < 32 || text[place] == UInt8(ascii: "\"") || text[place] == UInt8(ascii: "\\") {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<place]))
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(text[place] == 10 ? UInt8(ascii: "n") : text[place])
            start = place + 1
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    static func integer(value: Int, bytes: inout [UInt8]) {
        if value >= 10 { integer(value: value / 10, bytes: &bytes) }
        bytes.append(UInt8(0x30 + value % 10))
    }
}
