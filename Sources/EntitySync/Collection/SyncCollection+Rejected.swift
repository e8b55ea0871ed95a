public import SyncCore
import SyncRuntime

/// A record that the remote refused, or that could not be taken in.
public struct SyncRejection<Entity: SyncEntity>: Sendable, Hashable, Identifiable {
    /// The record's key.
    public let id: RecordKey
    /// Why, in the remote's words.
    public let reason: String
    /// How often it was tried.
    public let attempts: Int
    /// When it happened first.
    public let since: Timestamp
    /// Whose version was refused.
    public let side: Side
    /// What this device holds; nil when it holds nothing, or deleted it.
    public let local: Entity?

    /// Whose version was refused.
    public enum Side: Sendable, Hashable {
        /// This device's; the remote does not take it as it is.
        case local
        /// The remote's; it could not be taken in here, and is tried again by every sync.
        case remote
    }
}

extension SyncCollection {
    /// The records that were refused, the oldest first. An edit or a delete puts one back in line for the next sync.
    public func rejected() throws -> [SyncRejection<Entity>] {
        let (adapter, entity) = (Entity.adapter, descriptor)
        return try store.read { snapshot in
            try snapshot.standingRejections().filter { $0.entity == entity.name }.map { rejection in
                let local = try snapshot.load(entity: entity, key: rejection.key)
                return SyncRejection(
                    id: rejection.key,
                    reason: rejection.reason,
                    attempts: rejection.attempts,
                    since: rejection.since,
                    side: rejection.raw == nil ? .local : .remote,
                    local: local?.visibility == .live
                        ? try local.map { try adapter.model($0.version.record) } : nil
                )
            }
        }
    }

    /// Sends a refused record again as it is, with the next sync. Throws `notFound` when the remote did not refuse it.
    public func retry(_ rejection: SyncRejection<Entity>) throws {
        try writer.retry(entity: descriptor, key: rejection.id)
    }

    /// Gives up what was refused, and shows what the remote holds; the value goes to the journal. Throws `notFound` when the
    /// record is not refused any more.
    public func discard(_ rejection: SyncRejection<Entity>) throws {
        try writer.discard(entity: descriptor, key: rejection.id)
    }
}

extension SyncSpace {
    /// The refused records of all entities as NDJSON, the oldest first, with the reason and what came: the lines of
    /// `synccheck rejected export`. They hold what people wrote.
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
