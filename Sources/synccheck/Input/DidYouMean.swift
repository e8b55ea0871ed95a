/// Finds the known name that is most similar to a misspelled one.
enum DidYouMean {
    /// The most similar known name, the first by bytes among equals; nil if none is similar.
    static func nearest(to name: String, among known: [String]) -> String? {
        guard !name.isEmpty else { return nil }
        let wanted = Array(name.lowercased().utf8.prefix(64))
        let allowed = (wanted.count + 2) / 3
        let ranked = known.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { (name: $0, distance: distance(left: wanted, right: Array($0.lowercased().utf8))) }
            .filter { $0.distance <= allowed || $0.name.lowercased().hasPrefix(name.lowercased()) }
        return ranked.min { $0.distance < $1.distance }?.name
    }

    /// The edit distance in bytes: insert, delete, replace.
    private static func distance(left: [UInt8], right: [UInt8]) -> Int {
        var last = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                current.append(
                    min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                )
            }
            last = current
        }
        return last[right.count]
    }
}
