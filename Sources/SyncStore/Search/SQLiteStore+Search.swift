public import SyncCore
import SyncSQLite

/// Care of full-text indexes.
extension SQLiteStore {
    /// Whether an entity's full-text index holds exactly the words of its live records. Reads all of them. True for an
    /// entity without search.
    public func hasSoundSearch(_ entity: EntityDescriptor) throws -> Bool {
        guard !entity.search.isEmpty else { return true }
        return try maintain { session in
            let index = try session.searchIndex(of: entity).name
            do {
                // NB: with rank 1 it compares the texts, too.
                try session.connection.execute(
                    "INSERT INTO \(index) (\(index), rank) VALUES ('integrity-check', 1)"
                )
                return true
            } catch let error as SQLiteError where error.isCorrupt {
                return false
            }
        }
    }

    /// Makes an entity's full-text index anew from its records.
    public func rebuildSearch(_ entity: EntityDescriptor) throws {
        guard !entity.search.isEmpty else { return }
        try maintain { session in
            let index = try session.searchIndex(of: entity).name
            try session.connection.execute("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
        }
    }
}

extension StoreSession {
    /// The full-text index of an entity. Throws `unknownEntity` or `noSearch`.
    fileprivate func searchIndex(of entity: EntityDescriptor) throws -> SearchIndex {
        guard let table = tables.first(where: { $0.descriptor.name == entity.name }) else {
            throw SyncError.unknownEntity(name: entity.name, known: tables.map(\.descriptor.name).sorted())
        }
        return try SearchIndex(table: table)
    }
}
