import SyncCore
import SyncWire

/// Decides what becomes of one change: whether it is whole, whether it was made on what the log holds, and what of it is
/// stored. It reads and writes nothing.
struct ChangeValidator {
    /// The most devices of a vector.
    static let maxDevices = 10_000

    let entities: EntityList
    let account: Account
    let policy: ExchangePolicy
    let now: Timestamp

    /// What becomes of a change.
    enum Verdict {
        /// The present version is this one, stored before; whether otherwise than sent.
        case known(isAltered: Bool)
        /// It was not made on what the log holds.
        case conflict
        /// To be stored; whether otherwise than sent.
        case store(NewVersion, isAltered: Bool)
    }

    /// What holds changes of an entity to its schema. Throws `ChangeError` where the account may not exchange
    /// it.
    func check(_ entity: String) throws -> BodyCheck {
        guard let descriptor = entities[entity] else { throw ChangeError.unknownEntity }
        guard account.entities?.contains(entity) != false else { throw ChangeError.forbidden }
        return BodyCheck(descriptor)
    }

    /// Judges one change by its entity's check and the present version of its record. Throws `ChangeError`.
    func judge(
        _ change: Change,
        check: BodyCheck,
        stored: StoredVersion?
    ) throws -> Verdict {
        let metadata = try metadata(of: change.header)
        let vector = metadata.vector.description
        if let stored, !Mutation.disables(.repeatedPush), stored.vector == vector,
            [stored.editTimestamp, stored.pushed].contains(metadata.editTimestamp)
        {
            return .known(isAltered: metadata.editTimestamp != stored.editTimestamp)
        }
        // NB: a change with a base is never a create: what is not there was deleted, and its tombstone purged.
        guard change.header.base == stored?.revision || Mutation.disables(.baseRevision) else {
            return .conflict
        }
        if let stored, !Mutation.disables(.seenState) {
            guard let seen = VersionVector(stored.vector) else { throw WireError.damagedLog() }
            guard metadata.vector.covers(seen) else { return .conflict }
        }
        let updated = try check.updated(in: change)
        let limit = TimeLimit(now: now, policy: policy, replaced: stored?.editTimestamp)
        let lowered = limit.lowered(metadata: metadata)
        var header = change.header
        header.metadata = lowered
        let time = updated.map(limit.lowered)
        let entry =
            if let time, time != updated {
                try check.body(of: change, metadata: metadata, updated: time)
                    .withUnsafeBufferPointer { Self.entry(header: header, body: $0) }
            } else {
                change.body.withUnsafeBufferPointer { Self.entry(header: header, body: $0) }
            }
        let new = NewVersion(
            record: LogRecordID(entity: header.entity, key: header.key),
            isNew: stored == nil,
            editTimestamp: lowered.editTimestamp,
            pushed: metadata.editTimestamp,
            vector: vector,
            isDeleted: header.isDeleted,
            entry: entry
        )
        return .store(new, isAltered: time != updated || lowered != metadata)
    }

    /// The metadata of a change, whose header is checked.
    private func metadata(of header: Change.Header) throws -> VersionMetadata {
        guard let metadata = header.metadata else { throw ChangeError.malformed }
        if header.key.text.isEmpty { throw ChangeError.emptyKey }
        if metadata.vector.entries.count > Self.maxDevices { throw ChangeError.longVector }
        guard metadata.vector.covers(metadata.editTimestamp) else { throw ChangeError.uncoveredTimestamp }
        return metadata
    }

    private static func entry(header: Change.Header, body: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var writer = JSONWriter()
        // Names, key and one mark; more marks make it grow.
        writer.bytes.reserveCapacity(body.count + 256)
        EntryCodec.append(header, body: body, to: &writer)
        return writer.bytes
    }
}

/// Times that lie ahead of the server's clock by more than the tolerance are lowered to now, or to the tick after what the
/// version replaces.
private struct TimeLimit {
    private let latest: Timestamp
    private let lowest: Timestamp

    init(now: Timestamp, policy: ExchangePolicy, replaced: EditTimestamp?) {
        latest = now.adding(seconds: Int64(clamping: policy.clockToleranceSeconds))
        lowest = max(now, replaced?.time.next ?? now)
    }

    func lowered(time: Timestamp) -> Timestamp { time > latest ? min(time, lowest) : time }

    func lowered(metadata: VersionMetadata) -> VersionMetadata {
        var metadata = metadata
        metadata.editTimestamp = lowered(editTimestamp: metadata.editTimestamp)
        metadata.detail = metadata.detail?.mapping(exchange: lowered)
        return metadata
    }

    private func lowered(editTimestamp: EditTimestamp) -> EditTimestamp {
        EditTimestamp(
            time: lowered(time: editTimestamp.time),
            device: editTimestamp.device,
            sequence: editTimestamp.sequence
        )
    }
}

/// The entities that the server knows, by name.
struct EntityList: Sendable {
    private let entities: [String: EntityDescriptor]

    init(_ entities: [EntityDescriptor]) {
        self.entities = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names of all.
    var names: [String] { Array(entities.keys) }

    subscript(name: String) -> EntityDescriptor? { entities[name] }
}
