public import SyncCore
import SyncRuntime

/// A record that the remote rejected, or that could not be taken in.
public struct SyncRejection<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// The record's key.
    public let id: RecordKey
    /// Why, in the remote's words.
    public let reason: String
    /// How often it was tried.
    public let attempts: Int
    /// When it happened first.
    public let since: Timestamp
    /// Whose version was rejected.
    public let side: Side
    /// What this device has; nil if nothing, if it was deleted here, or if its values are those of no model.
    public let local: Entity?
    /// The same as JSON with the schema's names, also where no model can be made of it.
    public let localJSON: String?

    /// Whose version was rejected.
    public enum Side: Sendable, Hashable {
        /// This device's: the remote does not accept it as it is.
        case local
        /// The remote's: it could not be taken in. Every sync tries again.
        case remote
        /// This device's, which nobody has rejected: this version's schema cannot read it. It is in no list until it is
        /// corrected, or the schema can read it; ``localJSON`` has its values.
        case schema
    }
}

extension SyncCollection {
    /// The rejected records, oldest first. The next sync sends a record again after an edit or a delete.
    public func rejected() throws -> [SyncRejection<Entity>] {
        let (adapter, entity) = (Entity.adapter, descriptor)
        return try store.read { snapshot in
            try snapshot.rejectedRecords(entities: [entity]).filter { $0.rejection.entity == entity.name }.map
            {
                rejected in
                let rejection = rejected.rejection
                let local = try? snapshot.load(entity: entity, key: rejection.key)
                return SyncRejection(
                    id: rejection.key,
                    reason: rejection.reason,
                    attempts: rejection.attempts,
                    since: rejection.since,
                    side: rejection.isSetAside ? .schema : rejection.raw == nil ? .local : .remote,
                    local: local?.visibility == .live
                        ? local.flatMap { try? adapter.model($0.version.record, store: snapshot.storeID) }
                        : nil,
                    localJSON: rejected.local.map { String(decoding: $0, as: UTF8.self) }
                )
            }
        }
    }

    /// Sends a rejected record again unchanged, with the next sync. Throws `notFound` if the remote did not reject
    /// it.
    public func retry(_ rejection: SyncRejection<Entity>) throws {
        try writer.batch { try $0.retry(rejection) }
    }

    /// Gives up a rejected record and shows what the remote has. The value goes to the journal. Throws `notFound` if
    /// the record is no longer rejected.
    public func discard(_ rejection: SyncRejection<Entity>) throws {
        try writer.batch { try $0.discard(rejection) }
    }
}

extension SyncBatch {
    /// See `SyncCollection.retry`.
    public func retry<Entity: SyncEntity>(_ rejection: SyncRejection<Entity>) throws {
        try session.retry(entity: Entity.adapter.descriptor, key: rejection.id)
    }

    /// See `SyncCollection.discard`.
    public func discard<Entity: SyncEntity>(_ rejection: SyncRejection<Entity>) throws {
        try session.discard(entity: Entity.adapter.descriptor, key: rejection.id)
    }
}

extension SyncSpace {
    /// The rejected records of all entities as NDJSON, oldest first, with reason and received bytes: the same lines
    /// as `synccheck rejected export`. They contain what people wrote.
    public func exportRejected() throws -> [UInt8] {
        try store.read { snapshot in
            try snapshot.rejectedRecords(entities: store.entities).flatMap { record in
                var line = JSONWriter()
                record.write(to: &line, withRaw: true)
                return line.bytes + [0x0a]
            }
        }
    }
}
