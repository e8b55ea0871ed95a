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
    /// What the remote shows; nil if it was deleted there. What stays on this device is as this device has it.
    public let remote: Entity?
    /// Whether the record was deleted here. `local` is nil then.
    public let isLocalDeleted: Bool
    /// Whether the record was deleted at the remote. `remote` is nil then.
    public let isRemoteDeleted: Bool
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
        try store.read { snapshot in
            try snapshot.keys(entity: descriptor, in: .conflict, after: nil, limit: .max).map {
                try SyncConflict($0, deciding: writer.deciding(descriptor), in: snapshot)
            }
        }
    }

    /// Resolves a conflict. The next sync sends the decision; the values that it gives up go to the journal. Throws
    /// `notFound` if there is no conflict.
    public func resolve(_ key: Entity.EntityKey, with: ConflictResolution<Entity>) throws {
        try resolve(id: Entity.recordKey(key), with: with)
    }

    /// The same by the key as conflicts and records with their states give it, of whatever fields it is made.
    public func resolve(id: RecordKey, with: ConflictResolution<Entity>) throws {
        try writer.batch { try $0.resolve(Entity.self, id: id, with: with) }
    }

    /// Resolves a conflict from the list. Throws `notFound` if it is resolved already, and `invalidInput` if the
    /// remote side is a different version now.
    public func resolve(_ conflict: SyncConflict<Entity>, with: ConflictResolution<Entity>) throws {
        try writer.batch { try $0.resolve(conflict, with: with) }
    }

    /// Resolves many conflicts in one transaction: all or none. See `SyncBatch.resolveConflicts`.
    @discardableResult
    public func resolveConflicts(
        of query: SyncQuery<Entity>? = nil,
        by decide: (SyncConflict<Entity>) throws -> ConflictResolution<Entity>?
    ) throws -> Int { try writer.batch { try $0.resolveConflicts(of: query, by: decide) } }
}

extension SyncBatch {
    /// See `SyncCollection.resolve`.
    public func resolve<Entity: SyncEntity>(
        _ type: Entity.Type,
        id: RecordKey,
        with: ConflictResolution<Entity>
    ) throws {
        try session.resolve(entity: Entity.adapter.descriptor, key: id, with: with.decision())
    }

    /// See `SyncCollection.resolve`.
    public func resolve<Entity: SyncEntity>(
        _ conflict: SyncConflict<Entity>,
        with: ConflictResolution<Entity>
    ) throws {
        let entity = Entity.adapter.descriptor
        try session.resolve(
            entity: entity,
            key: conflict.id,
            with: with.decision(),
            answering: conflict.answered
        )
    }

    /// Resolves conflicts one after the other: `resolveConflicts(of: query) { _ in .local }` keeps what this device shows.
    /// If one of the decisions does not fit, none is made, and the error names the record in `SyncError.record`; the whole
    /// transaction is given up, also if somebody catches the error.
    ///
    /// - Parameters:
    ///   - query: The records whose conflicts are meant, by what this device shows of them; nil for all of the entity.
    ///   - decide: The decision on a conflict; nil leaves it.
    /// - Returns: How many conflicts were resolved.
    @discardableResult
    public func resolveConflicts<Entity: SyncEntity>(
        of query: SyncQuery<Entity>? = nil,
        by decide: (SyncConflict<Entity>) throws -> ConflictResolution<Entity>?
    ) throws -> Int {
        let entity = Entity.adapter.descriptor
        let keys =
            if let query {
                try snapshot.query(entity: entity, query: query.storeQuery()).map(\.version.key)
            } else {
                try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max)
            }
        return try session.whole { named in
            var count = 0
            for key in keys {
                named = key
                // A decision may have resolved another one with it, as that on a parent does.
                guard try snapshot.header(entity: entity, key: key)?.state == .conflict else { continue }
                let conflict = try SyncConflict<Entity>(key, deciding: session.deciding(entity), in: snapshot)
                guard let decision = try decide(conflict) else { continue }
                try resolve(conflict, with: decision)
                count += 1
            }
            return count
        }
    }
}

extension SyncConflict {
    /// Reads a conflict with its three versions. `deciding`: the entity as its records merge at present.
    fileprivate init(_ key: RecordKey, deciding: EntityDescriptor, in snapshot: any StoreSnapshot) throws {
        let (adapter, entity) = (Entity.adapter, Entity.adapter.descriptor)
        func model(version: SyncRecord?, store: StoreID = .none) -> Entity? {
            guard let version, !version.isDeleted else { return nil }
            return try? adapter.model(version.record, store: store)
        }
        let here = try snapshot.load(entity: entity, key: key)?.version
        var there = try snapshot.side(entity: entity, key: key, kind: .remote)
        if let here, let theirs = there {
            there = Merge(descriptor: entity).keepingLocalOnly(theirs, of: here)
        }
        var undecided: [String] = []
        if let here, let there {
            undecided = Merge(descriptor: deciding.asking).undecidedFields(mine: here, other: there)
        }
        id = key
        base = model(version: try snapshot.side(entity: entity, key: key, kind: .base))
        local = model(version: here, store: snapshot.storeID)
        remote = model(version: there)
        (isLocalDeleted, isRemoteDeleted) = (here?.isDeleted ?? true, there?.isDeleted ?? false)
        fields = undecided
        answered = there?.metadata.editTimestamp
    }
}

extension ConflictResolution {
    /// The same with a record in place of the model. Throws `SyncError` if the model does not fit its schema.
    fileprivate func decision() throws -> Resolution {
        switch self {
        case .local: .local
        case .remote: .remote
        case .value(let model):
            .value(try Entity.adapter.descriptor.fitting { try Entity.adapter.record(model) })
        }
    }
}
