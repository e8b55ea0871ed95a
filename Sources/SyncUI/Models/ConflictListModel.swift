public import EntitySync
public import Observation

/// The conflicts of one entity for views, which update with its properties.
@Observable
@MainActor
public final class ConflictListModel<Entity: SyncEntity> {
    /// The conflicts in key order. Choices that a person has made stay while the conflict is the same.
    public private(set) var conflicts: [ConflictModel<Entity>] = []
    /// Why the conflicts could not be read; nil while all is well. What may pass is tried again after a while.
    public private(set) var error: SyncError?

    private let sleeper: any SyncSleeper

    /// Makes a model without conflicts.
    ///
    /// - Parameter sleeper: Waits before a read that failed is tried again.
    public init(sleeper: any SyncSleeper = SystemSleeper()) { self.sleeper = sleeper }

    /// Observes the conflicts until the task is cancelled or the space is closed.
    public func follow(_ space: SyncSpace) async {
        error = nil
        let conflicts = space.collection(Entity.self).observe { collection, _ in
            try collection.conflicts()
        }
        await conflicts.follow(sleeper: sleeper, show: { show($0) }, fail: { error = $0 })
    }

    /// Reads the conflicts once, for previews and tests.
    public func load(_ space: SyncSpace) {
        error = nil
        do { show(try space.collection(Entity.self).conflicts()) } catch {
            self.error = SyncError(shown: error)
        }
    }

    private func show(_ list: [SyncConflict<Entity>]) {
        do {
            conflicts = try list.map { conflict in
                try conflicts.first { $0.conflict == conflict && !$0.isResolved } ?? ConflictModel(conflict)
            }
            error = nil
        } catch { self.error = SyncError(shown: error) }
    }
}
