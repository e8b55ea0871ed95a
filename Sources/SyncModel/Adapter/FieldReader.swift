/// Reads the fields of a row as the types of a model.
///
/// Generated code reads by position: model and descriptor come from one schema, so a field's position is known in
/// advance.
public struct FieldReader {
    /// The row.
    public let row: any RowReader
    private let layout: RowLayout

    /// Reads a row that holds these fields.
    public init(row: any RowReader, fields: [FieldDescriptor]) {
        self.row = row
        layout = RowLayout(fields)
    }

    /// Reads a row of an entity.
    public init(row: any RowReader, layout: EntityLayout) {
        self.row = row
        self.layout = layout.row
    }

    /// The value of a required field, or its default if it is absent. Throws `FieldError`.
    @inlinable
    public func value<Value: FieldConvertible>(at index: Int) throws -> Value {
        if let value = try Value.read(self, at: index) { return value }
        return try defaultValue(at: index)
    }

    /// The value of a field, or nil when it is null or absent. Throws `FieldError`.
    @inlinable
    public func optional<Value: FieldConvertible>(at index: Int) throws -> Value? {
        try Value.read(self, at: index)
    }

    /// Unknown members of the row, and its absent fields.
    public var unknownFields: UnknownFields {
        var absent: [String] = []
        for index in layout.tracked where row.presence(at: index) == .absent {
            absent.append(layout.fields[index].name)
        }
        let unknown = row.unknown
        var result =
            unknown.isEmpty && absent.isEmpty
            ? UnknownFields() : UnknownFields(members: unknown, absentFields: absent)
        result.store = row.store
        return result
    }

    /// The default of a field that the row lacks. Throws `FieldError` if the schema has none.
    public func defaultValue<Value: FieldConvertible>(at index: Int) throws -> Value {
        let field = layout.fields[index]
        guard row.presence(at: index) == .absent, let json = field.defaultJSON else {
            throw FieldError.relative(rule: "required", predicate: "is required").inside(outer: field.name)
        }
        return try FieldError.path(outer: field.name) { try DefaultValue.read(json: json, as: field.type) }
    }

    /// The type of a field.
    func type(at index: Int) -> FieldType { layout.fields[index].type }

    /// Whether the field holds a value, neither null nor absent.
    @inline(__always)
    func hasValue(at index: Int) -> Bool { row.presence(at: index) == .value }

    /// Runs a step and adds the field's name to its errors.
    func naming<Result>(index: Int, step: () throws -> Result) throws -> Result {
        try FieldError.path(outer: layout.fields[index].name, step: step)
    }
}

/// Facts about a group's fields, computed once for all rows.
final class RowLayout: Sendable {
    let fields: [FieldDescriptor]
    /// Positions of the fields whose absence a model remembers.
    let tracked: [Int]

    init(_ fields: [FieldDescriptor]) {
        self.fields = fields
        tracked = fields.indices.filter { fields[$0].isTracked }
    }
}

extension FieldDescriptor {
    /// Whether a model remembers that the field is absent, because its value does not show it.
    var isTracked: Bool { !isRequired && (isNullable || defaultJSON != nil) }
}
