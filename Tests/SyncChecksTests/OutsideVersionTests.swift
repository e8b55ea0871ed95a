import SyncCore
import TestSeeds
import Testing

@testable import SyncChecks

/// Outside worlds in which the app gets a newer version, to which devices are updated in any order.
@Suite struct OutsideVersionTests {
    private static var simulator: OutsideSimulator {
        var simulator = OutsideSimulator()
        simulator.strewn = OutsideStep.Kind.strewn
        simulator.alwaysUpdates = true
        return simulator
    }

    @Test(arguments: TestSeeds.cases(0..<12))
    func noWordIsLostWhileDevicesAreUpdatedOneAfterTheOther(seeds: TestSeeds) async {
        for seed in seeds {
            let outcome = await Self.simulator.play(seed)
            let story = (["seed \(seed)", outcome.headline] + outcome.lines).joined(separator: "\n")
            #expect(outcome.violations.isEmpty, "\(story)")
        }
    }

    @Test func aWorldWithoutANewerVersionIsWhatItWasBeforeThereWereAny() {
        let (mixed, plain) = (OutsideSimulator(), Self.without(.update))
        var updated = 0
        for seed in UInt64(0)..<400 {
            let (story, before) = (mixed.story(seed: seed), plain.story(seed: seed))
            if story.changes == nil { #expect(story == before) } else { updated += 1 }
            #expect(story.steps.filter { $0.kind != .update } == before.steps)
        }
        #expect(60...140 ~= updated)
    }

    @Test func everyKindOfChangeIsDrawnAndChangesTheEntitiesOfWhichItTells() {
        var drawn: Set<String> = []
        for seed in UInt64(0)..<4_000 {
            let set = OutsideSchemas.all[Int(seed) % OutsideSchemas.all.count]
            let versions = OutsideVersions(set.entities, bits: seed)
            #expect(1...3 ~= versions.changes.count, "seed \(seed)")
            for change in versions.changes {
                drawn.insert("\(change.kind.rawValue) \(change.isReversed)")
                let (old, new) = (versions.old, versions.new)
                let (before, after) = (
                    old.first { $0.name == change.entity }, new.first { $0.name == change.entity }
                )
                #expect(before != after, "seed \(seed): \(change.text)")
                #expect(before?.version ?? 0 <= after?.version ?? .max)
            }
        }
        let kinds = OutsideChange.Kind.allCases
        let once: Set<OutsideChange.Kind> = [.renamed, .moved, .widened]
        let all = kinds.flatMap { kind in
            once.contains(kind)
                ? ["\(kind.rawValue) false"] : ["\(kind.rawValue) false", "\(kind.rawValue) true"]
        }
        #expect(Set(all).subtracting(drawn).sorted() == [])
    }

    private static func without(_ kinds: OutsideStep.Kind...) -> OutsideSimulator {
        var simulator = OutsideSimulator()
        simulator.without = Set(kinds)
        return simulator
    }
}
