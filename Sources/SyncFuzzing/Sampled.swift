import SyncCore

/// Places in a text at which it is cut or changed: all of them in a short text, some that follow from its bytes in a long
/// one, so that one input always means the same.
enum Sampled {
    /// How many places of a long text are tried.
    static let count = 16

    /// Lengths from 0 up to and without `end`.
    static func lengths(below end: Int, of bytes: [UInt8]) -> [Int] {
        guard end > count else { return Array(0..<max(0, end)) }
        var place = Digest(bytes).low
        return (0..<count).map { _ in
            place = place &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((place >> 33) % UInt64(end))
        }
    }
}
