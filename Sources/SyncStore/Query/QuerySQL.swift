import SyncCore
import SyncSQLite

/// The SQL of one query from the table's name to the limit, and its parameters.
struct QuerySQL {
    /// The text after `SELECT … FROM table`.
    private(set) var text: String
    private var parameters = QueryParameters()

    private let table: EntityTable
    private let query: StoreQuery

    /// - Parameters:
    ///   - keys: If given, only these are read.
    ///   - isSorted: Whether order, position and limit are wanted.
    /// - Throws: `SyncError.noIndex` or `noLeadingIndex` if no index serves the query.
    init(
        table: EntityTable,
        query: StoreQuery,
        among keys: Set<RecordKey>? = nil,
        isSorted: Bool = true,
        lookup: @escaping TableLookup
    ) throws {
        self.table = table
        self.query = query
        let chosen = try QueryAccess.choose(for: query, in: table, lookup: lookup)
        let access = keys == nil ? chosen : .index(QueryIndex.key(of: table).name)
        text = try access.text + " WHERE "
        var terms: [String] = []
        if let keys {
            let list = parameters.add(list: keys.map { .text($0.text) })
            terms.append("\(table.key) IN \(list)")
        }
        var filters = FilterSQL(table: table, alias: table.name, lookup: lookup)
        filters.includesDeleted = query.includesDeleted
        for condition in query.conditions {
            terms.append(try filters.test(condition, parameters: &parameters))
        }
        for filter in query.filters { terms.append(try filters.expression(filter, parameters: &parameters)) }
        let order = try Order(query: query, table: table)
        if isSorted, let after = query.after { terms.append(try term(position: after, order: order)) }
        terms.append(filters.isIncluded)
        text += terms.joined(separator: " AND ")
        guard isSorted else { return }
        text += " ORDER BY " + order.text
        if let limit = query.limit { text += " LIMIT \(parameters.add(.integer(Int64(max(0, limit)))))" }
    }

    /// Binds the values.
    func bind(to statement: Statement) throws { try parameters.bind(to: statement) }

    /// Records after a position: greater in the first term, or equal there and greater in the next, and so on.
    private mutating func term(position: StoreQuery.Position, order: Order) throws -> String {
        guard position.values.count == query.sort.count else {
            throw SyncError.storeMisuse(sentence: "A query continues after a position of another order.")
        }
        var alternatives: [String] = []
        var same: [String] = []
        for (index, term) in order.terms.enumerated() {
            let value =
                term.position.map { term.compared(position.values[$0]) } ?? .text(position.key.text)
            if let beyond = beyond(term: term, value: value) {
                alternatives.append((same + [beyond]).joined(separator: " AND "))
            }
            if index < order.terms.count - 1 { same.append("\(term.expression) IS \(parameters.add(value))") }
        }
        guard order.terms.count > 1, let place = order.terms[0].position else { return alternatives.joined() }
        let first = order.terms[0].compared(position.values[place])
        let any = "(\(alternatives.map { "(\($0))" }.joined(separator: " OR ")))"
        return bound(term: order.terms[0], value: first).map { "\($0) AND \(any)" } ?? any
    }

    /// Whether a column comes after a value; nil if nothing does. NULL comes first when ascending, last when
    /// descending.
    private mutating func beyond(term: Order.Term, value: FieldValue) -> String? {
        switch (term.isDescending, value) {
        case (false, .null): return "\(term.expression) IS NOT NULL"
        case (false, _): return "\(term.expression) > \(parameters.add(value))\(term.collation)"
        case (true, .null): return nil
        case (true, _):
            let less = "\(term.expression) < \(parameters.add(value))\(term.collation)"
            return term.isNullable ? "(\(less) OR \(term.expression) IS NULL)" : less
        }
    }

    /// A redundant condition on the first column, which tells SQLite where to start.
    private mutating func bound(term: Order.Term, value: FieldValue) -> String? {
        switch (term.isDescending, value) {
        case (false, .null): return nil
        case (false, _): return "\(term.expression) >= \(parameters.add(value))\(term.collation)"
        case (true, .null): return "\(term.expression) IS NULL"
        case (true, _):
            return term.isNullable ? nil : "\(term.expression) <= \(parameters.add(value))\(term.collation)"
        }
    }

    /// The order with the key as its last term.
    private struct Order {
        struct Term {
            /// What is compared: a column, or the place of its text in an enumeration.
            var expression: String
            var isDescending: Bool
            var isNullable: Bool
            /// The position of its value in `StoreQuery.Position`; nil for the key.
            var position: Int?
            var collation = ""
            /// What is compared of a value.
            var compared: (FieldValue) -> FieldValue = { $0 }
        }

        private(set) var terms: [Term] = []

        init(query: StoreQuery, table: EntityTable) throws {
            for (position, sort) in query.sort.enumerated() {
                let (column, type) = try table.column(field: sort.field)
                let isDescending = sort.isDescending != query.isBackward
                if column == table.key {
                    terms.append(Term(expression: column, isDescending: isDescending, isNullable: false))
                    return
                }
                var term = Term(
                    expression: column,
                    isDescending: isDescending,
                    isNullable: query.includesDeleted || !table.isNeverNull(sort.field),
                    position: position,
                    collation: type.collation
                )
                if let ranks = sort.ranks {
                    let operand = try FilterOperand(field: sort.field, of: table, alias: table.name)
                    let missing = try operand.field.shownIfMissing()
                    term.expression = try Self.place(of: operand.shown, in: ranks)
                    term.compared = { sort.compared(value: $0, missing: missing) }
                }
                terms.append(term)
            }
            let isDescending = (query.sort.last?.isDescending ?? false) != query.isBackward
            terms.append(Term(expression: table.key, isDescending: isDescending, isNullable: false))
        }

        /// The place of an expression's value among some; after all for another one, and null for none.
        private static func place(of expression: String, in ranks: [FieldValue]) throws -> String {
            let whens = try ranks.enumerated().compactMap { place, value in
                try SQL.literal(value: value).map { "WHEN \($0) THEN \(place)" }
            }
            return "CASE \(expression) \(whens.joined(separator: " ")) "
                + "ELSE iif(\(expression) IS NULL, NULL, \(ranks.count)) END"
        }

        var text: String {
            terms.map { $0.expression + $0.collation + ($0.isDescending ? " DESC" : "") }.joined(
                separator: ", "
            )
        }
    }
}

extension EntityTable {
    /// The quoted column of a field, and its type. Throws for a field that the entity does not have.
    func column(field: String) throws -> (name: String, type: FieldType) {
        guard let position = descriptor.layout.position(of: field) else {
            if (try? descriptor.queried(field: field)) != nil {
                throw SyncError.memberOfObject(entity: descriptor.name, field: field)
            }
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
