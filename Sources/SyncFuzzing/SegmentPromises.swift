import SyncCore
import SyncFileBackend
import SyncWire

/// Promises of the folder readers: a segment is accepted only if it is complete and unchanged, and its
/// entries survive a round trip, as does a device's state file.
enum SegmentPromises {
    private static let form = "a segment"

    static func check(_ bytes: [UInt8]) throws -> Bool {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Array.init
        )
        try checkSegment(wrapped(lines: lines), lines: lines)
        try checkSealed(bytes)
        var isAccepted = try checkSegment(bytes)
        for check in state where try check(bytes) { isAccepted = true }
        return isAccepted
    }

    private typealias Check = @Sendable ([UInt8]) throws -> Bool

    /// The device that wrote the inputs.
    static let device = DeviceID(bits: 0x00f1_e2d3_c4b5_a697)

    /// A device's state file, and the store's state of a folder.
    private static let state: [Check] = [
        {
            try RoundTrip(
                form: "a device file",
                read: { try DeviceFile(bytes: $0, of: device) },
                write: \.bytes,
                isSame: { $0.bytes == $1.bytes }
            ).check($0)
        },
        { try RoundTrip(text: "a folder's cursor", read: { FolderCursor($0) }, write: \.text).check($0) },
        { try RoundTrip(text: "an intent", read: { FolderIntent($0) }, write: \.text).check($0) },
        { try RoundTrip(text: "a folder's binding", read: { FolderBinding($0) }, write: \.text).check($0) },
        { try RoundTrip(text: "a file's name", read: { NumberedFile(name: $0) }, write: \.name).check($0) },
    ]

    /// A segment with the given lines as its entries.
    private static func wrapped(lines: [[UInt8]]) -> [UInt8] {
        var writer = SegmentWriter(
            SegmentHeader(device: device, range: 7...7, kind: .segment, entries: lines.count)
        )
        for line in lines { writer.append(line: line) }
        return writer.finish().bytes
    }

    /// Adds a valid footer to complete lines, so that the header is checked independently of the digest.
    private static func checkSealed(_ bytes: [UInt8]) throws {
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return }
        let head = Array(bytes[...end])
        let entries = head.count { $0 == UInt8(ascii: "\n") } - 1
        try checkSegment(head + Array("{\"entries\":\(entries),\"digest\":\"\(Digest(head))\"}\n".utf8))
    }

    /// Returns whether the bytes are a segment. With `lines` they must be a segment of these entries.
    @discardableResult
    private static func checkSegment(_ bytes: [UInt8], lines: [[UInt8]]? = nil) throws -> Bool {
        guard let segment = try? Segment(bytes) else {
            try promise(lines == nil, kind: .writtenIsRefused, of: form)
            return false
        }
        let read = segment.lines.map { Array(bytes[$0]) }
        try promise(lines == nil || lines == read, kind: .writtenReadsOtherwise, of: form)
        let footer = (segment.lines.last?.upperBound).map { $0 + 1 } ?? (bytes.firstIndex(of: 0x0a) ?? 0) + 1
        try promise(segment.digest == Digest(Array(bytes[..<footer])), kind: .valuesDiffer, of: form)
        for length in Sampled.lengths(below: bytes.count, of: bytes) {
            try promise((try? Segment(Array(bytes[..<length]))) == nil, kind: .cutIsAccepted, of: form)
        }
        for place in Sampled.lengths(below: footer, of: bytes) {
            var changed = bytes
            changed[place] ^= 1
            try promise((try? Segment(changed)) == nil, kind: .changedIsAccepted, of: form)
        }
        try checkEntries(segment, bytes: bytes)
        return true
    }

    /// The readable entries survive being written as a segment again.
    private static func checkEntries(_ segment: Segment, bytes: [UInt8]) throws {
        let entries = changes(segment: segment, bytes: bytes)
        for (change, line) in zip(entries.changes, entries.lines) {
            let isInside =
                line.lowerBound <= change.body.startIndex && change.body.endIndex <= line.upperBound
            try promise(isInside, kind: .placeOutside, of: "an entry of a segment")
        }
        var writer = SegmentWriter(
            SegmentHeader(
                device: segment.header.device,
                range: segment.header.range,
                kind: segment.header.kind,
                entries: entries.changes.count
            )
        )
        for change in entries.changes { writer.append(change) }
        let written = writer.finish()
        guard let again = try? Segment(written.bytes) else {
            throw PromiseViolation(kind: .writtenIsRefused, of: form)
        }
        try promise(again.digest == written.digest, kind: .valuesDiffer, of: form)
        let others = changes(segment: again, bytes: written.bytes).changes
        let isSame = entries.changes.map(\.unrevised).isSame(as: others)
        try promise(isSame, kind: .writtenReadsOtherwise, of: "an entry of a segment")
    }

    private static func changes(
        segment: Segment,
        bytes: [UInt8]
    ) -> (changes: [Change], lines: [Range<Int>]) {
        var changes: [Change] = []
        var lines: [Range<Int>] = []
        for line in segment.lines {
            guard let change = try? Segment.entry(in: line, of: bytes) else { continue }
            changes.append(change)
            lines.append(line)
        }
        return (changes, lines)
    }
}
