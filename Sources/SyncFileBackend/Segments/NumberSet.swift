/// The numbers of one device's segments that were taken: all up to one, and ranges beyond a gap.
struct NumberSet: Sendable, Hashable {
    /// Every number up to this one was taken.
    private(set) var contiguous: Int64 = 0
    /// Taken ranges beyond a gap, ascending and not adjacent.
    private(set) var beyond: [ClosedRange<Int64>] = []

    /// Numbers from 1 to `contiguous`.
    init(contiguous: Int64 = 0) {
        self.contiguous = contiguous
    }

    /// The highest number in the set, 0 when there is none.
    var highest: Int64 { beyond.last?.upperBound ?? contiguous }

    /// Whether every number of the range is in the set.
    func contains(_ range: ClosedRange<Int64>) -> Bool {
        if range.upperBound <= contiguous { return true }
        let lower = max(range.lowerBound, contiguous + 1)
        return beyond.contains { $0.lowerBound <= lower && range.upperBound <= $0.upperBound }
    }

    /// Adds a range.
    mutating func insert(_ range: ClosedRange<Int64>) {
        // NB: binary search, because a folder or a cursor may name thousands of ranges.
        let first = firstIndex { $0.upperBound + 1 >= range.lowerBound }
        let end = firstIndex { $0.lowerBound - 1 > range.upperBound }
        var merged = range
        if first < end {
            merged =
                min(
                    beyond[first].lowerBound,
                    range.lowerBound
                )...max(beyond[end - 1].upperBound, range.upperBound)
        }
        guard merged.lowerBound <= contiguous + 1 else {
            beyond.replaceSubrange(first..<end, with: [merged])
            return
        }
        contiguous = max(contiguous, merged.upperBound)
        beyond.removeSubrange(..<firstIndex { $0.upperBound > contiguous })
    }

    /// The same with another range.
    func inserting(_ range: ClosedRange<Int64>) -> NumberSet {
        var numbers = self
        numbers.insert(range)
        return numbers
    }

    /// The first range beyond the gap for which the predicate holds; it must hold for all later ones, too (binary
    /// search).
    private func firstIndex(where holds: (ClosedRange<Int64>) -> Bool) -> Int {
        var (low, high) = (0, beyond.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(beyond[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The first missing range below the highest number; nil if there is no gap.
    var firstGap: ClosedRange<Int64>? {
        beyond.first.map { (contiguous + 1)...($0.lowerBound - 1) }
    }

    /// All numbers as ranges, ascending and not adjacent.
    var ranges: [ClosedRange<Int64>] { (contiguous > 0 ? [1...contiguous] : []) + beyond }

    /// Whether there is no number in the set.
    var isEmpty: Bool { contiguous == 0 && beyond.isEmpty }

    /// The numbers that the other set does not have.
    func subtracting(other: NumberSet) -> NumberSet {
        var rest = NumberSet()
        var holes = other.ranges[...]
        for range in ranges {
            var lower = range.lowerBound
            while let hole = holes.first, lower <= range.upperBound {
                if hole.upperBound < lower {
                    holes.removeFirst()
                    continue
                }
                guard hole.lowerBound <= range.upperBound else { break }
                if lower < hole.lowerBound { rest.insert(lower...(hole.lowerBound - 1)) }
                lower = hole.upperBound + 1
            }
            if lower <= range.upperBound { rest.insert(lower...range.upperBound) }
        }
        return rest
    }
}
