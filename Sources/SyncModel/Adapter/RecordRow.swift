/// A `Record` as a row to read.
public final class RecordRow: RowReader {
    private let record: Record
    /// The store that holds the record.
    public let store: StoreID

    /// Wraps a record, of a store or from elsewhere.
    public init(_ record: Record, store: StoreID = .none) {
        self.record = record
        self.store = store
    }

    public func presence(at field: Int) -> FieldPresence {
        switch record.values[field] {
        case nil: .absent
        case .null: .null
        default: .value
        }
    }

    public func boolean(at field: Int) -> Bool {
        if case .boolean(let value) = record.values[field] { value } else { false }
    }

    public func integer(at field: Int) -> Int64 {
        if case .integer(let value) = record.values[field] { value } else { 0 }
    }

    public func number(at field: Int) -> Double {
        if case .number(let value) = record.values[field] { value } else { 0 }
    }

    public func timestamp(at field: Int) -> Timestamp {
        if case .timestamp(let value) = record.values[field] { value } else { Timestamp(microseconds: 0) }
    }

    public func text(at field: Int) -> String {
        switch record.values[field] {
        case .text(let value), .json(let value): value
        default: ""
        }
    }

    public func bytes(at field: Int) -> [UInt8] {
        if case .bytes(let value) = record.values[field] { value } else { [] }
    }

    public func withText<Result>(
        at field: Int,
        body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        var copy = text(at: field)
        return try copy.withUTF8(body)
    }

    public var unknown: [UnknownField] { record.unknown }
}

/// Collects bound values in a `Record`.
public final class RecordBuilder: RowBinder {
    /// The values so far.
    public private(set) var record: Record
    private let descriptor: EntityDescriptor

    /// Starts with every field absent.
    public init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
        record = Record(empty: descriptor)
    }

    public func bindNull(at field: Int) { record.values[field] = .null }
    public func bind(_ value: Bool, at field: Int) { record.values[field] = .boolean(value) }
    public func bind(_ value: Int64, at field: Int) { record.values[field] = .integer(value) }
    public func bind(_ value: Double, at field: Int) { record.values[field] = .number(value) }
    public func bind(_ value: Timestamp, at field: Int) { record.values[field] = .timestamp(value) }

    public func bind(text: UnsafeBufferPointer<UInt8>, isStable: Bool, at field: Int) {
        let value = String(decoding: text, as: UTF8.self)
        record.values[field] = descriptor.fields[field].type.isStructured ? .json(value) : .text(value)
    }

    public func bind(bytes: [UInt8], at field: Int) { record.values[field] = .bytes(bytes) }
    public func bind(unknown: [UnknownField]) { record.unknown = unknown }
}
