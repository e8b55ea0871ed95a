import Foundation
import SyncCore
import SyncRuntime

/// What engine, scheduler and account tell about themselves, and who wants to know.
final class StatusBoard: @unchecked Sendable {
    // All below is only touched inside `lock`.
    private let lock = NSLock()
    private var facts = SyncStatus.Outside()
    private var followers: [Int: @Sendable (SyncStatus.Outside) -> Void] = [:]
    private var nextID = 0

    /// What is known now.
    var outside: SyncStatus.Outside { lock.withLock { facts } }

    /// Changes what is known, and tells it when it is something else.
    func update(_ change: (inout SyncStatus.Outside) -> Void) {
        lock.withLock {
            let before = facts
            change(&facts)
            guard facts != before else { return }
            for notify in followers.values { notify(facts) }
        }
    }

    /// Notes where the running sync is.
    func note(_ progress: SyncProgress) {
        update { $0.progress = progress == .finished ? nil : progress }
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
