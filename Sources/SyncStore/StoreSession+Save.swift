import SyncCore
import SyncSQLite

/// Writing records.
extension StoreSession {
    func save(_ entity: EntityDescriptor, _ record: LocalRecord) throws {
        let entity = try self.entity(entity)
        touch(entity, record.version.key)
        try withStoreErrors { try entity.save(record) }
    }

    func save(_ entity: EntityDescriptor, _ item: RemoteItem, in page: PageBytes) throws {
        let entity = try self.entity(entity)
        touch(entity, item.key)
        try withStoreErrors {
            try entity.save(item, in: page)
            if item.revision != nil { try noteHeld(entity, item.key, true) }
            entity.lastFound = nil
        }
    }

    func insert(_ entity: EntityDescriptor, _ item: RemoteItem, in page: PageBytes) throws -> Bool {
        let entity = try self.entity(entity)
        guard try withStoreErrors({ try entity.insert(item, in: page) }) else { return false }
        let row = connection.lastInsertRowID
        if item.revision != nil { try withStoreErrors { try entity.heldRows().set(row, true) } }
        touch(entity, item.key, row: row)
        return true
    }

    func update(_ entity: EntityDescriptor, _ key: RecordKey, _ header: RecordHeader) throws {
        let entity = try self.entity(entity)
        let table = entity.table
        touch(entity, key)
        try withStoreErrors {
            let statement = try query(table.sql.updateHeader, key.text)
            try statement.bind(header)
            try statement.run()
            if connection.changes == 0 { throw SyncError.noSuchRecord(table.descriptor.name) }
        }
    }

    func acknowledge(
        _ entity: EntityDescriptor,
        _ key: RecordKey,
        row: Int64,
        _ stamp: Stamp,
        _ revision: Revision?
    ) throws -> Bool {
        let entity = try self.entity(entity)
        touch(entity)
        return try withStoreErrors {
            let statement = try entity.acknowledge()
            try statement.bind(key.text, at: EntitySQL.Parameter.key)
            try statement.bind(stamp)
            try statement.bind(revision?.text, at: EntitySQL.Parameter.revision)
            try statement.bind(row, at: EntitySQL.Parameter.row)
            try statement.run()
            guard connection.changes == 1 else { return false }
            if revision != nil { try noteHeld(entity, key, true) }
            entity.lastFound = nil
            return true
        }
    }

    func remove(_ entity: EntityDescriptor, _ key: RecordKey) throws {
        let entity = try self.entity(entity)
        let table = entity.table
        touch(entity, key)
        try withStoreErrors {
            if let row = try rowID(entity, key) { entity.written.insert(row: row) }
            // NB: the next record may get its row's number.
            try noteHeld(entity, key, false)
            entity.lastFound = nil
            try query(table.sql.remove, key.text).run()
            for beside in ["sync_side", "sync_head", "sync_history"] {
                let sql = "DELETE FROM \(beside) WHERE entity = ?1 AND key = ?2"
                try query(sql, table.descriptor.name, key.text).run()
            }
        }
    }
}
