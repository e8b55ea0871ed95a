public import SyncCore
import SyncRuntime

/// A record that was edited here and elsewhere, and whose entity's strategy leaves the decision to a person.
public struct SyncConflict<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// The record's key.
    public let id: RecordKey
    /// The version that both sides last agreed on; nil if there was none. As
    /// the other two, nil also where its values are those of no model: an older version of the app may have written it.
    public let base: Entity?
    /// What this device shows; nil if it was deleted here. It already includes the remote's changes to other fields.
    public let local: Entity?
    /// What the remote shows; nil if it was deleted there.
    public let remote: Entity?
    /// Names of the fields to decide, if fields merge separately. Empty if the whole record is in conflict.
    public let fields: [String]
    /// The version of the remote that the decision refers to.
    let answered: EditTimestamp?
}

/// How a person resolves a conflict.
public enum ConflictResolution<Entity: SyncEntity>: Sendable {
    /// Keep what this device shows.
    case local
    /// Take what the remote shows.
    case remote
    /// Replace the whole record with another value. Its key must not change.
    case value(Entity)
}

extension SyncCollection {
    /// The records in conflict, in key order. They can be read and edited like others meanwhile.
    public func conflicts() throws -> [SyncConflict<Entity>] {
        let (adapter, entity) = (Entity.adapter, descriptor)
        return try store.read { snapshot in
            try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max).map { key in
                func model(version: SyncRecord?, store: StoreID = .none) -> Entity? {
                    guard let version, !version.isDeleted else { return nil }
                    return try? adapter.model(version.record, store: store)
                }
                let local = try snapshot.load(entity: entity, key: key)?.version
                let remote = try snapshot.side(entity: entity, key: key, kind: .remote)
                var fields: [String] = []
                if let local, let remote {
                    fields = Merge(descriptor: entity).undecidedFields(mine: local, other: remote)
                }
                return SyncConflict(
                    id: key,
                    base: model(version: try snapshot.side(entity: entity, key: key, kind: .base)),
                    local: model(version: local, store: snapshot.storeID),
                    remote: model(version: remote),
                    fields: fields,
                    answered: remote?.metadata.editTimestamp
                )
            }
        }
    }

    /// Resolves a conflict. The next sync sends the decision; the values that it gives up go to the journal. Throws
    /// `notFound` if there is no conflict.
    public func resolve(_ key: Entity.EntityKey, with: ConflictResolution<Entity>) throws {
        try resolve(Entity.recordKey(key), resolution: with, answering: nil)
    }

    /// Resolves a conflict from the list. Throws `notFound` if it is resolved already, and `invalidInput` if the
    /// remote side is a different version now.
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
                .value(try entity.fitting { try Entity.adapter.record(model) })
            }
        try writer.resolve(entity: entity, key: key, with: decision, answering: answered)
    }
}
