package import SyncCore
package import SyncRuntime

/// Tells a scheduler what it cannot see by itself: what the remote says, and what other processes write.
package struct ScheduleFeed: Sendable {
    private let driver: SchedulerDriver
    private let remote: any RemoteBackend
    private let store: any LocalStore

    /// What happens around a store. It tells of commits of other processes only if it was opened with a sleeper.
    package init(driver: SchedulerDriver, remote: any RemoteBackend, store: any LocalStore) {
        (self.driver, self.remote, self.store) = (driver, remote, store)
    }

    /// Passes on what the remote tells, until it tells no more. Throws what the remote ends with.
    package func followHints() async throws {
        guard remote.capabilities.contains(.changeHints) else { return }
        for try await _ in remote.hints() { driver.send(.hint(entities: nil)) }
    }

    /// Passes on what waited when this began, and what other processes write.
    package func followCommits() async {
        var last: Int64 = 0
        var seen: UInt64?
        let commits = AsyncStream(following: { store.changes($0) }, signal: { $0.foreign })
        for await count in commits where count != seen {
            seen = count
            // NB: a store that cannot be read tells so to those who use it; here the next commit is looked at.
            guard let (sequence, waiting) = try? waiting() else { continue }
            if sequence != last, !waiting.isEmpty { driver.send(.localWrite(entities: waiting)) }
            last = sequence
        }
    }

    /// The last sequence number, and the entities of which something waits to be pushed.
    private func waiting() throws -> (Int64, Set<String>) {
        try store.read { snapshot in
            // NB: asked at each commit of another process, and counting would walk an index of every entity.
            let waiting = try store.entities.filter { try snapshot.hasPending($0) }
            return (try snapshot.lastSequence(), Set(waiting.map(\.name)))
        }
    }
}

extension StoreSnapshot {
    /// Whether a record waits to be pushed.
    fileprivate func hasPending(_ entity: EntityDescriptor) throws -> Bool {
        var isFound = false
        for areDeleted in [false, true] where !isFound {
            try pending(entity: entity, areDeleted: areDeleted) { _ in
                isFound = true
                return false
            }
        }
        return isFound
    }
}
