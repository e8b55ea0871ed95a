import SyncSchema

/// The columns and indexes of a table, as it declares them.
extension PostgresTable {
    /// A column's line. A column that is added to rows that are there cannot demand a value of them.
    func declaration(of column: Column, isAdded: Bool = false) -> String {
        var text = "\(SQLText.name(column.name)) \(column.type.declaration)"
        let initial = initial(of: column)
        if isNotNull(column), !isAdded || initial != nil { text += " not null" }
        if let initial { text += " default \(initial)" }
        if let check = check(of: column) { text += " \(check)" }
        return text
    }

    /// Whether every row has a value in the column.
    func isNotNull(_ column: Column) -> Bool { column.property.isRequired && !column.property.isNullable }

    /// The value of a column where a program gives none; nil for null.
    func initial(of column: Column) -> String? { column.initialValue ?? generatedValue(of: column) }

    /// What the database fills in for a program that gives no value.
    private func generatedValue(of column: Column) -> String? {
        let name = column.property.name
        if column.name == ownerField?.name { return column.type.isText ? "auth.uid()::text" : "auth.uid()" }
        if name == schema.created || name == schema.updated, case .moment = column.kind {
            return column.value(ofInstant: "now()")
        }
        if schema.key == [name], case .uuid = column.kind {
            return column.type.isText ? "gen_random_uuid()::text" : "gen_random_uuid()"
        }
        return nil
    }

    /// The constraint that holds the limits of a column; nil if it has none.
    func check(of column: Column) -> String? {
        let checks = column.checks
        return checks.isEmpty
            ? nil : "constraint \(checkName(of: column)) check (\(checks.joined(separator: " and ")))"
    }

    /// The name of a column's constraint, in quotation marks.
    func checkName(of column: Column) -> String { SQLText.name(parts: name, column.name, "limits") }

    /// The names of the table's indexes, in quotation marks.
    var indexNames: [String] { indexParts.map(\.name) }

    /// Statements that make the indexes, in the same order.
    var indexes: [String] {
        indexParts.map { "create index if not exists \($0.name) on \(table) \($0.columns);" }
    }

    private var indexParts: [(name: String, columns: String)] {
        let references = schema.references.map(\.fields)
        var seen: Set<[String]> = []
        return (schema.unique + schema.indexes + references).compactMap { fields in
            guard seen.insert(fields).inserted else { return nil }
            let columns = fields.compactMap { column(of: $0) }
            guard columns.count == fields.count else { return nil }
            let index = SQLText.name(parts: name, columns.map(\.name).joined(separator: "_"), "sync")
            if let list = columns.first, list.property.type.isListOfScalars {
                // Elements are found by an inverted index, which the type `json` cannot have.
                return list.type.base == .json ? nil : (index, "using gin (\(SQLText.name(list.name)))")
            }
            let names = [ownerName].compactMap { $0 } + columns.map { SQLText.name($0.name) }
            return (index, "(\(names.joined(separator: ", ")))")
        }
    }
}

extension Column {
    /// Conditions of the schema that the table checks, so that programs that write rows without EntitySync keep them,
    /// too. Patterns are checked by devices only: the two languages of patterns differ.
    var checks: [String] {
        let name = SQLText.name(self.name)
        switch property.type {
        case .string(let minLength, let maxLength, _, let maxBytes):
            return [
                minLength.map { "char_length(\(name)) >= \($0)" },
                maxLength.map { "char_length(\(name)) <= \($0)" },
                maxBytes.map { "octet_length(\(name)) <= \($0)" },
            ].compactMap { $0 }
        case .uri(let maxLength): return [maxLength.map { "char_length(\(name)) <= \($0)" }].compactMap { $0 }
        case .integer(let minimum, let maximum):
            return [minimum.map { "\(name) >= \($0)" }, maximum.map { "\(name) <= \($0)" }].compactMap { $0 }
        case .number(let minimum, let maximum):
            return [minimum.map { "\(name) >= \($0)" }, maximum.map { "\(name) <= \($0)" }].compactMap { $0 }
        case .array(_, _, let minItems, let maxItems) where type.isArray:
            return [
                minItems.map { "cardinality(\(name)) >= \($0)" },
                maxItems.map { "cardinality(\(name)) <= \($0)" },
            ].compactMap { $0 }
        case .array(_, _, let minItems, let maxItems):
            let json = type.base == .json ? "json" : "jsonb"
            let count = "\(json)_array_length(\(name))"
            let isArray = "\(json)_typeof(\(name)) = 'array'"
            let bounds = [minItems.map { "\(count) >= \($0)" }, maxItems.map { "\(count) <= \($0)" }]
            // CASE, because AND may count the elements of something else.
            let limits = bounds.compactMap { $0 }.joined(separator: " and ")
            return [limits.isEmpty ? isArray : "case when \(isArray) then \(limits) else \(name) is null end"]
        case .object, .map: return ["\(type.base == .json ? "json" : "jsonb")_typeof(\(name)) = 'object'"]
        case .boolean, .uuid, .dateTime, .date, .decimal, .data, .enumeration: return []
        }
    }
}
