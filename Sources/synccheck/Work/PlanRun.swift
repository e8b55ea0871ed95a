import EntitySync
import Foundation
import SyncChecks
import SyncCore

/// Runs dense stories on all cores until enough plans are made, or a promise is broken.
struct PlanRun: Sendable {
    let plan: SimulationPlan
    /// The requested number of plans.
    let count: Int
    let simulator: PlanSimulator
    let workers: Int

    /// The result of a run.
    struct Result: Sendable {
        /// The number of plans made.
        var plans = 0
        var elapsed = Duration.zero
        var violation: SimulationResult.Violation?
        var firstSeed: UInt64

        var perSecond: Int {
            let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
            return seconds > 0 ? Int(Double(plans) / seconds) : 0
        }

        /// A line of text with the counts.
        var text: String {
            let counted = String(format: "%.1f", elapsed.hundredths)
            let kept = violation == nil ? ", every promise kept" : ""
            let what = plans == 1 ? "1 plan" : "\(plans) plans"
            return "\(what) in \(counted) s (\(perSecond) a second) from seed \(firstSeed)\(kept)\n"
        }
    }

    /// Whether few plans are requested, as in a replay. Then stories are handed out singly.
    private var isSmall: Bool { count < 10_000 }
    /// The number of stories handed out at once.
    private var batch: UInt64 { isSmall ? 1 : 64 }

    /// The shared state of all workers.
    private struct Progress {
        var given: UInt64 = 0
        var plans = 0
        var isOver = false
    }

    /// Runs the stories. Among several violations, reports that of the smallest seed, independently of the
    /// number of cores.
    func run(stop: StopSignal, line: WorldProgress) async -> Result {
        let start = ContinuousClock.now
        let progress = Guarded(Progress())
        let found = await withTaskGroup(of: PlanSimulator.Outcome?.self) { group in
            for _ in 0..<(isSmall ? 1 : max(1, workers)) {
                group.addTask { work(progress: progress, stop: stop, line: line, start: start) }
            }
            var found: [PlanSimulator.Outcome] = []
            for await outcome in group { if let outcome { found.append(outcome) } }
            return found.min { $0.story.seed &- plan.firstSeed < $1.story.seed &- plan.firstSeed }
        }
        line.clear()
        var result = Result(
            plans: progress.use { $0.plans },
            elapsed: .now - start,
            firstSeed: plan.firstSeed
        )
        result.violation = found.map(violation)
        return result
    }

    private func work(
        progress: Guarded<Progress>,
        stop: StopSignal,
        line: WorldProgress,
        start: ContinuousClock.Instant
    ) -> PlanSimulator.Outcome? {
        while !stop.isSet, let first = next(progress: progress) {
            var plans = 0
            var found: PlanSimulator.Outcome?
            for index in 0..<batch where found == nil {
                let outcome = simulator.play(plan.firstSeed &+ first &+ index)
                plans += outcome.plans
                if outcome.violation != nil { found = outcome }
            }
            let total = progress.use { progress in
                progress.plans += plans
                // Seeds in progress are completed, so that no smaller seed is missed.
                if found != nil { progress.isOver = true }
                return progress.plans
            }
            line.show(total, word: "plans", since: start)
            if let found { return found }
        }
        return nil
    }

    private func next(progress: Guarded<Progress>) -> UInt64? {
        progress.use { progress in
            guard !progress.isOver, progress.plans < count else { return nil }
            defer { progress.given += batch }
            return progress.given
        }
    }

    private func violation(of outcome: PlanSimulator.Outcome) -> SimulationResult.Violation {
        let short = simulator.shrunkWithLines(outcome: outcome)
        let story = short.story
        let place =
            "\(story.devices) devices and one \(simulator.entity(of: story)) record at a \(story.place.rawValue)"
        return SimulationResult.Violation(
            seed: outcome.story.seed,
            rule: short.violation?.rule ?? "",
            message: short.violation?.description ?? "",
            story: [place] + short.lines,
            replay: plan.replayPlans(outcome.story.seed),
            outcome: nil
        )
    }
}
