import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Seeded worlds.
@Suite struct SimulationTests {
    @Test func worldsKeepAllPromises() async throws {
        let env = ProcessInfo.processInfo.environment
        let first = UInt64(env["SEED"] ?? "") ?? 0
        let count = UInt64(env["RUNS"] ?? "") ?? 60
        let simulator = Simulator(SyncRegistry.descriptors)
        if env["SHOW"] != nil {
            for line in (await simulator.play(first)).log.lines(devices: ["A", "B", "C", "D"]) { print(line) }
            return
        }
        for seed in first..<(first + count) {
            let outcome = await simulator.play(seed)
            guard let violation = outcome.violation else { continue }
            let short = await simulator.shrink(outcome)
            print("SEED \(seed) \(violation.rule): \(short.story.devices) devices at \(short.story.place)")
            for line in short.log.lines(devices: ["A", "B", "C", "D"]) { print("   ", line) }
            Issue.record("seed \(seed): \(violation)")
        }
    }
}
