import ArgumentParser
import EntitySync
import Foundation
import SyncChecks

/// `simulate --random-schemas`.
extension SimulateCommand {
    /// Plays sets of schemas that are drawn at random.
    func playRandom(count: Int) async throws {
        let plan = SimulationPlan(
            schemas: "",
            // NB: 48 bits are short enough to type, and exact in any JSON reader.
            firstSeed: seed ?? SystemRandom().next() >> 16,
            runs: runs ?? (plans == nil ? SimulationPlan.defaultRandomRuns : nil),
            minutes: minutes,
            devices: devices,
            faults: try Self.faults(text: faults),
            steps: steps,
            place: place,
            plans: plans ?? (runs == nil && !outside ? SimulationPlan.defaultRandomPlans : nil),
            isOutside: outside,
            alwaysUpdates: versions
        )
        let simulator = outside ? try outsideSimulator(plan: plan, known: []) : nil
        if !json { StandardStreams.write("first seed \(plan.firstSeed)\n", to: .output) }
        let stop = StopSignal()
        stop.listen()
        defer { stop.cancel() }
        let goesOn = tally
        let run = RandomRun(
            plan: plan,
            count: count,
            play: { drawn in
                var own = plan
                own.firstSeed = drawn.seed
                own.minutes = nil
                if var simulator {
                    simulator.schemas = [OutsideSchemas(name: "random", entities: drawn.entities)]
                    var run = OutsideRun(plan: own, simulator: simulator)
                    (run.workers, run.isPart) = (1, true)
                    return await run.run(stop: stop).result
                }
                var simulation = Simulation(plan: own, entities: drawn.entities)
                (simulation.workers, simulation.isPart, simulation.goesOn) = (1, true, goesOn)
                return await simulation.run(stop: stop)
            },
            goesOn: goesOn
        )
        try show(await run.run(stop: stop))
    }

    private func show(_ result: RandomRun.Result) throws {
        let violations = result.broken.flatMap(\.violations)
        var all = SimulationResult(
            plan: result.plan,
            runs: result.worlds,
            elapsed: result.elapsed,
            violations: tally ? [] : violations
        )
        try Printer.print { printer in
            if json {
                all.violations = violations
                return try printer.json { all.write(to: &$0) }
            }
            for (rule, found) in Dictionary(grouping: violations, by: \.rule).sorted(by: { $0.key < $1.key })
            where tally {
                let first = found[0]
                let seeds = found.prefix(12).map { "\($0.seed)" }.joined(separator: " ")
                try printer.line(text: "\(rule): \(found.count), seeds \(seeds): \(first.message.visible)")
            }
            if !all.violations.isEmpty { try printer.text(text: all.violationText) }
            try printer.text(text: result.text)
        }
        if !violations.isEmpty { throw ExitCode.findings }
    }
}
