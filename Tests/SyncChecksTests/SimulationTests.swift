import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Seeded worlds.
@Suite struct SimulationTests {
    @Test func worldsKeepAllPromises() async throws {
        let simulator = Simulator(SyncRegistry.descriptors)
        for seed in 0..<60 as Range<UInt64> {
            let outcome = await simulator.play(seed)
            guard let violation = outcome.violation else { continue }
            let short = await simulator.shrink(outcome)
            print("SEED \(seed) \(violation.rule): \(short.story.devices) devices at \(short.story.place)")
            for line in short.log.lines(devices: ["A", "B", "C", "D"]) { print("   ", line) }
            Issue.record("seed \(seed): \(violation)")
            if seed > 40 { break }
        }
    }
}
