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
    /// is interrupted, the next call goes on. If there is no space for it, or others use the file, the former index's
    /// pages stay in the file until a later call has more luck, also one without entities.
    ///
    /// - Throws: `busy` if a damaged index has to be removed while others write; `damagedStore` if more than the
    ///   indexes is damaged. The indexes are made anew nevertheless, if the texts can be read.
    public func rebuildSearch(of entities: [EntityDescriptor]) throws {
        try maintain { session in
            let connection = session.connection
            let tables = try entities.filter { !$0.search.isEmpty }.map { try session.searchTable(of: $0) }
            let damaged = try tables.filter { try !connection.rebuilds(search: $0) }
            try connection.replace(searches: damaged)
        }
    }
}

/// A note in the file that it holds pages that belong to no table. Until they are dropped, SQLite's own check of the
/// file finds them.
private enum UnusedPages {
    static let note = "INSERT OR REPLACE INTO sync_value (name, value) VALUES ('unused-pages', '1')"
    static let removeNote = "DELETE FROM sync_value WHERE name = 'unused-pages'"
    static let countNotes = "SELECT count(*) FROM sync_value WHERE name = 'unused-pages'"
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

    /// Makes indexes anew without reading their pages, and drops those pages and the ones that former calls have left.
    fileprivate func replace(searches tables: [SearchTable]) throws {
        for table in tables { try forget(search: table) }
        guard try integer(sql: UnusedPages.countNotes) > 0 else { return }
        let failure = dropUnusedPages()
        // The indexes need no page to be dropped, so whatever has failed, they are made.
        for table in tables { try run(script: try table.create) }
        // A later call may drop what this one could not, except from a damaged file.
        let isLast = failure == nil || failure?.isCorrupt == true
        if isLast { try execute(UnusedPages.removeNote) }
        if let failure, !failure.isDiskFull, !failure.isBusy { throw failure }
    }

    /// Writes the file anew without the pages that belong to no table. Returns what prevents it.
    private func dropUnusedPages() -> SQLiteError? {
        do {
            try execute("VACUUM")
            return nil
        } catch {
            return error
        }
    }

    /// Removes an index from the file's schema without reading its pages, which `DROP TABLE` would do. Notes that they
    /// are left.
    private func forget(search table: SearchTable) throws {
        let statements = try table.forget + [UnusedPages.note]
        // NB: with this protection, which newer apps on Apple's systems have from the start, nothing makes the schema
        // writable.
        let wasDefensive = setDefensive(false)
        defer { setDefensive(wasDefensive) }
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
    private func run(script: [String]) throws {
        let text = script.joined(separator: ";\n")
        try transaction(kind: .immediate) { try execute(text) }
    }
}

extension SQLiteError {
    /// An index's pages or its tables are damaged. FTS5 reports some damage as a failed statement.
    fileprivate var isDamagedIndex: Bool { isCorrupt || isStatementError && !isMisuse }
}
