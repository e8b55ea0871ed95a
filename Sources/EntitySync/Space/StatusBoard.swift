import Foundation
import SyncCore
import SyncRuntime

/// What engine, scheduler and account tell about themselves, and who wants to know.
final class StatusBoard: @unchecked Sendable {
    // All below is only touched inside `lock`.
    private let lock = NSLock()
    private var facts = SyncStatus.Outside()
    /// Syncs that were asked for and have not ended; one at a time runs.
    private var attempts = 0
    private var followers: [Int: @Sendable (SyncStatus.Outside) -> Void] = [:]
    private var nextID = 0

    /// Takes what happens, where anybody wants to know.
    private let log: (@Sendable (SyncEvent) -> Void)?

    init(log: (@Sendable (SyncEvent) -> Void)? = nil) {
        self.log = log
    }

    /// What is known now.
    var outside: SyncStatus.Outside { lock.withLock { facts } }

    /// Changes what is known, and tells it when it is something else.
    func update(_ change: (inout SyncStatus.Outside) -> Void) {
        let phase: ScheduleSnapshot.Phase? = lock.withLock {
            let before = facts
            change(&facts)
            guard facts != before else { return nil }
            for notify in followers.values { notify(facts) }
            return facts.schedule == before.schedule ? nil : facts.schedule
        }
        if let phase { emit(.scheduled(phase)) }
    }

    /// Passes an event on. Never inside `lock`: what the app does with it is not known.
    func emit(_ event: SyncEvent) { log?(event) }

    /// Notes where the running sync is. After the end of one, another that was asked for begins.
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

    /// Notes that a sync has ended, and what came of it.
    func endAttempt(_ change: (inout SyncStatus.Outside) -> Void) {
        update { facts in
            attempts -= 1
            if attempts == 0 { facts.progress = nil }
            change(&facts)
        }
    }

    /// Calls `notify` at once, and after each change.
    func follow(_ notify: @escaping @Sendable (SyncStatus.Outside) -> Void) -> any StoreSubscription {
        lock.withLock {
            let id = nextID
            nextID += 1
            followers[id] = notify
            notify(facts)
            return Subscription(board: self, id: id)
        }
    }

    /// Followers hear nothing any more.
    func stop() {
        let gone = lock.withLock {
            defer { followers = [:] }
            return followers
        }
        withExtendedLifetime(gone) {}
    }

    private func leave(_ id: Int) {
        // NB: let go outside the lock, as what a follower holds may want to leave, too.
        let gone = lock.withLock { followers.removeValue(forKey: id) }
        withExtendedLifetime(gone) {}
    }

    private final class Subscription: StoreSubscription {
        private let board: StatusBoard
        private let id: Int

        init(board: StatusBoard, id: Int) {
            self.board = board
            self.id = id
        }

        deinit { cancel() }

        func cancel() { board.leave(id) }
    }
}

/// Several places on lists that are left together.
final class Subscriptions: StoreSubscription {
    private let all: [any StoreSubscription]

    init(_ all: [any StoreSubscription]) {
        self.all = all
    }

    func cancel() {
        for subscription in all { subscription.cancel() }
    }
}
