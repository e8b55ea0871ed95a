import SyncCore

/// Validates the bodies of one entity's changes against its schema. It keeps only the key and the `updated`
/// time of a body; the other values are not decoded, because the log stores the bytes as they are.
///
/// Belongs to one request: all changes of an entity share its decoder.
final class BodyCheck {
    /// The most members of a record that are unknown to its schema.
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

    /// What a valid body tells.
    struct Checked: Sendable {
        /// Its `updated` time; nil if it has none.
        var updated: Timestamp?
        /// Whether the body is stored as it is. False for a delete whose last values do not fit: the delete counts, and
        /// nobody needs the values.
        var isKept = true
    }

    /// Validates a change's body. Throws `ChangeError`.
    func checked(change: Change) throws -> Checked {
        do {
            decoder.requiresAll = !change.header.isDeleted
            row.clear()
            try change.withBody { body in
                var reader = JSONReader(validated: body)
                try decoder.decode(&reader, into: row)
            }
        } catch let error where change.header.isDeleted && (error is FieldError || error is JSONError) {
            return Checked(isKept: false)
        } catch let error as FieldError {
            throw ChangeError(rule: error.rule, reason: error.message)
        } catch let error as JSONError {
            throw ChangeError.body(error: error)
        }
        guard row.unknownMembers <= Self.maxUnknownMembers else { throw ChangeError.tooManyMembers }
        let key = descriptor.key(of: row.record)
        // A tombstone need not carry its values, but any key that it carries must be the record's.
        guard key == change.header.key || (key == nil && change.header.isDeleted) else {
            throw ChangeError.otherKey
        }
        return Checked(updated: row.updated)
    }

    /// The body of a delete without its last values.
    func body(withKeyOnly key: RecordKey) -> [UInt8] {
        RecordEncoder(descriptor: descriptor, form: .wire).bytes(descriptor.record(withKeyOnly: key))
    }

    /// The body with its `updated` time replaced.
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

/// A row that keeps only the key and the `updated` time of the values bound to it.
private final class CountingRow: RowBinder {
    /// The values of the key's fields; all others are absent.
    private(set) var record: Record
    /// The `updated` value, if it is a timestamp.
    private(set) var updated: Timestamp?
    /// The number of members that are unknown to the schema.
    private(set) var unknownMembers = 0
    private let descriptor: EntityDescriptor
    private let isOfKey: [Bool]

    init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
        record = Record(empty: descriptor)
        isOfKey = descriptor.fields.indices.map { descriptor.layout.key.contains($0) }
    }

    /// Discards all bound values.
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
