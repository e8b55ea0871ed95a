import Foundation
import SyncCore
import SyncRuntime

/// Collects what engine, scheduler and account report, and notifies subscribers.
final class StatusBoard: @unchecked Sendable {
    private typealias Follower = @Sendable (SyncStatus.Outside) -> Void

    /// Held while subscribers are notified, so that no status arrives after a later one. Always before `lock`.
    ///
    /// NB: they are not notified inside `lock`. Waking a task takes that task's own lock, and cancelling the task ends
    /// its subscription under that lock.
    private let notifying = NSLock()
    // Everything below is only touched inside `lock`.
    private let lock = NSLock()
    private var facts = SyncStatus.Outside()
    /// Syncs that were asked for and have not ended. One of them runs.
    private var attempts = 0
    private var followers: [Int: Follower] = [:]
    private var nextID = 0

    /// Receives events for the app's log.
    private let log: (@Sendable (SyncEvent) -> Void)?

    init(log: (@Sendable (SyncEvent) -> Void)? = nil) {
        self.log = log
    }

    /// What is known now.
    var outside: SyncStatus.Outside { lock.withLock { facts } }

    /// Changes the facts, and notifies subscribers if they differ.
    func update(_ change: (inout SyncStatus.Outside) -> Void) {
        let phase: ScheduleSnapshot.Phase? = notifying.withLock {
            let before = outside
            let (after, notified) = lock.withLock { () -> (SyncStatus.Outside, [Follower]) in
                change(&facts)
                return (facts, facts == before ? [] : Array(followers.values))
            }
            for notify in notified { notify(after) }
            return after.schedule == before.schedule ? nil : after.schedule
        }
        if let phase { emit(.scheduled(phase)) }
    }

    /// Passes an event on. Never inside `lock`: the app's closure may do anything.
    func emit(_ event: SyncEvent) { log?(event) }

    /// Notes the progress of the running sync. After one sync ends, the next one may begin.
    func note(_ progress: SyncProgress) {
        update { facts in
            facts.progress = progress != .finished ? progress : attempts > 1 ? .started : nil
        }
        if progress != .finished { emit(.progress(progress)) }
    }

    /// Notes that a sync was asked for.
    func beginAttempt() {
        update { facts in
            attempts += 1
            if facts.progress == nil { facts.progress = .started }
        }
        emit(.syncStarted)
    }

    /// Notes that a sync has ended, and its result.
    func endAttempt(_ change: (inout SyncStatus.Outside) -> Void) {
        update { facts in
            attempts -= 1
            if attempts == 0 { facts.progress = nil }
            change(&facts)
        }
    }

    /// Calls `notify` at once, and after each change.
    func follow(_ notify: @escaping @Sendable (SyncStatus.Outside) -> Void) -> any StoreSubscription {
        notifying.withLock {
            let (id, now) = lock.withLock {
                let id = nextID
                nextID += 1
                followers[id] = notify
                return (id, facts)
            }
            notify(now)
            return ClosureSubscription { self.leave(id) }
        }
    }

    /// Stops all notifications.
    func stop() {
        let gone = lock.withLock {
            defer { followers = [:] }
            return followers
        }
        withExtendedLifetime(gone) {}
    }

    private func leave(_ id: Int) {
        // Released outside the lock: releasing the follower's closure may unsubscribe others.
        let gone = lock.withLock { followers.removeValue(forKey: id) }
        withExtendedLifetime(gone) {}
    }
}
