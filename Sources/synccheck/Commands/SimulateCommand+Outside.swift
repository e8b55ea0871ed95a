import ArgumentParser
import EntitySync
import Foundation
import SyncChecks
import SyncCore

/// `simulate --outside`.
extension SimulateCommand {
    /// The entities of the schemas for outside worlds, which have sets of their own: none if only those are asked for,
    /// or if there is no folder by the default name.
    func outsideEntities() throws -> [EntityDescriptor] {
        if let sets, !sets.split(separator: ",").contains(Substring(Self.ownSet)) { return [] }
        let isGiven = schemas.schemas != SchemaOptions.standard || sets != nil
        guard isGiven || FileManager.default.fileExists(atPath: schemas.schemas) else { return [] }
        return try ownEntities()
    }

    /// The name of the set with the schemas of the folder.
    private static let ownSet = "schemas"

    /// The simulator that the options ask for. Their names of schema sets are among those that are known; none are if
    /// it gets schemas of its own.
    func outsideSimulator(plan: SimulationPlan, known: [OutsideSchemas]) throws -> OutsideSimulator {
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
        simulator.strewn = OutsideStep.Kind.strewn
        simulator.sharesKeys = sharedKeys
        simulator.alwaysUpdates = plan.alwaysUpdates
        if plan.steps != SimulationPlan.defaultSteps { simulator.maxSteps = plan.steps }
        return simulator
    }

    /// Plays outside worlds.
    func playOutside(_ plan: SimulationPlan, entities: [EntityDescriptor]) async throws {
        let own = OutsideSchemas(name: Self.ownSet, entities: entities)
        let known = OutsideSchemas.all + (entities.isEmpty ? [] : [own])
        let simulator = try outsideSimulator(plan: plan, known: known)
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
