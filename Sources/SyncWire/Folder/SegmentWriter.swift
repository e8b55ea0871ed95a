package import SyncCore

/// Writes a segment: header, entries, footer.
package struct SegmentWriter {
    private var bytes: [UInt8] = []
    private var line = JSONWriter()
    private let header: SegmentHeader
    private var entries = 0

    /// Writes the header. `header.entries` must be the number of entries that follow.
    package init(_ header: SegmentHeader) {
        self.header = header
        header.append(to: &line)
        endLine()
    }

    /// Writes an entry.
    package mutating func append(_ change: OutgoingChange) {
        var change = change
        // NB: a line break between two tokens is well-formed JSON, and would tear the line in two.
        if change.body.contains(UInt8(ascii: "\n")) { change.body = Self.minified(change.body) }
        EntryCodec.append(change, to: &line)
        endLine()
        entries += 1
    }

    /// Writes an entry that was read before, as it came, without its newline.
    package mutating func append(line: some Collection<UInt8>) {
        bytes.append(contentsOf: line)
        bytes.append(UInt8(ascii: "\n"))
        entries += 1
    }

    /// Writes the footer and returns the whole segment.
    package consuming func finish() -> EncodedSegment {
        precondition(entries == header.entries, "A segment of \(header.entries) entries got \(entries).")
        let digest = Digest(bytes)
        line.beginObject()
        line.name("entries")
        line.integer(Int64(entries))
        line.name("digest")
        line.string(digest.description)
        line.endObject()
        endLine()
        return EncodedSegment(header: header, bytes: bytes, digest: digest)
    }

    private mutating func endLine() {
        bytes.append(contentsOf: line.bytes)
        bytes.append(UInt8(ascii: "\n"))
        line.removeAll()
    }

    private static func minified(_ body: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        body.withUnsafeBufferPointer { writer.minified($0) }
        return writer.bytes
    }
}

/// A segment as bytes.
package struct EncodedSegment: Sendable {
    /// What the first line says.
    package var header: SegmentHeader
    /// The whole file.
    package var bytes: [UInt8]
    /// The fingerprint that the footer names.
    package var digest: Digest
}
