import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Seeded worlds keep all promises: new ones each time, and those in which one was broken once. Long runs are those of
/// `synccheck simulate`, built with `-c release`, which plays ten times as many in the same time.
@Suite struct SimulationTests {
    private let simulator = Simulator(entities: SyncRegistry.descriptors)

    /// Plays a story; a broken promise is told as the shortest story that breaks it.
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

    /// So many worlds in each part; the parts are played beside each other.
    private static let worlds: UInt64 = 100

    /// Where the parts begin, anew in each run; `synccheck simulate --seed` goes there, too.
    private static let firsts = (0..<4).map { _ in UInt64.random(in: 0..<1 << 48) }

    @Test(arguments: firsts)
    func worldsKeepAllPromises(first: UInt64) async {
        print("\(Self.worlds) worlds from seed \(first)")
        for seed in first..<first + Self.worlds {
            await play(seed)
            // Other tests wait for this thread.
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
