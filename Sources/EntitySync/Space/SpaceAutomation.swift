import SyncCore
import SyncRuntime
import SyncSchedule

/// Syncs a space automatically: passes events to a scheduler and performs its actions.
final class SpaceAutomation: Sendable {
    private let store: SpaceStore
    private let remote: SpaceRemote
    private let board: StatusBoard
    private let driver: SchedulerDriver
    private let phase = Guarded(Phase.idle)
    /// The entities that are not synced at present: those that the person excludes, but for those to which others refer.
    let excluded: @Sendable () -> Set<String>
    /// Yields when the account may be used again, and after a sync. Unread signals collapse into one.
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
        let names = Set(store.entities.map(\.name))
        // If it cannot be read, all entities count as outdated; the first use of the store reports the error.
        let lastSuccess = try? store.read { snapshot in
            let times = try store.entities.map { try snapshot.lastSuccess(of: $0.name) }
            return times.contains(nil) ? nil : times.compactMap(\.self).min()
        }
        let entities = ScheduledEntities(
            entities: store.entities,
            essential: Set(configuration.essential.map { $0.adapter.descriptor.name })
        )
        let excludedNames = configuration.excludedNames
        excluded = { entities.excluded(by: excludedNames()) }
        driver = SchedulerDriver(
            entities: entities,
            policy: configuration.schedule,
            lastSuccess: lastSuccess,
            environment: configuration.environment,
            notBefore: { await remote.backend.conditions().notBefore },
            excluded: excluded,
            perform: { profile in
                let covered = Set(profile.entities)
                return try await remote.sync(
                    SyncOptions(entities: covered == names ? nil : covered),
                    reportingTo: board
                )
            }
        )
    }

    /// Passes an event to the scheduler if it runs. Earlier events are found when it starts.
    func send(_ event: ScheduleEvent) {
        if phase.use({ $0 == .running }) { driver.send(event) }
    }

    /// Syncs now. If the scheduler runs, it does the sync, so that its planned syncs are covered.
    func sync(_ options: SyncOptions) async throws -> SyncReport {
        guard options == SyncOptions(), phase.use({ $0 == .running }) else {
            var options = options
            let excluded = excluded()
            if options.entities == nil, !excluded.isEmpty {
                options.entities = Set(store.entities.map(\.name)).subtracting(excluded)
            }
            return try await remote.sync(options, reportingTo: board)
        }
        return try await driver.syncNow()
    }

    /// The remote may accept the account again.
    func accountResumed() async {
        await remote.backend.accountResumed()
        board.update { $0.account = .signedIn }
        resume.yield()
        send(.accountResumed)
    }

    /// Ends `run`, also one that has not begun.
    func stop() {
        let wasIdle = phase.use { phase in
            defer { if phase == .idle { phase = .ended } }
            return phase == .idle
        }
        if !wasIdle { send(.stop) }
    }

    /// Runs until the task is cancelled or the scheduler is stopped. Only once.
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
        var lastSuccess: Timestamp?
        for await snapshot in await driver.snapshots() {
            // What ended the hints may be over.
            if snapshot.lastSuccess != lastSuccess { resume.yield() }
            lastSuccess = snapshot.lastSuccess
            board.update {
                $0.nextRetry = snapshot.nextRetry
                $0.schedule = snapshot.phase
                $0.account = snapshot.isAccountPaused ? .paused : .signedIn
            }
        }
    }

    /// Passes on the remote's hints, and starts again after the account is resumed or a sync has succeeded.
    private func followHints(_ feed: ScheduleFeed) async {
        while !Task.isCancelled {
            do { return try await feed.followHints() } catch {
                // After the remote denied permission, nothing is asked for again until somebody acts.
                let advice = (error as? SyncError)?.retry ?? .afterSignIn
                if advice == .afterSignIn { driver.send(.accountPaused) }
            }
            var turns = resumed.makeAsyncIterator()
            guard await turns.next() != nil else { return }
        }
    }
}
