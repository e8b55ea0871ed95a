public import SyncCore
import SyncSQLite

/// Care of full-text indexes.
extension SQLiteStore {
    /// Whether an entity's full-text index holds exactly the words of its live records. Reads all of them. True for an
    /// entity without search.
    public func hasSoundSearch(_ entity: EntityDescriptor) throws -> Bool {
        guard !entity.search.isEmpty else { return true }
        return try maintain { session in
            let table = try session.searchTable(of: entity)
            do {
                // NB: with rank 1 it compares the texts, too.
                try session.connection.execute(
                    "INSERT INTO \(table.name) (\(table.name), rank) VALUES ('integrity-check', 1)"
                )
                return try session.connection.integer(sql: table.countUnlistedParts) == 0
            } catch let error as SQLiteError where error.isDamagedIndex {
                return false
            }
        }
    }

    /// Makes the full-text indexes of entities anew from their records. Entities without search are skipped.
    ///
    /// An index that is too damaged for that is removed from the file first, which writes the whole file anew. If that
    /// is interrupted, the next call goes on.
    ///
    /// - Throws: `busy` if a damaged index has to be removed while others use the file; `damagedStore` if more than the
    ///   indexes is damaged. The indexes are made anew nevertheless, if the texts can be read.
    public func rebuildSearch(of entities: [EntityDescriptor]) throws {
        try maintain { session in
            let connection = session.connection
            let tables = try entities.filter { !$0.search.isEmpty }.map { try session.searchTable(of: $0) }
            let damaged = try tables.filter { try !connection.rebuilds(search: $0) }
            guard !damaged.isEmpty else { return }
            for table in damaged { try connection.forget(search: table) }
            let damage = try connection.dropUnusedPages()
            for table in damaged { try connection.run(script: try table.create) }
            if let damage { throw damage }
        }
    }
}

extension StoreSession {
    /// The full-text index of an entity. Throws `unknownEntity` or `noSearch`.
    fileprivate func searchTable(of entity: EntityDescriptor) throws -> SearchTable {
        guard let table = tables.first(where: { $0.descriptor.name == entity.name }) else {
            throw SyncError.unknownEntity(name: entity.name, known: tables.map(\.descriptor.name).sorted())
        }
        guard !table.shape.search.isEmpty else { throw SyncError.noSearch(entity: entity.name) }
        return try SearchTable(descriptor: table.descriptor, fields: table.shape.search)
    }
}

extension Connection {
    /// Makes an index anew by FTS5's own means. False if it is too damaged for that.
    fileprivate func rebuilds(search table: SearchTable) throws(SQLiteError) -> Bool {
        do {
            try execute("INSERT INTO \(table.name) (\(table.name)) VALUES ('rebuild')")
            return true
        } catch  where error.isDamagedIndex {
            return false
        }
    }

    /// Writes the file anew without the pages that belong to no table. Returns the damage that prevents it.
    fileprivate func dropUnusedPages() throws(SQLiteError) -> SQLiteError? {
        do {
            try execute("VACUUM")
            return nil
        } catch  where error.isCorrupt {
            return error
        }
    }

    /// Removes an index from the file's schema without reading its pages, which `DROP TABLE` would do.
    fileprivate func forget(search table: SearchTable) throws {
        let statements = try table.forget
        try execute("PRAGMA writable_schema = ON")
        do {
            try run(script: statements)
        } catch {
            try execute("PRAGMA writable_schema = RESET")
            throw error
        }
        try execute("PRAGMA writable_schema = RESET")
    }

    /// Runs all statements or none.
    fileprivate func run(script: [String]) throws {
        let text = script.joined(separator: ";\n")
        try transaction(kind: .immediate) { try execute(text) }
    }
}

extension SQLiteError {
    /// An index's pages or its tables are damaged. FTS5 reports some damage as a failed statement.
    fileprivate var isDamagedIndex: Bool { isCorrupt || isStatementError && !isMisuse }
}
