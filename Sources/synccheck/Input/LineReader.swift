import EntitySync

/// Splits a source into lines. The last line may lack its line feed. Holds one line at a time.
struct LineReader {
    /// The most bytes of a line.
    static let maxLineBytes = 64 << 20

    private let source: ByteSource
    private static let pieceBytes = 1 << 20

    init(_ source: ByteSource) {
        self.source = source
    }

    /// Calls `visit` with each line that is not blank, and its number from 1. Skips a byte order mark before
    /// the first line.
    func forEach(visit: (_ number: Int, _ line: UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        var bytes: [UInt8] = []
        var number = 0
        var isAtEnd = false
        while !isAtEnd {
            var searched = bytes.count
            isAtEnd = try source.read(into: &bytes, count: Self.pieceBytes) == 0
            var start = number == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            try bytes.withUnsafeBufferPointer { buffer in
                while let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    number += 1
                    try pass(buffer[start..<end], number: number, visit: visit)
                    start = end + 1
                    searched = start
                }
                if isAtEnd, start < buffer.count {
                    try pass(buffer[start...], number: number + 1, visit: visit)
                }
            }
            // NB: a lone byte order mark stays in the buffer until its line is complete.
            if number > 0 { bytes.removeFirst(start) }
            guard bytes.count <= Self.maxLineBytes else {
                throw SyncError.tooLarge(
                    path: "line \(number + 1) of \(source.path)",
                    maxBytes: Self.maxLineBytes
                )
            }
        }
    }

    private func pass(
        _ line: Slice<UnsafeBufferPointer<UInt8>>,
        number: Int,
        visit: (_ number: Int, _ line: UnsafeBufferPointer<UInt8>) throws -> Void
    ) throws {
        let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if !isBlank { try visit(number, UnsafeBufferPointer(rebasing: line)) }
    }
}
