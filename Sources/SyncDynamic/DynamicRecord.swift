public import SyncCore

/// A record whose entity is known only at run time: values by field name.
public struct DynamicRecord: Sendable, Hashable {
    /// The entity.
    public let descriptor: EntityDescriptor
    /// The values by the position of the field.
    public private(set) var record: Record

    /// Makes a record without any value.
    public init(_ descriptor: EntityDescriptor) {
        self.init(descriptor: descriptor, record: Record(empty: descriptor))
    }

    /// Wraps the values of a record of the entity.
    public init(descriptor: EntityDescriptor, record: Record) {
        self.descriptor = descriptor
        self.record = record
    }

    /// The value of a field; nil means absent, `.null` means null. Also nil for a name that the entity does not have.
    public subscript(field: String) -> FieldValue? {
        descriptor.layout.position(of: field).flatMap { record.values[$0] }
    }

    /// Gives a field a value; nil makes it absent. Throws `FieldError` when the entity has no such field.
    public mutating func set(_ field: String, to value: FieldValue?) throws {
        guard let index = descriptor.layout.position(of: field) else {
            throw FieldError(field: field, rule: "unknown-field", message: "There is no field '\(field)'.")
        }
        record.values[index] = value
    }

    /// Members that the schema does not know, sorted by path as bytes.
    public var unknownFields: [UnknownField] {
        get { record.unknown }
        set { record.unknown = newValue.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) } }
    }

    /// The record's key, or nil while a key field has no value.
    public var key: RecordKey? { descriptor.key(of: record) }
}
