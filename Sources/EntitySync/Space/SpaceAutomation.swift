import SyncCore
import SyncRuntime

/// Syncs a space by itself: tells a scheduler what happens, and does what it says.
final class SpaceAutomation: Sendable {
    private let store: SpaceStore
    private let remote: SpaceRemote
    private let board: StatusBoard
    private let driver: SchedulerDriver
    private let phase = Guarded(Phase.idle)
    /// Says that the account may be used again; what nobody takes becomes one.
    private let resumed: AsyncStream<Void>
    private let resume: AsyncStream<Void>.Continuation

    private enum Phase: Sendable {
        case idle, running, ended
    }

    init(
        store: SpaceStore,
        remote: SpaceRemote,
        board: StatusBoard,
        configuration: SpaceConfiguration
    ) {
        self.store = store
        self.remote = remote
        self.board = board
        (resumed, resume) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let environment = configuration.environment
        let names = Set(store.entities.map(\.name))
        // NB: where it cannot be read, all is taken for old, and the first use of the store says why.
        let lastSuccess = try? store.read {
            try $0.value(name: StoreValue.lastSuccess).flatMap { Timestamp($0) }
        }
        driver = SchedulerDriver(
            entities: ScheduledEntities(
                entities: store.entities,
                essential: Set(configuration.essential.map { $0.adapter.descriptor.name })
            ),
            policy: configuration.schedule,
            lastSuccess: lastSuccess,
            environment: ScheduleEnvironment(
                clock: environment.clock,
                sleeper: environment.sleeper,
                random: environment.random,
                connectivity: environment.connectivity,
                background: environment.background
            )
        ) { profile in
            let covered = Set(profile.entities)
            return try await remote.sync(
                SyncOptions(entities: covered == names ? nil : covered),
                reportingTo: board
            )
        }
    }

    /// Tells the scheduler, if it runs. What happens before it does is found when it begins.
    func tell(_ event: ScheduleEvent) {
        if phase.use({ $0 == .running }) { driver.send(event) }
    }

    /// Syncs now: by the scheduler if it runs, so that what it had planned is done with it.
    func sync(_ options: SyncOptions) async throws -> SyncReport {
        guard options == SyncOptions(), phase.use({ $0 == .running }) else {
            return try await remote.sync(options, reportingTo: board)
        }
        return try await driver.syncNow()
    }

    /// The remote may let the account in again.
    func accountResumed() async {
        await remote.backend.accountResumed()
        board.update { $0.account = .signedIn }
        resume.yield()
        tell(.accountResumed)
    }

    /// Runs until the task is cancelled, or the scheduler is told to stop. Once only.
    func run(startsActive: Bool) async {
        let isFirst = phase.use { phase in
            defer { if phase == .idle { phase = .running } }
            return phase == .idle
        }
        guard isFirst else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.followScheduler() }
            let feed = ScheduleFeed(driver: driver, remote: remote.backend, store: store.port)
            group.addTask { await self.followHints(feed) }
            group.addTask { await feed.followCommits() }
            if startsActive { driver.send(.appBecameActive) }
            await driver.run()
            group.cancelAll()
        }
        phase.use { $0 = .ended }
        board.update {
            $0.nextRetry = nil
            $0.schedule = nil
        }
    }

    private func followScheduler() async {
        for await snapshot in await driver.snapshots() {
            board.update {
                $0.nextRetry = snapshot.nextRetry
                $0.schedule = snapshot.phase
                $0.account = snapshot.isAccountPaused ? .paused : .signedIn
            }
        }
    }

    /// Passes on what the remote tells, again after the account was let in again.
    private func followHints(_ feed: ScheduleFeed) async {
        while !Task.isCancelled {
            do { return try await feed.followHints() } catch {
                // NB: what the remote does not permit is not asked for again until somebody acts.
                driver.send(.accountPaused)
            }
            var turns = resumed.makeAsyncIterator()
            guard await turns.next() != nil else { return }
        }
    }
}
