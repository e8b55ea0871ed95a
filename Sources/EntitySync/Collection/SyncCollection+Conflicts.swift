public import SyncCore
import SyncRuntime

/// A record that was edited here and elsewhere, and that the entity's strategy leaves to a person.
public struct SyncConflict<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// The record's key.
    public let id: RecordKey
    /// What both sides last agreed on; nil when they never did.
    public let base: Entity?
    /// What this device shows; nil when it was deleted here.
    public let local: Entity?
    /// What the remote shows; nil when it was deleted there.
    public let remote: Entity?
}

/// How a person settles a conflict.
public enum ConflictResolution<Entity: SyncEntity>: Sendable {
    /// Keep what this device shows.
    case local
    /// Take what the remote shows.
    case remote
    /// Take another value, whole. Its key must be the record's.
    case value(Entity)
}

extension SyncCollection {
    /// The records in conflict, in the order of their keys. They can be read and edited like others meanwhile.
    public func conflicts() throws -> [SyncConflict<Entity>] {
        let (adapter, entity) = (Entity.adapter, descriptor)
        return try store.read { snapshot in
            try snapshot.keys(entity, in: .conflict, after: nil, limit: .max).map { key in
                func model(_ version: SyncRecord?) throws -> Entity? {
                    guard let version, !version.isDeleted else { return nil }
                    return try adapter.model(version.record)
                }
                return SyncConflict(
                    id: key,
                    base: try model(snapshot.side(entity, key, .base)),
                    local: try model(snapshot.load(entity, key)?.version),
                    remote: try model(snapshot.side(entity, key, .remote))
                )
            }
        }
    }

    /// Settles a conflict; the decision reaches the remote with the next sync. Throws `notFound` when there is none.
    public func resolve(_ key: Entity.EntityKey, _ resolution: ConflictResolution<Entity>) throws {
        try resolve(Entity.recordKey(key), resolution)
    }

    /// Settles a conflict from the list. Throws `notFound` when it is settled already.
    public func resolve(_ conflict: SyncConflict<Entity>, _ resolution: ConflictResolution<Entity>) throws {
        try resolve(conflict.id, resolution)
    }

    private func resolve(_ key: RecordKey, _ resolution: ConflictResolution<Entity>) throws {
        let entity = descriptor
        let decision: Resolution =
            switch resolution {
            case .local: .local
            case .remote: .remote
            case .value(let model): .value(try fitting(entity) { try Entity.adapter.record(model) })
            }
        try writer.resolve(entity, key, decision)
    }
}
