package import SyncCore
package import SyncSchedule

/// Feeds a scheduler with events that it cannot see: hints of the remote, and commits of other processes.
package struct ScheduleFeed: Sendable {
    private let driver: SchedulerDriver
    private let remote: any RemoteBackend
    private let store: any LocalStore

    /// Makes a feed. It reports commits of other processes only if the store was opened with a sleeper.
    package init(driver: SchedulerDriver, remote: any RemoteBackend, store: any LocalStore) {
        (self.driver, self.remote, self.store) = (driver, remote, store)
    }

    /// Passes on the remote's hints until they end. Throws the error that ends them.
    package func followHints() async throws {
        guard remote.capabilities.contains(.changeHints) else { return }
        for try await _ in remote.hints() { driver.send(.hint(entities: nil)) }
    }

    /// Passes on records that wait at the start, and later commits of other processes.
    package func followCommits() async {
        var last: Int64 = 0
        var seen: UInt64?
        let commits = AsyncStream(following: { store.changes($0) }, signal: { $0.foreign })
        for await count in commits where count != seen {
            seen = count
            // If the store cannot be read, its other users report that. Here the next commit is awaited.
            guard let (sequence, waiting) = try? waiting() else { continue }
            if sequence != last, !waiting.isEmpty { driver.send(.localWrite(entities: waiting)) }
            last = sequence
        }
    }

    /// The last sequence number, and the entities with pending records.
    private func waiting() throws -> (Int64, Set<String>) {
        try store.read { snapshot in
            // This runs at each commit of another process. Counting would walk an index of every entity.
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
            try pending(entity: entity, areDeleted: areDeleted, after: nil) { _ in
                isFound = true
                return false
            }
        }
        return isFound
    }
}
