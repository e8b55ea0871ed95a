import SyncCore
import SyncSQLite

/// The remote's names for the states of records.
extension StoreSession {
    func revision(_ entity: EntityDescriptor, _ key: RecordKey) throws -> Revision? {
        let table = try self.entity(entity).table
        return try withStoreErrors {
            let statement = try query(table.sql.findRevision, key.text)
            defer { statement.reset() }
            guard try statement.step() else { return nil }
            return statement.optionalString(at: 0).map { Revision($0) }
        }
    }

    func keysWithoutRevision(_ entity: EntityDescriptor, after: RecordKey?, limit: Int) throws -> [RecordKey]
    {
        let table = try self.entity(entity).table
        return try withStoreErrors {
            let statement = try query(table.sql.keysWithoutRevision(isFirst: after == nil))
            try statement.bind(limit, at: 1)
            if let after { try statement.bind(after.text, at: 2) }
            return try statement.keys()
        }
    }

    func setRevision(_ entity: EntityDescriptor, _ key: RecordKey, _ revision: Revision?) throws {
        let table = try self.entity(entity).table
        try withStoreErrors {
            let statement = try query(table.sql.setRevision, key.text)
            try statement.bind(revision?.text, at: 2)
            try statement.run()
        }
    }

    func forgetRevisions(_ entity: EntityDescriptor) throws {
        let table = try self.entity(entity).table
        try withStoreErrors { try query(table.sql.forgetRevisions).run() }
    }
}
