public import SyncCore
public import SyncRuntime

/// Performs the decisions of a `ScheduleState`: starts and cancels syncs, waits, and answers callers.
///
/// All work happens inside `run()`. It returns after `stop()` or when its task is cancelled, and only once the last
/// sync has ended. Nothing outlives it.
public actor SchedulerDriver {
    private var state: ScheduleState
    private let environment: SpaceEnvironment
    private let setback: @Sendable (any Error) -> Setback
    private let notBefore: @Sendable () async -> Timestamp?
    private let excluded: @Sendable () -> Set<String>
    private let perform: @Sendable (SyncProfile) async throws -> SyncReport

    // Unbounded, because no event may be lost. Each event is taken at once and never waits for a sync. At most one
    // hint waits, since a remote may send any number of them.
    private let inbox: AsyncStream<Message>
    private nonisolated let post: AsyncStream<Message>.Continuation
    private nonisolated let hints = WaitingHints()
    private var isRunning = false
    private var hasEnded = false

    private var lastResult: Result<SyncReport, any Error>?
    private var requests: [UInt64: AsyncThrowingStream<SyncReport, any Error>.Continuation] = [:]
    private var requestCount: UInt64 = 0
    private var readers: [AsyncStream<ScheduleSnapshot>.Continuation] = []
    private var waitsForEnd: [AsyncStream<Never>.Continuation] = []
    private var syncSwitch: CancelSwitch?
    private var timerSwitch: CancelSwitch?

    /// A message to the loop in `run()`.
    private enum Message: Sendable {
        case event(ScheduleEvent)
        case hints
        case window(seconds: Double)
        case finished(Result<SyncReport, any Error>, notBefore: Timestamp?)
    }

    /// Makes a scheduler; nothing happens before `run()`.
    ///
    /// `lastSuccess` is when all entities were last synced, in an earlier run of the app. `setback` converts an
    /// error; by default a `SyncError` has its own advice. `notBefore` is asked after each sync: the earliest time for the
    /// next request, by the remote's last answer (`RemoteConditions.notBefore`). `excluded` is asked at each event: the
    /// entities that are not synced at present. `perform` runs one sync of the given
    /// entities. It is never called again before it has returned, and should end soon when its task is cancelled.
    public init(
        entities: ScheduledEntities,
        policy: SchedulePolicy = SchedulePolicy(),
        lastSuccess: Timestamp? = nil,
        environment: SpaceEnvironment,
        setback: @escaping @Sendable (any Error) -> Setback = { Setback($0) },
        notBefore: @escaping @Sendable () async -> Timestamp? = { nil },
        excluded: @escaping @Sendable () -> Set<String> = { [] },
        perform: @escaping @Sendable (SyncProfile) async throws -> SyncReport
    ) {
        state = ScheduleState(
            entities: entities,
            policy: policy,
            isOnline: environment.connectivity.isOnline,
            lastSuccess: lastSuccess
        )
        self.environment = environment
        self.setback = setback
        self.notBefore = notBefore
        self.excluded = excluded
        self.perform = perform
        (inbox, post) = AsyncStream.makeStream()
    }

    /// Sends an event and returns at once. Events sent before `run()` are kept; events after `stop()` are dropped.
    /// `syncFinished`, `remoteAsksToWait`, `timerFired` and `manual` are the driver's own: use `syncNow` to ask for a sync.
    public nonisolated func send(_ event: ScheduleEvent) {
        switch event {
        case .syncFinished, .timerFired, .manual, .remoteAsksToWait: break
        case .hint(let names): if hints.add(names) { post.yield(.hints) }
        default: post.yield(.event(event))
        }
    }

    /// Syncs all entities now, regardless of the backoff, and returns the report. Calls at about the same time share
    /// one sync. Before `run()`, the call waits for it.
    ///
    /// Throws the error of the sync, `SyncError` `unreachable` without a network, and `CancellationError` once
    /// stopped or if the caller is cancelled; the sync then continues.
    public func syncNow() async throws -> SyncReport {
        if hasEnded { throw CancellationError() }
        requestCount += 1
        let id = requestCount
        let (answers, answer) = AsyncThrowingStream.makeStream(of: SyncReport.self)
        requests[id] = answer
        defer { requests[id] = nil }
        post.yield(.event(.manual(id: id)))
        for try await report in answers { return report }
        throw CancellationError()
    }

    /// The status now and after each change. A slow reader gets only the newest. Ends with `run()`.
    public func snapshots() -> AsyncStream<ScheduleSnapshot> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ScheduleSnapshot.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        reader.yield(state.snapshot)
        if hasEnded { reader.finish() } else { readers.append(reader) }
        return stream
    }

    /// The present status.
    public var snapshot: ScheduleSnapshot { state.snapshot }

    /// How many callers of `syncNow` are waiting.
    package var requestsWaiting: Int { requests.count }

    /// Cancels the running sync, starts no other, and returns when `run()` is about to return.
    public func stop() async {
        post.yield(.event(.stop))
        guard isRunning else { return end() }
        let (ending, end) = AsyncStream.makeStream(of: Never.self)
        waitsForEnd.append(end)
        for await _ in ending {}
    }

    /// Runs until stopped. A second call, or a call after `stop()`, returns at once.
    public func run() async {
        guard !isRunning, !hasEnded else { return }
        isRunning = true
        // NB: not in the tasks, which may begin later: what changes before they listen would be missed for ever.
        let changes = environment.connectivity.changes()
        let windows = environment.background.events()
        // NB: it keeps nothing of the tasks that have ended, of which there is one for each sync and each timer.
        await withDiscardingTaskGroup { group in
            group.addTask { [post] in
                for await isOnline in changes {
                    post.yield(.event(.connectivity(isOnline: isOnline)))
                }
            }
            group.addTask { [post] in
                for await event in windows {
                    switch event {
                    case .began(let seconds): post.yield(.window(seconds: seconds))
                    case .expired: post.yield(.event(.backgroundWindowEnded))
                    }
                }
            }
            // The network may have changed since `init`, before anybody listened.
            handle(.connectivity(isOnline: environment.connectivity.isOnline), group: &group)
            for await message in inbox {
                take(message, group: &group)
                if state.isStopped, state.running == nil { break }
            }
            // After a cancellation, a sync may still run. It is cancelled with the group.
            group.cancelAll()
        }
        end()
    }

    private func end() {
        guard !hasEnded else { return }
        hasEnded = true
        isRunning = false
        post.finish()
        let now = environment.clock.now()
        _ = state.handle(.stop, now: now, fraction: 0)
        _ = state.handle(.syncFinished(.cancelled), now: now, fraction: 0)
        publish(state.snapshot)
        for request in requests.values { request.finish(throwing: CancellationError()) }
        if state.holdsWindow { environment.background.release(success: false) }
        for reader in readers { reader.finish() }
        for wait in waitsForEnd { wait.finish() }
        readers = []
        waitsForEnd = []
    }
}

// MARK: Actions

extension SchedulerDriver {
    private func take(_ message: Message, group: inout DiscardingTaskGroup) {
        switch message {
        case .event(let event): handle(event, group: &group)
        case .hints: if let names = hints.take() { handle(.hint(entities: names.known), group: &group) }
        case .window(let seconds):
            let deadline = environment.clock.now().after(seconds: seconds)
            handle(.backgroundWindow(deadline: deadline), group: &group)
        case .finished(let result, let notBefore):
            lastResult = result
            handle(.remoteAsksToWait(until: notBefore), group: &group)
            handle(.syncFinished(ending(result: result)), group: &group)
        }
    }

    private func ending(result: Result<SyncReport, any Error>) -> SyncEnding {
        switch result {
        case .success(let report) where report.outcome != .failed && report.leavesChanges: .unfinished
        case .success(let report) where report.outcome == .synced: .synced
        case .success(let report) where report.outcome == .partial: .partial
        case .success: .failed(Setback(retry: .later))
        case .failure(let error) where error is CancellationError: .cancelled
        case .failure(let error): .failed(setback(error))
        }
    }

    private func handle(_ event: ScheduleEvent, group: inout DiscardingTaskGroup) {
        let now = environment.clock.now()
        state.excluded = excluded()
        for action in state.handle(event, now: now, fraction: environment.random.fraction()) {
            switch action {
            case .startSync(let profile, _): start(profile, group: &group)
            case .cancelSync: syncSwitch = nil
            case .setTimer(let id, let time): wait(id, seconds: time.seconds(since: now), group: &group)
            case .cancelTimer: timerSwitch = nil
            case .answer(let ids, let answer): finishRequests(ids, with: answer)
            case .requestBackgroundTime: environment.background.request()
            case .releaseBackgroundTime(let success): environment.background.release(success: success)
            case .reportStatus(let snapshot): publish(snapshot)
            }
        }
    }

    private func start(_ profile: SyncProfile, group: inout DiscardingTaskGroup) {
        let (turn, off) = CancelSwitch.make()
        syncSwitch = turn
        group.addTask { [perform, notBefore, post] in
            await off.run {
                let result: Result<SyncReport, any Error>
                do { result = .success(try await perform(profile)) } catch { result = .failure(error) }
                post.yield(.finished(result, notBefore: await notBefore()))
            }
        }
    }

    private func wait(_ id: UInt64, seconds: Double, group: inout DiscardingTaskGroup) {
        let (turn, off) = CancelSwitch.make()
        timerSwitch = turn
        group.addTask { [environment, post] in
            await off.run {
                do {
                    try await environment.wait(seconds)
                    post.yield(.event(.timerFired(id: id)))
                } catch {
                    // Only a cancelled wait ends without an event. Nobody needs that event any more.
                }
            }
        }
    }

    private func finishRequests(_ ids: [UInt64], with answer: ManualAnswer) {
        for id in ids {
            guard let request = requests[id] else { continue }
            switch (answer, lastResult) {
            case (.result, .success(let report)?):
                request.yield(report)
                request.finish()
            case (.result, .failure(let error)?): request.finish(throwing: error)
            case (.offline, _): request.finish(throwing: SyncError.offline())
            case (.stopped, _), (.result, nil): request.finish(throwing: CancellationError())
            }
        }
    }

    private func publish(_ snapshot: ScheduleSnapshot) {
        readers.removeAll { reader in
            if case .terminated = reader.yield(snapshot) { return true }
            return false
        }
    }
}
