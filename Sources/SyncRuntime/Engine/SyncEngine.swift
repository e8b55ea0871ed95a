public import SyncCore

/// Brings one store and one remote together. Single-flight: a request made while a sync runs is served by one more
/// sync after it, shared by all who asked meanwhile.
///
/// The engine awaits only its ports and starts no tasks, so one sync is one sequence of steps that can be replayed.
public actor SyncEngine {
    private let store: any LocalStore
    private let backend: any RemoteBackend
    private let surroundings: SyncSurroundings
    private let onProgress: @Sendable (SyncProgress) -> Void
    private var isRunning = false
    private var waiting: [Waiting] = []

    /// Connects a store and a remote. `onProgress` is called on the engine's executor.
    public init(
        store: any LocalStore,
        backend: any RemoteBackend,
        surroundings: SyncSurroundings,
        onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        self.store = store
        self.backend = backend
        self.surroundings = surroundings
        self.onProgress = onProgress
    }

    /// Runs one sync: pull, plan, apply, push, acknowledge. Throws `SyncError`; what was taken in or acknowledged
    /// until then stays.
    public func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        if isRunning {
            switch await withCheckedContinuation({
                waiting.append(Waiting(options: options, continuation: $0))
            }) {
            case .done(let result): return try result.get()
            case .lead: break
            }
        }
        isRunning = true
        let result = await run(options)
        passOn(options, result)
        return try result.get()
    }

    /// Wakes the first of those who wait; it runs one sync for all of them that asked for the same.
    private func passOn(_ options: SyncOptions, _ result: Result<SyncReport, any Error>) {
        for follower in followers { follower.continuation.resume(returning: .done(result)) }
        followers = []
        guard !waiting.isEmpty else {
            isRunning = false
            return
        }
        let leader = waiting.removeFirst()
        followers = waiting.filter { $0.options == leader.options }
        waiting.removeAll { $0.options == leader.options }
        leader.continuation.resume(returning: .lead)
    }

    private var followers: [Waiting] = []

    private struct Waiting {
        var options: SyncOptions
        var continuation: CheckedContinuation<Turn, Never>
    }

    private enum Turn: Sendable {
        case lead
        case done(Result<SyncReport, any Error>)
    }

    private func run(_ options: SyncOptions) async -> Result<SyncReport, any Error> {
        let startedAt = surroundings.clock.now()
        do {
            let lease = try store.lease()
            defer { lease.close() }
            let run = SyncRun(
                store: store,
                backend: backend,
                surroundings: surroundings,
                startedAt: startedAt,
                onProgress: onProgress
            )
            do {
                let report =
                    options.isDryRun ? try await run.rehearse(options) : try await run.perform(options)
                onProgress(.finished)
                return .success(report)
            } catch {
                if !options.isDryRun { remember(error, startedAt, await backend.conditions()) }
                throw error
            }
        } catch {
            return .failure(error)
        }
    }

    /// Keeps a failure for those who look later.
    private func remember(_ error: any Error, _ startedAt: Timestamp, _ conditions: RemoteConditions) {
        var sync = PastSync(started: startedAt, ended: surroundings.clock.now(), error: error)
        sync.note(conditions)
        // NB: where this fails, too, the failure of the sync is the one to be told.
        try? store.write(.pulled) { try $0.addHistory(sync) }
    }
}

/// What an engine needs from outside.
public struct SyncSurroundings: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Random bits.
    public var random: any RandomSource
    /// A name of this device for people.
    public var label: String

    /// Gathers what an engine needs.
    public init(clock: any SyncClock, random: any RandomSource, label: String) {
        self.clock = clock
        self.random = random
        self.label = label
    }
}
