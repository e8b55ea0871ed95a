package import SyncCore

/// Validates a segment in pieces of whole lines, so that it need not be held in memory as a whole.
///
/// It accepts exactly what `Segment` accepts.
package struct SegmentCheck {
    /// The header; nil before the first piece.
    package private(set) var header: SegmentHeader?
    private var digest = RunningDigest()
    /// The last line so far. It may be the footer, so it is added to the fingerprint only when another line follows.
    private var last: [UInt8] = []
    /// The lines so far, header and footer included.
    package private(set) var lines = 0

    /// Starts without lines.
    package init() {}

    /// A segment that was found complete.
    package struct Whole: Sendable {
        /// The header.
        package var header: SegmentHeader
        /// The fingerprint of everything before the footer.
        package var digest: Digest
        /// The bytes of the footer, with its newline.
        package var footerBytes: Int
    }

    /// Adds the next piece. Each ends with a newline, and the first includes the header.
    package mutating func append(_ piece: [UInt8]) throws(SegmentError) {
        guard let end = piece.lastIndex(of: UInt8(ascii: "\n")), end == piece.count - 1 else { throw .torn }
        if header == nil { header = try Self.header(piece: piece) }
        last.withUnsafeBytes { digest.append($0) }
        let footer = piece[..<end].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        piece.withUnsafeBytes { digest.append(UnsafeRawBufferPointer(rebasing: $0[..<footer])) }
        last = Array(piece[footer...])
        for byte in piece where byte == UInt8(ascii: "\n") { lines += 1 }
    }

    /// Returns the segment, or throws if the pieces are not a complete one.
    package func finish() throws(SegmentError) -> Whole {
        guard let header else { throw .empty }
        let footer = last.dropLast().withUnsafeBufferPointer { try? SmallObject($0) }
        guard lines > 1, let footer, let count = footer.integer(name: "entries"),
            let written = footer.text(name: "digest"),
            lines - 2 == count, count == header.entries
        else { throw .torn }
        let digest = digest.digest
        guard digest.description == written else { throw .wrongDigest }
        return Whole(header: header, digest: digest, footerBytes: last.count)
    }

    private static func header(piece: [UInt8]) throws(SegmentError) -> SegmentHeader {
        let end = piece.firstIndex(of: UInt8(ascii: "\n")) ?? piece.count
        let result = piece[..<end].withUnsafeBufferPointer { line -> Result<SegmentHeader, SegmentError> in
            do throws(SegmentError) {
                return .success(try SegmentHeader(line: line))
            } catch { return .failure(error) }
        }
        return try result.get()
    }
}
