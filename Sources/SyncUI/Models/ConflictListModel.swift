public import EntitySync
public import Observation

/// The conflicts of one entity for views, which update with its properties.
@Observable
@MainActor
public final class ConflictListModel<Entity: SyncEntity> {
    /// The conflicts in key order. Choices that a person has made stay while the conflict is the same.
    public private(set) var conflicts: [ConflictModel<Entity>] = []
    /// Why the conflicts are no longer observed; nil while all is well.
    public private(set) var error: SyncError?

    /// Makes a model without conflicts.
    public init() {}

    /// Observes the conflicts until the task is cancelled or the space is closed.
    public func follow(_ space: SyncSpace) async {
        error = nil
        do {
            let conflicts = space.collection(Entity.self).observe { collection, _ in
                try collection.conflicts()
            }
            for try await list in conflicts { try show(list) }
        } catch { self.error = SyncError(shown: error) }
    }

    /// Reads the conflicts once, for previews and tests.
    public func load(_ space: SyncSpace) {
        error = nil
        do { try show(space.collection(Entity.self).conflicts()) } catch {
            self.error = SyncError(shown: error)
        }
    }

    private func show(_ list: [SyncConflict<Entity>]) throws {
        conflicts = try list.map { conflict in
            try conflicts.first { $0.conflict == conflict && !$0.isResolved } ?? ConflictModel(conflict)
        }
    }
}
