/// Tells whether a record can be read with its schema: its required fields are there, and its values are of their types.
///
/// Lengths, bounds, patterns and the form of a URI do not matter here. A record that has become too long is still shown; it
/// is refused at its next edit.
package struct RecordFit: Sendable {
    private let fields: [FieldDescriptor]
    private let patterns = PatternTable(fields: [])

    /// Prepares the check for one entity.
    package init(_ descriptor: EntityDescriptor) {
        fields = descriptor.fields.map(\.readable)
    }

    /// What keeps a row from being read; nil if nothing does.
    package func error(in row: any RowReader) -> FieldError? {
        for (index, field) in fields.enumerated() {
            switch row.presence(at: index) {
            case .absent where field.isRequired && !field.isNullable && field.defaultJSON == nil,
                .null where !field.isNullable:
                return FieldError(
                    field: field.name,
                    rule: "required",
                    message: "'\(field.name)' is required."
                )
            case .value:
                if let error = error(in: row, at: index, field: field) { return error }
            case .absent, .null: break
            }
        }
        return nil
    }

    /// Whether a record can be read.
    package func fits(_ record: Record) -> Bool { error(in: RecordRow(record)) == nil }

    /// A text that changes with what the check asks for.
    package var words: String { fields.map(\.words).joined(separator: ",") }

    private func error(in row: any RowReader, at index: Int, field: FieldDescriptor) -> FieldError? {
        switch field.type {
        case .string, .integer, .number, .boolean, .dateTime, .uri, .data, .enumeration: return nil
        case .array, .object, .map: return row.withText(at: index) { structure(of: $0, field: field) }
        case .uuid, .date, .decimal:
            return row.withText(at: index) { text in
                do {
                    try ValueCheck(path: field.name, patterns: patterns).check(text, type: field.type)
                    return nil
                } catch {
                    return error as? FieldError
                }
            }
        }
    }

    private func structure(of text: UnsafeBufferPointer<UInt8>, field: FieldDescriptor) -> FieldError? {
        let canonicalizer = Canonicalizer(patterns: patterns, input: .plain, output: .plain)
        var writer = JSONWriter()
        do {
            var reader = try JSONReader(text)
            try canonicalizer.append(&reader, type: field.type, path: field.name, to: &writer)
            try reader.end()
            return nil
        } catch let error as FieldError {
            return error
        } catch {
            return FieldError(
                field: field.name,
                rule: "json",
                message: "'\(field.name)' is not valid JSON."
            )
        }
    }
}

extension FieldDescriptor {
    /// The field without what a model does not need: bounds, patterns, and null where the field may be missing.
    fileprivate var readable: FieldDescriptor {
        var field = self
        field.type = type.readable
        field.isNullable = isNullable || !isRequired
        field.hasUniqueItems = false
        return field
    }

    fileprivate var words: String {
        let presence = "\(isRequired ? "!" : "")\(isNullable ? "?" : "")\(defaultJSON == nil ? "" : "=")"
        return "\(name)\(presence):\(type.words)"
    }
}

extension FieldType {
    /// The type without bounds and patterns.
    fileprivate var readable: FieldType {
        switch self {
        case .string, .uri, .enumeration: .string()
        case .integer: .integer()
        case .number: .number()
        case .array(let element, let isNullable, _, _, _):
            .array(element: element.readable, elementIsNullable: isNullable)
        case .object(let fields): .object(fields.map(\.readable))
        case .map(let value, let isNullable): .map(value: value.readable, valueIsNullable: isNullable)
        case .boolean, .uuid, .dateTime, .date, .decimal, .data: self
        }
    }

    fileprivate var words: String {
        switch self {
        case .string, .uri, .enumeration: "text"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .uuid: "uuid"
        case .dateTime: "date-time"
        case .date: "date"
        case .decimal: "decimal"
        case .data: "data"
        case .array(let element, let isNullable, _, _, _): "[\(element.words)\(isNullable ? "?" : "")]"
        case .object(let fields): "{\(fields.map(\.words).joined(separator: ","))}"
        case .map(let value, let isNullable): "<\(value.words)\(isNullable ? "?" : "")>"
        }
    }
}
