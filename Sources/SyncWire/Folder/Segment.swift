package import SyncCore

/// A segment that was read and found complete. Its entries are not decoded yet.
package struct Segment: Sendable {
    /// The header.
    package var header: SegmentHeader
    /// The fingerprint of everything before the footer.
    package var digest: Digest
    /// The range of each entry in the file, without its newline.
    package var lines: [Range<Int>]

    /// Reads a segment. Throws if it is not valid.
    package init(_ bytes: [UInt8]) throws(SegmentError) {
        guard !bytes.isEmpty else { throw .empty }
        let result = bytes.withUnsafeBufferPointer { buffer -> Result<Segment, SegmentError> in
            do throws(SegmentError) {
                return .success(try Segment(buffer))
            } catch { return .failure(error) }
        }
        self = try result.get()
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>) throws(SegmentError) {
        // A partially copied file may start with zero bytes. It is not foreign, just incomplete.
        guard bytes[0] != 0, let end = Self.newline(in: bytes, from: 0) else {
            throw Self.mayBegin(bytes: bytes) ? .torn : .foreign
        }
        header = try SegmentHeader(line: UnsafeBufferPointer(rebasing: bytes[0..<end]))
        let all = Self.lines(of: bytes, from: end + 1)
        guard bytes[bytes.count - 1] == UInt8(ascii: "\n"), let last = all.last,
            let footer = try? SmallObject(UnsafeBufferPointer(rebasing: bytes[last])),
            let count = footer.integer(name: "entries"), let digest = footer.text(name: "digest")
        else { throw .torn }
        lines = Array(all.dropLast())
        guard lines.count == count, count == header.entries else { throw .torn }
        self.digest = Digest(
            UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<last.lowerBound])
        )
        guard self.digest.description == digest else { throw .wrongDigest }
    }

    /// The entry in a line of a file; its body is a slice of the file, and may hold text that is no Unicode. Throws
    /// `JSONError`.
    package static func entry(in line: Range<Int>, of bytes: [UInt8]) throws -> Change {
        try bytes.withUnsafeBufferPointer { buffer in
            let isText = UTF8Check.firstInvalidOffset(in: UnsafeBufferPointer(rebasing: buffer[line])) == nil
            var reader = JSONReader(validated: UnsafeBufferPointer(rebasing: buffer[..<line.upperBound]))
            reader.move(to: line.lowerBound)
            let change = try EntryCodec.changeOfAnyText(reader: &reader, bytes: bytes, isText: isText)
            try reader.end()
            // A version has always seen its own edit. Otherwise it could never be recognised as superseded.
            guard let metadata = change.header.metadata, metadata.vector.covers(metadata.editTimestamp) else {
                throw reader.error(kind: .unexpectedByte)
            }
            return change
        }
    }

    /// Whether bytes without a single complete line may be the start of a segment.
    private static func mayBegin(bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if bytes[0] == 0 { return true }
        let start = Array("{\"format\":\"\(SegmentHeader.format)\"".utf8)
        return zip(bytes, start).allSatisfy { $0 == $1 }
    }

    /// The ranges of the lines from `start` on, each without its newline. An incomplete last line is ignored.
    package static func lines(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = start
        while let end = newline(in: bytes, from: start) {
            lines.append(start..<end)
            start = end + 1
        }
        return lines
    }

    private static func newline(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { return index }
            index += 1
        }
        return nil
    }
}
