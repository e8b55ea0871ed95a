import SyncCore
import SyncWire

/// Entries of many files, by header; their bodies stay where they are.
struct VersionIndex: Sendable {
    /// What was read, in that order.
    private(set) var sources: [EntryPiece] = []
    /// How many bytes that is.
    private(set) var bytes = 0
    /// The entries, in the order in which they were read.
    private(set) var entries: [Entry] = []

    /// One entry.
    struct Entry: Sendable {
        /// Its header; the body is a range of the source's bytes.
        var header: EntryCodec.Header
        /// Where in `sources` it stands.
        var source: Int
        /// Whether it is delivered even if another one supersedes it.
        var isPinned: Bool
        /// Whether its device has used numbers twice: what it says to have seen may be another edit.
        var isForked: Bool
    }

    /// Adds entries; returns the line numbers (from 1) of those that cannot be read.
    mutating func add(_ piece: EntryPiece, isPinned: Bool = false, isForked: Bool = false) -> [Int] {
        let source = sources.count
        sources.append(piece)
        bytes += piece.bytes.count
        entries.reserveCapacity(entries.count + piece.lines.count)
        var malformed: [Int] = []
        piece.bytes.withUnsafeBufferPointer { bytes in
            for (index, line) in piece.lines.enumerated() {
                guard let header = try? Segment.entry(in: line, of: bytes) else {
                    malformed.append(piece.firstLine + index)
                    continue
                }
                entries.append(
                    Entry(header: header, source: source, isPinned: isPinned, isForked: isForked)
                )
            }
        }
        return malformed
    }

    /// The bytes of an entry's body.
    func body(entry: Entry) -> ArraySlice<UInt8> { sources[entry.source].bytes[entry.header.body] }

    /// Drops entries that others supersede, and sorts the rest by entity, key and mark.
    mutating func reduce() {
        entries = maximal()
    }

    /// The entries of which nothing that was read has seen more, sorted by entity, key and mark; pinned ones first.
    func maximal() -> [Entry] {
        let order = sortedPositions()
        var result: [Entry] = []
        result.reserveCapacity(order.count)
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count, entries[order[start]].isOfSameRecord(as: entries[order[end]]) {
                end += 1
            }
            if end == start + 1 {
                result.append(entries[order[start]])
            } else {
                result += heads(versions: order[start..<end])
            }
            start = end
        }
        return result
    }

    /// The heads among the versions of one record, in the order given, but pinned ones first.
    private func heads(versions: ArraySlice<Int>) -> [Entry] {
        var kept: [Int] = []
        // From the greatest mark down: it is nearly always the only head, so each version meets few others.
        for version in versions.reversed() {
            if kept.contains(where: { supersedes(winner: $0, loser: version) }) { continue }
            kept.removeAll { supersedes(winner: version, loser: $0) }
            kept.append(version)
        }
        // NB: a device must know what it published itself before it meets what others did: an edit made since then may
        // come to the same as theirs, and yet have seen more.
        let pinned = versions.filter { entries[$0].isPinned }
        return (pinned + versions.filter { kept.contains($0) && !entries[$0].isPinned }).map { entries[$0] }
    }

    /// Whether `winner` has seen all that `loser` has. Of two with the same vector one goes only if they are the same.
    private func supersedes(winner: Int, loser: Int) -> Bool {
        let (winner, loser) = (entries[winner], entries[loser])
        guard !Mutation.disables(.entriesByVector) else {
            return winner.header.metadata.editTimestamp > loser.header.metadata.editTimestamp
        }
        guard winner.header.metadata.vector == loser.header.metadata.vector else {
            if winner.isForked || loser.isForked,
                winner.header.metadata.editTimestamp.device == loser.header.metadata.editTimestamp.device
            {
                return false
            }
            return winner.header.metadata.vector.covers(loser.header.metadata.vector)
        }
        if winner.header.metadata.isForked(from: loser.header.metadata) {
            return winner.header.metadata.editTimestamp.time < loser.header.metadata.editTimestamp.time
        }
        return winner.header.isSameVersion(as: loser.header) && body(entry: winner) == body(entry: loser)
    }

    /// Positions of the entries by entity, key, mark and the order in which they were read.
    private func sortedPositions() -> [Int] {
        var ranks: [RecordKey: Int] = [:]
        for entry in entries { ranks[RecordKey(entry.header.entity)] = 0 }
        for (rank, name) in ranks.keys.sorted().enumerated() { ranks[name] = rank }
        // Nearly all comparisons end at the first bytes of the key, and need not touch the entries.
        var places = entries.enumerated().map { position, entry in
            SortPlace(
                rank: ranks[RecordKey(entry.header.entity)] ?? 0,
                prefix: entry.header.key.prefix,
                position: position
            )
        }
        places.sort { left, right in
            if left.rank != right.rank { return left.rank < right.rank }
            if left.prefix != right.prefix { return left.prefix < right.prefix }
            let (lhs, rhs) = (entries[left.position].header, entries[right.position].header)
            if lhs.key != rhs.key { return lhs.key < rhs.key }
            if lhs.metadata.editTimestamp != rhs.metadata.editTimestamp {
                return lhs.metadata.editTimestamp < rhs.metadata.editTimestamp
            }
            return left.position < right.position
        }
        return places.map(\.position)
    }

    private struct SortPlace {
        var rank: Int
        var prefix: UInt64
        var position: Int
    }
}

extension RecordKey {
    /// The first eight bytes as a number that orders as they do. A shorter key is filled up with zero bytes, so two
    /// keys with the same prefix may still differ.
    fileprivate var prefix: UInt64 {
        var prefix: UInt64 = 0
        var count = 0
        for byte in text.utf8.prefix(8) {
            prefix = prefix << 8 | UInt64(byte)
            count += 1
        }
        return count == 0 ? 0 : prefix << UInt64((8 - count) * 8)
    }
}

extension VersionIndex.Entry {
    /// Whether both are versions of one record.
    func isOfSameRecord(as other: Self) -> Bool {
        header.key == other.header.key && header.entity.utf8.elementsEqual(other.header.entity.utf8)
    }
}

extension EntryCodec.Header {
    /// Whether both say the same, but for the body.
    func isSameVersion(as other: Self) -> Bool {
        metadata == other.metadata && isDeleted == other.isDeleted && mergedInto == other.mergedInto
    }
}
