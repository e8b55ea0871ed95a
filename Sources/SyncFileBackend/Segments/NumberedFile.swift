import SyncCore

/// A segment or snapshot, identified by its name.
package struct NumberedFile: Sendable, Hashable {
    /// The numbers that it contains.
    var range: ClosedRange<Int64>
    /// Whether it is a snapshot.
    var isSnapshot: Bool
    /// Distinguishes contents of the same numbers: 16 hexadecimal digits. Nil in names of earlier versions.
    var tag: String?

    /// A segment.
    init(number: Int64, tag: String? = nil) {
        range = number...number
        isSnapshot = false
        self.tag = tag
    }

    /// A snapshot.
    init(snapshot range: ClosedRange<Int64>, tag: String? = nil) {
        self.range = range
        isSnapshot = true
        self.tag = tag
    }

    /// The tag of a content with this fingerprint.
    static func tag(of digest: Digest) -> String { String(digest.description.prefix(tagDigits)) }

    /// The tag as stored in `TagNotes`: with a star for a snapshot, which adds no content for its numbers.
    var notedTag: String? { tag.map { isSnapshot ? $0 + "*" : $0 } }

    /// Whether a text may be a tag.
    static func isTag(_ text: some StringProtocol) -> Bool {
        text.utf8.count == tagDigits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static let tagDigits = 16

    /// Its file name.
    package var name: String {
        let numbers =
            isSnapshot
            ? "snapshot-\(Self.digits(number: range.lowerBound))-\(Self.digits(number: range.upperBound))"
            : "segment-\(Self.digits(number: range.lowerBound))"
        return numbers + (tag.map { "-" + $0 } ?? "") + ".ndjson"
    }

    /// Reads exactly what `name` writes; nil for anything else.
    package init?(name: String) {
        guard name.hasSuffix(".ndjson") else { return nil }
        let parts = name.dropLast(7).split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.first == "snapshot" ? 2 : 1
        guard parts.count == 1 + numbers || parts.count == 2 + numbers, let first = Int64(parts[1]), first > 0
        else { return nil }
        let tag = parts.count == 2 + numbers ? String(parts[1 + numbers]) : nil
        if let tag, !Self.isTag(tag) { return nil }
        if numbers == 1 {
            self.init(number: first, tag: tag)
        } else {
            guard let last = Int64(parts[2]), first <= last else { return nil }
            self.init(snapshot: first...last, tag: tag)
        }
        guard range.upperBound <= Self.maxNumber, self.name.utf8.elementsEqual(name.utf8) else { return nil }
    }

    /// Far above what a device can publish, and far below an overflow.
    static let maxNumber: Int64 = 1_000_000_000_000_000

    private static func digits(number: Int64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 8 - text.utf8.count)) + text
    }
}
