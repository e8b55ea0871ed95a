import SyncCore
import SyncSQLite

/// Versions kept with a record: its base, the remote's, and other heads.
extension StoreSession {
    func side(entity: EntityDescriptor, key: RecordKey, kind: SideKind) throws -> SyncRecord? {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let sql = "SELECT version FROM sync_side WHERE entity = ?1 AND key = ?2 AND kind = ?3"
            let statement = try query(sql: sql, values: table.descriptor.name, key.text)
            try statement.bind(kind.rawValue, at: 3)
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            return try table.version(bytes: statement.bytes(at: 0))
        }
    }

    func setSide(entity: EntityDescriptor, key: RecordKey, kind: SideKind, version: SyncRecord?)
        throws
    {
        let session = try self.entity(descriptor: entity)
        let table = session.table
        // Who decides sees the other side, also where that alone has changed.
        if kind == .remote { touch(session) }
        try withStoreErrors {
            guard let version else {
                let sql = "DELETE FROM sync_side WHERE entity = ?1 AND key = ?2 AND kind = ?3"
                let statement = try query(sql: sql, values: table.descriptor.name, key.text)
                try statement.bind(kind.rawValue, at: 3)
                return try statement.run()
            }
            let sql = """
                INSERT INTO sync_side (entity, key, kind, version) VALUES (?1, ?2, ?3, ?4) \
                ON CONFLICT (entity, key, kind) DO UPDATE SET version = excluded.version
                """
            let statement = try query(sql: sql, values: table.descriptor.name, key.text)
            try statement.bind(kind.rawValue, at: 3)
            try statement.bind(
                // A displaced edit is the only place that still has what its person kept to this device.
                EntryCodec.encode(
                    version,
                    descriptor: table.descriptor,
                    keepsLocal: kind == .displaced
                ),
                at: 4
            )
            try statement.run()
        }
    }

    func heads(entity: EntityDescriptor, key: RecordKey) throws -> [SyncRecord] {
        let table = try self.entity(descriptor: entity).table
        return try withStoreErrors {
            let sql = "SELECT version FROM sync_head WHERE entity = ?1 AND key = ?2 ORDER BY id"
            var heads: [SyncRecord] = []
            try query(sql: sql, values: table.descriptor.name, key.text).forEachRow { row in
                heads.append(try table.version(bytes: row.bytes(at: 0)))
            }
            return heads
        }
    }

    /// NB: this also sets the record's flag, so it must follow the `save` that creates the record.
    func setHeads(entity: EntityDescriptor, key: RecordKey, heads: [SyncRecord]) throws {
        let table = try self.entity(descriptor: entity).table
        try withStoreErrors {
            let delete = "DELETE FROM sync_head WHERE entity = ?1 AND key = ?2"
            try query(sql: delete, values: table.descriptor.name, key.text).run()
            for head in heads {
                let sql = "INSERT INTO sync_head (entity, key, version) VALUES (?1, ?2, ?3)"
                let statement = try query(sql: sql, values: table.descriptor.name, key.text)
                try statement.bind(EntryCodec.encode(head, descriptor: table.descriptor), at: 3)
                try statement.run()
            }
            let statement = try query(sql: table.sql.setHeads, values: key.text)
            try statement.bind(Int64(heads.isEmpty ? 0 : 1), at: 2)
            try statement.run()
        }
    }
}

extension EntityTable {
    /// The edit timestamp of a kept version.
    func editTimestamp(of bytes: [UInt8]) throws -> EditTimestamp {
        do {
            return try bytes.withUnsafeBufferPointer { buffer in
                var reader = try JSONReader(buffer)
                return try EntryCodec.header(reader: &reader).header.writtenMetadata.editTimestamp
            }
        } catch is JSONError {
            throw SyncError.damagedRecord(entity: descriptor.name, part: "version beside")
        }
    }

    /// Reads a kept version, of this schema or an older one.
    func version(bytes: [UInt8]) throws -> SyncRecord {
        do {
            // Fields that are still required here have a default, which a pull would have filled in.
            return try lenient.readingWhatFits {
                try EntryCodec.decode(bytes, descriptor: $0, requiresAll: true)
            }
        } catch is JSONError {
            throw SyncError.damagedRecord(entity: descriptor.name, part: "version beside")
        }
    }
}
