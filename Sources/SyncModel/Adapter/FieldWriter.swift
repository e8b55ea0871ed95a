/// Collects the fields of a model by name.
public struct FieldWriter {
    /// The values so far.
    public private(set) var record: Record
    private let fields: [FieldDescriptor]
    private var next = 0

    /// Starts with every field absent.
    public init(_ fields: [FieldDescriptor]) {
        self.fields = fields
        record = Record(values: Array(repeating: nil, count: fields.count))
    }

    /// Writes a value, unless the record came without the field and the field was not changed. Throws `FieldError`
    /// for a value that cannot be stored.
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

    /// Writes a value or nil. Nil becomes null if the schema allows it and the record did not come without the field.
    /// Otherwise the field is absent.
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

    /// Writes unknown members.
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
