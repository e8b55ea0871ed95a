import SyncWire

/// The contents of one device's last numbers: the tags of the files that contained them.
///
/// If a taken number appears under an unknown tag, it is a different content: a copy of the store has published, too.
/// Notes of old numbers are dropped, so they stay small.
struct TagNotes: Sendable, Hashable {
    private var tags: [Int64: [String]] = [:]

    /// The most numbers with notes.
    static let maxNumbers = 32
    /// The most numbers in a segment's header.
    static let maxNumbersOfSegment = 8
    /// The most numbers of another device in a device file.
    static let maxNumbersSeen = 4
    /// The most tags of one number. Only copies of one store make more than two or three.
    private static let maxTags = 8

    /// Notes nothing.
    init() {}

    /// The tags of a number; nil if there are none.
    subscript(number: Int64) -> [String]? { tags[number] }

    /// Whether nothing is noted.
    var isEmpty: Bool { tags.isEmpty }

    /// The numbers that are noted, ascending.
    var numbers: [Int64] { tags.keys.sorted() }

    /// Notes a tag of a number.
    mutating func note(_ number: Int64, tag: String) {
        var noted = tags[number] ?? []
        guard !noted.contains(tag) else { return }
        noted.append(tag)
        tags[number] = noted.suffix(Self.maxTags)
        while tags.count > Self.maxNumbers, let first = tags.keys.min() { tags[first] = nil }
    }

    /// Adds the notes of the other.
    mutating func formUnion(_ other: TagNotes) {
        for (number, noted) in other.tags.sorted(by: { $0.key < $1.key }) {
            for tag in noted { note(number, tag: tag) }
        }
    }

    /// The lowest number with notes in both but no common tag; nil if there is none.
    func firstDifference(from other: TagNotes) -> Int64? {
        numbers.first { number in
            other.tags[number].map { Set($0).isDisjoint(with: tags[number] ?? []) } ?? false
        }
    }

    /// The lowest number with notes in both for which the other has a segment's tag that this one lacks; nil if there
    /// is none.
    func firstUnknown(in other: TagNotes) -> Int64? {
        numbers.first { number in
            let segments = (other.tags[number] ?? []).filter { !$0.hasSuffix("*") }
            return !Set(segments).isSubset(of: tags[number] ?? [])
        }
    }

    /// Whether both have a common tag for some number.
    func meets(_ other: TagNotes) -> Bool { tags.keys.contains { sharesTag(of: $0, with: other) } }

    /// Whether both have a common tag for a number.
    func sharesTag(of number: Int64, with other: TagNotes) -> Bool {
        !Set(other.tags[number] ?? []).isDisjoint(with: tags[number] ?? [])
    }

    /// Whether two segments were published under one number.
    var isForked: Bool { tags.values.contains { $0.count { !$0.hasSuffix("*") } > 1 } }

    /// The notes of the last numbers only.
    func last(count: Int) -> TagNotes {
        var notes = self
        for number in numbers.dropLast(count) { notes.tags[number] = nil }
        return notes
    }

    /// `41:9d1e66f2a0b34c75 42:…+…`, numbers ascending.
    var text: String {
        numbers.map { "\($0):" + (tags[$0] ?? []).joined(separator: "+") }.joined(separator: " ")
    }

    /// Reads what `text` writes; nil for anything else.
    init?(_ text: String) {
        for part in text.split(separator: " ", omittingEmptySubsequences: false) where !text.isEmpty {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false)
            guard pair.count == 2, let number = Int64(pair[0]), (1...NumberedFile.maxNumber).contains(number)
            else {
                return nil
            }
            for tag in pair[1].split(separator: "+", omittingEmptySubsequences: false) {
                guard NumberedFile.isTag(tag.hasSuffix("*") ? tag.dropLast() : tag) else { return nil }
                note(number, tag: String(tag))
            }
        }
    }
}

extension TagNotes {
    /// The notes from a file's name alone.
    init(of file: NumberedFile) {
        self.init()
        if let tag = file.notedTag { note(file.range.upperBound, tag: tag) }
    }

    /// The notes from a file's name and its header.
    ///
    /// - Parameter withSnapshots: Whether a snapshot's own tag is added to those of the segments that it contains.
    init(of file: NumberedFile, header: SegmentHeader, withSnapshots: Bool = true) {
        self = header.files.flatMap { TagNotes($0) } ?? TagNotes()
        guard let tag = file.notedTag, withSnapshots || !file.isSnapshot || header.tag == nil else { return }
        note(file.range.upperBound, tag: tag)
    }
}
