public import SyncCore
import SyncRuntime

/// Writes to all records of a query, and to records that were read.
extension SyncBatch {
    /// Deletes a record that was read. What others have changed in it since goes to the journal. Throws `SyncError`:
    /// `notFound` if there is none of its key.
    public func delete<Entity: SyncEntity>(_ record: Entity) throws {
        let draft = try Draft(record)
        try session.delete(entity: draft.entity, key: draft.key, since: draft.base)
    }

    /// Changes each record of a query. If one of them does not fit then, none is changed, and the error names it in
    /// `SyncError.record`; the whole transaction is given up, also if somebody catches the error. Deleted records stay
    /// deleted, also if the query includes them.
    ///
    /// - Returns: How many records the query found.
    @discardableResult
    public func update<Entity: SyncEntity>(
        _ query: SyncQuery<Entity>,
        change: (inout Entity) throws -> Void
    ) throws -> Int {
        try forEach(of: query) { try update($0, change: change) }
    }

    /// Deletes each record of a query, and with each what its schema deletes with it; all of them, as for `update`.
    ///
    /// - Returns: How many records the query found.
    @discardableResult
    public func delete<Entity: SyncEntity>(_ query: SyncQuery<Entity>) throws -> Int {
        let entity = Entity.adapter.descriptor
        return try forEach(of: query) { record in
            let key = try Entity.recordKey(of: record)
            // A parent may have taken it along.
            guard try snapshot.header(entity: entity, key: key)?.visibility == .live else { return }
            try session.delete(entity: entity, key: key)
        }
    }

    private func forEach<Entity: SyncEntity>(
        of query: SyncQuery<Entity>,
        body: (Entity) throws -> Void
    ) throws -> Int {
        var live = try query.storeQuery()
        live.includesDeleted = false
        let records = try snapshot.models(with: Entity.adapter, query: live).models
        return try session.whole { key in
            for record in records {
                key = try Entity.recordKey(of: record)
                try body(record)
            }
            return records.count
        }
    }
}

extension SyncEntity {
    /// The key of a record. Throws `SyncError` if it has none that fits.
    static func recordKey(of record: Self) throws -> RecordKey {
        try adapter.descriptor.fitting { try adapter.descriptor.requiredKey(of: adapter.record(record)) }
    }
}
