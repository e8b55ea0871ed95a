import EntitySync
import Foundation
import SyncChecks
import SyncCore

/// `simulate --digests`.
extension SimulateCommand {
    /// How many seeds have a line together.
    private static let blockSize = 100

    /// Prints the digests of a plan's worlds, in the order of their seeds.
    static func printDigests(plan: SimulationPlan, entities: [EntityDescriptor]) async {
        let simulator = Simulator(entities: entities, generator: plan.generator)
        let last = plan.firstSeed + UInt64(plan.runs ?? SimulationPlan.defaultRuns)
        var starts = Array(stride(from: plan.firstSeed, to: last, by: blockSize))[...]
        await withTaskGroup(of: WorldDigest.self) { group in
            func addNext() {
                guard let first = starts.popFirst() else { return }
                group.addTask {
                    await WorldDigest(
                        of: first..<min(first + UInt64(blockSize), last),
                        simulator: simulator
                    )
                }
            }
            var next = plan.firstSeed
            var done: [UInt64: WorldDigest] = [:]
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { addNext() }
            for await digest in group {
                done[digest.first] = digest
                while let line = done.removeValue(forKey: next)?.line {
                    StandardStreams.write("\(line)\n", to: .output)
                    next += UInt64(blockSize)
                }
                addNext()
            }
        }
    }
}
