/// The numbers of one device's segments that were taken: all up to one, and ranges beyond a gap.
struct NumberSet: Sendable, Hashable {
    /// Every number up to this one was taken.
    private(set) var contiguous: Int64 = 0
    /// Taken ranges beyond a gap, ascending, apart from each other.
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
        var merged = range
        var rest: [ClosedRange<Int64>] = []
        for other in beyond {
            if other.upperBound + 1 < merged.lowerBound || merged.upperBound + 1 < other.lowerBound {
                rest.append(other)
            } else {
                merged =
                    min(other.lowerBound, merged.lowerBound)...max(other.upperBound, merged.upperBound)
            }
        }
        if merged.lowerBound <= contiguous + 1 {
            contiguous = max(contiguous, merged.upperBound)
        } else {
            rest.append(merged)
        }
        beyond = rest.filter { $0.upperBound > contiguous }.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The first missing range below the highest number, or nil when there is no gap.
    var firstGap: ClosedRange<Int64>? {
        beyond.first.map { (contiguous + 1)...($0.lowerBound - 1) }
    }
}
