/// Takes the fields of a model by name.
public struct FieldWriter {
    /// What was taken so far.
    public private(set) var record: Record
    private let fields: [FieldDescriptor]
    private var next = 0

    /// Starts with every field absent.
    public init(_ fields: [FieldDescriptor]) {
        self.fields = fields
        record = Record(values: Array(repeating: nil, count: fields.count))
    }

    /// Takes a value, unless the record came without the field and nobody changed it. Throws `FieldError` when the
    /// value cannot be kept.
    public mutating func write(
        _ value: some FieldConvertible,
        name: String,
        unknownFields: UnknownFields = UnknownFields()
    ) throws {
        if unknownFields.isAbsent(name) { return }
        let index = position(of: name)
        let type = fields[index].type
        record.values[index] = try FieldError.path(outer: name) { try value.fieldValue(as: type) }
    }

    /// Takes a value or nil. Nil is null where the schema allows it, unless the record came without the field; else the
    /// field is left out.
    public mutating func write<Value: FieldConvertible>(
        optional value: Value?,
        name: String,
        unknownFields: UnknownFields = UnknownFields()
    ) throws {
        if let value { return try write(value, name: name) }
        let index = position(of: name)
        guard fields[index].isNullable else { return }
        if fields[index].isRequired || !unknownFields.isAbsent(name) { record.values[index] = .null }
    }

    /// Takes what the schema does not know.
    public mutating func write(_ unknownFields: UnknownFields) {
        record.unknown = unknownFields.members
    }

    private mutating func position(of name: String) -> Int {
        for step in fields.indices {
            let index = (next + step) % fields.count
            guard fields[index].name == name else { continue }
            next = index + 1
            return index
        }
        preconditionFailure("a model gives field '\(name)', which its descriptor does not have")
    }
}
