import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncSchema

/// Plays schemas that are drawn at random: the laws of each entity, stories about planning, and worlds.
struct RandomRun: Sendable {
    let plan: SimulationPlan
    /// The requested number of schema sets.
    let count: Int
    /// Plays a set of a seed.
    let play: @Sendable (RandomSchemas) async -> SimulationResult
    /// The number of sets played in parallel.
    var workers = ProcessInfo.processInfo.activeProcessorCount
    /// Whether to continue after a violation and count all of them.
    var goesOn = false

    /// What was played, and what was found.
    struct Result: Sendable {
        let plan: SimulationPlan
        /// The number of sets.
        var sets = 0
        /// The number of drawn sets that the checker refused.
        var refusals = 0
        /// The number of plans.
        var plans = 0
        /// The number of worlds.
        var worlds = 0
        var elapsed = Duration.zero
        /// The results with a broken promise, one for each set.
        var broken: [SimulationResult] = []

        /// A line of text with the counts.
        var text: String {
            let parts = [
                "\(sets) schema sets", plans > 0 ? "\(plans) plans" : nil,
                worlds > 0 ? "\(worlds) worlds" : nil,
            ]
            let counted = String(format: "%.1f", elapsed.hundredths)
            return parts.compactMap(\.self).joined(separator: ", ")
                + " in \(counted) s\(broken.isEmpty ? ", every promise kept" : "")\n"
        }
    }

    /// The set of a seed.
    static func drawn(seed: UInt64) -> RandomSchemas? {
        RandomSchemas.drawn(seed: seed) { texts in
            let sources = texts.map { SchemaSource(path: $0.fileName, bytes: Array($0.text.utf8)) }
            let report = SchemaLoader.load(sources)
            return report.isValid ? EntityDescriptor.descriptors(of: report.schemas) : nil
        }
    }

    /// Plays the sets. Among several violations, reports that of the smallest seed, independently of the number of
    /// cores.
    func run(stop: StopSignal) async -> Result {
        let start = ContinuousClock.now
        let counter = WorldCounter(plan: plan, count: count, start: start)
        let line = WorldProgress()
        let shared = Guarded(Result(plan: plan))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, workers) {
                group.addTask {
                    while !stop.isSet, let seed = counter.next() {
                        await playSet(seed: seed, shared: shared, counter: counter)
                        line.show(counter.countPlayed(), word: "schema sets", since: start)
                    }
                }
            }
        }
        line.clear()
        var result = shared.use { $0 }
        result.broken.sort { $0.plan.firstSeed &- plan.firstSeed < $1.plan.firstSeed &- plan.firstSeed }
        if !goesOn { result.broken = Array(result.broken.prefix(1)) }
        result.elapsed = .now - start
        return result
    }

    private func playSet(seed: UInt64, shared: Guarded<Result>, counter: WorldCounter) async {
        guard let drawn = Self.drawn(seed: seed) else { return }
        var played = await play(drawn)
        for index in played.violations.indices {
            played.violations[index].seed = seed
            played.violations[index].replay = plan.replayRandom(seed)
            played.violations[index].story = drawn.lines + [""] + played.violations[index].story
        }
        if !played.violations.isEmpty, !goesOn { counter.end() }
        shared.use { result in
            result.sets += 1
            result.refusals += drawn.refusals
            result.plans += played.dense?.plans ?? 0
            result.worlds += played.runs
            if !played.violations.isEmpty { result.broken.append(played) }
        }
    }
}
