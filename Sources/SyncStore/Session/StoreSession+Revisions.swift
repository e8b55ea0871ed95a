import SyncCore
import SyncSQLite

/// The remote's revisions, and the records in its full state.
extension StoreSession {
    func revision(entity: EntityDescriptor, key: RecordKey) throws -> Revision? {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let statement = try query(sql: table.sql.findRevision, values: key.text)
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            return statement.optionalString(at: 0).map { Revision($0) }
        }
    }

    func setRevision(entity: EntityDescriptor, key: RecordKey, revision: Revision?) throws {
        let entity = try self.entity(descriptor: entity)
        try withStoreErrors {
            try note(entity, key: key, isIncluded: revision != nil)
            // A row that has the revision already is not written again.
            if let found = entity.lastFound, found.key == key, found.revision == revision?.text { return }
            entity.lastFound = nil
            let statement = try query(sql: entity.table.sql.setRevision, values: key.text)
            try statement.bind(revision?.text, at: 2)
            try statement.run()
        }
    }

    func forgetRevisions(_ entity: EntityDescriptor) throws {
        let entity = try self.entity(descriptor: entity)
        try withStoreErrors {
            entity.lastFound = nil
            try query(sql: entity.table.sql.forgetRevisions).run()
            try entity.snapshotRows().end()
            // After joining another remote, earlier sums are not used.
            try entity.sums.forgetAll()
        }
    }

    func beginSnapshot(_ entity: EntityDescriptor) throws {
        let entity = try self.entity(descriptor: entity)
        try withStoreErrors { try entity.snapshotRows().begin() }
    }

    func noteInSnapshot(entity: EntityDescriptor, key: RecordKey) throws {
        let entity = try self.entity(descriptor: entity)
        try withStoreErrors { try note(entity, key: key, isIncluded: true) }
    }

    func endSnapshot(_ entity: EntityDescriptor) throws {
        let entity = try self.entity(descriptor: entity)
        try withStoreErrors { try entity.snapshotRows().end() }
    }

    func keysMissingFromSnapshot(
        entity: EntityDescriptor,
        includingUnknown: Bool,
        after: RecordKey?,
        limit: Int
    ) throws -> [RecordKey] {
        let entity = try self.entity(descriptor: entity)
        let sql = entity.table.sql
        return try withStoreErrors {
            let rows = try entity.snapshotRows()
            // A store of an older format has forgotten the revisions of records that it has not received again.
            let statement = try query(
                sql: sql.keysToCheck(
                    isFirst: after == nil,
                    onlyWithoutRevision: !rows.isOpen,
                    includingUnknown: includingUnknown
                )
            )
            if let after { try statement.bind(after.text, at: 1) }
            if !includingUnknown { try statement.bind(entity.table.descriptor.name, at: 2) }
            defer { statement.reset() }
            var keys: [RecordKey] = []
            while keys.count < limit, try statement.step() {
                if rows.isOpen, rows.contains(statement.int64(at: 1)) { continue }
                keys.append(RecordKey(statement.string(at: 0)))
            }
            return keys
        }
    }

    /// While a full state is read, notes whether it contains a record.
    func note(_ entity: EntitySession, key: RecordKey, isIncluded: Bool) throws {
        let rows = try entity.snapshotRows()
        guard rows.isOpen, let id = try rowID(entity: entity, key: key) else { return }
        rows.set(id, isIncluded: isIncluded)
    }

    /// The number of a record's row.
    func rowID(entity: EntitySession, key: RecordKey) throws -> Int64? {
        if let found = entity.lastFound, found.key == key { return found.id }
        let statement = try entity.findHeader()
        try statement.bind(key.text, at: 1)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(at: EntitySQL.headerColumns) : nil
    }
}

/// Fingerprints of live records.
extension StoreSession {
    func fingerprint(entity: EntityDescriptor) throws -> Digest? {
        let entity = try self.entity(descriptor: entity)
        return try withStoreErrors { try entity.sums.fingerprint() }
    }

    func refreshFingerprint(entity: EntityDescriptor, atMost rows: Int) throws -> Int {
        let entity = try self.entity(descriptor: entity)
        return try withStoreErrors { try entity.sums.refresh(atMost: rows) }
    }

    /// Forgets the sums to which a written record contributed.
    func forgetSums(_ entity: EntitySession) throws {
        try withStoreErrors {
            try entity.sums.forget(entity.written) { key in
                // The row may differ now from the one that was found last.
                entity.lastFound = nil
                return try rowID(entity: entity, key: key)
            }
        }
    }
}
