import SyncCore
import SyncRuntime

/// Decisions from the present state.
extension ScheduleState {
    /// Whether an automatic sync may start once it is due.
    var mayStart: Bool {
        isOnline && !isPaused && !isSuspended && !isStopped && backoff.halted == nil && !backoff.isExhausted
    }

    mutating func decide(_ now: Timestamp, fraction: Double, actions: inout [ScheduleAction]) {
        if let end = windowEnd, end <= now { closeWindow(&actions) }
        rollPeriod(now, fraction: fraction)
        if running == nil, !isStopped {
            if !manual.isEmpty {
                if isOnline {
                    startManual(now, actions: &actions)
                } else {
                    answer(&manual, answer: .offline, actions: &actions)
                }
            } else {
                // Once more where all that was due is excluded.
                while let start = nextStart(now: now), start <= now { startDue(now, actions: &actions) }
            }
        }
        releaseWindow(now, actions: &actions)
        setTimer(now, actions: &actions)
        report(now, actions: &actions)
    }

    /// Notes how a sync ended. A success clears failures; a failure puts back what the sync was to cover.
    mutating func finish(
        _ ending: SyncEnding,
        now: Timestamp,
        fraction: Double,
        actions: inout [ScheduleAction]
    ) {
        guard var run = running else { return }
        running = nil
        switch ending {
        case .synced, .partial:
            backoff.succeed()
            hasFailedInWindow = false
            succeed(run, now: now, fraction: fraction)
        case .unfinished:
            succeed(run, now: now, fraction: fraction)
            hasFailedInWindow = true
            wants.add(.write, names: Set(run.profile.entities))
            let isManual = !run.manual.isEmpty
            backoff.fail(
                Setback(retry: .later),
                isManual: isManual,
                now: now,
                fraction: fraction,
                policy: policy
            )
        case .failed(let setback): fail(run, setback: setback, now: now, fraction: fraction)
        case .cancelled where run.isCancelled: giveBack(run)
        case .cancelled: fail(run, setback: Setback(retry: .later), now: now, fraction: fraction)
        }
        answer(&run.manual, answer: .result, actions: &actions)
    }

    private mutating func succeed(_ run: Run, now: Timestamp, fraction: Double) {
        isPaused = false
        snapshot.lastSuccess = now
        snapshot.lastFailure = nil
        for name in run.profile.entities { freshAt[name] = run.start }
        if isForeground, entities.all.subtracting(excluded).isSubset(of: run.profile.entities) {
            nextPeriod = now.after(seconds: policy.period(fraction: fraction))
        }
    }

    private mutating func fail(_ run: Run, setback: Setback, now: Timestamp, fraction: Double) {
        giveBack(run)
        snapshot.lastFailure = ScheduleSnapshot.Failure(time: now, setback: setback)
        if setback.retry == .afterSignIn { isPaused = true }
        // A sync that failed because the network was lost says nothing about the remote.
        if !isOnline, setback.retry == .later { return }
        backoff.fail(setback, isManual: !run.manual.isEmpty, now: now, fraction: fraction, policy: policy)
    }

    private mutating func giveBack(_ run: Run) {
        hasFailedInWindow = true
        wants.restore(run.taken)
        if window == nil { wants.scopes[.background] = nil }
    }

    // MARK: Starting

    private mutating func startManual(_ now: Timestamp, actions: inout [ScheduleAction]) {
        let ids = manual
        manual = []
        let reasons = wants.reasons.union([.manual])
        start(
            SyncProfile(kind: .full, entities: entities.names),
            reasons: reasons,
            ids: ids,
            now: now,
            actions: &actions
        )
    }

    private mutating func startDue(_ now: Timestamp, actions: inout [ScheduleAction]) {
        if let left = wants.scopes[.launch], window == nil, !left.isDisjoint(with: entities.essential) {
            let profile = SyncProfile(kind: .launch, entities: entities.ordered(some: entities.essential))
            return start(profile, reasons: [.launch], ids: [], now: now, actions: &actions)
        }
        let kind: SyncProfile.Kind =
            if wants.scopes[.periodic] != nil {
                .full
            } else if Set(wants.scopes.keys) == [.launch] {
                .rest
            } else {
                .refresh
            }
        let names =
            switch kind {
            case .full: entities.names
            // Their parents were synced at the launch.
            case .rest: entities.names.filter(wants.names.contains)
            case .launch, .refresh: entities.ordered(some: wants.names)
            }
        start(
            SyncProfile(kind: kind, entities: names),
            reasons: wants.reasons,
            ids: [],
            now: now,
            actions: &actions
        )
    }

    private mutating func start(
        _ profile: SyncProfile,
        reasons: Set<SyncReason>,
        ids: [UInt64],
        now: Timestamp,
        actions: inout [ScheduleAction]
    ) {
        _ = wants.take(excluded)
        var profile = profile
        profile.entities.removeAll(where: excluded.contains)
        if profile.entities.isEmpty, ids.isEmpty { return }
        let taken = wants.take(Set(profile.entities))
        running = Run(profile: profile, reasons: reasons, taken: taken, manual: ids, start: now)
        actions.append(.startSync(profile, reasons: reasons))
    }

    /// When the next automatic sync starts; nil if that does not depend on time.
    private func nextStart(now: Timestamp) -> Timestamp? {
        guard mayStart, running == nil else { return nil }
        let wanted = wants.due(now: now, policy: policy)
        guard let due = [wanted, nextPeriod].compactMap({ $0 }).min() else { return nil }
        let start = max(due, backoff.gate ?? due)
        if let end = windowEnd, start >= end { return nil }
        return start
    }

    private mutating func rollPeriod(_ now: Timestamp, fraction: Double) {
        guard let due = nextPeriod, due <= now else { return }
        wants.add(.periodic, names: entities.all)
        nextPeriod = now.after(seconds: policy.period(fraction: fraction))
    }

    // MARK: Background time

    /// The end of usable background time.
    private var windowEnd: Timestamp? { window?.after(seconds: -policy.windowMarginSeconds) }

    mutating func closeWindow(_ actions: inout [ScheduleAction]) {
        guard holdsWindow else { return }
        if running != nil || !wants.isEmpty { hasFailedInWindow = true }
        window = nil
        wants.scopes[.background] = nil
        guard !isForeground else { return }
        isSuspended = true
        cancel(&actions)
    }

    /// Gives background time back in the foreground, or once nothing runs in it and nothing is due before its end.
    private mutating func releaseWindow(_ now: Timestamp, actions: inout [ScheduleAction]) {
        guard holdsWindow, running == nil || isForeground else { return }
        if window != nil, nextStart(now: now) != nil { return }
        let isDone = !hasFailedInWindow && (isForeground || wants.isEmpty)
        holdsWindow = false
        window = nil
        wants.scopes[.background] = nil
        if !isForeground { isSuspended = true }
        actions.append(.releaseBackgroundTime(success: isDone))
    }

    mutating func cancel(_ actions: inout [ScheduleAction]) {
        guard let run = running, !run.isCancelled else { return }
        running?.isCancelled = true
        actions.append(.cancelSync)
    }

    // MARK: Reporting

    private func answer(_ ids: inout [UInt64], answer: ManualAnswer, actions: inout [ScheduleAction]) {
        if !ids.isEmpty { actions.append(.answer(ids: ids, answer)) }
        ids = []
    }

    private mutating func setTimer(_ now: Timestamp, actions: inout [ScheduleAction]) {
        let next = isStopped ? nil : [nextStart(now: now), windowEnd].compactMap { $0 }.min()
        guard next != timer?.time else { return }
        guard let next else {
            timer = nil
            return actions.append(.cancelTimer)
        }
        timerCount += 1
        timer = Timer(id: timerCount, time: next)
        actions.append(.setTimer(id: timerCount, at: next))
    }

    private mutating func report(_ now: Timestamp, actions: inout [ScheduleAction]) {
        var next = snapshot
        next.nextStart = nextStart(now: now)
        next.phase = phase(now: now, start: next.nextStart)
        next.isAccountPaused = isPaused
        guard next != reported else { return }
        snapshot = next
        reported = next
        actions.append(.reportStatus(next))
    }

    private func phase(now: Timestamp, start: Timestamp?) -> ScheduleSnapshot.Phase {
        if let running { return .syncing(running.profile, why: running.reasons) }
        if isStopped { return .stopped }
        if isPaused { return .paused }
        if !isOnline { return .offline }
        if let advice = backoff.halted { return .halted(advice) }
        if backoff.isExhausted { return .gaveUp(attempts: backoff.attempt) }
        if isSuspended { return .suspended }
        guard let start, let due = wants.due(now: now, policy: policy) else { return .idle }
        if backoff.attempt > 0, let gate = backoff.gate, gate > now, gate >= due {
            return .backingOff(until: gate, attempt: backoff.attempt)
        }
        return .waiting(until: start, why: wants.reasons(at: start, policy: policy))
    }
}
