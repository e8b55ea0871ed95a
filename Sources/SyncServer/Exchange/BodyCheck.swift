import SyncCore

/// Holds the bodies of one entity's changes to its schema, one after the other. Of a body it keeps the key and the `updated`
/// time: no value is made of the rest, as the log takes the bytes.
///
/// Belongs to one request: all changes of an entity share its decoder.
final class BodyCheck {
    /// The most members of a record that its schema does not know.
    static let maxUnknownMembers = 1000

    /// The entity's description.
    let descriptor: EntityDescriptor
    private var decoder: RecordDecoder
    private let row: CountingRow

    init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
        decoder = RecordDecoder(descriptor: descriptor, form: .wire)
        row = CountingRow(descriptor)
    }

    /// Reads a change's body by the schema, and returns its `updated` time; nil where it has none. Throws `ChangeError`.
    func updated(in change: Change) throws -> Timestamp? {
        do {
            decoder.requiresAll = !change.header.isDeleted
            row.clear()
            try change.withBody { body in
                var reader = JSONReader(validated: body)
                try decoder.decode(&reader, into: row)
            }
        } catch let problem as FieldError {
            throw ChangeError(rule: problem.rule, reason: problem.message)
        } catch let problem as JSONError {
            throw ChangeError.body(problem: problem)
        }
        guard row.unknownMembers <= Self.maxUnknownMembers else { throw ChangeError.tooManyMembers }
        let key = descriptor.key(of: row.record)
        // A tombstone may have lost its value; what it has must be of this record.
        guard key == change.header.key || (key == nil && change.header.isDeleted) else {
            throw ChangeError.otherKey
        }
        return row.updated
    }

    /// The body with another `updated` time.
    func body(
        of change: Change,
        metadata: VersionMetadata,
        updated: Timestamp
    ) throws -> [UInt8] {
        let version = try change.withBody { body in
            try EntryCodec.version(change.header, metadata: metadata, body: body, descriptor: descriptor)
        }
        var record = version.record
        if let index = descriptor.layout.updated { record.values[index] = .timestamp(updated) }
        return RecordEncoder(descriptor: descriptor, form: .wire).bytes(record)
    }
}

/// A row that keeps the key and the `updated` time of what is bound.
private final class CountingRow: RowBinder {
    /// The values of the key's fields; all others are absent.
    private(set) var record: Record
    /// The `updated` time, where it is one.
    private(set) var updated: Timestamp?
    /// The number of members that the schema does not know.
    private(set) var unknownMembers = 0
    private let descriptor: EntityDescriptor
    private let isOfKey: [Bool]

    init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
        record = Record(empty: descriptor)
        isOfKey = descriptor.fields.indices.map { descriptor.layout.key.contains($0) }
    }

    /// Forgets what was bound.
    func clear() {
        for index in descriptor.layout.key { record.values[index] = nil }
        updated = nil
        unknownMembers = 0
    }

    func bindNull(at field: Int) { keep(.null, at: field) }
    func bind(_ value: Bool, at field: Int) { keep(.boolean(value), at: field) }
    func bind(_ value: Int64, at field: Int) { keep(.integer(value), at: field) }
    func bind(_ value: Double, at field: Int) { keep(.number(value), at: field) }

    func bind(_ value: Timestamp, at field: Int) {
        if field == descriptor.layout.updated { updated = value }
        keep(.timestamp(value), at: field)
    }

    func bind(text: UnsafeBufferPointer<UInt8>, isStable: Bool, at field: Int) {
        guard isOfKey[field] else { return }
        let value = String(decoding: text, as: UTF8.self)
        record.values[field] = descriptor.fields[field].type.isStructured ? .json(value) : .text(value)
    }

    func bind(bytes: [UInt8], at field: Int) { keep(.bytes(bytes), at: field) }
    func bind(unknown: [UnknownField]) { unknownMembers = unknown.count }

    private func keep(_ value: FieldValue, at field: Int) {
        if isOfKey[field] { record.values[field] = value }
    }
}
