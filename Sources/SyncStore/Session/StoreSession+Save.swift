import SyncCore
import SyncSQLite

/// Writing records.
extension StoreSession {
    func save(entity: EntityDescriptor, record: LocalRecord) throws {
        let entity = try self.entity(descriptor: entity)
        touch(entity, key: record.version.key)
        try withStoreErrors { try entity.save(record) }
    }

    func save(entity: EntityDescriptor, change: Change, metadata: VersionMetadata) throws {
        let entity = try self.entity(descriptor: entity)
        touch(entity, key: change.header.key)
        try withStoreErrors {
            try entity.save(change, metadata: metadata)
            if change.header.revision != nil { try note(entity, key: change.header.key, isIncluded: true) }
            entity.lastFound = nil
        }
    }

    func insert(entity: EntityDescriptor, change: Change, metadata: VersionMetadata) throws -> Bool {
        let entity = try self.entity(descriptor: entity)
        guard try withStoreErrors(body: { try entity.insert(change, metadata: metadata) }) else {
            return false
        }
        let row = connection.lastInsertRowID
        if change.header.revision != nil {
            try withStoreErrors { try entity.snapshotRows().set(row, isIncluded: true) }
        }
        touch(entity, key: change.header.key, row: row)
        return true
    }

    func update(entity: EntityDescriptor, key: RecordKey, header: RecordHeader) throws {
        let entity = try self.entity(descriptor: entity)
        let table = entity.table
        touch(entity, key: key)
        try withStoreErrors {
            let statement = try query(sql: table.sql.updateHeader, values: key.text)
            try statement.bind(header)
            try statement.run()
            if connection.changes == 0 { throw SyncError.noSuchRecord(entity: table.descriptor.name) }
        }
    }

    func acknowledge(
        entity: EntityDescriptor,
        sent: PendingChange,
        revision: Revision?
    ) throws -> Bool {
        let key = sent.change.header.key
        let entity = try self.entity(descriptor: entity)
        touch(entity)
        return try withStoreErrors {
            let statement = try entity.acknowledge()
            try statement.bind(key.text, at: EntitySQL.Parameter.key)
            try statement.bind(sent.change.header.writtenMetadata)
            try statement.bind(sent.handle.number, at: EntitySQL.Parameter.row)
            try statement.bind(revision?.text, at: EntitySQL.Parameter.revision)
            try statement.run()
            guard connection.changes == 1 else { return false }
            if revision != nil { try note(entity, key: key, isIncluded: true) }
            entity.lastFound = nil
            return true
        }
    }

    func remove(entity: EntityDescriptor, key: RecordKey) throws {
        let entity = try self.entity(descriptor: entity)
        let table = entity.table
        touch(entity, key: key)
        try withStoreErrors {
            if let row = try rowID(entity: entity, key: key) { entity.written.insert(row: row) }
            // The next record may get the same row number.
            try note(entity, key: key, isIncluded: false)
            entity.lastFound = nil
            try query(sql: table.sql.remove, values: key.text).run()
            for beside in ["sync_side", "sync_head", "sync_history"] {
                let sql = "DELETE FROM \(beside) WHERE entity = ?1 AND key = ?2"
                try query(sql: sql, values: table.descriptor.name, key.text).run()
            }
        }
    }
}
