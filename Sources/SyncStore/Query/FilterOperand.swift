import SyncCore
import SyncSQLite

/// What a test is about: a column, or a member of the object in a column.
struct FilterOperand {
    /// An expression.
    let text: String
    let field: FieldDescriptor
    private let column: String
    private let path: [String]

    var type: FieldType { field.type }
    /// Whether it is a member of an object, whose values have the form that they have in JSON.
    var isMember: Bool { path.count > 1 }

    /// The operand of a field, or of a path. Throws for one that the entity does not have.
    init(field name: String, of table: EntityTable, alias: String) throws {
        path = StoreQuery.path(of: name)
        field = try table.descriptor.queried(field: name)
        column = "\(alias).\(try table.column(field: path[0]).name)"
        let value = try Self.expression(of: path.dropFirst(), in: column)
        // A fraction of a second would come before the letter that ends the text of a time without one.
        text = path.count > 1 && field.type == .dateTime ? "rtrim(\(value), 'Z')" : value
    }

    /// The expression of what a model shows: where the field is missing, its default.
    var shown: String {
        get throws {
            guard let missing = try field.shownIfMissing(),
                let literal = try SQL.literal(value: stored(value: missing))
            else { return text }
            let value = "coalesce(\(text), \(literal))"
            guard isMember else { return value }
            let object = try Self.expression(of: path.dropFirst().dropLast(), in: column)
            return "iif(\(object) IS NULL, NULL, \(value))"
        }
    }

    /// A member of the object in a column; the column itself without names.
    private static func expression(of names: some Collection<String>, in column: String) throws -> String {
        if names.isEmpty { return column }
        let path = names.map { ".\"\($0)\"" }.joined()
        return "json_extract(\(column), \(try SQL.literal(text: "$\(path)")))"
    }

    /// Whether its values and another's have the same form.
    func isComparable(with other: Self) -> Bool {
        guard type.kind == other.type.kind else { return false }
        // Members have the form of JSON.
        return isMember == other.isMember || type != .dateTime && type != .data
    }

    /// A value in the form in which the operand has it.
    func stored(value: FieldValue) -> FieldValue {
        switch value {
        case .timestamp(let time) where isMember: .text(String(time.description.dropLast()))
        // Base64 in quotes.
        case .bytes where isMember:
            .text(String(decoding: FieldJSON.bytes(value: value).dropFirst().dropLast(), as: UTF8.self))
        default: value
        }
    }
}

extension SQL {
    /// A value as a literal; nil for one that has none.
    static func literal(value: FieldValue) throws -> String? {
        switch value {
        case .boolean(let value): value ? "1" : "0"
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .timestamp(let value): String(value.microseconds)
        case .text(let value), .json(let value): try literal(text: value)
        case .bytes, .null: nil
        }
    }
}
