public import SyncCore
public import SyncRuntime

/// Decides when to sync which entities. A pure value: it takes events with their time and returns actions. It reads
/// no clock, draws no random numbers and starts nothing. `SchedulerDriver` performs the actions.
///
/// Single-flight: no other sync starts between `startSync` and its `syncFinished`. Events in between are served by
/// one sync afterwards.
///
/// Times are wall-clock times, and the clock may jump. All waits are instants. They move with the clock when it goes
/// backwards, or when the timer shows that more time has passed than the clock does: a jump back costs at most one
/// more wait. A jump ahead ends waits early, each once.
public struct ScheduleState: Sendable {
    /// The entities to sync.
    public let entities: ScheduledEntities
    /// Delays, periods and limits.
    public let policy: SchedulePolicy
    /// The state as last reported.
    public internal(set) var snapshot = ScheduleSnapshot()

    // MARK: What is known
    var isOnline: Bool
    /// The entities that a person does not want to sync at present. What they would be synced for is forgotten.
    package var excluded: Set<String> = []
    var isForeground = false
    var isPaused = false
    var isStopped = false
    /// The background time is over; nothing starts automatically.
    var isSuspended = false
    var hasLaunched = false
    /// The end of the background time that may still be used.
    var window: Timestamp?
    /// Whether background time must be given back.
    var holdsWindow = false
    /// Whether planned work was not done in the background time.
    var hasFailedInWindow = false

    // MARK: What is to be done
    var wants = ScheduleWants()
    var manual: [UInt64] = []
    var running: Run?
    var backoff = ScheduleBackoff()
    var nextPeriod: Timestamp?
    /// When each entity was last synced, in a time that moves with the clock.
    var freshAt: [String: Timestamp] = [:]

    var timer: Timer?
    var timerCount: UInt64 = 0
    /// The snapshot that was last reported; nil before the first.
    var reported: ScheduleSnapshot?
    private var lastSeen: Timestamp?

    /// A sync that has started and not ended.
    struct Run: Sendable {
        var profile: SyncProfile
        var reasons: Set<SyncReason>
        var taken: ScheduleWants
        var manual: [UInt64]
        var start: Timestamp
        var isCancelled = false
    }

    struct Timer: Sendable, Hashable {
        var id: UInt64
        var time: Timestamp
    }

    /// Starts idle. `lastSuccess` is when all entities were last synced, in an earlier run of the app.
    public init(
        entities: ScheduledEntities,
        policy: SchedulePolicy = SchedulePolicy(),
        isOnline: Bool = true,
        lastSuccess: Timestamp? = nil
    ) {
        self.entities = entities
        self.policy = policy
        self.isOnline = isOnline
        snapshot.lastSuccess = lastSuccess
        if let lastSuccess { for name in entities.names { freshAt[name] = lastSuccess } }
    }

    /// Takes an event and returns actions, in order. `fraction` is random, from 0 up to 1, for this event.
    public mutating func handle(
        _ event: ScheduleEvent,
        now: Timestamp,
        fraction: Double
    ) -> [ScheduleAction] {
        follow(event, now: now)
        var actions: [ScheduleAction] = []
        take(event, now: now, fraction: fraction, actions: &actions)
        decide(now, fraction: fraction, actions: &actions)
        return actions
    }

    /// Moves all instants with a clock that went backwards, or that is behind the timer.
    private mutating func follow(_ event: ScheduleEvent, now: Timestamp) {
        if let lastSeen, now < lastSeen { shift(by: now.microseconds - lastSeen.microseconds) }
        if let timer, event == .timerFired(id: timer.id) {
            if now < timer.time { shift(by: now.microseconds - timer.time.microseconds) }
            self.timer = nil
        }
        lastSeen = now
    }

    private mutating func shift(by microseconds: Int64) {
        wants.shift(by: microseconds)
        backoff.shift(by: microseconds)
        running?.taken.shift(by: microseconds)
        running?.start.microseconds += microseconds
        nextPeriod?.microseconds += microseconds
        window?.microseconds += microseconds
        timer?.time.microseconds += microseconds
        for name in freshAt.keys { freshAt[name]?.microseconds += microseconds }
    }

    /// Notes an event. Decisions follow afterwards, in the same way for all events.
    private mutating func take(
        _ event: ScheduleEvent,
        now: Timestamp,
        fraction: Double,
        actions: inout [ScheduleAction]
    ) {
        switch event {
        case .localWrite(let names):
            Burst.add(included(names), now: now, to: &wants.written)
            backoff.liftHalt()
            wake()
        case .hint(let names):
            Burst.add(included(names), now: now, to: &wants.hinted)
            liftHaltOfWay()
            wake()
        case .appBecameActive: becomeActive(now: now, fraction: fraction)
        case .appEnteredBackground: enterBackground(&actions)
        case .connectivity(let isOnline): connect(isOnline, now: now)
        case .manual(let id): request(id, now: now, actions: &actions)
        case .tick: if isForeground { wants.add(.periodic, names: entities.all) }
        case .backgroundWindow(let deadline):
            guard !isForeground, !isStopped else {
                return actions.append(.releaseBackgroundTime(success: !isStopped))
            }
            window = deadline
            holdsWindow = true
            hasFailedInWindow = false
            isSuspended = false
            if isDue(after: policy.backgroundQuietSeconds, now: now) {
                wants.add(.background, names: entities.all)
            }
            backoff.revive(policy)
        case .backgroundWindowEnded: closeWindow(&actions)
        case .remoteAsksToWait(let time):
            backoff.wait(until: time, now: now, fraction: fraction, policy: policy)
        case .syncFinished(let ending): finish(ending, now: now, fraction: fraction, actions: &actions)
        case .accountPaused: isPaused = true
        case .accountResumed:
            isPaused = false
            backoff.changeAccount(policy)
            wants.add(.account, names: entities.all)
        case .timerFired: break
        case .stop: stop(&actions)
        }
    }

    /// The entities that an event concerns, without those that are excluded.
    private func included(_ names: Set<String>?) -> Set<String> {
        entities.known(some: names).subtracting(excluded)
    }

    /// A new event arrived, so the process has time to run.
    private mutating func wake() {
        // While a sync is being cancelled for lack of time, a write must not start the next one after the deadline.
        if running?.isCancelled != true { isSuspended = false }
    }

    private mutating func becomeActive(now: Timestamp, fraction: Double) {
        isForeground = true
        isSuspended = false
        window = nil
        wants.scopes[.background] = nil
        if !hasLaunched {
            hasLaunched = true
            wants.add(.launch, names: entities.all)
        } else if isDue(after: policy.activeQuietSeconds, now: now) {
            wants.add(.active, names: entities.all)
        }
        if nextPeriod == nil { nextPeriod = now.after(seconds: policy.period(fraction: fraction)) }
        liftHaltOfWay()
        backoff.revive(policy)
    }

    /// What stood between here and the remote, such as a portal, may be gone.
    private mutating func liftHaltOfWay() {
        if snapshot.lastFailure?.setback.fault == .way { backoff.liftHalt() }
    }

    private mutating func enterBackground(_ actions: inout [ScheduleAction]) {
        isForeground = false
        nextPeriod = nil
        // Nobody is typing any more, so there is no need to wait.
        if let written = wants.written { wants.add(.write, names: written.names) }
        if running != nil || (wants.written != nil && mayStart) { actions.append(.requestBackgroundTime) }
    }

    private mutating func connect(_ isOnline: Bool, now: Timestamp) {
        let isBack = isOnline && !self.isOnline
        self.isOnline = isOnline
        guard isBack else { return }
        liftHaltOfWay()
        backoff.revive(policy)
        if isDue(after: policy.connectivityQuietSeconds, now: now) {
            wants.add(.connectivity, names: entities.all)
        }
    }

    private mutating func request(_ id: UInt64, now: Timestamp, actions: inout [ScheduleAction]) {
        if isStopped { return actions.append(.answer(ids: [id], .stopped)) }
        backoff.liftHalt()
        if let running, !running.manual.isEmpty, !running.isCancelled, wants.written == nil,
            now.seconds(since: running.start) <= policy.joinSeconds
        {
            self.running?.manual.append(id)
        } else {
            manual.append(id)
        }
    }

    private mutating func stop(_ actions: inout [ScheduleAction]) {
        isStopped = true
        cancel(&actions)
        if !manual.isEmpty { actions.append(.answer(ids: manual, .stopped)) }
        manual = []
    }

    /// Whether no sync of these entities began in the last `seconds` seconds, and none is about to begin. A start in
    /// the future does not count.
    private func isDue(after seconds: Double, now: Timestamp) -> Bool {
        var names = entities.all.subtracting(excluded)
        func isRecent(_ start: Timestamp) -> Bool {
            let age = now.seconds(since: start)
            return age >= 0 && age <= seconds
        }
        if let running, !running.isCancelled, isRecent(running.start) {
            names.subtract(running.profile.entities)
        }
        for scope in wants.scopes.values { names.subtract(scope) }
        return seconds < .infinity && names.contains { name in !(freshAt[name].map(isRecent) ?? false) }
    }
}
