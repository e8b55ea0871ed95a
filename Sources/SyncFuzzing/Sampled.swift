import SyncCore

/// Positions at which a text is cut or changed: all of a short text, and a sample of a long one. The sample
/// depends only on the bytes, so that results are reproducible.
enum Sampled {
    /// The number of positions in a long text.
    static let count = 16

    /// Lengths from 0 up to, but not including, `end`.
    static func lengths(below end: Int, of bytes: [UInt8]) -> [Int] {
        guard end > count else { return Array(0..<max(0, end)) }
        var place = Digest(bytes).low
        return (0..<count).map { _ in
            place = place &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((place >> 33) % UInt64(end))
        }
    }
}
