/// Receives the values of one record, field by field. A field that is never bound is absent.
///
/// A `RecordBuilder` makes a `Record` from them; the store's binder puts them directly into a prepared statement.
public protocol RowBinder: AnyObject {
    /// The field is null.
    func bindNull(at field: Int) throws
    /// A boolean.
    func bind(_ value: Bool, at field: Int) throws
    /// An integer.
    func bind(_ value: Int64, at field: Int) throws
    /// A finite double.
    func bind(_ value: Double, at field: Int) throws
    /// An instant.
    func bind(_ value: Timestamp, at field: Int) throws
    /// UTF-8 text or, for a structured field, canonical JSON. `isStable`: the memory stays valid after the row is
    /// bound.
    func bind(text: UnsafeBufferPointer<UInt8>, isStable: Bool, at field: Int) throws
    /// Bytes.
    func bind(bytes: [UInt8], at field: Int) throws
    /// Members that the schema does not know, sorted by path.
    func bind(unknown: [UnknownField]) throws
}

extension RowBinder {
    /// Text, or canonical JSON for a structured field.
    public func bind(_ value: String, at field: Int) throws {
        var copy = value
        try copy.withUTF8 { try bind(text: $0, isStable: false, at: field) }
    }

    /// Any value; nil leaves the field absent.
    public func bind(_ value: FieldValue?, at field: Int) throws {
        switch value {
        case nil: break
        case .null: try bindNull(at: field)
        case .boolean(let value): try bind(value, at: field)
        case .integer(let value): try bind(value, at: field)
        case .number(let value): try bind(value, at: field)
        case .timestamp(let value): try bind(value, at: field)
        case .text(let value), .json(let value): try bind(value, at: field)
        case .bytes(let value): try bind(bytes: value, at: field)
        }
    }
}

/// Provides the values of one record, field by field. The caller asks for the type that the descriptor names.
public protocol RowReader: AnyObject {
    /// Whether the field has a value, is null, or is absent.
    func presence(at field: Int) -> FieldPresence
    /// A boolean; false when there is none.
    func boolean(at field: Int) -> Bool
    /// An integer; 0 when there is none.
    func integer(at field: Int) -> Int64
    /// A double; 0 when there is none.
    func number(at field: Int) -> Double
    /// An instant; 1970 when there is none.
    func timestamp(at field: Int) -> Timestamp
    /// Text, or canonical JSON for a structured field; empty when there is none.
    func text(at field: Int) -> String
    /// Bytes; empty when there are none.
    func bytes(at field: Int) -> [UInt8]
    /// Like `text`, borrowed for the duration of the call.
    func withText<Result>(at field: Int, body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows
        -> Result
    /// Members that the schema does not know, sorted by path.
    var unknown: [UnknownField] { get }
    /// The store that holds the row; `none` for values that come from elsewhere.
    var store: StoreID { get }
}

/// Whether a field has a value.
public enum FieldPresence: Sendable, Hashable {
    case absent, null, value
}

extension RowReader {
    /// No store.
    public var store: StoreID { .none }

    /// The value of a field with the descriptor's type; nil if absent.
    public func value(at field: Int, type: FieldType) -> FieldValue? {
        switch presence(at: field) {
        case .absent: return nil
        case .null: return .null
        case .value: break
        }
        switch type {
        case .boolean: return .boolean(boolean(at: field))
        case .integer: return .integer(integer(at: field))
        case .number: return .number(number(at: field))
        case .dateTime: return .timestamp(timestamp(at: field))
        case .data: return .bytes(bytes(at: field))
        case .array, .object, .map: return .json(text(at: field))
        case .string, .uuid, .date, .uri, .decimal, .enumeration: return .text(text(at: field))
        }
    }

    /// All values of a record.
    public func record(descriptor: EntityDescriptor) -> Record {
        Record(
            values: descriptor.fields.indices.map { value(at: $0, type: descriptor.fields[$0].type) },
            unknown: unknown
        )
    }
}
