import SyncCore
import SyncWire

/// Entries of several files. Their bodies are slices of the files' bytes.
struct VersionIndex: Sendable {
    /// How many bytes were read.
    private(set) var bytes = 0
    /// The entries, in the order in which they were read.
    private(set) var entries: [Change] = []
    /// By position, whether an entry is delivered even if another one supersedes it.
    private var isPinned: [Bool] = []

    /// Adds entries. Returns the line numbers (from 1) of unreadable ones. `isForked`: their device has used numbers
    /// twice, so their vectors may mean other edits.
    mutating func add(_ piece: EntryPiece, isPinned: Bool = false, isForked: Bool = false) -> [Int] {
        bytes += piece.bytes.count
        entries.reserveCapacity(entries.count + piece.lines.count)
        self.isPinned.reserveCapacity(entries.count + piece.lines.count)
        var malformed: [Int] = []
        for (index, line) in piece.lines.enumerated() {
            guard var change = try? Segment.entry(in: line, of: piece.bytes) else {
                malformed.append(piece.firstLine + index)
                continue
            }
            change.header.isForked = isForked
            // A folder has no revisions, and replaced versions are known by their vectors.
            (change.header.revision, change.header.base, change.header.replaces) = (nil, nil, [])
            entries.append(change)
            self.isPinned.append(isPinned)
        }
        return malformed
    }

    /// Drops superseded entries, and sorts the rest by entity, key and edit timestamp.
    mutating func reduce() {
        let kept = maximalPositions()
        (entries, isPinned) = (kept.map { entries[$0] }, kept.map { isPinned[$0] })
    }

    /// The heads among all entries, sorted by entity, key and edit timestamp; pinned ones first.
    func maximal() -> [Change] { maximalPositions().map { entries[$0] } }

    private func maximalPositions() -> [Int] {
        let order = entries.sortedPositions()
        var result: [Int] = []
        result.reserveCapacity(order.count)
        var start = 0
        while start < order.count {
            var end = start + 1
            while end < order.count,
                entries[order[start]].header.isOfSameRecord(as: entries[order[end]].header)
            {
                end += 1
            }
            if end == start + 1 {
                result.append(order[start])
            } else {
                result += heads(versions: order[start..<end])
            }
            start = end
        }
        return result
    }

    /// The heads among the versions of one record, in the given order, but pinned ones first.
    private func heads(versions: ArraySlice<Int>) -> [Int] {
        var kept: [Int] = []
        // From the greatest edit timestamp down: it is nearly always the only head, so there are few comparisons.
        for version in versions.reversed() {
            if kept.contains(where: { supersedes(winner: $0, loser: version) }) { continue }
            kept.removeAll { supersedes(winner: version, loser: $0) }
            kept.append(version)
        }
        // NB: a device must take in its own published versions before those of others. A later own edit may have the
        // same content as theirs, and yet have seen more.
        let pinned = versions.filter { isPinned[$0] }
        return pinned + versions.filter { kept.contains($0) && !isPinned[$0] }
    }

    /// Whether `winner` has seen everything that `loser` has. With equal vectors, only if both are the same.
    private func supersedes(winner: Int, loser: Int) -> Bool {
        let (winner, loser) = (entries[winner], entries[loser])
        let (mine, theirs) = (winner.writtenMetadata, loser.writtenMetadata)
        guard mine.vector == theirs.vector else {
            if winner.header.isForked || loser.header.isForked,
                mine.editTimestamp.device == theirs.editTimestamp.device
            {
                return false
            }
            return mine.vector.covers(theirs.vector)
        }
        if mine.isForked(from: theirs) { return mine.editTimestamp.time < theirs.editTimestamp.time }
        return winner.header.isSameVersion(as: loser.header) && winner.body == loser.body
    }
}
