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
        let seconds = try await takeTurns([yardstick, ours])
        return Sides(ours: seconds[1], yardstick: seconds[0])
    }

    /// The same for any number of sides.
    func takeTurns<Prepared>(_ sides: [Side<Prepared>]) async throws -> [[Double]] {
        var seconds = sides.map { _ in [Double]() }
        for round in 0...rounds {
            let order = Array(sides.indices)
            for side in round.isMultiple(of: 2) ? order : order.reversed() {
                let elapsed = try await sides[side].measured()
                // The first round only warms up.
                if round > 0 { seconds[side].append(elapsed) }
            }
        }
        return seconds
    }

    /// One side: what is prepared for each round, what is measured, and what is cleared away.
    struct Side<Prepared> {
        var prepare: () async throws -> Prepared
        var run: (Prepared) async throws -> Void
        var clear: (Prepared) async throws -> Void = { _ in }

        fileprivate func measured() async throws -> Double {
            let prepared = try await prepare()
            let clock = ContinuousClock()
            let start = clock.now
            try await run(prepared)
            let elapsed = clock.now - start
            try await clear(prepared)
            return elapsed.seconds
        }
    }

    /// An empty folder of its own.
    func folder(_ name: String) throws -> String {
        let path = "\(scratch)/\(name)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Removes a folder that was made here.
    func remove(_ folder: String) throws { try FileManager.default.removeItem(atPath: folder) }
}

/// Seconds of each round.
struct Sides: Sendable {
    var ours: [Double] = []
    var yardstick: [Double] = []
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
