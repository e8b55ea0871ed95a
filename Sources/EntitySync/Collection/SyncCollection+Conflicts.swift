public import SyncCore
import SyncRuntime

/// A record that was edited here and elsewhere, and that the entity's strategy leaves to a person.
public struct SyncConflict<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// The record's key.
    public let id: RecordKey
    /// What both sides last agreed on; nil when they never did.
    public let base: Entity?
    /// What this device shows; nil when it was deleted here. Fields of the other side that do not conflict are in it already.
    public let local: Entity?
    /// What the remote shows; nil when it was deleted there.
    public let remote: Entity?
    /// Names of the fields to be decided, where fields merge on their own; empty where the record is in conflict as a whole.
    public let fields: [String]
    /// The version of the remote that a decision answers.
    let answered: EditTimestamp?
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
            try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max).map { key in
                func model(version: SyncRecord?) throws -> Entity? {
                    guard let version, !version.isDeleted else { return nil }
                    return try adapter.model(version.record)
                }
                let local = try snapshot.load(entity: entity, key: key)?.version
                let remote = try snapshot.side(entity: entity, key: key, kind: .remote)
                var fields: [String] = []
                if let local, let remote {
                    fields = Merge(descriptor: entity).undecidedFields(mine: local, other: remote)
                }
                return SyncConflict(
                    id: key,
                    base: try model(version: snapshot.side(entity: entity, key: key, kind: .base)),
                    local: try model(version: local),
                    remote: try model(version: remote),
                    fields: fields,
                    answered: remote?.metadata.editTimestamp
                )
            }
        }
    }

    /// Resolves a conflict; the decision reaches the remote with the next sync, and what it gives up is in the journal.
    /// Throws `notFound` when there is none.
    public func resolve(_ key: Entity.EntityKey, with: ConflictResolution<Entity>) throws {
        try resolve(Entity.recordKey(key), resolution: with, answering: nil)
    }

    /// Resolves a conflict from the list. Throws `notFound` when it is resolved already, and `invalidInput` when another
    /// version stands on the other side meanwhile.
    public func resolve(_ conflict: SyncConflict<Entity>, with: ConflictResolution<Entity>) throws {
        try resolve(conflict.id, resolution: with, answering: conflict.answered)
    }

    private func resolve(
        _ key: RecordKey,
        resolution: ConflictResolution<Entity>,
        answering answered: EditTimestamp?
    ) throws {
        let entity = descriptor
        let decision: Resolution =
            switch resolution {
            case .local: .local
            case .remote: .remote
            case .value(let model):
                .value(try fitting(entity: entity) { try Entity.adapter.record(model) })
            }
        try writer.resolve(entity: entity, key: key, with: decision, answering: answered)
    }
}
