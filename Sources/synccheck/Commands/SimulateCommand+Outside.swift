import ArgumentParser
import EntitySync
import SyncChecks

/// `simulate --outside`.
extension SimulateCommand {
    func playOutside(_ plan: SimulationPlan, entities: [EntityDescriptor]) async throws {
        let known = OutsideSchemas.all + [OutsideSchemas(name: "schemas", entities: entities)]
        var simulator = OutsideSimulator(
            schemas: try Self.chosen(names: sets, among: known.map { ($0.name, $0) }, word: "schema set"),
            promises: Set(
                try Self.chosen(
                    names: promises,
                    among: OutsidePromise.allCases.map { ($0.rawValue, $0) },
                    word: "promise"
                )
            ),
            places: plan.place.outside
        )
        if let without {
            let kinds = OutsideStep.Kind.allCases.map { ($0.rawValue, $0) }
            simulator.without = Set(try Self.chosen(names: without, among: kinds, word: "kind of step"))
        }
        if plan.steps != SimulationPlan.defaultSteps { simulator.maxSteps = plan.steps }
        if !json { StandardStreams.write("first seed \(plan.firstSeed)\n", to: .output) }
        if tell {
            let outcome = await simulator.play(plan.firstSeed)
            let broken = outcome.violations.map { "\($0.rule): \($0.description)" }
            return try Printer.print { printer in
                for line in [outcome.headline] + outcome.lines + broken {
                    try printer.line(text: line.visible)
                }
            }
        }
        let stop = StopSignal()
        stop.listen()
        defer { stop.cancel() }
        let (result, violationCounts) = await OutsideRun(plan: plan, simulator: simulator, goesOn: tally).run(
            stop: stop
        )
        try Printer.print { printer in
            for (name, tally) in violationCounts.sorted(by: { $0.key < $1.key }) where !json {
                try printer.line(
                    text: "\(name): \(tally.count), seed \(tally.seed): \(tally.example.visible)"
                )
            }
            guard violationCounts.isEmpty || json else {
                return try printer.line(text: "\(result.runs) worlds in \(result.elapsed.hundredths) s")
            }
            try json ? printer.json { result.write(to: &$0) } : printer.text(text: result.text)
        }
        try Self.requireKept(result)
        if !violationCounts.isEmpty { throw ExitCode.findings }
    }

    /// The known values that an option names.
    private static func chosen<Value>(names: String?, among known: [(String, Value)], word: String) throws
        -> [Value]
    {
        guard let names else { return known.map(\.1) }
        return try names.split(separator: ",").map { name in
            guard let found = known.first(where: { $0.0 == name }) else {
                throw ValidationError(
                    "There is no \(word) '\(String(name).visible)'. There are \(known.map(\.0).joined(separator: ","))."
                )
            }
            return found.1
        }
    }
}
