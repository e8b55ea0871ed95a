#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The seeds that a test plays: fixed ones in each run, and then others until its time is used up.
///
/// What a test shows by a fixed seed, it shows in each run. How many others there are depends on the machine:
/// `SYNC_SEED_SECONDS` says for how long each test plays them, and `SYNC_FIRST_SEED` with which they begin. Without it they
/// begin with the same one in each run, so that a change is not blamed for what another run would have found, too.
public struct TestSeeds: Sequence, Sendable, CustomStringConvertible {
    /// How long a test plays seeds that are not fixed, in seconds, on the clock of the wall.
    public static let seconds = number(of: "SYNC_SEED_SECONDS", Double.init) ?? 0.5

    /// The first of the seeds that are not fixed, the same for all tests of a run.
    public static let first: UInt64 = number(of: "SYNC_FIRST_SEED", UInt64.init) ?? 1_000_000

    private let fixed: [UInt64]
    /// The first of the others; nil if none follow.
    private let first: UInt64?

    /// - Parameters:
    ///   - fixed: The seeds of each run.
    ///   - part: Which part this is of a test in several parts, so that the others are not the same in each.
    public init(_ fixed: some Sequence<UInt64>, part: UInt64 = 0) {
        (self.fixed, first) = (Array(fixed), Self.first &+ part << 32)
    }

    private init(alone seed: UInt64) { (fixed, first) = ([seed], nil) }

    /// The arguments of a test that plays each fixed seed as a case of its own, and the others as one more.
    public static func cases(_ fixed: some Sequence<UInt64>) -> [Self] {
        fixed.map { Self(alone: $0) } + [Self([])]
    }

    public var description: String {
        (fixed.map { "\($0)" } + (first.map { ["from \($0)"] } ?? [])).joined(separator: ", ")
    }

    public func makeIterator() -> Iterator { Iterator(fixed: fixed[...], first: first) }

    /// Goes through the fixed seeds, and then through others until their time is used up.
    public struct Iterator: IteratorProtocol {
        private var fixed: ArraySlice<UInt64>
        /// The next of the seeds that are not fixed; nil if there are none.
        private var first: UInt64?
        /// When they end; nil before the first of them.
        private var end: ContinuousClock.Instant?

        fileprivate init(fixed: ArraySlice<UInt64>, first: UInt64?) {
            (self.fixed, self.first) = (fixed, first)
        }

        /// The next seed; nil at the end.
        public mutating func next() -> UInt64? {
            if let seed = fixed.popFirst() { return seed }
            let now = ContinuousClock.now
            let end = end ?? now + .seconds(TestSeeds.seconds)
            guard let seed = first, now < end else { return nil }
            (first, self.end) = (seed &+ 1, end)
            return seed
        }
    }

    /// The number that a variable of the environment holds; nil without one.
    private static func number<Number>(of variable: String, _ read: (String) -> Number?) -> Number? {
        guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
        guard let number = read(text) else { fatalError("\(variable)=\(text) is no number.") }
        return number
    }
}
