/// Divides the memory for page caches among the account files that are open, so that all of them together stay below a total.
///
/// Each file has a share of one half of the memory, and the first files get a large cache from what is left. So a server
/// with a few accounts is quick, and one with a thousand stays small.
struct CacheBudget: Sendable, Hashable {
    /// What one file can use well.
    static let largeKiB = 4 * 1024
    /// Fewer pages than this make no cache.
    static let smallestKiB = 64

    private let maxLarge: Int
    private let smallKiB: Int
    private var large = 0

    /// Divides `totalKiB` among at most `files` files. Less than the smallest cache for each is taken for that.
    init(totalKiB: Int, files: Int) {
        let files = max(1, files)
        smallKiB = min(Self.largeKiB, max(Self.smallestKiB, totalKiB / 2 / files))
        maxLarge = max(0, totalKiB - files * smallKiB) / Self.largeKiB
    }

    /// The cache of one more file, in KiB.
    mutating func take() -> Int {
        guard large < maxLarge else { return smallKiB }
        large += 1
        return Self.largeKiB
    }

    /// Takes the cache of a file back that was closed.
    mutating func giveBack(_ sizeKiB: Int) {
        if sizeKiB == Self.largeKiB, large > 0 { large -= 1 }
    }
}
