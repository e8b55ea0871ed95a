public import SyncCore

/// A record of an entity without generated code: values by field name.
public struct DynamicRecord: Sendable, Hashable {
    /// The entity.
    public let descriptor: EntityDescriptor
    /// The values by field index.
    public private(set) var record: Record

    /// Makes a record without values.
    public init(_ descriptor: EntityDescriptor) {
        self.init(descriptor: descriptor, record: Record(empty: descriptor))
    }

    /// Makes a record from the values of an entity's record.
    public init(descriptor: EntityDescriptor, record: Record) {
        self.descriptor = descriptor
        self.record = record
    }

    /// The value of a field; nil if it is absent or unknown, `.null` for null.
    public subscript(field: String) -> FieldValue? {
        descriptor.layout.position(of: field).flatMap { record.values[$0] }
    }

    /// Sets the value of a field; nil removes it. Throws `FieldError` if the entity has no such field.
    public mutating func set(_ field: String, to value: FieldValue?) throws {
        guard let index = descriptor.layout.position(of: field) else {
            throw FieldError(field: field, rule: "unknown-field", message: "There is no field '\(field)'.")
        }
        record.values[index] = value
    }

    /// Members that are unknown to the schema, sorted by path (bytes).
    public var unknownFields: [UnknownField] {
        get { record.unknown }
        set { record.unknown = newValue.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) } }
    }

    /// The record's key; nil if a key field has no value.
    public var key: RecordKey? { descriptor.key(of: record) }
}
