/// Divides the page cache memory among the open account files, so that they stay below a total.
///
/// Half of the memory is shared equally by all files. The first files get a large cache from the other half.
/// So a server with few accounts is fast, and one with a thousand stays small.
struct CacheBudget: Sendable, Hashable {
    /// The largest cache that is useful for one file.
    static let largeKiB = 4 * 1024
    /// The smallest cache that is useful at all.
    static let smallestKiB = 64

    private let maxLarge: Int
    private let smallKiB: Int
    private var large = 0

    /// Divides `totalKiB` among at most `files` files. The total is raised to the smallest cache for each file.
    init(totalKiB: Int, files: Int) {
        let files = max(1, files)
        smallKiB = min(Self.largeKiB, max(Self.smallestKiB, totalKiB / 2 / files))
        maxLarge = max(0, totalKiB - files * smallKiB) / Self.largeKiB
    }

    /// Takes the cache size of one more file, in KiB.
    mutating func take() -> Int {
        guard large < maxLarge else { return smallKiB }
        large += 1
        return Self.largeKiB
    }

    /// Gives back the cache of a closed file.
    mutating func giveBack(_ sizeKiB: Int) {
        if sizeKiB == Self.largeKiB, large > 0 { large -= 1 }
    }
}
