public import SyncCore
public import SyncSchema

/// The adapter of an entity without generated code. It reads and binds whatever the schema describes.
public struct DynamicAdapter: EntityAdapter {
    /// The entity.
    public let descriptor: EntityDescriptor

    /// Makes an adapter from a checked schema.
    public init(schema: Schema) {
        self.init(EntityDescriptor(schema: schema))
    }

    /// Makes an adapter from a descriptor.
    public init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// Reads a row as it is. A missing required field is accepted here; the runtime checks it when writing.
    public func read(_ row: any RowReader) throws -> DynamicRecord {
        DynamicRecord(descriptor: descriptor, record: row.record(descriptor: descriptor))
    }

    /// Binds the values to a row. Throws `FieldError` for a value of another type than its field.
    public func bind(_ model: DynamicRecord, to row: any RowBinder) throws {
        for (field, value) in zip(descriptor.fields, model.record.values) {
            guard let value, !value.isKept(by: field) else { continue }
            throw FieldError(
                field: field.name,
                rule: "type",
                message: "'\(field.name)' has a value of another type."
            )
        }
        try model.record.bind(to: row)
    }
}

extension FieldValue {
    /// Whether the column of a field can store the value.
    fileprivate func isKept(by field: FieldDescriptor) -> Bool {
        switch (self, field.type) {
        case (.null, _): field.isNullable
        case (.boolean, .boolean), (.integer, .integer), (.timestamp, .dateTime), (.bytes, .data): true
        case (.number(let value), .number): value.isFinite
        case (.json, .array), (.json, .object), (.json, .map): true
        case (.text, .string), (.text, .uuid), (.text, .date), (.text, .uri), (.text, .decimal),
            (.text, .enumeration):
            true
        default: false
        }
    }
}
