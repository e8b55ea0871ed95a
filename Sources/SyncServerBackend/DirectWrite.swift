public import SyncCore
import SyncWire

/// New records that go straight to a server, in one request and without a store: what a share extension sends.
///
/// Every device, the app on the same phone included, later pulls them like anybody's write. A write is made once and may be
/// sent as often as it takes, also by another process that was left its `bytes`: the server stores it once.
///
/// ```swift
/// let write = try DirectWrite(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
/// let results = try await backend.send(write)
/// ```
///
/// Each write has a device identity of its own, drawn at random, so that no count of edits has to be kept between two of
/// them. The price is one entry in the version vector of each record, which stays with the record, and one row at the
/// server. It suits what a person does by hand; whoever writes all day keeps a store.
///
/// What needs a store is not checked: `unique` lists, `limit` and references. Duplicates are merged by the devices.
public struct DirectWrite: Sendable, Hashable {
    /// The identity that wrote the records.
    let device: DeviceID
    /// One change for each record, in order.
    let changes: [Change]

    /// Prepares new records. Fields that the engine fills (`created`, `updated`) are filled; `localOnly` ones are not sent.
    ///
    /// - Parameters:
    ///   - records: Models of any entities, parents before children.
    ///   - clock: The time of the edits that do not give one in their `updated` field.
    ///   - random: Where the identity comes from.
    /// - Throws: `SyncError` `invalidInput` for a record that does not fit its schema.
    public init(_ records: [any SyncEntity], clock: any SyncClock, random: any RandomSource) throws {
        let device = DeviceID(random: random.next())
        let now = clock.now()
        changes = try records.enumerated().map { index, record in
            try Self.change(record: record, now: now, device: device, sequence: Int64(index) + 1)
        }
        self.device = device
    }

    /// Prepares a record that came as a wire object. Throws `SyncError` `invalidInput` for one that does not fit its schema.
    public init<Object: TransferObject>(
        _ object: Object,
        clock: any SyncClock,
        random: any RandomSource
    ) throws where Object.ModelType: SyncEntity {
        let entity = Object.ModelType.adapter.descriptor
        let model = try Self.fitting(entity: entity) { try Object.ModelType(object) }
        try self.init([model], clock: clock, random: random)
    }

    /// The write as JSON, to be kept until it has been sent.
    public var bytes: [UInt8] {
        var request = ExchangeRequest(device: device, entities: [])
        request.batch = batch
        return request.encoded(changes: payload)
    }

    /// Reads what `bytes` gave. Throws `SyncError` `invalidInput` for anything else.
    public init(bytes: [UInt8]) throws {
        guard let request = try? ExchangeRequest(bytes), request.malformed.isEmpty,
            request.changes.allSatisfy({ $0.metadata?.editTimestamp.device == request.device })
        else { throw SyncError.noDirectWrite() }
        (device, changes) = (request.device, request.changes)
        guard request.batch == batch else { throw SyncError.noDirectWrite() }
    }

    /// The changes as they are sent.
    var payload: [UInt8] { ExchangeRequest.encode(changes) }

    /// Names the changes: the same ones are the same push.
    var batch: String { Digest(payload).description }

    private static func change(
        record model: some SyncEntity,
        now: Timestamp,
        device: DeviceID,
        sequence: Int64
    ) throws -> Change {
        let entity = type(of: model).adapter.descriptor
        return try fitting(entity: entity) {
            var record = try model.record()
            let time = try entity.fillTimes(of: &record, now: now)
            let encoder = RecordEncoder(descriptor: entity, form: .wire)
            var decoder = RecordDecoder(descriptor: entity, form: .wire)
            decoder.refusesUnknown = true
            record = try decoder.record(encoder.bytes(record))
            guard let key = entity.key(of: record), !key.text.isEmpty else {
                let names = entity.key.joined(separator: ", ")
                throw FieldError(field: names, rule: "required", message: "The key is required.")
            }
            let edit = EditTimestamp(time: time, device: device, sequence: sequence)
            let header = Change.Header(entity: entity.name, key: key, metadata: VersionMetadata(first: edit))
            return Change(header, body: encoder.bytes(record))
        }
    }

    private static func fitting<Result>(
        entity: EntityDescriptor,
        body: () throws -> Result
    ) throws -> Result {
        do { return try body() } catch let problem as FieldError {
            throw SyncError.doesNotFit(entity: entity.name, problem: problem)
        }
    }
}

extension EntityDescriptor {
    /// Fills what a first edit fills, and returns its time. Throws `FieldError` for a record that is deleted already.
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
