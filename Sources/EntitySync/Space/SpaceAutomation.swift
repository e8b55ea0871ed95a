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
        _ store: SpaceStore,
        _ remote: SpaceRemote,
        _ board: StatusBoard,
        _ configuration: SpaceConfiguration
    ) {
        self.store = store
        self.remote = remote
        self.board = board
        (resumed, resume) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let surroundings = configuration.surroundings
        let names = Set(store.entities.map(\.name))
        // NB: where it cannot be read, all is taken for old, and the first use of the store says why.
        let lastSuccess = try? store.read { try $0.value(StoreValue.lastSuccess).flatMap { Timestamp($0) } }
        driver = SchedulerDriver(
            ScheduledEntities(
                store.entities,
                essential: Set(configuration.essential.map { $0.adapter.descriptor.name })
            ),
            policy: configuration.schedule,
            lastSuccess: lastSuccess,
            surroundings: ScheduleSurroundings(
                clock: surroundings.clock,
                sleeper: surroundings.sleeper,
                random: surroundings.random,
                connectivity: surroundings.connectivity,
                background: surroundings.background
            )
        ) { profile in
            let covered = Set(profile.entities)
            return try await remote.sync(
                SyncOptions(entities: covered == names ? nil : covered),
                telling: board
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
            return try await remote.sync(options, telling: board)
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
            group.addTask { await self.followHints() }
            group.addTask { await self.followOthers() }
            if startsActive { driver.send(.appBecameActive) }
            await driver.run()
            group.cancelAll()
        }
        phase.use { $0 = .ended }
        board.update { $0.nextRetry = nil }
    }

    private func followScheduler() async {
        for await snapshot in await driver.snapshots() {
            board.update {
                $0.nextRetry = snapshot.nextRetry
                $0.account = snapshot.isAccountPaused ? .paused : .signedIn
            }
        }
    }

    /// Passes on what the remote tells, again after the account was let in again.
    private func followHints() async {
        while !Task.isCancelled, let hints = remote.backend.hints() {
            do {
                for try await _ in hints { driver.send(.hint(entities: nil)) }
                return
            } catch {
                // NB: what the remote does not permit is not asked for again until somebody acts.
                driver.send(.accountPaused)
            }
            var turns = resumed.makeAsyncIterator()
            guard await turns.next() != nil else { return }
        }
    }

    /// Passes on what waited when this began, and what other processes write.
    private func followOthers() async {
        var last: Int64 = 0
        var seen: UInt64?
        let commits = AsyncStream(following: { store.changes($0) }, signal: { $0.foreign })
        for await count in commits where count != seen {
            seen = count
            // NB: a store that cannot be read tells so to those who use it; here the next commit is looked at.
            guard let (sequence, waiting) = try? waiting() else { continue }
            if sequence != last, !waiting.isEmpty { driver.send(.localWrite(entities: waiting)) }
            last = sequence
        }
    }

    /// The last sequence number, and the entities of which something waits to be pushed.
    private func waiting() throws -> (Int64, Set<String>) {
        try store.read { snapshot in
            // NB: asked at each commit of another process, and counting would walk an index of every entity.
            let waiting = try store.entities.filter { try snapshot.hasPending($0) }
            return (try snapshot.lastSequence(), Set(waiting.map(\.name)))
        }
    }
}

extension StoreSnapshot {
    /// Whether a record waits to be pushed.
    fileprivate func hasPending(_ entity: EntityDescriptor) throws -> Bool {
        var isFound = false
        for areDeleted in [false, true] where !isFound {
            try pending(entity, areDeleted: areDeleted) { _ in
                isFound = true
                return false
            }
        }
        return isFound
    }
}
