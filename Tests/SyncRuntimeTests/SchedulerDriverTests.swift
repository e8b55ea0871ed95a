import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import SyncSchedule
import Testing
import Waits

/// The driver in a world where waiting takes no time: the sleeper moves the clock.
@Suite struct SchedulerDriverTests {
    private let remote = FakeRemote()
    private let time = FastTime()
    private let network = FakeNetwork()
    private let grants = FakeGrants()

    private func driver() -> SchedulerDriver {
        SchedulerDriver(
            entities: ScheduledEntities(entities: [Entities.note(strategy: .lastWriteWins)]),
            environment: SpaceEnvironment(
                clock: time.clock,
                random: SeededRandom(1),
                sleeper: time,
                connectivity: network,
                background: grants
            ),
            perform: { [remote] profile in try await remote.sync(profile) }
        )
    }

    /// Runs a story beside the driver, then stops it.
    private func withDriver(story: (SchedulerDriver) async throws -> Void) async throws {
        let driver = driver()
        async let running: Void = driver.run()
        try await story(driver)
        await driver.stop()
        await running
    }

    @Test func aWriteIsSyncedWithoutAnybodyAsking() async throws {
        try await withDriver { driver in
            driver.send(.localWrite(entities: ["note"]))
            let synced = await driver.snapshots().first { $0.lastSuccess != nil }
            #expect(synced?.phase == .idle)
            #expect(remote.profiles == [SyncProfile(kind: .refresh, entities: ["note"])])
        }
    }

    @Test(.timeLimit(.minutes(5))) func aNetworkThatComesBackWhileTheRunBeginsIsNoticed() async throws {
        network.set(false)
        let driver = driver()
        driver.send(.localWrite(entities: ["note"]))
        network.comeBackAfterRead()
        async let running: Void = driver.run()
        #expect(await driver.snapshots().first { $0.lastSuccess != nil } != nil)
        await driver.stop()
        await running
    }

    @Test func whatWasSentBeforeTheRunIsKeptForIt() async throws {
        let driver = driver()
        driver.send(.appBecameActive)
        async let report = driver.syncNow()
        async let running: Void = driver.run()
        let outcome = try await report.outcome
        #expect(outcome == .synced)
        await driver.stop()
        await running
        // Where the call comes after the run has begun, it gets a sync of its own.
        #expect(remote.profiles.map(\.kind).prefix(2) == [.launch, .full])
    }

    @Test func callersAtOnceShareOneSyncAndItsReport() async throws {
        let driver = driver()
        async let first = driver.syncNow()
        async let second = driver.syncNow()
        try await eventually(what: "two wait") { await driver.requestsWaiting >= 2 }
        async let running: Void = driver.run()
        let reports = try await [first, second]
        #expect(reports[0] == reports[1])
        await driver.stop()
        await running
        #expect(remote.profiles == [SyncProfile(kind: .full, entities: ["note"])])
    }

    @Test func aCallerGetsTheErrorAndAutomaticSyncsAreTriedAgain() async throws {
        remote.failures = [.storeBusy(), .storeBusy()]
        let driver = driver()
        let report = Task { try await driver.syncNow() }
        try await eventually(what: "one waits") { await driver.requestsWaiting >= 1 }
        driver.send(.localWrite(entities: ["note"]))
        async let running: Void = driver.run()
        await #expect(throws: SyncError.storeBusy()) { try await report.value }
        let synced = await driver.snapshots().first { $0.lastSuccess != nil }
        #expect(remote.profiles.map(\.kind) == [.full, .refresh, .refresh])
        #expect(synced?.lastFailure == nil)
        await driver.stop()
        await running
    }

    @Test func withoutANetworkACallerIsToldSoAndNothingIsStarted() async throws {
        network.set(false)
        try await withDriver { driver in
            await #expect(throws: SyncError.offline()) { try await driver.syncNow() }
            #expect(remote.profiles.isEmpty)
            driver.send(.localWrite(entities: ["note"]))
            network.set(true)
            _ = await driver.snapshots().first { $0.lastSuccess != nil }
            #expect(remote.profiles.count == 1)
        }
    }

    @Test func stoppingCancelsTheSyncAndLeavesNothingBehind() async throws {
        remote.blocks = true
        let driver = driver()
        async let running: Void = driver.run()
        let report = Task { try await driver.syncNow() }
        _ = await driver.snapshots().first { if case .syncing = $0.phase { true } else { false } }
        await driver.stop()
        await running
        await #expect(throws: CancellationError.self) { try await report.value }
        #expect(remote.running == 0 && remote.profiles.count == 1)
        #expect(await driver.snapshot.phase == .stopped)
        await #expect(throws: CancellationError.self) { try await driver.syncNow() }
        await driver.run()
        #expect(remote.profiles.count == 1)
    }

    @Test func cancellingTheTaskThatRunsItStopsItToo() async throws {
        remote.blocks = true
        let driver = driver()
        let running = Task { await driver.run() }
        driver.send(.appBecameActive)
        _ = await driver.snapshots().first { if case .syncing = $0.phase { true } else { false } }
        running.cancel()
        await running.value
        #expect(remote.running == 0)
        #expect(await driver.snapshot.phase == .stopped)
    }

    @Test func aCallerWhoGivesUpLeavesTheSyncAlone() async throws {
        let driver = driver()
        let impatient = Task { try await driver.syncNow() }
        async let patient = driver.syncNow()
        try await eventually(what: "two wait") { await driver.requestsWaiting >= 2 }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        async let running: Void = driver.run()
        let outcome = try await patient.outcome
        #expect(outcome == .synced)
        await driver.stop()
        await running
    }

    @Test func aSyncInGrantedTimeIsCancelledBeforeItsEndAndTheTimeIsGivenBack() async throws {
        remote.blocks = true
        try await withDriver { driver in
            let start = time.clock.now()
            grants.begin(seconds: 25)
            await grants.released()
            #expect(remote.profiles.count == 1 && remote.running == 0)
            #expect(time.clock.now().microseconds - start.microseconds == 22_000_000)
            #expect(await driver.snapshot.phase == .suspended)
        }
    }

    @Test func statusEndsWithTheRun() async throws {
        let driver = driver()
        let snapshots = await driver.snapshots()
        async let running: Void = driver.run()
        await driver.stop()
        await running
        var last: ScheduleSnapshot?
        for await snapshot in snapshots { last = snapshot }
        #expect(last?.phase == .stopped)
    }
}

/// Syncs that end at once, fail as told, or last until they are cancelled.
private final class FakeRemote: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var _profiles: [SyncProfile] = []
    private var _failures: [SyncError] = []
    private var _blocks = false
    private var _running = 0

    var profiles: [SyncProfile] { lock.withLock { _profiles } }
    var running: Int { lock.withLock { _running } }
    var failures: [SyncError] {
        get { lock.withLock { _failures } }
        set { lock.withLock { _failures = newValue } }
    }
    var blocks: Bool {
        get { lock.withLock { _blocks } }
        set { lock.withLock { _blocks = newValue } }
    }

    func sync(_ profile: SyncProfile) async throws -> SyncReport {
        let failure = lock.withLock { () -> SyncError? in
            _profiles.append(profile)
            _running += 1
            return _failures.isEmpty ? nil : _failures.removeFirst()
        }
        defer { lock.withLock { _running -= 1 } }
        if let failure { throw failure }
        if blocks {
            let (never, end) = AsyncStream.makeStream(of: Never.self)
            for await _ in never {}
            end.finish()
            try Task.checkCancellation()
        }
        return SyncReport(outcome: .synced, requests: profiles.count, entities: [], diagnostics: [])
    }
}

/// A sleeper that moves the clock instead of waiting.
private final class FastTime: SyncSleeper {
    let clock = ManualClock()

    func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        clock.set(Timestamp(microseconds: clock.now().microseconds + Int64((seconds * 1_000_000).rounded())))
    }
}

/// Tells changes only to those who listen by then.
private final class FakeNetwork: ConnectivityMonitor, @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var online = true
    private var isBackAfterRead = false
    private var readers: [AsyncStream<Bool>.Continuation] = []

    var isOnline: Bool {
        let (seen, isBack) = lock.withLock {
            defer { isBackAfterRead = false }
            return (online, isBackAfterRead)
        }
        if isBack { set(true) }
        return seen
    }

    func changes() -> AsyncStream<Bool> {
        let (stream, reader) = AsyncStream.makeStream(of: Bool.self)
        lock.withLock { readers.append(reader) }
        return stream
    }

    func set(_ isOnline: Bool) {
        let readers = lock.withLock {
            online = isOnline
            return self.readers
        }
        for reader in readers { reader.yield(isOnline) }
    }

    /// Comes back right after somebody has read that it is not there.
    func comeBackAfterRead() { lock.withLock { isBackAfterRead = true } }
}

private final class FakeGrants: BackgroundTime {
    private let stream: AsyncStream<BackgroundTimeEvent>
    private let feed: AsyncStream<BackgroundTimeEvent>.Continuation
    private let releases: AsyncStream<Void>
    private let releasing: AsyncStream<Void>.Continuation

    init() {
        (stream, feed) = AsyncStream.makeStream()
        (releases, releasing) = AsyncStream.makeStream()
    }

    func events() -> AsyncStream<BackgroundTimeEvent> { stream }
    func request() {}
    func release() { releasing.yield() }
    func begin(seconds: Double) { feed.yield(.began(seconds: seconds)) }
    func released() async { for await _ in releases { return } }
}
