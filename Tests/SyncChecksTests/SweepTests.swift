import SyncChecks
import SyncCore
import Testing

/// Interrupts operations at every change of a disk, by a crash or a failed change. The promises must hold
/// after each.
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
    func aResolvedConflictStaysResolvedAndAnotherOneOpenWhereverItStops(place: World.Place) async throws {
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
        try await expectKept(SweepScenes.push(.server, target: .server))
        try await expectKept(SweepScenes.firstPush(place: .server, target: .server))
        try await expectKept(SweepScenes.pull(.server, strategy: .lastWriteWins, target: .server))
    }

    /// A sweep must be able to fail.
    @Test(arguments: [
        SweepScenes.put(.folders), SweepScenes.importing(place: .folders), SweepScenes.resolve(.server),
        SweepScenes.push(.folders), SweepScenes.push(.server, target: .server),
    ])
    func aDiskThatDoesNotSyncFilesIsFoundOut(scene: SweepScene) async throws {
        let sweep = DiskSweep(scene: scene, flaws: [.ignoresFileSync], survivals: [.syncedOnly], faults: [])
        #expect(try await !sweep.run().violations.isEmpty, "\(scene.name)")
    }

    private func expectKept(_ scene: SweepScene) async throws {
        // The device's own data does not depend on the kind of remote, so the two harder survivals are enough
        // for a server.
        let survivals: [Survival] =
            scene.place == .server && scene.target == .device
            ? [.syncedOnly, .some(seed: 1)] : [.syncedOnly, .everything, .some(seed: 1)]
        let report = try await DiskSweep(scene: scene, survivals: survivals).run()
        #expect(report.steps > 10, "\(scene.name) changes the disk")
        #expect(report.followed > 0)
        #expect(report.violations.isEmpty, "\(report.violations.count): \(report.violations.prefix(3))")
    }
}
