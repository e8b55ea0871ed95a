/// Finds the name that somebody probably meant.
enum DidYouMean {
    /// The nearest of the known names, the first by bytes of equally near ones; nil when none is near.
    static func nearest(to name: String, among known: [String]) -> String? {
        guard !name.isEmpty else { return nil }
        let wanted = Array(name.lowercased().utf8.prefix(64))
        let allowed = (wanted.count + 2) / 3
        let ranked = known.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { (name: $0, distance: distance(left: wanted, right: Array($0.lowercased().utf8))) }
            .filter { $0.distance <= allowed || $0.name.lowercased().hasPrefix(name.lowercased()) }
        return ranked.min { $0.distance < $1.distance }?.name
    }

    /// The number of bytes to insert, delete or replace to turn one text into the other.
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
