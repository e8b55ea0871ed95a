import Foundation

/// What a measurement needs from outside: sizes, a folder of its own, and how often to repeat.
struct Bench: Sendable {
    /// How many records the large side of a ratio holds.
    var records = 100_000
    /// Rounds per side after one that does not count; at least 5.
    var rounds = 5
    /// A folder that is removed in the end.
    var scratch: String

    /// Seconds of both sides, which take turns; the side that begins changes each round, so that neither always meets
    /// what the other left behind. `prepare` is not measured.
    func takeTurns<Prepared>(
        ours: Side<Prepared>,
        yardstick: Side<Prepared>
    ) async throws -> Sides {
        let times = try await takeTurns([yardstick, ours])
        return Sides(ours: times[1], yardstick: times[0])
    }

    /// The same for any number of sides.
    func takeTurns<Prepared>(_ sides: [Side<Prepared>]) async throws -> [Times] {
        var times = sides.map { _ in Times() }
        for round in 0...rounds {
            for side in Self.order(of: sides.count, in: round) {
                let (elapsed, worked) = try await sides[side].measured()
                // The first round only warms up.
                guard round > 0 else { continue }
                times[side].elapsed.append(elapsed)
                times[side].worked.append(worked)
            }
        }
        return times
    }

    /// The order of a round, a row of a balanced square: over the rounds each side comes at each place and after each other
    /// side as often, as what a side leaves behind, such as files on their way to the disk, slows the next one.
    static func order(of count: Int, in round: Int) -> [Int] {
        (0..<count).map { place in
            let step = place.isMultiple(of: 2) ? count - place / 2 : (place + 1) / 2
            return (round + step) % count
        }
    }

    /// One side: what is prepared for each round, what is measured, and what is cleared away.
    struct Side<Prepared> {
        var prepare: () async throws -> Prepared
        var run: (Prepared) async throws -> Void
        var clear: (Prepared) async throws -> Void = { _ in }
        /// Processor time of whoever does the work, in seconds: of this process, unless told otherwise.
        var processorSeconds: (Prepared) -> Double = { _ in ProcessTime.seconds }

        fileprivate func measured() async throws -> (elapsed: Double, worked: Double) {
            let prepared = try await prepare()
            let clock = ContinuousClock()
            let (start, before) = (clock.now, processorSeconds(prepared))
            try await run(prepared)
            let (elapsed, worked) = (clock.now - start, processorSeconds(prepared) - before)
            try await clear(prepared)
            return (elapsed.seconds, worked)
        }
    }

    /// An empty folder of its own.
    func folder(path name: String) throws -> String {
        let path = "\(scratch)/\(name)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Removes a folder that was made here.
    func remove(_ folder: String) throws { try FileManager.default.removeItem(atPath: folder) }
}

/// Seconds of each round of one side.
struct Times: Sendable {
    /// By the clock.
    var elapsed: [Double] = []
    /// Of the process that works, on any core: what others do on the machine hardly changes it, and waiting is not in it.
    var worked: [Double] = []

    /// The middle one by the clock.
    var median: Double { elapsed.median }
}

/// What both sides took.
struct Sides: Sendable {
    var ours = Times()
    var yardstick = Times()
}

/// The processor time of this process.
enum ProcessTime {
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension [Double] {
    /// The middle value; of an even number the mean of the two in the middle. NaN of none.
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
