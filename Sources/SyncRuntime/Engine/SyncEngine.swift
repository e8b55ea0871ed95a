public import SyncCore

/// Syncs one store with one remote. Single-flight: all requests made while a sync runs share one more sync after it.
///
/// The engine awaits only its ports, and starts no task but to prepare a push while another is under way, where the remote
/// allows it. So a sync is one sequence of steps that can be replayed.
public actor SyncEngine {
    private let store: any LocalStore
    private let backend: any RemoteBackend
    private let environment: SyncEnvironment
    private let deciding: @Sendable (EntityDescriptor) -> EntityDescriptor
    private let onProgress: @Sendable (SyncProgress) -> Void
    private var isRunning = false
    private var waiting: [Waiting] = []

    /// Connects a store and a remote. `deciding` is asked once per sync for each entity, as by `LocalWriter`. `onProgress`
    /// is called on the engine's executor.
    package init(
        store: any LocalStore,
        backend: any RemoteBackend,
        environment: SyncEnvironment,
        deciding: @escaping @Sendable (EntityDescriptor) -> EntityDescriptor = { $0 },
        onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        self.store = store
        self.backend = backend
        self.environment = environment
        self.deciding = deciding
        self.onProgress = onProgress
    }

    /// Runs one sync: pull, plan, apply, push, acknowledge. Throws `SyncError`; what was taken in or acknowledged
    /// until then stays.
    public func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        let attempt = await attempt(options)
        if let error = attempt.error { throw error }
        return attempt.report
    }

    /// Runs one sync, as `sync` does, but also returns the report of a failed one.
    public func attempt(_ options: SyncOptions = SyncOptions()) async -> SyncAttempt {
        if isRunning {
            switch await withCheckedContinuation({
                waiting.append(Waiting(options: options, continuation: $0))
            }) {
            case .done(let attempt): return attempt
            case .lead: break
            }
        }
        isRunning = true
        let attempt = await run(options: options)
        passOn(options, attempt: attempt)
        return attempt
    }

    /// Wakes the first waiting request. It runs one sync for all waiting requests with the same options.
    private func passOn(_ options: SyncOptions, attempt: SyncAttempt) {
        // The leader's task was cancelled, and theirs were not.
        if attempt.error is CancellationError {
            waiting = followers + waiting
        } else {
            for follower in followers { follower.continuation.resume(returning: .done(attempt)) }
        }
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
        case done(SyncAttempt)
    }

    private func run(options: SyncOptions) async -> SyncAttempt {
        let startedAt = environment.clock.now()
        let requestsBefore = await backend.conditions().requests
        do {
            let lease = try store.lease()
            defer { lease.close() }
            let run = SyncRun(
                store: store,
                backend: backend,
                environment: environment,
                startedAt: startedAt,
                entities: store.entities.map(deciding),
                onProgress: onProgress
            )
            do {
                let report =
                    options.isDryRun ? try await run.rehearse(options) : try await run.run(options)
                onProgress(.finished)
                return SyncAttempt(report: report)
            } catch {
                let conditions = await backend.conditions()
                let failed = error as? FailedRun
                let requests = max(0, conditions.requests - requestsBefore)
                let report = run.report(sync: failed?.sync, requests: requests)
                let cause = failed?.cause ?? error
                if !options.isDryRun {
                    remember(cause, startedAt: startedAt, report: report, conditions: conditions)
                }
                return SyncAttempt(report: report, error: cause)
            }
        } catch {
            let entities = store.entities.map { EntityReport(entity: $0.name) }
            let report = SyncReport(outcome: .failed, requests: 0, entities: entities, diagnostics: [])
            return SyncAttempt(report: report, error: error)
        }
    }

    /// Stores the failure for later status queries.
    private func remember(
        _ error: any Error,
        startedAt: Timestamp,
        report: SyncReport,
        conditions: RemoteConditions
    ) {
        var sync = PastSync(started: startedAt, ended: environment.clock.now(), report: report)
        sync.error = error as? SyncError
        sync.errorKind = sync.error?.kind
        sync.note(conditions)
        // If this fails too, the sync's own failure is still the one to report.
        try? store.write(.pulled) { transaction in
            try transaction.addHistory(sync)
            guard sync.pushed + sync.pulled + sync.merged > 0 else { return }
            try transaction.setValue(StoreValue.lastSync, value: sync.ended.description)
        }
    }
}

/// Dependencies of an engine.
public struct SyncEnvironment: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Random bits.
    public var random: any RandomSource
    /// A name of this device for people.
    public var label: String

    /// Makes an environment.
    public init(clock: any SyncClock, random: any RandomSource, label: String) {
        self.clock = clock
        self.random = random
        self.label = label
    }
}
