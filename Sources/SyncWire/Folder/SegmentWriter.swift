package import SyncCore

/// Writes a segment: header, entries, footer.
package struct SegmentWriter {
    private var bytes: [UInt8] = []
    private var digest = RunningDigest()
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
    package mutating func append(_ change: Change) {
        // NB: a line break between two tokens is well-formed JSON, but would split the line.
        if change.body.contains(UInt8(ascii: "\n")) {
            EntryCodec.append(Change(change.header, body: Self.minified(change.body)), to: &line)
        } else {
            EntryCodec.append(change, to: &line)
        }
        endLine()
        entries += 1
    }

    /// Writes an entry that was read before, unchanged and without its newline.
    package mutating func append(line: some Collection<UInt8>) {
        bytes.append(contentsOf: line)
        bytes.append(UInt8(ascii: "\n"))
        entries += 1
    }

    /// The number of bytes written and not taken yet.
    package var waitingBytes: Int { bytes.count }

    /// Returns the bytes written since the last call: the next piece of the segment.
    package mutating func takePiece() -> [UInt8] {
        bytes.withUnsafeBytes { digest.append($0) }
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Writes the footer and returns the segment, or its rest if pieces were taken before.
    package consuming func finish() -> EncodedSegment {
        precondition(entries == header.entries, "A segment of \(header.entries) entries got \(entries).")
        bytes.withUnsafeBytes { self.digest.append($0) }
        let digest = self.digest.digest
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

    private static func minified(_ body: ArraySlice<UInt8>) -> [UInt8] {
        var writer = JSONWriter()
        body.withUnsafeBufferPointer { writer.minified($0) }
        return writer.bytes
    }
}

/// A segment as bytes.
package struct EncodedSegment: Sendable {
    /// The header.
    package var header: SegmentHeader
    /// The whole file, or its rest if pieces were taken before.
    package var bytes: [UInt8]
    /// The fingerprint in the footer.
    package var digest: Digest
}
