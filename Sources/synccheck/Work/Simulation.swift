import EntitySync
import Foundation
import SyncChecks
import SyncCore

/// Runs worlds on all cores until a promise is broken, the time is over, or the user stops it.
struct Simulation: Sendable {
    let plan: SimulationPlan
    let entities: [EntityDescriptor]
    var simulator: Simulator
    var planSimulator: PlanSimulator
    /// The number of worlds run in parallel.
    var workers = ProcessInfo.processInfo.activeProcessorCount
    /// Whether to go on with plans and worlds after a violation of a law, and with worlds after one of planning.
    var goesOn = false
    /// Whether it is one of many, which have a line of progress together.
    var isPart = false

    init(plan: SimulationPlan, entities: [EntityDescriptor]) {
        self.plan = plan
        self.entities = entities
        simulator = Simulator(entities: entities, generator: plan.generator)
        planSimulator = PlanSimulator(entities)
    }

    /// Runs the worlds. Among several violations, reports that of the smallest seed, independently of the
    /// number of cores.
    func run(stop: StopSignal) async -> SimulationResult {
        let start = ContinuousClock.now
        let line = WorldProgress(isSilent: isPart)
        var result = SimulationResult(plan: plan, runs: 0, elapsed: .zero, violations: [])
        result.violations += checkLaws().map { [$0] } ?? []
        if let count = plan.plans, result.violations.isEmpty || goesOn {
            let run = PlanRun(plan: plan, count: count, simulator: planSimulator, workers: workers)
            result.dense = await run.run(stop: stop, line: line)
            result.violations += result.dense?.violation.map { [$0] } ?? []
        }
        if plan.hasWorlds, result.violations.isEmpty || goesOn {
            await playWorlds(&result, stop: stop, line: line)
        }
        line.clear()
        result.elapsed = .now - start
        return result
    }

    private func playWorlds(_ result: inout SimulationResult, stop: StopSignal, line: WorldProgress) async {
        let start = ContinuousClock.now
        let counter = WorldCounter(plan: plan, start: start)
        let found = await withTaskGroup(of: Simulator.Outcome?.self) { group in
            for _ in 0..<max(1, workers) {
                group.addTask { await work(counter: counter, stop: stop, line: line) }
            }
            var found: [Simulator.Outcome] = []
            for await outcome in group { if let outcome { found.append(outcome) } }
            return found.min {
                $0.story.seed &- plan.firstSeed < $1.story.seed &- plan.firstSeed
            }
        }
        result.runs = counter.played
        if let found { result.violations.append(await violation(of: found)) }
    }

    private func work(counter: WorldCounter, stop: StopSignal, line: WorldProgress) async
        -> Simulator.Outcome?
    {
        while !stop.isSet, let seed = counter.next() {
            let outcome = await simulator.play(seed)
            line.show(worlds: counter.countPlayed(), since: counter.start)
            guard outcome.violation != nil else { continue }
            counter.end()
            return outcome
        }
        return nil
    }

    private func checkLaws() -> SimulationResult.Violation? {
        for entity in entities {
            let laws = EntityLaws(descriptor: entity, among: entities)
            guard let found = laws.violation(firstSeed: plan.firstSeed) else { continue }
            let lines = found.description.split(whereSeparator: \.isNewline).map(String.init)
            return SimulationResult.Violation(
                seed: plan.firstSeed,
                rule: found.rule,
                message: lines.first ?? "",
                story: Array(lines.dropFirst()),
                replay: plan.replay(plan.firstSeed),
                outcome: nil
            )
        }
        return nil
    }

    /// Replays a failed world, and shortens its story if the failure is reproducible.
    private func violation(of outcome: Simulator.Outcome) async -> SimulationResult.Violation {
        let again = await simulator.play(outcome.story.seed)
        var short = again
        if again.log.digest == outcome.log.digest, again.violation == outcome.violation {
            short = await simulator.shrink(outcome)
        } else {
            short = outcome
            short.violation = StoryViolation(
                rule: "not-deterministic",
                description: Self.difference(lhs: outcome.log, rhs: again.log)
            )
        }
        let names = (0..<short.story.devices).map { String(UnicodeScalar(UInt8(65 + $0 % 26))) }
        let seed = outcome.story.seed
        let message = short.violation?.description.split(whereSeparator: \.isNewline).first.map(String.init)
        return SimulationResult.Violation(
            seed: seed,
            rule: short.violation?.rule ?? "",
            message: message ?? "",
            story: short.log.lines(devices: names),
            replay: plan.replay(seed),
            outcome: short
        )
    }

    private static func difference(lhs: StoryLog, rhs: StoryLog) -> String {
        let pairs = zip(lhs.entries, rhs.entries)
        guard let apart = pairs.first(where: { $0 != $1 }) else {
            return "The same seed gave \(lhs.entries.count) lines and then \(rhs.entries.count)."
        }
        return "The same seed gave '\(apart.0.text)' and then '\(apart.1.text)'."
    }
}

/// Hands out seeds to workers and counts completed worlds.
final class WorldCounter: Sendable {
    let start: ContinuousClock.Instant
    private let plan: SimulationPlan
    private let limit: Int
    private let counts = Guarded((given: 0, played: 0, isOver: false))

    /// A counter of a plan's worlds, or of `count` other things.
    init(plan: SimulationPlan, count: Int? = nil, start: ContinuousClock.Instant) {
        self.plan = plan
        self.start = start
        limit = count ?? plan.runs ?? .max
    }

    /// The next seed; nil after the last one.
    func next() -> UInt64? {
        if let minutes = plan.minutes, .now - start >= .seconds(minutes * 60) { return nil }
        return counts.use { counts in
            guard !counts.isOver, counts.given < limit else { return nil }
            counts.given += 1
            return plan.firstSeed &+ UInt64(counts.given - 1)
        }
    }

    /// Counts a completed world and returns the count.
    @discardableResult
    func countPlayed() -> Int {
        counts.use { counts in
            counts.played += 1
            return counts.played
        }
    }

    /// Stops handing out seeds.
    func end() { counts.use { $0.isOver = true } }

    var played: Int { counts.use { $0.played } }
}
