import SyncChecks
import SyncCore
import Testing

/// Every change of a disk during an operation, with the machine going off there, or the change refused: what is promised
/// holds after each.
@Suite struct SweepTests {
    @Test(arguments: SweepScenes.places)
    func aWriteIsDurableWhenItReturnsAndWholeOrNotThereWhereverItIsBrokenOff(place: World.Place) async throws
    {
        try await expectKept(SweepScenes.put(place))
    }

    @Test(arguments: SweepScenes.places)
    func eachTransactionOfAnImportIsWholeOrNotThereWhereverItIsBrokenOff(place: World.Place) async throws {
        try await expectKept(SweepScenes.importing(place: place))
    }

    @Test(arguments: SweepScenes.places)
    func aSettledConflictStaysSettledAndAnotherOneOpenWhereverItIsBrokenOff(place: World.Place) async throws {
        try await expectKept(SweepScenes.resolve(place))
    }

    @Test(arguments: SweepScenes.places)
    func aPushThatIsBrokenOffAnywhereLosesAndDoublesNothing(place: World.Place) async throws {
        try await expectKept(SweepScenes.push(place))
        try await expectKept(SweepScenes.firstPush(place: place))
    }

    @Test(arguments: SweepScenes.places, [MergeStrategy.lastWriteWins, .preserveLocal])
    func aPullThatIsBrokenOffAnywhereIsTakenUpAgain(place: World.Place, strategy: MergeStrategy) async throws
    {
        try await expectKept(SweepScenes.pull(place, strategy: strategy))
    }

    @Test(arguments: [SweepScenes.compaction(), SweepScenes.collection()])
    func aCompactionThatIsBrokenOffAnywhereLosesNothing(scene: SweepScene) async throws {
        try await expectKept(scene)
    }

    @Test func aServerThatIsBrokenOffAnywhereKeepsWhatItAcknowledged() async throws {
        try await expectKept(SweepScenes.push(.server, struck: .server))
        try await expectKept(SweepScenes.firstPush(place: .server, struck: .server))
        try await expectKept(SweepScenes.pull(.server, strategy: .lastWriteWins, struck: .server))
    }

    /// A sweep that cannot fail shows nothing.
    @Test(arguments: [
        SweepScenes.put(.folders), SweepScenes.importing(place: .folders), SweepScenes.resolve(.server),
        SweepScenes.push(.folders), SweepScenes.push(.server, struck: .server),
    ])
    func aDiskThatDoesNotSyncFilesIsFoundOut(scene: SweepScene) async throws {
        let sweep = DiskSweep(scene: scene, flaws: [.ignoresFileSync], survivals: [.syncedOnly], faults: [])
        #expect(try await !sweep.run().violations.isEmpty, "\(scene.name)")
    }

    private func expectKept(_ scene: SweepScene) async throws {
        // What a device keeps does not depend on where it meets others: at a server, the two harder ones are enough.
        let survivals: [Survival] =
            scene.place == .server && scene.struck == .device
            ? [.syncedOnly, .some(seed: 1)] : [.syncedOnly, .everything, .some(seed: 1)]
        let report = try await DiskSweep(scene: scene, survivals: survivals).run()
        #expect(report.steps > 10, "\(scene.name) changes the disk")
        #expect(report.followed > 0)
        #expect(report.violations.isEmpty, "\(report.violations.count): \(report.violations.prefix(3))")
    }
}
