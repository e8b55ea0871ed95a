import Foundation
import SyncCore

/// Observers of commits. Commits of other processes are noticed by polling SQLite's data version four times a second,
/// in one task, while there are observers.
final class CommitWatch: Sendable {
    /// The time between two checks.
    static let secondsBetweenChecks = 0.25

    private let sleeper: (any SyncSleeper)?
    private let dataVersion: @Sendable () throws -> Int64?
    /// Held while observers are notified, so that no version arrives after a later one. Always before `state`.
    ///
    /// NB: they are not notified inside `state`. Waking a task takes that task's own lock, and cancelling the task ends
    /// its subscription under that lock.
    private let notifying = NSRecursiveLock()
    private let state = Locked(State())

    private struct State {
        var version = StoreVersion()
        var log = CommitLog()
        /// The number of running transactions.
        var writes = 0
        var followers: [Int: @Sendable (StoreVersion) -> Void] = [:]
        var nextID = 0
        var checking: Task<Void, Never>?
        /// The data version at the last check; nil if unknown.
        var lastSeen: Int64?
    }

    /// - Parameter dataVersion: Returns a number that changes with each commit of another connection; nil if it
    ///   cannot be read now.
    init(sleeper: (any SyncSleeper)?, dataVersion: @escaping @Sendable () throws -> Int64?) {
        self.sleeper = sleeper
        self.dataVersion = dataVersion
    }

    /// Notes that a transaction of this store is about to begin.
    func beginWrite() {
        state.withLock { $0.writes += 1 }
    }

    /// Notes that a transaction has ended, and which records it wrote. Nil if it failed, which may have been after
    /// its commit.
    func endWrite(_ changes: [String: ChangedKeys]?) {
        state.withLock { state in
            state.writes -= 1
            guard let changes else { return state.log.addUnknown() }
            if !changes.isEmpty { state.log.add(changes, isKept: !state.followers.isEmpty) }
        }
    }

    /// The number of the last commit that wrote a record; nil during a write.
    var lastCommit: Int64? { state.withLock { $0.writes == 0 ? $0.log.last : nil } }

    /// Keys of an entity's records written after a commit; nil if no longer known.
    func changed(entity: String, since commit: Int64) -> Set<RecordKey>? {
        state.withLock { $0.log.changed(entity: entity, since: commit) }
    }

    /// Notifies observers of a commit of this store.
    func committed(entities: Set<String>) {
        notify { state in
            state.version.countCommit(of: entities)
            return true
        }
    }

    /// Adds an observer, and notifies it of the present version.
    func follow(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        notifying.withLock {
            let (id, version) = state.withLock { state in
                let id = state.nextID
                state.nextID += 1
                state.followers[id] = notify
                if state.checking == nil, let sleeper {
                    // Read before anybody reads records, so that no commit is missed before the first check.
                    state.lastSeen = try? dataVersion()
                    state.checking = startChecking(sleeper)
                }
                return (id, state.version)
            }
            notify(version)
            return ClosureSubscription { self.leave(id) }
        }
    }

    /// Stops checking and all notifications.
    func stop() {
        // Observers are released outside the lock, because that may end another subscription.
        let gone = state.withLock { state in
            defer { state.followers = [:] }
            state.checking?.cancel()
            state.checking = nil
            return state.followers
        }
        withExtendedLifetime(gone) {}
    }

    private func leave(_ id: Int) {
        let gone = state.withLock { state in
            let gone = state.followers.removeValue(forKey: id)
            if state.followers.isEmpty {
                state.checking?.cancel()
                state.checking = nil
            }
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    /// Notifies all observers if the change says so.
    private func notify(change: (inout State) -> Bool) {
        notifying.withLock {
            let (followers, version) = state.withLock { state in
                (change(&state) ? Array(state.followers.values) : [], state.version)
            }
            for notify in followers { notify(version) }
        }
    }

    private func startChecking(_ sleeper: any SyncSleeper) -> Task<Void, Never> {
        // The task must not keep this watch, and with it the store, alive.
        Task { [weak self] in
            while true {
                do { try await sleeper.sleep(seconds: Self.secondsBetweenChecks) } catch { return }
                guard !Task.isCancelled, let watch = self else { return }
                watch.checkOnce()
            }
        }
    }

    private func checkOnce() {
        // A failed check, for example of a busy file, is repeated. Reads report errors to callers that can act on
        // them.
        guard let seen = try? dataVersion() else { return }
        notify { state in
            defer { state.lastSeen = seen }
            if state.lastSeen == seen { return false }
            state.version.countForeignCommit()
            return true
        }
    }
}
