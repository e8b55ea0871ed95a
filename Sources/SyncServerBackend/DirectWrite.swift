public import SyncCore
import SyncWire

/// A direct write: new records that go to a server in one request, without a store, for example from a share
/// extension.
///
/// Other devices, and the app on the same device, pull them like any write. The same write may be sent repeatedly,
/// also by another process that has its `bytes`: the server stores it once.
///
/// ```swift
/// let write = try DirectWrite(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
/// let results = try await backend.send(write)
/// ```
///
/// Each write has its own random device identity, so that no edit count must be kept between writes. The price is one
/// permanent entry in each record's version vector, and one row at the server. That suits occasional manual writes;
/// frequent writers should use a store.
///
/// Checks that need a store are not made: `unique` lists, `limit` and references. Devices merge duplicates.
public struct DirectWrite: Sendable, Hashable {
    /// The identity that wrote the records.
    let device: DeviceID
    /// One change for each record, in order.
    let changes: [Change]

    /// Prepares new records. Fills `created` and `updated`, and leaves out local-only fields.
    ///
    /// - Parameters:
    ///   - records: Models of any entities, parents before children.
    ///   - clock: The time of edits whose `updated` field has none.
    ///   - random: The source of the identity.
    /// - Throws: `SyncError` `invalidInput` for a record that does not fit its schema, and `usage` for one that was read
    ///   from a store: a direct write only creates.
    public init(_ records: [any SyncEntity], clock: any SyncClock, random: any RandomSource) throws {
        let device = DeviceID(random: random.next())
        let now = clock.now()
        changes = try records.enumerated().map { index, record in
            try Self.change(record: record, now: now, device: device, sequence: Int64(index) + 1)
        }
        self.device = device
    }

    /// Prepares a record from a wire object. Throws `SyncError` `invalidInput` if it does not fit its schema.
    public init<Object: TransferObject>(
        _ object: Object,
        clock: any SyncClock,
        random: any RandomSource
    ) throws where Object.ModelType: SyncEntity {
        let entity = Object.ModelType.adapter.descriptor
        let model = try entity.fitting { try Object.ModelType(object) }
        try self.init([model], clock: clock, random: random)
    }

    /// The write as JSON, to keep until it has been sent.
    public var bytes: [UInt8] {
        var request = ExchangeRequest(device: device, entities: [])
        request.batch = batch
        return request.encoded(changes: payload)
    }

    /// Reads the `bytes` of a write. Throws `SyncError` `invalidInput` for anything else.
    public init(bytes: [UInt8]) throws {
        guard let request = try? ExchangeRequest(bytes), request.malformed.isEmpty,
            request.changes.allSatisfy({ $0.metadata?.editTimestamp.device == request.device })
        else { throw SyncError.noDirectWrite() }
        (device, changes) = (request.device, request.changes)
        guard request.batch == batch else { throw SyncError.noDirectWrite() }
    }

    /// The changes in the form of a request.
    var payload: [UInt8] { ExchangeRequest.encode(changes) }

    /// Names the changes: equal changes are the same push.
    var batch: String { Digest(payload).description }

    private static func change(
        record model: some SyncEntity,
        now: Timestamp,
        device: DeviceID,
        sequence: Int64
    ) throws -> Change {
        let entity = type(of: model).adapter.descriptor
        guard model.unknownFields.store == .none else {
            throw SyncError.editAsDirectWrite(entity: entity.name)
        }
        return try entity.fitting {
            var record = model.unknownFields.leavingOmitted(of: try model.record(), fields: entity.fields)
            let time = try entity.fillTimes(of: &record, now: now)
            let encoder = RecordEncoder(descriptor: entity, form: .wire)
            var decoder = RecordDecoder(descriptor: entity, form: .wire)
            decoder.refusesUnknown = true
            let given = record
            record = try decoder.record(encoder.bytes(record))
            guard let key = entity.key(of: record), !key.text.isEmpty else {
                let names = entity.key.joined(separator: ", ")
                throw FieldError(field: names, rule: "required", message: "The key is required.")
            }
            let edit = EditTimestamp(time: time, device: device, sequence: sequence)
            var metadata = VersionMetadata(first: edit)
            metadata.detail = FieldTimestamps(ofFirst: given, by: edit, entity: entity)
            let header = Change.Header(entity: entity.name, key: key, metadata: metadata)
            return Change(header, body: encoder.bytes(record))
        }
    }
}

extension EntityDescriptor {
    /// Fills the fields of a first edit, and returns its time. Throws `FieldError` for a deleted record.
    fileprivate func fillTimes(of record: inout Record, now: Timestamp) throws -> Timestamp {
        var time = now
        if let updated = layout.updated {
            if case .timestamp(let given)? = record.values[updated] { time = given }
            record.values[updated] = .timestamp(time)
        }
        if let created = layout.created, record.values[created] == nil {
            record.values[created] = .timestamp(time)
        }
        switch layout.deleted.flatMap({ record.values[$0] }) {
        case nil, .null, .boolean(false): return time
        default:
            let name = deleted ?? ""
            let message = "'\(name)' must not be set in a new record."
            throw FieldError(field: name, rule: "deleted", message: message)
        }
    }
}
