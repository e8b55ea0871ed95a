/// Finds the known name that is most similar to a misspelled one.
package enum NearestName {
    /// The most similar known name; nil if none is similar. Ignores letter case. Among equally similar names
    /// the first by bytes is returned, so the result does not depend on the order.
    package static func find(_ name: String, among known: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().utf8)
        guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
        let allowed = max(1, wanted.count / 3)
        var best: (distance: Int, name: String)?
        for candidate in known {
            let bytes = Array(candidate.lowercased().utf8)
            guard abs(bytes.count - wanted.count) <= allowed else { continue }
            let distance = Self.distance(left: wanted, right: bytes)
            guard distance <= allowed, distance < max(wanted.count, bytes.count) else { continue }
            if let best, (best.distance, RecordKey(best.name)) <= (distance, RecordKey(candidate)) {
                continue
            }
            best = (distance, candidate)
        }
        return best?.name
    }

    /// The edit distance between two texts: insert, delete, replace, and swap of adjacent bytes.
    static func distance(left: [UInt8], right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1] + [Int](repeating: 0, count: right.count)
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current[column + 1] = cost
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}
