import EntitySync
import Foundation
import SyncChecks
import SyncCore

/// Runs outside worlds on all cores until a promise is broken, the time is over, or the user stops it.
struct OutsideRun: Sendable {
    let plan: SimulationPlan
    let simulator: OutsideSimulator
    var workers = ProcessInfo.processInfo.activeProcessorCount
    /// Whether to continue after a violation and count all of them.
    var goesOn = false
    /// Whether it is one of many, which have a line of progress together.
    var isPart = false

    /// The number of violations of a promise, and the smallest seed that causes one.
    struct ViolationCount: Sendable {
        var count = 0
        var seed: UInt64 = .max
        var example = ""
    }

    /// Runs the worlds and returns the result.
    func run(stop: StopSignal) async -> (result: SimulationResult, violationCounts: [String: ViolationCount])
    {
        let start = ContinuousClock.now
        let counter = WorldCounter(plan: plan, start: start)
        let line = WorldProgress(isSilent: isPart)
        let violationCounts = Guarded<[String: ViolationCount]>([:])
        var simulator = simulator
        simulator.isStopped = { stop.isSet }
        let (played, run) = (simulator, self)
        let found = await withTaskGroup(of: OutsideSimulator.Outcome?.self) { group in
            for _ in 0..<max(1, workers) {
                group.addTask {
                    await run.work(
                        counter: counter,
                        simulator: played,
                        line: line,
                        violationCounts: violationCounts
                    )
                }
            }
            var found: [OutsideSimulator.Outcome] = []
            for await outcome in group { if let outcome { found.append(outcome) } }
            return found.min { $0.story.seed &- plan.firstSeed < $1.story.seed &- plan.firstSeed }
        }
        line.clear()
        var result = SimulationResult(plan: plan, runs: counter.played, elapsed: .now - start, violations: [])
        if let found { result.violations = [await violation(of: found, simulator: simulator)] }
        result.elapsed = .now - start
        return (result, violationCounts.use { $0 })
    }

    private func work(
        counter: WorldCounter,
        simulator: OutsideSimulator,
        line: WorldProgress,
        violationCounts: Guarded<[String: ViolationCount]>
    ) async -> OutsideSimulator.Outcome? {
        while !simulator.isStopped(), let seed = counter.next() {
            let outcome = await simulator.play(seed)
            if outcome.isStopped { return nil }
            line.show(worlds: counter.countPlayed(), since: counter.start)
            guard !outcome.violations.isEmpty else { continue }
            if goesOn {
                violationCounts.use { count(outcome, violationCounts: &$0) }
                continue
            }
            counter.end()
            return outcome
        }
        return nil
    }

    private func count(_ outcome: OutsideSimulator.Outcome, violationCounts: inout [String: ViolationCount]) {
        let set = simulator.schemas[outcome.story.schemas].name
        for violation in outcome.violations {
            let name = "\(violation.rule) \(outcome.story.place.rawValue) \(set)"
            violationCounts[name, default: ViolationCount()].count += 1
            if outcome.story.seed < violationCounts[name]?.seed ?? .max {
                violationCounts[name]?.seed = outcome.story.seed
                violationCounts[name]?.example = violation.description
            }
        }
    }

    private func violation(of outcome: OutsideSimulator.Outcome, simulator: OutsideSimulator) async
        -> SimulationResult.Violation
    {
        let again = await simulator.play(outcome.story.seed)
        let rule = outcome.violations.first?.rule ?? ""
        let isSame =
            again.isStopped || (again.lines == outcome.lines && again.violations == outcome.violations)
        let short = isSame ? await simulator.shrink(outcome, to: rule) : outcome
        let seed = outcome.story.seed
        return SimulationResult.Violation(
            seed: seed,
            rule: isSame ? rule : "not-deterministic",
            message: short.violations.first { $0.rule == rule }?.description ?? "",
            story: [short.headline] + short.lines,
            replay: plan.replayOutside(seed, simulator: simulator),
            outcome: nil
        )
    }
}
