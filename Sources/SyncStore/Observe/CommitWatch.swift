import SyncCore

/// Who wants to know of commits, and how commits of other processes are noticed: by a look at SQLite's data version,
/// four times a second, by one task, while there is somebody who wants to know.
final class CommitWatch: Sendable {
    /// The time between two looks.
    static let secondsBetweenChecks = 0.25

    private let sleeper: (any SyncSleeper)?
    private let dataVersion: @Sendable () throws -> Int64?
    private let state = Locked(State())

    private struct State {
        var version = StoreVersion()
        var log = CommitLog()
        /// Transactions that run.
        var writes = 0
        var followers: [Int: @Sendable (StoreVersion) -> Void] = [:]
        var nextID = 0
        var looking: Task<Void, Never>?
        /// What the last look saw; nil when it could not be told.
        var lastSeen: Int64?
    }

    /// - Parameter dataVersion: Gives a number that changes with each commit of another connection, and nil when that
    ///   cannot be told at the moment.
    init(sleeper: (any SyncSleeper)?, dataVersion: @escaping @Sendable () throws -> Int64?) {
        self.sleeper = sleeper
        self.dataVersion = dataVersion
    }

    /// Notes that a transaction of this store is about to begin.
    func beginWrite() {
        state.withLock { $0.writes += 1 }
    }

    /// Notes that it has ended, and which records it wrote; nil when it failed, which may have been after its commit.
    func endWrite(_ changes: [String: ChangedKeys]?) {
        state.withLock { state in
            state.writes -= 1
            guard let changes else { return state.log.addUnknown() }
            if !changes.isEmpty { state.log.add(changes, isKept: !state.followers.isEmpty) }
        }
    }

    /// The number of the last commit that wrote a record; nil while somebody writes.
    var lastCommit: Int64? { state.withLock { $0.writes == 0 ? $0.log.last : nil } }

    /// Keys of an entity's records that were written after a commit; nil where that is not known any more.
    func changed(entity: String, since commit: Int64) -> Set<RecordKey>? {
        state.withLock { $0.log.changed(entity: entity, since: commit) }
    }

    /// Tells of a commit of this store.
    func committed(entities: Set<String>) {
        tell { $0.countCommit(of: entities) }
    }

    /// Adds a follower, and tells it the present version.
    func follow(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.followers[id] = notify
            if state.looking == nil, let sleeper {
                // NB: seen before anybody reads, so that no commit falls between that read and the first look.
                state.lastSeen = try? dataVersion()
                state.looking = look(sleeper)
            }
            // NB: told inside the lock, so that no later version comes before this one.
            notify(state.version)
            return Subscription(watch: self, id: id)
        }
    }

    /// Ends looking; followers hear nothing any more.
    func stop() {
        // NB: what followers hold is let go outside the lock, as it may end with a subscription that wants to leave.
        let gone = state.withLock { state in
            defer { state.followers = [:] }
            state.looking?.cancel()
            state.looking = nil
            return state.followers
        }
        withExtendedLifetime(gone) {}
    }

    private func leave(_ id: Int) {
        let gone = state.withLock { state in
            let gone = state.followers.removeValue(forKey: id)
            if state.followers.isEmpty {
                state.looking?.cancel()
                state.looking = nil
            }
            return gone
        }
        withExtendedLifetime(gone) {}
    }

    private func tell(_ change: (inout StoreVersion) -> Void) {
        state.withLock { state in
            change(&state.version)
            for notify in state.followers.values { notify(state.version) }
        }
    }

    private func look(_ sleeper: any SyncSleeper) -> Task<Void, Never> {
        // NB: the task must not keep the watch, and with it the store, alive.
        Task { [weak self] in
            while true {
                do { try await sleeper.sleep(seconds: Self.secondsBetweenChecks) } catch { return }
                guard !Task.isCancelled, let watch = self else { return }
                watch.checkOnce()
            }
        }
    }

    private func checkOnce() {
        // NB: a look that fails, for example on a busy file, is taken again; reads tell errors to who can act on them.
        guard let seen = try? dataVersion() else { return }
        state.withLock { state in
            defer { state.lastSeen = seen }
            if state.lastSeen == seen { return }
            state.version.countForeignCommit()
            for notify in state.followers.values { notify(state.version) }
        }
    }

    /// One follower's place.
    private final class Subscription: StoreSubscription {
        private let watch: CommitWatch
        private let id: Int

        init(watch: CommitWatch, id: Int) {
            self.watch = watch
            self.id = id
        }

        deinit { cancel() }

        func cancel() { watch.leave(id) }
    }
}
