/// The version of a record that was read: what an edit of it is based on.
///
/// Keep it beside a draft that outlives the app, or beside a form's own fields. It names the store and holds the values
/// as they were read, so that an edit can still be told from what others have written since, also when the store has
/// long forgotten that version.
public struct RecordVersion: Sendable, Hashable {
    /// The store that the record was read from.
    package let store: StoreID
    /// The entity's name.
    package let entity: String
    /// Whether the record was deleted.
    package let isDeleted: Bool
    /// The values in plain form.
    private let json: String

    private static let form = "v1-"

    /// The version of a record of a store.
    package init(store: StoreID, record: Record, isDeleted: Bool = false, entity: EntityDescriptor) {
        (self.store, self.isDeleted) = (store, isDeleted)
        self.entity = entity.name
        json = entity.layout.codec.codec(of: entity.fields).text(draft: record)
    }

    /// The values as they were read. Throws `FieldError` if the schema has changed so that they do not fit.
    package func base(of entity: EntityDescriptor) throws -> Record {
        var record = try entity.layout.codec.codec(of: entity.fields).record(draft: json)
        for (index, field) in entity.fields.enumerated() where record.values[index] == nil {
            // An older version of the app has written it under the field's former name.
            let member = field.formerNames.lazy.filter { entity.layout.position(of: $0) == nil }
                .compactMap { former in record.unknown.firstIndex { $0.path.hasSameBytes(as: former) } }.first
            guard let member else { continue }
            record.values[index] = field.type.adopting(value: .json(record.unknown.remove(at: member).json))
        }
        return record
    }

    /// The version as one opaque text.
    public var text: String {
        let payload = store.hex + (isDeleted ? "-" : "+") + entity + "\n" + json
        return Self.form + Self.check(of: payload) + Base64.encode(Array(payload.utf8))
    }

    /// Reads what `text` writes; nil for anything else.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.form),
            let bytes = Base64.decode(String(text.dropFirst(Self.form.count + 16))),
            case let payload = String(decoding: bytes, as: UTF8.self),
            text.dropFirst(Self.form.count).hasPrefix(Self.check(of: payload)),
            let store = StoreID(hex: String(payload.prefix(16))),
            let end = payload.firstIndex(of: "\n")
        else { return nil }
        self.store = store
        isDeleted = payload.dropFirst(16).first == "-"
        entity = String(payload[..<end].dropFirst(17))
        json = String(payload[payload.index(after: end)...])
    }

    /// Tells a text that was cut or changed.
    private static func check(of payload: String) -> String {
        String(Digest(Array(payload.utf8)).description.prefix(16))
    }
}

extension RecordVersion: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let version = RecordVersion(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "This is no version of a record."
            )
        }
        self = version
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension SyncEntity {
    /// The version that this record was read at; nil for one that was made and not read.
    ///
    /// It stays what it was while fields are changed. Throws `FieldError` for a value that cannot be kept.
    public func recordVersion() throws -> RecordVersion? {
        let entity = Self.adapter.descriptor
        let base = try unknownFields.base(of: try record(), fields: entity.fields)
        return base.map { RecordVersion(store: unknownFields.store, record: $0, entity: entity) }
    }

    /// This record as an edit of a version: a draft that was kept as JSON, or values from a form's own fields.
    ///
    /// Saving it writes only what differs from that version. Throws `FieldError` if the version is of another entity.
    public func edited(since version: RecordVersion) throws -> Self {
        let entity = Self.adapter.descriptor
        guard version.entity == entity.name else { throw FieldError.otherVersion(of: version.entity) }
        let (base, record) = (try version.base(of: entity), try record())
        var edited = self
        edited.unknownFields.setBase(base, of: record, fields: entity.fields, store: version.store)
        return edited
    }
}

extension FieldError {
    /// A version belongs to another entity.
    fileprivate static func otherVersion(of entity: String) -> FieldError {
        FieldError(field: "", rule: "version", message: "The version is one of '\(entity)'.")
    }
}
