import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Simulated worlds keep all promises: new ones in each run, and those that once broke one. For long runs use
/// `synccheck simulate`, built with `-c release`, which is ten times faster.
@Suite struct SimulationTests {
    private let simulator = Simulator(entities: SyncRegistry.descriptors)

    /// Runs a story. A violation is reported with the shortened story.
    private func play(_ seed: UInt64) async {
        let outcome = await simulator.play(seed)
        guard let violation = outcome.violation else { return }
        let short = await simulator.shrink(outcome)
        let names = (0..<short.story.devices).map { String(UnicodeScalar(UInt8(65 + $0))) }
        Issue.record(
            """
            \(violation.rule) in seed \(seed), \(short.story.devices) devices at \(short.story.place):
            \(short.log.lines(devices: names).joined(separator: "\n"))
            """
        )
    }

    /// The number of worlds in each part. The parts run concurrently.
    private static let worlds: UInt64 = 100

    /// The first seeds of the parts, chosen anew in each run. `synccheck simulate --seed` repeats them.
    private static let firsts = (0..<4).map { _ in UInt64.random(in: 0..<1 << 48) }

    @Test(arguments: firsts)
    func worldsKeepAllPromises(first: UInt64) async {
        print("\(Self.worlds) worlds from seed \(first)")
        for seed in first..<first + Self.worlds {
            await play(seed)
            // Lets other tests use this thread.
            await Task.yield()
        }
    }

    @Test(
        arguments: [
            25, 1174, 1496, 1771, 1855, 1889, 1997, 2032, 2054, 2132, 2277, 2338, 2495, 3302, 90043,
            15793577084678363862, 100800, 301118, 1002730, 2000514, 3001059, 4002559, 6000917, 8001676, 33068,
            231254957328692, 227354908909490,
        ] as [UInt64]
    )
    func aPromiseThatWasBrokenOnceIsKept(seed: UInt64) async {
        await play(seed)
    }

    @Test(arguments: [7, 4242] as [UInt64])
    func oneSeedIsOneWorld(seed: UInt64) async {
        let (one, two) = (await simulator.play(seed), await simulator.play(seed))
        #expect(one.log == two.log)
        #expect(!one.log.entries.isEmpty)
    }
}
