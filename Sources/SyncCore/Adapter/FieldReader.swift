/// Reads the fields of a row by name into the types of a model.
///
/// Fields are mostly asked for in schema order, so each search starts where the last one ended.
public final class FieldReader {
    private let row: any RowReader
    private let fields: [FieldDescriptor]
    private var next = 0

    /// Reads a row that holds these fields.
    public init(_ row: any RowReader, _ fields: [FieldDescriptor]) {
        self.row = row
        self.fields = fields
    }

    /// The value of a field that must have one: its default when it is absent. Throws `FieldProblem`.
    public func value<Value: FieldConvertible>(_ name: String) throws -> Value {
        let index = position(of: name)
        if let value: Value = try value(at: index) { return value }
        guard row.presence(at: index) == .absent, let json = fields[index].defaultJSON else {
            throw FieldProblem.relative("required", "is required").inside(name)
        }
        return try FieldProblem.path(name) { try DefaultValue.read(json, as: fields[index].type) }
    }

    /// The value of a field, or nil when it is null or absent. Throws `FieldProblem`.
    public func optional<Value: FieldConvertible>(_ name: String) throws -> Value? {
        try value(at: position(of: name))
    }

    /// What the row holds beside the values of its fields.
    public var unknownFields: UnknownFields {
        var absent: [String] = []
        for (index, field) in fields.enumerated() where field.isTracked {
            if row.presence(at: index) == .absent { absent.append(field.name) }
        }
        return UnknownFields(row.unknown, absentFields: absent)
    }

    private func value<Value: FieldConvertible>(at index: Int) throws -> Value? {
        let type = fields[index].type
        guard let value = row.value(at: index, type: type), value != .null else { return nil }
        return try FieldProblem.path(fields[index].name) { try Value.read(value, as: type) }
    }

    private func position(of name: String) -> Int {
        for step in fields.indices {
            let index = (next + step) % fields.count
            guard fields[index].name == name else { continue }
            next = index + 1
            return index
        }
        preconditionFailure("a model asks for field '\(name)', which its descriptor does not have")
    }
}

extension FieldDescriptor {
    /// Whether a model remembers that the field is absent, as its value alone does not tell.
    var isTracked: Bool { !isRequired && (isNullable || defaultJSON != nil) }
}
