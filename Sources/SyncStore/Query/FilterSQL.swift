import SyncCore
import SyncSQLite

/// Finds the table of another entity. Throws if the store does not have it.
typealias TableLookup = (_ entity: String) throws -> EntityTable

/// The values of a statement's parameters, from the first on.
struct QueryParameters {
    private(set) var values: [FieldValue] = []

    /// Binds all of them.
    func bind(to statement: Statement) throws {
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    }

    /// Adds a value, and returns what stands for it.
    mutating func add(_ value: FieldValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    /// Adds a list of values as one JSON array, and returns a table of them.
    mutating func add(list: [FieldValue]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for value in list { writer.raw(FieldJSON.bytes(value: value)) }
        writer.endArray()
        return "(SELECT value FROM json_each(\(add(.text(writer.text)))))"
    }
}

/// Conditions on the rows of one table as SQL expressions.
struct FilterSQL {
    let table: EntityTable
    /// What the rows are called in the statement.
    var alias: String
    let lookup: TableLookup
    /// How many records lie between these and those of the query.
    var depth = 0
    /// Whether deleted rows of the table count, too.
    var includesDeleted = false

    /// A condition as an expression, which is null or 0 where it does not hold.
    func expression(_ filter: StoreQuery.Filter, parameters: inout QueryParameters) throws -> String {
        switch filter {
        case .test(let condition): return try test(condition, parameters: &parameters)
        case .all(let parts): return try joined(parts, by: " AND ", empty: "1", parameters: &parameters)
        case .any(let parts):
            if !parts.isEmpty, try parts.allSatisfy({ try QueryAccess.finds($0, in: table, lookup: lookup) })
            {
                return try union(parts, parameters: &parameters)
            }
            return try joined(parts, by: " OR ", empty: "0", parameters: &parameters)
        case .not(let part): return "(\(try expression(part, parameters: &parameters))) IS NOT TRUE"
        case .matches(let text):
            let rows = try SearchIndex(table: table).rows(text, parameters: &parameters)
            return "\(alias).sync_id IN \(rows)"
        case .refers(let field, let entity, let part):
            return try refers(by: field, to: entity, where: part, parameters: &parameters)
        case .isReferred(let entity, let field, let part):
            return try isReferred(from: entity, by: field, where: part, parameters: &parameters)
        }
    }

    /// Rows that meet at least one of some conditions, each of which an index serves.
    private func union(_ parts: [StoreQuery.Filter], parameters: inout QueryParameters) throws -> String {
        var inner = self
        inner.depth += 1
        inner.alias = "other\(inner.depth)"
        var selects: [String] = []
        for part in parts {
            selects.append(
                "SELECT \(inner.alias).sync_id FROM \(try inner.source(part, parameters: &parameters))"
            )
        }
        return "\(alias).sync_id IN (\(selects.joined(separator: " UNION ALL ")))"
    }

    /// The rows that meet a condition that an index serves, from the table's name to the end of the conditions.
    func source(_ filter: StoreQuery.Filter, parameters: inout QueryParameters) throws -> String {
        var query = StoreQuery()
        query.require(filter)
        let access = try QueryAccess.choose(for: query, in: table, lookup: lookup)
        var terms: [String] = []
        for condition in query.conditions { terms.append(try test(condition, parameters: &parameters)) }
        for part in query.filters { terms.append(try expression(part, parameters: &parameters)) }
        return
            "\(table.name) AS \(alias)\(try access.text) WHERE \((terms + [isIncluded]).joined(separator: " AND "))"
    }

    /// Whether a row is one of those that count.
    var isIncluded: String {
        let (deleted, live) = (LocalRecord.Visibility.deleted.rawValue, LocalRecord.Visibility.live.rawValue)
        return "\(alias).sync_visibility \(includesDeleted ? "<= \(deleted)" : "= \(live)")"
    }

    /// A test of one field as an expression.
    func test(_ condition: StoreQuery.Condition, parameters: inout QueryParameters) throws -> String {
        let operand = try FilterOperand(field: condition.field, of: table, alias: alias)
        let (column, type) = (operand.text, operand.type)
        switch condition.test {
        case .equals(let value): return "\(column) IS \(parameters.add(operand.stored(value: value)))"
        case .oneOf(let values):
            let list = values.filter { $0 != .null }.map { parameters.add(operand.stored(value: $0)) }
                .joined(separator: ", ")
            let isIn = "\(column) IN (\(list))"
            return values.contains(.null) ? "(\(isIn) OR \(column) IS NULL)" : isIn
        case .range(let lower, let upper):
            return range(of: operand, from: lower, to: upper, parameters: &parameters)
        case .contains(let text, []): return "instr(\(try operand.shown), \(parameters.add(.text(text)))) > 0"
        case .contains(let text, let folding):
            let folded = parameters.add(.text(FoldedText.folded(text, ignoring: folding)))
            return "instr(\(FoldedText.function)(\(try operand.shown), \(folding.rawValue)), \(folded)) > 0"
        case .hasAnyElement(let elements):
            let asksForNull = elements.contains(.null)
            let wanted = parameters.add(list: elements.filter { $0 != .null })
            if !asksForNull, let index = try ElementIndex(table: table, field: condition.field) {
                return "\(alias).sync_id IN (SELECT id FROM \(index.name) WHERE value IN \(wanted))"
            }
            let isNull = asksForNull ? " OR e.value IS NULL" : ""
            return "EXISTS (SELECT 1 FROM json_each(\(column)) AS e WHERE e.value IN \(wanted)\(isNull))"
        case .hasAllElements(let elements):
            return try hasAll(elements, column: column, field: condition.field, parameters: &parameters)
        case .compares(let comparison, let field):
            let other = try FilterOperand(field: field, of: table, alias: alias)
            guard operand.isComparable(with: other) else {
                throw SyncError.incomparable(
                    entity: table.descriptor.name,
                    fields: [condition.field, field]
                )
            }
            return "\(try operand.shown) \(comparison.operator) \(try other.shown)\(type.collation)"
        }
    }

    private func hasAll(
        _ elements: [FieldValue],
        column: String,
        field: String,
        parameters: inout QueryParameters
    ) throws -> String {
        if elements.contains(.null) {
            // An index of elements holds none that are null.
            let known = elements.filter { $0 != .null }
            let others = try hasAll(known, column: column, field: field, parameters: &parameters)
            return "(\(others) AND EXISTS (SELECT 1 FROM json_each(\(column)) AS e WHERE e.value IS NULL))"
        }
        if let index = try ElementIndex(table: table, field: field), !elements.isEmpty {
            return elements.map {
                "\(alias).sync_id IN (SELECT id FROM \(index.name) WHERE value IN \(parameters.add(list: [$0])))"
            }.joined(separator: " AND ")
        }
        let wanted = parameters.add(list: elements)
        let present = "(SELECT e.value FROM json_each(\(column)) AS e WHERE e.value IS NOT NULL)"
        return "NOT EXISTS (SELECT 1 FROM \(wanted) AS wanted WHERE wanted.value NOT IN \(present))"
    }

    private func range(
        of operand: FilterOperand,
        from lower: StoreQuery.Bound?,
        to upper: StoreQuery.Bound?,
        parameters: inout QueryParameters
    ) -> String {
        let (column, type) = (operand.text, operand.type)
        var terms: [String] = []
        if let lower {
            let value = parameters.add(operand.stored(value: lower.value))
            terms.append("\(column) \(lower.isIncluded ? ">=" : ">") \(value)\(type.collation)")
        }
        if let upper {
            let value = parameters.add(operand.stored(value: upper.value))
            terms.append("\(column) \(upper.isIncluded ? "<=" : "<") \(value)\(type.collation)")
        }
        // `IS NOT NULL` would not use the index (`EXPLAIN QUERY PLAN`, SQLite 3.40).
        if lower == nil {
            terms.append(operand.isMember ? "\(column) IS NOT NULL" : "\(column) >= \(type.leastLiteral)")
        }
        return terms.joined(separator: " AND ")
    }

    private func joined(
        _ parts: [StoreQuery.Filter],
        by separator: String,
        empty: String,
        parameters: inout QueryParameters
    ) throws -> String {
        if parts.isEmpty { return empty }
        var texts: [String] = []
        for part in parts { texts.append(try expression(part, parameters: &parameters)) }
        return "(\(texts.joined(separator: separator)))"
    }
}

/// An index of the elements of a list, as a table: one row for each element of each record.
struct ElementIndex {
    /// The table's name, quoted. Its columns are `value` and `id`, the row of the record.
    let name: String

    /// The index of a field's elements; nil if the schema asks for none.
    init?(table: EntityTable, field: String) throws {
        guard table.shape.indexes.contains([field]), table.shape.isElementIndex([field]) else { return nil }
        let prefix = TableDDL(descriptor: table.descriptor).indexPrefix
        name = try SQL.identifier(name: ElementTable.name(prefix: prefix, field: field))
    }
}

extension StoreQuery.Comparison {
    fileprivate var `operator`: String {
        switch self {
        case .equals: "IS"
        case .isLess: "<"
        case .isLessOrEqual: "<="
        }
    }
}

extension SyncError {
    /// A query compares two fields whose values are stored in different ways.
    static func incomparable(entity: String, fields: [String]) -> SyncError {
        SyncError(
            kind: .usage,
            message:
                "A query of \(entity) compares the fields '\(fields[0])' and '\(fields[1])', which are stored in different forms.",
            help: "Give both the same type, and have both in the record itself or both in an object."
        )
    }
}

extension FieldType {
    /// What a comparison of the column's values needs beside the values.
    var collation: String { if case .decimal = self { " COLLATE \(DecimalCollation.name)" } else { "" } }

    /// The least value of the column's type, as an SQL literal.
    fileprivate var leastLiteral: String {
        switch columnType {
        case "INTEGER": "-9223372036854775808"
        case "REAL": "-9e999"
        case "BLOB": "x''"
        default: "''"
        }
    }
}
