import SyncCore

/// Splits a source into lines. The last line may lack its line feed. Holds one line at a time.
package struct LineReader {
    /// The most bytes of a line.
    package static let maxLineBytes = 64 << 20

    private let source: any LineSource
    private static let pieceBytes = 1 << 20

    /// Makes a reader of a source that was not read yet.
    package init(_ source: any LineSource) {
        self.source = source
    }

    /// A line that is not blank, without its line feed.
    package struct Line {
        /// Counted from 1; blank lines count.
        package var number: Int
        /// Where it begins on its line, in bytes from 1.
        package var column = 1
        /// The bytes, valid during the call.
        package var bytes: UnsafeBufferPointer<UInt8>
        /// Bytes of the source up to the end of the line.
        package var end: Int64
    }

    /// Calls `visit` with each line. Skips a byte order mark before the first one. Returns the bytes of the source.
    @discardableResult
    package func forEach(visit: (Line) throws -> Void) throws -> Int64 {
        var bytes: [UInt8] = []
        /// Bytes of the source before `bytes`.
        var offset: Int64 = 0
        var number = 0
        var isAtEnd = false
        while !isAtEnd {
            var searched = bytes.count
            isAtEnd = try source.read(into: &bytes, count: Self.pieceBytes) == 0
            var start = number == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            try bytes.withUnsafeBufferPointer { buffer in
                func pass(_ line: Slice<UnsafeBufferPointer<UInt8>>, number: Int, end: Int) throws {
                    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
                    let bytes = UnsafeBufferPointer(rebasing: line)
                    try visit(Line(number: number, bytes: bytes, end: offset + Int64(end)))
                }
                while let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    number += 1
                    try pass(buffer[start..<end], number: number, end: end + 1)
                    start = end + 1
                    searched = start
                }
                if isAtEnd, start < buffer.count {
                    try pass(buffer[start...], number: number + 1, end: buffer.count)
                }
            }
            // NB: a lone byte order mark stays in the buffer until its line is complete.
            if number > 0 {
                bytes.removeFirst(start)
                offset += Int64(start)
            }
            guard bytes.count <= Self.maxLineBytes else {
                throw source.lineTooLong(number: number + 1, maxBytes: Self.maxLineBytes)
            }
        }
        return offset + Int64(bytes.count)
    }
}
