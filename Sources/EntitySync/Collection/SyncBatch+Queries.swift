public import SyncCore
import SyncRuntime

/// Writes to all records of a query, and to records that were read.
extension SyncBatch {
    /// Deletes a record that was read. Throws `SyncError`: `notFound` if there is none of its key.
    public func delete<Entity: SyncEntity>(_ record: Entity) throws {
        let entity = Entity.adapter.descriptor
        let key = try entity.fitting { try entity.requiredKey(of: Entity.adapter.record(record)) }
        try session.delete(entity: entity, key: key)
    }

    /// Changes each record of a query. If one of them does not fit then, none is changed, and the error names it in
    /// `SyncError.record`.
    ///
    /// - Returns: How many records the query found.
    @discardableResult
    public func update<Entity: SyncEntity>(
        _ query: SyncQuery<Entity>,
        change: (inout Entity) throws -> Void
    ) throws -> Int {
        try forEach(of: query) { try update($0, change: change) }
    }

    /// Deletes each record of a query, and with each what its schema deletes with it.
    ///
    /// - Returns: How many records the query found.
    @discardableResult
    public func delete<Entity: SyncEntity>(_ query: SyncQuery<Entity>) throws -> Int {
        let entity = Entity.adapter.descriptor
        return try forEach(of: query) { record in
            let key = try entity.requiredKey(of: Entity.adapter.record(record))
            // A parent may have taken it along.
            guard let header = try snapshot.header(entity: entity, key: key), header.visibility == .live
            else { return }
            try session.delete(entity: entity, key: key)
        }
    }

    private func forEach<Entity: SyncEntity>(
        of query: SyncQuery<Entity>,
        body: (Entity) throws -> Void
    ) throws -> Int {
        let records = try self.query(query)
        for record in records {
            do { try body(record) } catch var error as SyncError {
                error.record = Entity.recordKey(of: record)
                throw error
            }
        }
        return records.count
    }
}

extension SyncEntity {
    /// The key of a record that was read; nil if it has none.
    static func recordKey(of record: Self) -> RecordKey? {
        try? adapter.descriptor.requiredKey(of: adapter.record(record))
    }
}
