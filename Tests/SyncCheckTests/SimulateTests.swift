import EntitySync
import Foundation
import ProgramRuns
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

@testable import synccheck

@Suite struct SimulateTests {
    @Test func keptPromisesAreOneLineAndExitCode0() throws {
        let scratch = try Scratch()
        let run = try scratch.run(arguments: "simulate", "--seed", "5", "--runs", "3", "--steps", "12")
        #expect(run.exitCode == 0, "\(run.output)\(run.error)")
        #expect(run.error == "")
        #expect(run.lines.first == "first seed 5")
        #expect(run.lines.last?.hasPrefix("3 worlds in ") == true)
        #expect(!scratch.exists(path: ".synccheck"))
    }

    @Test func plansAreCountedAndNoWorldsArePlayedUnlessAskedFor() throws {
        let scratch = try Scratch()
        let run = try scratch.run(arguments: "simulate", "--seed", "5", "--plans", "500")
        #expect(run.exitCode == 0, "\(run.output)\(run.error)")
        #expect(run.lines.count == 2 && run.lines.last?.contains(" plans in ") == true)
        #expect(run.lines.last?.hasSuffix("from seed 5, every promise kept") == true)
        let told = try object(
            text: scratch.must(arguments: "simulate", "--seed", "5", "--plans", "500", "--json")
        )
        #expect(told["runs"] as? Int == 0 && told["plansPerSecond"] is Int)
        #expect((told["plans"] as? Int).map { $0 >= 500 } == true)
        let both = try object(
            text: scratch.must(arguments: "simulate", "--plans", "1", "--runs", "1", "--steps", "4", "--json")
        )
        #expect(both["runs"] as? Int == 1 && both["plans"] is Int)
    }

    /// Options without faults, so that only the command is tested and not the worlds.
    private static let quiet = [
        "simulate", "--outside", "--seed", "5", "--sets", "rules-last", "--promises", "words-found",
        "--without",
        "resolve,restore,discard,import,reinstall,leave,putBack,emptyFolder,loseFiles,retire,purge",
    ]

    @Test func outsideWorldsAreCountedAndASeedIsToldTheSameEachTime() throws {
        let scratch = try Scratch()
        let run = try Tool.run(
            in: scratch.folder,
            arguments: Self.quiet + ["--runs", "3", "--place", "folder"]
        )
        #expect(run.exitCode == 0, "\(run.output)\(run.error)")
        #expect(run.lines.first == "first seed 5")
        #expect(run.lines.last?.hasPrefix("3 worlds in ") == true, "\(run.output)")
        let told = try (0..<2).map { _ in try Tool.run(in: scratch.folder, arguments: Self.quiet + ["--tell"])
        }
        #expect(told[0].exitCode == 0 && told[0].lines.count > 3, "\(told[0].error)")
        #expect(told[0].output == told[1].output)
        #expect(!scratch.exists(path: ".synccheck"))
    }

    @Test(arguments: [[], ["--outside"]])
    func schemasAreDrawnAtRandomAndASeedPlaysThemAgain(options: [String]) throws {
        let scratch = try Scratch()
        let all =
            ["simulate", "--random-schemas", "2", "--seed", "5", "--runs", "1", "--steps", "6"] + options
        let run = try Tool.run(in: scratch.folder, arguments: all)
        #expect(run.exitCode == 0, "\(run.output)\(run.error)")
        #expect(run.lines.first == "first seed 5")
        #expect(run.lines.last?.hasPrefix("2 schema sets, 2 worlds in ") == true, "\(run.output)")
        let told = try object(text: Tool.run(in: scratch.folder, arguments: all + ["--json"]).output)
        #expect(told["runs"] as? Int == 2 && told["firstSeed"] as? Int == 5)
    }

    @Test func outsideWorldsNeedNoSchemasOfOnesOwn() throws {
        let scratch = try Scratch()
        try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("Schemas"))
        let run = try Tool.run(
            in: scratch.folder,
            arguments: Self.quiet + ["--runs", "1", "--place", "folder"]
        )
        #expect(run.exitCode == 0, "\(run.output)\(run.error)")
        let own = try scratch.run(arguments: "simulate", "--outside", "--sets", "schemas", "--runs", "1")
        #expect(own.exitCode == 65 && own.error.contains("'Schemas'"), "\(own.error)")
    }

    @Test func aStopEndsAnOutsideWorldBetweenTwoSteps() async throws {
        let plan = SimulationPlan(schemas: "S", firstSeed: 5, runs: 1)
        let stop = StopSignal()
        var simulator = OutsideSimulator()
        simulator.onStep = { step in
            #expect(step == 1, "a step after the stop")
            stop.set()
            return []
        }
        let (result, counts) = await OutsideRun(plan: plan, simulator: simulator, workers: 1).run(stop: stop)
        #expect(result.runs == 0 && result.violations.isEmpty && counts.isEmpty)
    }

    @Test func whatAnOutsideWorldDoesNotKnowIsRefusedWithWhatThereIs() throws {
        let scratch = try Scratch()
        for (option, known) in [
            ("--sets", "rules-last"), ("--promises", "words-found"), ("--without", "edit"),
        ] {
            let run = try scratch.run(arguments: "simulate", "--outside", "--runs", "1", option, "nonsense")
            #expect(run.exitCode == 64, "\(run.output)")
            #expect(run.error.contains("'nonsense'") && run.error.contains(known), "\(run.error)")
        }
    }

    @Test func aPlanThatBreaksAPromiseIsToldWithTheCommandThatPlaysItAgain() async throws {
        let entities = try Scratch.entities()
        let plan = SimulationPlan(schemas: "S", firstSeed: 1, plans: 20_000)
        var texts: [String] = []
        for workers in [1, 3] {
            var simulation = Simulation(plan: plan, entities: entities)
            simulation.workers = workers
            simulation.planSimulator.flaw = PlanFlaw(onPlan: { plan, _, _, _ in plan.losses = [] })
            let result = await simulation.run(stop: StopSignal())
            let violation = try #require(result.violations.first)
            #expect(violation.rule == "nothing-lost")
            #expect(violation.replay == "synccheck simulate --schemas S --seed \(violation.seed) --plans 1")
            #expect(Self.exitCode { try SimulateCommand.requireKept(result) } == 1)
            texts.append(violation.story.joined(separator: "\n"))
        }
        #expect(texts[0] == texts[1], "how many work at once changes nothing")
    }

    @Test func aReportIsNeverGreenWhereTheRunIsNot() async throws {
        let plan = SimulationPlan(schemas: "S", firstSeed: 1, plans: 20_000)
        var simulation = Simulation(plan: plan, entities: try Scratch.entities())
        simulation.planSimulator.flaw = PlanFlaw(onPlan: { plan, _, _, _ in plan.losses = [] })
        let result = await simulation.run(stop: StopSignal())
        let violation = try #require(result.violations.first)
        #expect(violation.outcome == nil)
        let page = await SimulateCommand.page(result: result, simulation: simulation)
        #expect(!page.contains("Every promise was kept"))
        #expect(page.contains("Broken promise: nothing-lost"))
        #expect(page.contains(violation.replay) && violation.story.count > 1)
    }

    @Test func aReportIsOfWorldsOfTheOwnSchemasOnly() throws {
        let scratch = try Scratch()
        for option in [["--outside"], ["--random-schemas", "1"]] {
            let run = try Tool.run(
                in: scratch.folder,
                arguments: ["simulate", "--runs", "1", "--report", "r.html"] + option
            )
            #expect(run.exitCode == 64, "\(run.output)\(run.error)")
            #expect(run.error.contains("--report") && !scratch.exists(path: "r.html"), "\(run.error)")
        }
    }

    @Test func aRunWithoutSeedSaysWhichOneItTook() throws {
        let scratch = try Scratch()
        let firsts = try (0..<2).map { _ in
            try object(text: try scratch.must(arguments: "simulate", "--runs", "1", "--steps", "4", "--json"))
        }
        let seeds = firsts.compactMap { $0["firstSeed"] as? Int }
        #expect(seeds.count == 2 && Set(seeds).count == 2)
        #expect(
            firsts.allSatisfy { $0["runs"] as? Int == 1 && ($0["violations"] as? [Any])?.isEmpty == true }
        )
    }

    @Test(arguments: [
        ["--runs", "0"], ["--runs", "many"], ["--devices", "0"], ["--devices", "27"], ["--steps", "0"],
        ["--faults", "gremlins"], ["--faults", ""], ["--faults", "clocks,"], ["--place", "moon"],
        ["--plans", "0"], ["--minutes", "0"], ["--minutes", "nan"], ["--seed", "-1"], ["--report", ""],
        ["--nope"],
    ])
    func wrongOptionsEndWith64AndAHelpLine(options: [String]) throws {
        let scratch = try Scratch()
        let run = try Tool.run(in: scratch.folder, arguments: ["simulate"] + options)
        #expect(run.exitCode == 64, "\(options)")
        #expect(run.output == "")
        #expect(run.errorLines.count == 2 && run.errorLines.last?.hasPrefix("help: ") == true)
    }

    @Test func aFaultThatIsMisspelledIsNamed() throws {
        let run = try Scratch().run(arguments: "simulate", "--faults", "clocks,crashs")
        #expect(run.error.contains("Did you mean 'crashes'?"))
    }

    @Test func aReportThatCannotBeWrittenIsRefusedBeforeTheWork() throws {
        let run = try Scratch().run(arguments: "simulate", "--report", "nowhere/x.html")
        #expect(run.exitCode == 74)
        #expect(run.output == "")
    }

    @Test func schemasToWhichNoRecordCanBeMadeAreNamed() throws {
        let scratch = try Scratch()
        let schema = SampleSchemas.schema(
            title: "Odd",
            properties: #""id": { "type": "string" }, "word": { "type": "string", "pattern": "^a^b$" }"#,
            required: ["id", "word"],
            sync: #""key": "id", "strategy": "last-write-wins""#
        )
        try scratch.write("Schemas/odd.schema.json", text: schema)
        let run = try scratch.run(arguments: "simulate", "--runs", "1")
        #expect(run.exitCode == 65)
        #expect(run.error.contains("'word' of 'odd'"))
    }

    @Test func oneSeedDrawsOneReport() throws {
        let scratch = try Scratch()
        for name in ["a.html", "b.html"] {
            try scratch.must(
                arguments: "simulate",
                "--seed",
                "11",
                "--runs",
                "1",
                "--steps",
                "20",
                "--report",
                name
            )
        }
        let (one, two) = (
            try page(scratch: scratch, name: "a.html"), try page(scratch: scratch, name: "b.html")
        )
        #expect(one == two)
        #expect(one.contains("The world of seed 11") && one.contains("Every promise was kept."))
        #expect(one.contains("synccheck simulate --schemas Schemas --seed 11 --runs 1 --steps 20"))
    }

    @Test func aBrokenPromiseIsToldWithItsStoryAndTheCommandThatPlaysItAgain() async throws {
        let entities = try Scratch.entities()
        var plan = SimulationPlan(schemas: "my schemas", firstSeed: 20, runs: 40)
        plan.faults = [.clocks, .messages]
        plan.place = .server
        plan.devices = 2
        var texts: [String] = []
        for workers in [1, 3] {
            var simulation = Simulation(plan: plan, entities: entities)
            simulation.workers = workers
            simulation.simulator.extraPromise = { log in
                log.entries.contains { $0.kind == .delete }
                    ? StoryViolation(rule: "no-deletes", description: "Gone <b>.") : nil
            }
            let result = await simulation.run(stop: StopSignal())
            let violation = try #require(result.violations.first)
            #expect(result.violations.count == 1 && violation.rule == "no-deletes")
            #expect(violation.message == "Gone <b>.")
            #expect(Self.exitCode { try SimulateCommand.requireKept(result) } == 1)
            try Self.expectShape(result)
            #expect(
                violation.replay
                    == "synccheck simulate --schemas 'my schemas' --seed \(violation.seed) --runs 1 --devices 2 --faults clocks,messages --place server"
            )
            let outcome = try #require(violation.outcome)
            for index in outcome.story.steps.indices {
                var shorter = outcome.story
                shorter.steps.remove(at: index)
                let played = await simulation.simulator.play(shorter)
                #expect(played.violation?.rule != "no-deletes", "step \(index + 1) could be left out")
            }
            #expect(violation.story.contains { $0.contains("deletes ") })
            #expect(result.text.contains(violation.replay))
            texts.append(
                StoryPage(outcome: try #require(violation.outcome), replay: violation.replay).html
                    + violation.story.joined(separator: "\n")
            )
        }
        #expect(texts[0] == texts[1], "how many work at once changes nothing")
        #expect(texts[0].contains("Gone &lt;b&gt;.") && !texts[0].contains("Gone <b>. "))
    }

    @Test func aWorldThatGoesAnotherWayTheSecondTimeIsAViolationOfItsOwn() async throws {
        var simulation = Simulation(
            plan: SimulationPlan(schemas: "S", firstSeed: 3, runs: 1),
            entities: try Scratch.entities()
        )
        let calls = Calls()
        simulation.simulator.extraPromise = { log in
            StoryViolation(rule: "moody", description: "Time number \(calls.next()).")
        }
        let result = await simulation.run(stop: StopSignal())
        #expect(result.violations.map(\.rule) == ["not-deterministic"])
    }

    @Test func whoIsAskedToEndTellsWhatWasCounted() async throws {
        let plan = SimulationPlan(schemas: "S", firstSeed: 1, runs: nil, minutes: 1_000)
        let stop = StopSignal()
        stop.set()
        let simulation = Simulation(plan: plan, entities: try Scratch.entities())
        let result = await simulation.run(stop: stop)
        #expect(result.runs == 0 && result.violations.isEmpty)
    }

    private static func exitCode(_ body: () throws -> Void) -> Int32 {
        do {
            try body()
            return 0
        } catch {
            return CommandExit(error).exitCode
        }
    }

    /// The JSON has the form documented in the help and the README.
    private static func expectShape(_ result: SimulationResult) throws {
        var writer = JSONWriter()
        result.write(to: &writer)
        let told = try object(text: writer.text)
        #expect(Set(told.keys) == ["runs", "firstSeed", "seconds", "violations"])
        let violation = try #require((told["violations"] as? [[String: Any]])?.first)
        #expect(Set(violation.keys) == ["seed", "rule", "message", "story", "replay"])
        #expect((violation["story"] as? [String])?.isEmpty == false)
    }

    private func page(scratch: Scratch, name: String) throws -> String {
        try String(contentsOf: scratch.folder.appendingPathComponent(name), encoding: .utf8)
    }
}

/// Counts calls.
private final class Calls: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}

extension Scratch {
    /// The entities of the sample schemas.
    fileprivate static func entities() throws -> [EntityDescriptor] {
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("Schemas").path
        return try Workspace(schemaPaths: [path], storePath: "").entities
    }
}
