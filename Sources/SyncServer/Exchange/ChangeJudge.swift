import SyncCore
import SyncWire

/// Decides what becomes of one change: whether it is whole, whether it was made on what the log holds, and what of it is
/// stored. It reads and writes nothing.
struct ChangeJudge {
    /// The most devices of a vector.
    static let maxDevices = 10_000

    let entities: EntityList
    let account: Account
    let policy: ExchangePolicy
    let now: Timestamp

    /// What becomes of a change.
    enum Verdict {
        /// It was stored before, under this state; whether otherwise than sent.
        case known(StoredRecord, isAltered: Bool)
        /// It was not made on what the log holds.
        case conflict(StoredRecord?)
        /// To be stored; whether otherwise than sent.
        case store(NewVersion, isAltered: Bool)
    }

    /// What holds changes of an entity to its schema. Throws `ChangeRefusal` where the account may not exchange it.
    func check(_ entity: String) throws -> BodyCheck {
        guard let descriptor = entities[entity] else { throw ChangeRefusal.unknownEntity }
        guard account.entities?.contains(entity) != false else { throw ChangeRefusal.forbidden }
        return BodyCheck(descriptor)
    }

    /// Judges one change by its entity's check and what the log holds of its record. Throws `ChangeRefusal`.
    func judge(
        _ change: EntryCodec.Header,
        _ key: StoredKey,
        in buffer: UnsafeBufferPointer<UInt8>,
        _ check: BodyCheck,
        stored: StoredRecord?
    ) throws -> Verdict {
        try checkHeader(change)
        let vector = change.stamp.vector.description
        if let stored, Guard.isOn(.repeatedPush), stored.vector == vector,
            [stored.mark, stored.pushed].contains(change.stamp.mark)
        {
            return .known(stored, isAltered: change.stamp.mark != stored.mark)
        }
        // NB: a change with a base is never a create: what is not there was deleted, and its tombstone purged.
        guard change.base == stored?.revision || !Guard.isOn(.baseRevision) else { return .conflict(stored) }
        if let stored, Guard.isOn(.seenState) {
            guard let seen = VersionVector(stored.vector) else { throw WireProblem.damagedLog() }
            guard change.stamp.vector.covers(seen) else { return .conflict(stored) }
        }
        let updated = try check.updated(in: change, buffer)
        let limit = TimeLimit(now: now, policy: policy, replaced: stored?.mark)
        var header = change
        header.stamp = limit.lowered(change.stamp)
        let time = updated.map(limit.lowered)
        let entry =
            if let time, time != updated {
                try check.body(of: change, in: buffer, updated: time)
                    .withUnsafeBufferPointer { Self.entry(header, body: $0) }
            } else {
                Self.entry(header, body: UnsafeBufferPointer(rebasing: buffer[change.body]))
            }
        let new = NewVersion(
            entity: change.entity,
            key: key,
            mark: header.stamp.mark,
            pushed: change.stamp.mark,
            vector: vector,
            isDeleted: change.isDeleted,
            entry: entry
        )
        return .store(new, isAltered: time != updated || header.stamp != change.stamp)
    }

    private func checkHeader(_ change: EntryCodec.Header) throws {
        if change.key.text.isEmpty { throw ChangeRefusal.emptyKey }
        if change.stamp.vector.entries.count > Self.maxDevices { throw ChangeRefusal.longVector }
        guard change.stamp.vector.covers(change.stamp.mark) else { throw ChangeRefusal.uncoveredMark }
    }

    private static func entry(_ header: EntryCodec.Header, body: UnsafeBufferPointer<UInt8>) -> [UInt8] {
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

    init(now: Timestamp, policy: ExchangePolicy, replaced: EditMark?) {
        latest = now.adding(seconds: Int64(clamping: policy.clockToleranceSeconds))
        lowest = max(now, replaced?.time.next ?? now)
    }

    func lowered(_ time: Timestamp) -> Timestamp { time > latest ? min(time, lowest) : time }

    func lowered(_ stamp: Stamp) -> Stamp {
        var stamp = stamp
        stamp.mark = lowered(stamp.mark)
        stamp.detail = stamp.detail?.mapping(lowered)
        return stamp
    }

    private func lowered(_ mark: EditMark) -> EditMark {
        EditMark(time: lowered(mark.time), device: mark.device, sequence: mark.sequence)
    }
}

/// The entities that the server knows, by name.
struct EntityList: Sendable {
    private let entities: [String: EntityDescriptor]

    init(_ entities: [EntityDescriptor]) {
        self.entities = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> EntityDescriptor? { entities[name] }
}
