import SyncCore
import SyncSQLite

/// What a test is about: a column, or a member of the object in a column.
struct FilterOperand {
    /// An expression.
    let text: String
    let type: FieldType
    /// Whether it is a member of an object, whose values have the form that they have in JSON.
    let isMember: Bool

    /// The operand of a field, or of a path. Throws for one that the entity does not have.
    init(field: String, of table: EntityTable, alias: String) throws {
        let path = StoreQuery.path(of: field)
        type = try table.descriptor.queried(field: field).type
        isMember = path.count > 1
        let column = "\(alias).\(try table.column(field: path[0]).name)"
        guard isMember else {
            text = column
            return
        }
        let members = path.dropFirst().map { ".\"\($0)\"" }.joined()
        let value = "json_extract(\(column), \(try SQL.literal(text: "$\(members)")))"
        // A fraction of a second would come before the letter that ends the text of a time without one.
        text = type == .dateTime ? "rtrim(\(value), 'Z')" : value
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
