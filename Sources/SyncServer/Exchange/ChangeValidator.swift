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
        _ change: EntryCodec.Header,
        in buffer: UnsafeBufferPointer<UInt8>,
        check: BodyCheck,
        stored: StoredVersion?
    ) throws -> Verdict {
        try checkHeader(change)
        let vector = change.metadata.vector.description
        if let stored, !Mutation.disables(.repeatedPush), stored.vector == vector,
            [stored.editTimestamp, stored.pushed].contains(change.metadata.editTimestamp)
        {
            return .known(isAltered: change.metadata.editTimestamp != stored.editTimestamp)
        }
        // NB: a change with a base is never a create: what is not there was deleted, and its tombstone purged.
        guard change.base == stored?.revision || Mutation.disables(.baseRevision) else {
            return .conflict
        }
        if let stored, !Mutation.disables(.seenState) {
            guard let seen = VersionVector(stored.vector) else { throw WireError.damagedLog() }
            guard change.metadata.vector.covers(seen) else { return .conflict }
        }
        let updated = try check.updated(in: change, buffer: buffer)
        let limit = TimeLimit(now: now, policy: policy, replaced: stored?.editTimestamp)
        var header = change
        header.metadata = limit.lowered(metadata: change.metadata)
        let time = updated.map(limit.lowered)
        let entry =
            if let time, time != updated {
                try check.body(of: change, in: buffer, updated: time)
                    .withUnsafeBufferPointer { Self.entry(header: header, body: $0) }
            } else {
                Self.entry(header: header, body: UnsafeBufferPointer(rebasing: buffer[change.body]))
            }
        let new = NewVersion(
            record: LogRecordID(entity: change.entity, key: change.key),
            isNew: stored == nil,
            editTimestamp: header.metadata.editTimestamp,
            pushed: change.metadata.editTimestamp,
            vector: vector,
            isDeleted: change.isDeleted,
            entry: entry
        )
        return .store(new, isAltered: time != updated || header.metadata != change.metadata)
    }

    private func checkHeader(_ change: EntryCodec.Header) throws {
        if change.key.text.isEmpty { throw ChangeError.emptyKey }
        if change.metadata.vector.entries.count > Self.maxDevices { throw ChangeError.longVector }
        guard change.metadata.vector.covers(change.metadata.editTimestamp) else {
            throw ChangeError.uncoveredTimestamp
        }
    }

    private static func entry(header: EntryCodec.Header, body: UnsafeBufferPointer<UInt8>) -> [UInt8] {
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
