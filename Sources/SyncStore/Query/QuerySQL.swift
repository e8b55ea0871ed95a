import SyncCore
import SyncSQLite

/// The SQL of one query from the table's name to the limit, and its parameters.
///
/// The index is chosen here. SQLite's planner would walk a table instead of failing.
struct QuerySQL {
    /// The text after `SELECT … FROM table`.
    private(set) var text: String
    /// The values of the parameters, from the first on.
    private(set) var values: [FieldValue] = []

    private let table: EntityTable
    private let query: StoreQuery

    /// - Parameter keys: If given, only these are read.
    /// - Throws: `SyncError.noIndex` or `noLeadingIndex` if no index serves the query.
    init(table: EntityTable, query: StoreQuery, among keys: Set<RecordKey>? = nil) throws {
        self.table = table
        self.query = query
        let choice = try QueryIndex.choose(for: query, in: table)
        let index = keys == nil ? choice.name : QueryIndex.key(of: table).name
        text = " INDEXED BY \(try SQL.identifier(name: index)) WHERE "
        var terms: [String] = []
        if let keys {
            var list = JSONWriter()
            list.beginArray()
            for key in keys { list.string(key.text) }
            list.endArray()
            terms.append(
                "\(table.key) IN (SELECT value FROM json_each(\(parameter(value: .text(list.text)))))"
            )
        }
        for condition in query.conditions { terms.append(try term(condition: condition)) }
        let order = try Order(query: query, table: table)
        if let after = query.after { terms.append(try term(position: after, order: order)) }
        let visibility =
            query.includesDeleted ? "<> \(Visibility.merged.rawValue)" : "= \(Visibility.live.rawValue)"
        terms.append("sync_visibility \(visibility)")
        text += terms.joined(separator: " AND ") + " ORDER BY " + order.text
        if let limit = query.limit { text += " LIMIT \(parameter(value: .integer(Int64(max(0, limit)))))" }
    }

    private typealias Visibility = LocalRecord.Visibility

    /// Binds the values.
    func bind(to statement: Statement) throws {
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    }

    private mutating func parameter(value: FieldValue) -> String {
        values.append(value)
        return "?\(values.count)"
    }

    private mutating func term(condition: StoreQuery.Condition) throws -> String {
        let (column, type) = try table.column(field: condition.field)
        switch condition.test {
        case .equals(let value): return "\(column) IS \(parameter(value: value))"
        case .oneOf(let values):
            let list = values.filter { $0 != .null }.map { parameter(value: $0) }.joined(separator: ", ")
            let isIn = "\(column) IN (\(list))"
            return values.contains(.null) ? "(\(isIn) OR \(column) IS NULL)" : isIn
        case .range(let lower, let upper):
            var terms: [String] = []
            if let lower {
                terms.append("\(column) \(lower.isIncluded ? ">=" : ">") \(parameter(value: lower.value))")
            }
            if let upper {
                terms.append("\(column) \(upper.isIncluded ? "<=" : "<") \(parameter(value: upper.value))")
            }
            // `IS NOT NULL` would not use the index (`EXPLAIN QUERY PLAN`, SQLite 3.40).
            if lower == nil { terms.append("\(column) >= \(type.leastLiteral)") }
            return terms.joined(separator: " AND ")
        }
    }

    /// Records after a position: greater in the first term, or equal there and greater in the next, and so on.
    private mutating func term(position: StoreQuery.Position, order: Order) throws -> String {
        guard position.values.count == query.sort.count else {
            throw SyncError.storeMisuse(sentence: "A query continues after a position of another order.")
        }
        var alternatives: [String] = []
        var same: [String] = []
        for (index, term) in order.terms.enumerated() {
            let value = term.position.map { position.values[$0] } ?? .text(position.key.text)
            if let beyond = beyond(term: term, value: value) {
                alternatives.append((same + [beyond]).joined(separator: " AND "))
            }
            if index < order.terms.count - 1 { same.append("\(term.column) IS \(parameter(value: value))") }
        }
        guard order.terms.count > 1, let first = order.terms[0].position.map({ position.values[$0] }) else {
            return alternatives.joined()
        }
        let any = "(\(alternatives.map { "(\($0))" }.joined(separator: " OR ")))"
        return bound(term: order.terms[0], value: first).map { "\($0) AND \(any)" } ?? any
    }

    /// Whether a column comes after a value; nil if nothing does. NULL comes first when ascending, last when
    /// descending.
    private mutating func beyond(term: Order.Term, value: FieldValue) -> String? {
        switch (term.isDescending, value) {
        case (false, .null): return "\(term.column) IS NOT NULL"
        case (false, _): return "\(term.column) > \(parameter(value: value))"
        case (true, .null): return nil
        case (true, _):
            let less = "\(term.column) < \(parameter(value: value))"
            return term.isNullable ? "(\(less) OR \(term.column) IS NULL)" : less
        }
    }

    /// A redundant condition on the first column, which tells SQLite where to start.
    private mutating func bound(term: Order.Term, value: FieldValue) -> String? {
        switch (term.isDescending, value) {
        case (false, .null): return nil
        case (false, _): return "\(term.column) >= \(parameter(value: value))"
        case (true, .null): return "\(term.column) IS NULL"
        case (true, _): return term.isNullable ? nil : "\(term.column) <= \(parameter(value: value))"
        }
    }

    /// The order with the key as its last term.
    private struct Order {
        struct Term {
            var column: String
            var isDescending: Bool
            var isNullable: Bool
            /// The position of its value in `StoreQuery.Position`; nil for the key.
            var position: Int?
        }

        private(set) var terms: [Term] = []

        init(query: StoreQuery, table: EntityTable) throws {
            for (position, sort) in query.sort.enumerated() {
                let column = try table.column(field: sort.field).name
                if column == table.key {
                    terms.append(Term(column: column, isDescending: sort.isDescending, isNullable: false))
                    return
                }
                terms.append(
                    Term(
                        column: column,
                        isDescending: sort.isDescending,
                        isNullable: query.includesDeleted || !table.isNeverNull(sort.field),
                        position: position
                    )
                )
            }
            let isDescending = query.sort.last?.isDescending ?? false
            terms.append(Term(column: table.key, isDescending: isDescending, isNullable: false))
        }

        var text: String {
            terms.map { $0.column + ($0.isDescending ? " DESC" : "") }.joined(separator: ", ")
        }
    }
}

extension EntityTable {
    /// The quoted column of a field, and its type. Throws for a field that the entity does not have.
    func column(field: String) throws -> (name: String, type: FieldType) {
        guard let position = descriptor.layout.position(of: field) else {
            throw SyncError.unknownField(entity: descriptor.name, field: field)
        }
        return (columns[position], descriptor.fields[position].type)
    }

    /// Whether every live record has a value for the field.
    fileprivate func isNeverNull(_ field: String) -> Bool {
        descriptor.layout.position(of: field).map {
            descriptor.fields[$0].isRequired && !descriptor.fields[$0].isNullable
        } ?? false
    }
}

extension FieldType {
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
