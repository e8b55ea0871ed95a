import SyncChecks
import SyncCore
import SyncEntities
import TestSeeds
import Testing

/// Outside worlds are deterministic, keep their promises, and find and shorten deliberate violations.
@Suite struct OutsideTests {
    /// Worlds without unique values, decisions or losses.
    static var plain: OutsideSimulator {
        var simulator = OutsideSimulator(
            schemas: OutsideSchemas.all.filter { set in
                set.entities.allSatisfy { $0.unique.isEmpty && $0.references.isEmpty }
            }
        )
        // A device that has merged a restored version gets a conflict for it, too.
        simulator.promises.remove(.fieldsFlow)
        simulator.without = [
            .resolve, .restore, .discard, .takeIn, .reinstall, .leave, .putBack, .emptyFolder, .loseFiles,
            .retire, .purge, .travel, .travelAll, .oldFile, .update,
        ]
        return simulator
    }

    @Test func oneSeedMakesOneWorld() async {
        let simulator = OutsideSimulator()
        for seed in TestSeeds(0..<4) {
            let (first, second) = (await simulator.play(seed), await simulator.play(seed))
            #expect(first.lines == second.lines, "seed \(seed)")
            #expect(first.violations == second.violations, "seed \(seed)")
        }
    }

    @Test func peopleWhoWriteAndSyncLoseNothing() async {
        for seed in TestSeeds(0..<12) {
            let outcome = await Self.plain.play(seed)
            guard let violation = outcome.violations.first else { continue }
            let short = await Self.plain.shrink(outcome, to: violation.rule)
            Issue.record("seed \(seed): \(violation)\n\(short.lines.joined(separator: "\n"))")
        }
    }

    /// Worlds of records in circles, in lists and by several fields, with all that people do.
    @Test(arguments: OutsideSchemas.relations.map(\.name))
    func whatRefersToOthersIsNeverLost(name: String) async {
        let simulator = OutsideSimulator(schemas: OutsideSchemas.relations.filter { $0.name == name })
        await expectKept(simulator, seeds: TestSeeds(0..<4))
    }

    /// Worlds that once broke a promise: restored, rejoined or retired stores, and folders that lost a part
    /// of a conflict.
    @Test(
        arguments: [
            38_062_328_529_276, 38_062_328_537_171, 38_062_328_535_676, 38_062_328_535_687,
            38_062_328_539_038,
            38_062_328_537_668, 51_085_424_287_172, 51_085_424_286_798, 106_381_537_299_636,
            106_381_537_307_311, 106_381_537_305_587, 106_381_537_299_052, 219_022_098_845_427,
            106_381_537_307_757, 106_381_537_300_663, 106_381_537_302_869, 219_022_098_841_695,
            219_022_098_847_189, 189_735_914_077_249, 777_001_532,
        ] as [UInt64]
    )
    func aPromiseThatAWorldBrokeOnceIsKept(seed: UInt64) async {
        let shipped = OutsideSchemas(name: "schemas", entities: SyncRegistry.descriptors)
        var simulator = OutsideSimulator(schemas: OutsideSchemas.basic + [shipped])
        simulator.without = [.update]
        let outcome = await simulator.play(seed)
        #expect(outcome.violations.isEmpty, "\(outcome.lines.joined(separator: "\n"))")
        #expect(outcome.lines.count > 10)
    }

    /// Plays each seed and expects that all promises are kept.
    private func expectKept(_ simulator: OutsideSimulator, seeds: TestSeeds) async {
        for seed in seeds {
            let outcome = await simulator.play(seed)
            #expect(outcome.violations.isEmpty, "seed \(seed): \(outcome.lines.joined(separator: "\n"))")
        }
    }

    /// Worlds of people who give the same few keys to records of their own, as with natural keys. The last one ended
    /// different: a folder had dropped a tombstone, and only one device knew what it had added.
    @Test(arguments: TestSeeds.cases(Array(0..<8) + [5574]))
    func peopleWhoChooseTheSameKeysLoseNothingAndComeToTheSame(seeds: TestSeeds) async {
        let shipped = OutsideSchemas(name: "schemas", entities: SyncRegistry.descriptors)
        var simulator = OutsideSimulator(
            schemas: OutsideSchemas.all + [shipped],
            promises: [.wordsFound, .sameEverywhere, .editsAccepted, .syncsSucceed]
        )
        simulator.sharesKeys = true
        simulator.without = [.update]
        await expectKept(simulator, seeds: seeds)
    }

    /// People who hold forms open while others write and sync, and who bring back what was deleted.
    @Test(arguments: TestSeeds.cases(0..<12))
    func noWordOfAnOpenFormOrOfThoseWhoWroteMeanwhileIsLost(seeds: TestSeeds) async {
        var simulator = OutsideSimulator()
        simulator.strewn = OutsideStep.Kind.strewn
        await expectKept(simulator, seeds: seeds)
    }

    /// A sync that lets a waiting writer in goes on with what that one wrote. In one world, two devices deleted a record, and
    /// one of them came from a backup and got a new identity.
    @Test(arguments: TestSeeds.cases(Array(0..<12) + [77_157]))
    func whoWritesWhileASyncTakesChangesInLosesNothing(seeds: TestSeeds) async {
        var simulator = OutsideSimulator()
        simulator.strewn = OutsideStep.Kind.strewn
        simulator.writesDuringSyncs = true
        await expectKept(simulator, seeds: seeds)
    }

    /// A push that was prepared while the one before it was under way, and dropped if something else came first.
    @Test(arguments: TestSeeds.cases(Array(0..<12) + [40]))
    func pushesThatArePreparedAheadLoseNothing(seeds: TestSeeds) async {
        await expectKept(Self.ahead, seeds: seeds)
    }

    /// People who choose on each device whether the most recent edit wins or theirs is kept, and change their minds.
    @Test(arguments: TestSeeds.cases(0..<12))
    func peopleWhoChooseDifferentlyLoseNothingAndComeToTheSame(seeds: TestSeeds) async {
        var simulator = OutsideSimulator()
        simulator.strewn = OutsideStep.Kind.strewn
        simulator.choosesStrategies = true
        simulator.without = [.update]
        await expectKept(simulator, seeds: seeds)
    }

    @Test func worldsThatPrepareAheadGoTheSameWayEachTime() async {
        for seed in TestSeeds(0..<4) {
            let (first, second) = (await Self.ahead.play(seed), await Self.ahead.play(seed))
            #expect(first.lines == second.lines, "seed \(seed)")
        }
    }

    /// Worlds with a server in which people write while a push is under way, and the next one is prepared.
    private static var ahead: OutsideSimulator {
        var simulator = OutsideSimulator(places: [.server])
        simulator.strewn = OutsideStep.Kind.strewn
        simulator.writesDuringSyncs = true
        simulator.preparesAhead = true
        return simulator
    }

    @Test func syncsAreInterruptedByWhoWrites() async {
        var simulator = OutsideSimulator()
        simulator.writesDuringSyncs = true
        var interruptions = 0
        for seed in UInt64(0)..<10 where interruptions <= 10 {
            interruptions += await simulator.play(seed).lines.count { $0.contains("while it syncs") }
        }
        #expect(interruptions > 10)
    }

    @Test func aFormThatForgetsWhatWasReadIsFoundToLoseWords() async throws {
        var simulator = OutsideSimulator(promises: [.wordsFound])
        simulator.strewn = [.read, .save]
        simulator.formsForget = true
        simulator.without = [.update]
        var found: OutsideSimulator.Outcome?
        for seed in UInt64(0)..<60 where found == nil {
            let outcome = await simulator.play(seed)
            if !outcome.violations.isEmpty { found = outcome }
        }
        let outcome = try #require(found, "no world misses what others wrote")
        let short = await simulator.shrink(outcome, to: "words-found")
        #expect(short.story.steps.contains { $0.kind == .save })
        #expect(short.story.steps.count < 8)
    }

    @Test func aStoryIsTheSameBetweenTheStepsThatAreStrewnIn() {
        var simulator = OutsideSimulator()
        simulator.without = [.update]
        for seed in UInt64(0)..<40 {
            simulator.strewn = []
            let plain = simulator.story(seed: seed)
            simulator.strewn = OutsideStep.Kind.strewn
            let steps = simulator.story(seed: seed).steps
            #expect(steps.filter { !OutsideStep.Kind.strewn.contains($0.kind) } == plain.steps)
        }
    }

    @Test func aSetOfSchemasHasANameOfItsOwn() {
        #expect(Set(OutsideSchemas.all.map(\.name)).count == OutsideSchemas.all.count)
        #expect(OutsideSchemas.all.count >= 6)
    }

    @Test func aPromiseThatIsLeftOutIsNotReported() async {
        var simulator = OutsideSimulator()
        simulator.promises = []
        for seed in TestSeeds(0..<3) {
            #expect(await simulator.play(seed).violations.isEmpty, "seed \(seed)")
        }
    }

    @Test func aKindOfStepThatIsLeftOutDoesNotHappen() {
        let kinds = (UInt64(0)..<60).flatMap { Self.plain.story(seed: $0).steps.map(\.kind) }
        #expect(Set(kinds).isDisjoint(with: Self.plain.without))
        #expect(kinds.contains(.edit))
    }
}
