import SyncCore
import SyncSQLite

/// How a query finds the rows to test.
enum QueryAccess {
    /// By an index, which is named to SQLite: its planner would rather walk a table than fail.
    case index(String)
    /// By numbers of rows that a condition gives.
    case rows
    /// By a walk through all of them, which the query allows.
    case scan

    /// The text after the table's name.
    var text: String {
        get throws {
            switch self {
            case .index(let name): " INDEXED BY \(try SQL.identifier(name: name))"
            case .rows: " NOT INDEXED"
            case .scan: ""
            }
        }
    }

    /// The best way for a query.
    ///
    /// An index must find the rows that meet one of the conditions or filters, or the order of all. The others are tested
    /// on those rows.
    ///
    /// - Throws: `SyncError.noIndex` or `noLeadingIndex`, unless the query allows to walk all rows.
    static func choose(for query: StoreQuery, in table: EntityTable, lookup: TableLookup) throws
        -> QueryAccess
    {
        try attempt(query, in: table, lookup: lookup).get()
    }

    /// The same; a failure is the error that names the missing index.
    private static func attempt(
        _ query: StoreQuery,
        in table: EntityTable,
        lookup: TableLookup
    ) throws -> Result<QueryAccess, SyncError> {
        for field in query.conditions.map(\.field) + query.sort.map(\.field) {
            _ = try table.column(field: field)
        }
        let best = QueryIndex.best(for: query, in: table)
        if let best, query.filters.isEmpty || !query.conditions.isEmpty {
            return .success(.index(best.name))
        }
        for filter in query.filters {
            if let access = try access(of: filter, in: table, lookup: lookup) { return .success(access) }
        }
        if query.allowsScan { return .success(best.map { .index($0.name) } ?? .scan) }
        if let missing = QueryIndex.missingField(of: query, in: table) { return .failure(missing) }
        let name = table.descriptor.name
        if let field = query.conditions.first?.field {
            return .failure(.noLeadingIndex(entity: name, field: field))
        }
        if let filter = query.filters.first {
            return .failure(.noFilterIndex(entity: name, field: filter.firstField))
        }
        return .failure(.noLeadingIndex(entity: name, field: query.sort.first?.field ?? ""))
    }

    /// How a filter finds the rows that meet it; nil if it can only be tested.
    private static func access(
        of filter: StoreQuery.Filter,
        in table: EntityTable,
        lookup: TableLookup
    ) throws -> QueryAccess? {
        switch filter {
        case .test(let condition):
            switch condition.test {
            case .hasAnyElement(let elements) where !elements.contains(.null): break
            case .hasAllElements(let elements) where elements.contains { $0 != .null }: break
            default: return nil
            }
            return try ElementIndex(table: table, field: condition.field).map { _ in .rows }
        case .all, .not: return nil
        case .matches:
            _ = try SearchIndex(table: table)
            return .rows
        case .any(let parts):
            return try parts.allSatisfy { try finds($0, in: table, lookup: lookup) } ? .rows : nil
        case .refers(let field, let entity, let part):
            guard try finds(part, in: lookup(entity), lookup: lookup) else { return nil }
            let fields = try table.reference(by: field, to: entity).fields
            if fields.count == 1, try ElementIndex(table: table, field: field) != nil { return .rows }
            return QueryIndex.of(fields, in: table).map { .index($0.name) }
        case .isReferred(let entity, _, let part):
            guard try finds(part, in: lookup(entity), lookup: lookup) else { return nil }
            return .index(QueryIndex.key(of: table).name)
        }
    }

    /// Whether an index finds the rows of a table that meet a filter.
    static func finds(_ filter: StoreQuery.Filter, in table: EntityTable, lookup: TableLookup) throws -> Bool
    {
        var query = StoreQuery()
        query.require(filter)
        guard !query.conditions.isEmpty || !query.filters.isEmpty else { return false }
        return if case .success = try attempt(query, in: table, lookup: lookup) { true } else { false }
    }
}

extension SyncError {
    /// No index finds the rows that a condition asks for.
    static func noFilterIndex(entity: String, field: String?) -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "No index serves this query of \(entity)\(field.map { ", which tests the field '\($0)'" } ?? "").",
            help: "Add a condition on an indexed field, or say '.allowingScan()' where records are few.",
            commandLineHelp: "Add a condition on an indexed field, or '--scan' where records are few."
        )
    }
}
