public import SyncCore
import SyncSQLite

/// Statements that an app wrote. They only read.
extension SQLiteStore {
    /// The rows of a statement, on one snapshot.
    public func rows(sql query: SQLQuery) throws -> [SQLRow] {
        try readSession { session in
            let statement = try session.reading(query).statement
            let columns = (0..<statement.columnCount).map(statement.columnName)
            var rows: [SQLRow] = []
            try statement.forEachAppRow {
                rows.append(SQLRow(columns: columns, values: columns.indices.map(statement.sqlValue)))
            }
            return rows
        }
    }

    /// The rows of a statement as records. Throws `usage` if it lacks a column of the entity's view.
    public func load<Adapter: EntityAdapter>(with adapter: Adapter, sql query: SQLQuery) throws
        -> [Adapter.Model]
    {
        try readSession { session in
            let table = try session.entity(descriptor: adapter.descriptor).table
            let statement = try session.reading(query).statement
            let row = try LiveRow(table: table, statement: statement)
            var models: [Adapter.Model] = []
            try statement.forEachAppRow {
                var record: Record?
                do {
                    let read = try row.record()
                    record = read
                    models.append(try adapter.model(read, store: table.store))
                } catch {
                    let key = record.flatMap { table.descriptor.key(of: $0) }
                    try session.leaveOut(table: table, because: error) { key }
                }
            }
            return models
        }
    }

    /// The entities whose tables a statement reads; nil if it reads other tables of the file, too.
    public func entities(readBy query: SQLQuery) throws -> Set<String>? {
        try readSession { session in
            let names = Dictionary(session.tables.map { ($0.descriptor.table, $0.descriptor.name) }) { $1 }
            let views = Set(session.tables.map { $0.descriptor.liveView })
            var entities: Set<String> = []
            for read in try session.reading(query).reads {
                // An index of a list's elements and a full-text index are named by their table: `sync:TABLE:...`.
                let parts = read.split(separator: ":")
                let table = parts.count > 1 ? String(parts[1]) : read
                if let entity = names[table] {
                    entities.insert(entity)
                } else if !views.contains(read), !Self.functions.contains(read) {
                    return nil
                }
            }
            return entities
        }
    }

    /// Functions that return tables, but read none.
    private static let functions: Set<String> = ["json_each", "json_tree"]
}

extension StoreSession {
    /// A statement that is compiled and has its arguments.
    fileprivate func reading(_ query: SQLQuery) throws -> (statement: Statement, reads: Set<String>) {
        let (statement, reads): (Statement, Set<String>)
        do {
            (statement, reads) = try connection.prepareReading(query.text)
        } catch {
            if error.isDenied { throw SyncError.writingStatement() }
            throw error.isStatementError ? SyncError.badStatement(reason: error.message) : SyncError(error)
        }
        guard statement.isReadOnly else { throw SyncError.writingStatement() }
        guard statement.parameterCount == query.arguments.count else {
            throw SyncError.wrongArguments(
                found: query.arguments.count,
                expected: statement.parameterCount
            )
        }
        for (index, value) in query.arguments.enumerated() { try statement.bind(value, at: index + 1) }
        return (statement, reads)
    }
}

extension Statement {
    /// Binds an argument.
    fileprivate func bind(_ value: SQLValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        // As SQLite does with the result of a calculation.
        case .real(let value) where value.isNaN: try bindNull(at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .bytes(let value): try bind(value, at: index)
        }
    }

    /// The value of a column as SQLite holds it.
    fileprivate func sqlValue(at index: Int) -> SQLValue {
        switch type(at: index) {
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(string(at: index))
        case .blob: .bytes(bytes(at: index))
        case .null: .null
        }
    }

    /// Visits all rows. Errors that may quote a value are told by their number.
    fileprivate func forEachAppRow(_ visit: () throws -> Void) throws {
        do {
            try forEachRow { _ in try visit() }
        } catch let error as SQLiteError where error.isStatementError {
            throw SyncError.failedStatement(code: error.extendedCode)
        }
    }
}
