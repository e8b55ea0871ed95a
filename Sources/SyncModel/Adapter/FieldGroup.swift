/// A struct of fields: an entity's model, or an object nested in one.
///
/// Its `Codable` form is a JSON object with the schema's names, as `export` writes it: exact dates and decimals,
/// unknown members kept, null and absent distinguished. Values are not validated, so that a draft can be encoded,
/// too.
///
/// NB: `Codable` keeps the values of unknown members, but not their order or the spelling of their numbers. And
/// Foundation's coders take two member names for one if they differ only in Unicode form. Rows and the wire keep
/// everything.
public protocol FieldGroup: Sendable, Hashable, Codable {
    /// The fields in schema order.
    static var fields: [FieldDescriptor] { get }
    /// Reads and writes the group as JSON. A type can store its codec instead of making it for each value.
    static var codec: FieldCodec { get }
    /// Makes a value from a row. Throws `FieldError` if a value is missing or does not fit.
    init(_ fields: FieldReader) throws
    /// Writes the values. Throws `FieldError` for a value that cannot be stored, such as a number that is not finite.
    func write(to fields: inout FieldWriter) throws
}

extension FieldGroup {
    /// Makes a value from a record.
    init(record: Record) throws {
        try self.init(FieldReader(row: RecordRow(record), fields: Self.fields))
    }

    /// The values as a record.
    public func record() throws -> Record {
        var writer = FieldWriter(Self.fields)
        try write(to: &writer)
        return writer.record
    }

    /// Reads and writes the group in plain form.
    public static var codec: FieldCodec { FieldCodec(plain: fields) }

    public init(from decoder: any Decoder) throws {
        do {
            try self.init(record: try Self.codec.record(draft: try AnyJSON(from: decoder).text))
        } catch let error as FieldError {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.message)
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        let text: String
        do {
            text = Self.codec.text(draft: try record())
        } catch let error as FieldError {
            throw EncodingError.invalidValue(
                error.field,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: error.message)
            )
        }
        try AnyJSON(text: text).encode(to: encoder)
    }
}

/// A nested object; canonical JSON in the column.
extension FieldConvertible where Self: FieldGroup {
    /// The object of a column of canonical JSON.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Self {
        guard case .json(let text) = value else {
            throw FieldError.relative(rule: "type", predicate: "must be an object")
        }
        return try Self(record: try FieldJSON.object(text: text, fields: fields))
    }

    /// Canonical JSON: fields in schema order, then unknown members.
    public func fieldValue(as type: FieldType) throws -> FieldValue {
        .json(FieldJSON.text(of: try record(), fields: Self.fields))
    }
}

/// An object that is the value of a field of another group.
public protocol NestedObject: FieldGroup, FieldConvertible {}

extension NestedObject {
    /// Whether all texts in the objects are the same. One that cannot be written is no other's like.
    public func hasSameText(as other: Self) -> Bool {
        guard let left = try? record(), let right = try? other.record() else { return false }
        return left == right
    }
}

/// The model of an entity, for example `Bookmark`.
public protocol SyncEntity: FieldGroup {
    /// Converts between rows and this model.
    associatedtype Adapter: EntityAdapter where Adapter.Model == Self
    /// What identifies a record: the key field's type, or a struct of the key fields.
    associatedtype EntityKey: Hashable, Sendable
    /// Converts between rows and this model.
    static var adapter: Adapter { get }
    /// The key in the form that the store and the command line use.
    static func recordKey(_ key: EntityKey) -> RecordKey
    /// What the record holds beside its fields.
    var unknownFields: UnknownFields { get set }
}

extension SyncEntity {
    /// The entity's fields.
    public static var fields: [FieldDescriptor] { adapter.descriptor.fields }

    /// Reads and writes models in plain form.
    public static var codec: FieldCodec {
        let descriptor = adapter.descriptor
        return descriptor.layout.codec.codec(of: descriptor.fields)
    }
}

extension Record {
    /// Puts the values into a row.
    public func bind(to row: any RowBinder) throws {
        for (index, value) in values.enumerated() { try row.bind(value, at: index) }
        if !unknown.isEmpty { try row.bind(unknown: unknown) }
    }
}

extension RecordKey {
    /// The key of several fields: a JSON array of their values, as text and integers.
    public init(parts: [FieldValue]) {
        var writer = JSONWriter()
        writer.beginArray()
        for part in parts { FieldJSON.write(part, to: &writer) }
        writer.endArray()
        self.init(writer.text)
    }
}
