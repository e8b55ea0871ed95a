import SyncCore

/// Tells one byte after the other where the records of a source begin and end.
protocol PartGrammar {
    /// What the next byte means. Throws `SyncError` if records after it could not be told apart.
    mutating func take(byte: UInt8, line: Int) throws -> PartBoundary
    /// Accepts the end of the source. Returns whether the last record ends with it.
    func end(line: Int) throws -> Bool
}

/// What a byte means for the record around it.
enum PartBoundary {
    case none
    /// It is the first byte of a record.
    case begins
    /// The record ended with the byte before.
    case endsBefore
}

/// Splits a source into parts by a grammar. Holds one part at a time.
struct PartReader {
    private let source: any LineSource
    private static let pieceBytes = 1 << 18

    /// Makes a reader of a source that was not read yet.
    init(_ source: any LineSource) {
        self.source = source
    }

    /// Calls `visit` with each part, and the place of its first byte. Skips a byte order mark. Returns the bytes of the
    /// source.
    func forEach(
        grammar: consuming some PartGrammar,
        visit: (LineReader.Line) throws -> Void
    ) throws -> Int64 {
        var bytes: [UInt8] = []
        var place = Place()
        while bytes.count < 3, try source.read(into: &bytes, count: Self.pieceBytes) > 0 {}
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place.next = 3 }
        var isAtEnd = false
        repeat {
            try bytes.withUnsafeBufferPointer { buffer in
                while place.next < buffer.count {
                    let byte = buffer[place.next]
                    let boundary = try grammar.take(byte: byte, line: place.line)
                    if case .endsBefore = boundary { try place.end(at: place.next, in: buffer, visit: visit) }
                    if case .begins = boundary { place.begin() }
                    place.next += 1
                    if byte == UInt8(ascii: "\n") { place.beginLine() }
                }
                if isAtEnd, try grammar.end(line: place.line) {
                    try place.end(at: buffer.count, in: buffer, visit: visit)
                }
            }
            if isAtEnd { break }
            place.drop(from: &bytes)
            guard bytes.count <= LineReader.maxLineBytes else {
                throw source.lineTooLong(number: place.line, maxBytes: LineReader.maxLineBytes)
            }
            isAtEnd = try source.read(into: &bytes, count: Self.pieceBytes) == 0
        } while true
        return place.offset + Int64(bytes.count)
    }

    /// Where the reader is.
    private struct Place {
        /// Bytes of the source before the buffer.
        var offset: Int64 = 0
        /// The next byte in the buffer.
        var next = 0
        /// The line of that byte, from 1.
        var line = 1
        /// The offset in the source at which that line begins.
        private var lineOffset: Int64 = 0
        /// The first byte of the present part in the buffer; nil between parts.
        private var start: Int?
        private var startLine = 1
        private var startColumn = 1

        mutating func begin() {
            (start, startLine) = (next, line)
            startColumn = Int(offset + Int64(next) - lineOffset) + 1
        }

        mutating func beginLine() {
            line += 1
            lineOffset = offset + Int64(next)
        }

        mutating func end(
            at end: Int,
            in buffer: UnsafeBufferPointer<UInt8>,
            visit: (LineReader.Line) throws -> Void
        ) throws {
            guard let first = start else { return }
            start = nil
            let part = UnsafeBufferPointer(rebasing: buffer[first..<end])
            let end = offset + Int64(end)
            try visit(LineReader.Line(number: startLine, column: startColumn, bytes: part, end: end))
        }

        /// Removes what no part needs any more.
        mutating func drop(from bytes: inout [UInt8]) {
            let count = start ?? next
            bytes.removeFirst(count)
            (offset, next) = (offset + Int64(count), next - count)
            if start != nil { start = 0 }
        }
    }
}
