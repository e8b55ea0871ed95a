import ArgumentParser
import EntitySync
import Foundation
import SyncChecks
import SyncCore

/// `simulate`: runs seeded simulations of a folder of schemas and checks all promises.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Play seeded worlds of your schemas: devices that edit, sync, crash and disagree.",
        discussion: """
            Each world has its own devices, clocks, disks and network, and a seed that plays it again. Faults are \
            \(StoryFault.allCases.map(\.rawValue).joined(separator: ", ")). A broken promise is cut down to the shortest \
            story that still breaks it, and shown with the command that plays it again; exit code 1. Ctrl-C ends with \
            what was counted. '--plans' plays short stories about one record instead, without store and engine, many \
            thousands a second.
            """
    )

    @OptionGroup var schemas: SchemaOptions

    @Option(
        help: ArgumentHelp(
            "How many worlds; \(SimulationPlan.defaultRuns) unless there is a time.",
            valueName: "n"
        )
    )
    var runs: Int?

    @Option(
        help: ArgumentHelp(
            "Play stories about planning alone until so many plans are made; no worlds without '--runs' or '--minutes'.",
            valueName: "n"
        )
    )
    var plans: Int?

    @Option(help: ArgumentHelp("The first world's seed; each next one is greater by 1.", valueName: "s"))
    var seed: UInt64?

    @Option(help: ArgumentHelp("The greatest number of devices, from 1 to 26.", valueName: "n"))
    var devices = SimulationPlan.defaultDevices

    @Option(help: ArgumentHelp("What may go wrong: 'all', 'none', or some with commas.", valueName: "a,b"))
    var faults = "all"

    @Option(help: ArgumentHelp("The greatest number of steps.", valueName: "n"))
    var steps = SimulationPlan.defaultSteps

    @Option(help: ArgumentHelp("Where devices meet: 'folder', 'server' or 'both'.", valueName: "place"))
    var place = SimulationPlan.Place.both

    @Option(help: ArgumentHelp("Go on for so many minutes.", valueName: "m"))
    var minutes: Double?

    @Option(
        help: ArgumentHelp("Draw the story, of the violation or of the first seed.", valueName: "file.html"),
        completion: .file()
    )
    var report: String?

    @Flag(
        help:
            "Play outside worlds: people with schemas of their own, and an oracle that knows only what they wrote."
    )
    var outside = false

    @Option(
        help: ArgumentHelp("Schema sets of outside worlds, with commas; all by default.", valueName: "a,b")
    )
    var sets: String?

    @Option(help: ArgumentHelp("Promises of outside worlds, with commas; all by default.", valueName: "a,b"))
    var promises: String?

    @Option(
        help: ArgumentHelp("Kinds of steps that outside worlds go without, with commas.", valueName: "a,b")
    )
    var without: String?

    @Flag(help: "With '--outside': people give new records one of a few keys, often the same.")
    var sharedKeys = false

    @Flag(
        help:
            "With '--outside': the app gets a newer version in every world. By default it does in one of four; '--without update' leaves them out."
    )
    var versions = false

    @Option(
        help: ArgumentHelp(
            """
            Play so many sets of schemas that are drawn at random, each with its laws, \
            \(SimulationPlan.defaultRandomPlans) plans and \(SimulationPlan.defaultRandomRuns) worlds.
            """,
            valueName: "n"
        )
    )
    var randomSchemas: Int?

    @Flag(
        help:
            "With '--outside': print the story of the first seed as it is, whether or not it breaks a promise."
    )
    var tell = false

    @Flag(
        help:
            "With '--outside' or '--random-schemas': go on after a broken promise, and count each kind with its smallest seed."
    )
    var tally = false

    @Flag(
        help: ArgumentHelp(
            "Print a line for each 100 seeds, by which two versions of EntitySync are compared: a digest of what is left of their worlds, and one of their stories.",
            visibility: .hidden
        )
    )
    var digests = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if let runs, runs < 1 { throw ValidationError("'--runs' is at least 1.") }
        if let plans, plans < 1 { throw ValidationError("'--plans' is at least 1.") }
        if let randomSchemas, randomSchemas < 1 {
            throw ValidationError("'--random-schemas' is at least 1.")
        }
        guard 1...26 ~= devices else { throw ValidationError("'--devices' is from 1 to 26.") }
        guard 1...10_000 ~= steps else { throw ValidationError("'--steps' is from 1 to 10000.") }
        if let minutes, !(minutes > 0 && minutes <= 100_000) {
            throw ValidationError("'--minutes' is greater than 0.")
        }
        _ = try Self.faults(text: faults)
        if report != nil, outside || randomSchemas != nil {
            throw ValidationError(
                "'--report' draws worlds of your schemas: not '--outside' or '--random-schemas'."
            )
        }
        try PathOption.check(report, name: "--report")
    }

    func run() async throws {
        if let randomSchemas { return try await playRandom(count: randomSchemas) }
        let entities = outside ? try outsideEntities() : try ownEntities()
        if let report { try ReportFile(report).checkPlace() }
        try Self.checkValues(entities)
        let plan = SimulationPlan(
            schemas: schemas.schemas,
            // NB: 48 bits are short enough to type, and exact in any JSON reader.
            firstSeed: seed ?? SystemRandom().next() >> 16,
            runs: runs ?? (minutes == nil && plans == nil ? SimulationPlan.defaultRuns : nil),
            minutes: minutes,
            devices: devices,
            faults: try Self.faults(text: faults),
            steps: steps,
            place: place,
            plans: plans,
            outsideSets: sets,
            alwaysUpdates: versions
        )
        if outside { return try await playOutside(plan, entities: entities) }
        if digests { return await Self.printDigests(plan: plan, entities: entities) }
        if !json { StandardStreams.write("first seed \(plan.firstSeed)\n", to: .output) }
        let stop = StopSignal()
        stop.listen()
        defer { stop.cancel() }
        let simulation = Simulation(plan: plan, entities: entities)
        let result = await simulation.run(stop: stop)
        if let report {
            try await ReportFile(report).write(Self.page(result: result, simulation: simulation).utf8)
        }
        try Printer.print { printer in
            try json ? printer.json { result.write(to: &$0) } : printer.text(text: result.text)
        }
        try Self.requireKept(result)
    }

    /// The entities of the schemas.
    func ownEntities() throws -> [EntityDescriptor] {
        try Workspace(schemaPaths: [schemas.schemas], storePath: "").entities
    }

    /// Throws the exit code for findings if a promise was broken.
    static func requireKept(_ result: SimulationResult) throws {
        if !result.violations.isEmpty { throw ExitCode.findings }
    }

    /// The story to draw: that of the violation, or that of the first seed. Its verdict is that of the whole run.
    static func page(result: SimulationResult, simulation: Simulation) async -> String {
        let found = result.violations.first { $0.outcome != nil }
        if let found, let outcome = found.outcome {
            return StoryPage(outcome: outcome, replay: found.replay).html
        }
        let seed = simulation.plan.firstSeed
        let broken = result.violations.map {
            StoryPage.Broken(
                rule: $0.rule,
                text: ([$0.message] + $0.story).joined(separator: "\n"),
                replay: $0.replay
            )
        }
        var page = StoryPage(
            outcome: await simulation.simulator.play(seed),
            replay: simulation.plan.replay(seed)
        )
        page.broken = broken
        return page.html
    }

    /// The faults named by an option.
    static func faults(text: String) throws -> Set<StoryFault> {
        if text == "all" { return Set(StoryFault.allCases) }
        if text == "none" { return [] }
        let known = StoryFault.allCases.map(\.rawValue)
        return try text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) {
            faults,
            name in
            let name = name.trimmingCharacters(in: .whitespaces)
            guard let fault = StoryFault(rawValue: name) else {
                let nearest =
                    DidYouMean.nearest(to: name, among: known).map { " Did you mean '\($0)'?" } ?? ""
                throw ValidationError(
                    "There is no fault '\(name.visible)'.\(nearest) Faults are 'all', 'none', or some of \(known.joined(separator: ",")) with commas."
                )
            }
            faults.insert(fault)
        }
    }

    /// Throws for schemas that allow no record.
    static func checkValues(_ entities: [EntityDescriptor]) throws {
        for entity in entities {
            let fields = RecordGenerator(entity).fieldsWithoutValues
            if let field = fields.first { throw SyncError.noValue(entity: entity.name, field: field) }
        }
    }
}

extension SimulationPlan.Place: ExpressibleByArgument {}
