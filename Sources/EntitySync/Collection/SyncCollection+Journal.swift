public import SyncCore
import SyncRuntime

/// An automatic decision of a strategy between two versions of a record, and the value that lost.
public struct SyncDecision<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// Identifies the decision on this device.
    public let id: String
    /// The record's key.
    public let key: RecordKey
    /// When it was made.
    public let at: Timestamp
    /// The rule that decided, for example `last-write-wins`.
    public let rule: String
    /// The kept version; nil if it was a delete, or of an older schema whose values are those of no model.
    public let kept: Entity?
    /// The version that lost; nil as for ``kept``. `restore` brings it back all the same.
    public let lost: Entity?
}

extension SyncCollection {
    /// The automatic decisions of this device that took away something a person wrote, oldest first.
    public func journal() throws -> [SyncDecision<Entity>] {
        let (adapter, entity) = (Entity.adapter, descriptor)
        return try store.read { snapshot in
            try snapshot.journal().filter { $0.lost.entity == entity.name }.map { entry in
                func model(version: SyncRecord) -> Entity? {
                    version.isDeleted ? nil : try? adapter.model(version.record)
                }
                return SyncDecision(
                    id: entry.id,
                    key: entry.lost.key,
                    at: entry.at,
                    rule: entry.rule,
                    kept: model(version: entry.kept),
                    lost: model(version: entry.lost)
                )
            }
        }
    }

    /// Restores the value that lost, as a new edit. If fields merge separately, only those return that the decision
    /// took away. The decision stays in the journal, and what the value replaces is added to it. Throws `notFound` if
    /// the journal does not contain it.
    public func restore(_ decision: SyncDecision<Entity>) throws {
        try writer.batch { try $0.restore(decision) }
    }
}

extension SyncBatch {
    /// See `SyncCollection.restore`.
    public func restore<Entity: SyncEntity>(_ decision: SyncDecision<Entity>) throws {
        _ = try session.restore(journal: decision.id)
    }
}
