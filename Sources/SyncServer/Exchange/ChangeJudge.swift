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

    /// Whether the account may exchange the entity, and its description. Throws `ChangeRefusal`.
    func descriptor(_ entity: String) throws -> EntityDescriptor {
        guard let descriptor = entities[entity] else { throw ChangeRefusal.unknownEntity }
        guard account.entities?.contains(entity) != false else { throw ChangeRefusal.forbidden }
        return descriptor
    }

    /// Judges one change by what the log holds of its record. Throws `ChangeRefusal`.
    func judge(
        _ change: EntryCodec.Header,
        in buffer: UnsafeBufferPointer<UInt8>,
        stored: StoredRecord?
    ) throws -> Verdict {
        let descriptor = try descriptor(change.entity)
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
        let sent = try version(change, in: buffer, descriptor)
        let lowered = lowering(sent, descriptor, after: stored?.mark)
        let isBodyAltered = lowered.record != sent.record
        let body =
            isBodyAltered
            ? RecordEncoder(descriptor, form: .wire).bytes(lowered.record)
            : Self.minified(UnsafeBufferPointer(rebasing: buffer[change.body]))
        let new = NewVersion(
            entity: change.entity,
            key: change.key,
            mark: lowered.stamp.mark,
            pushed: change.stamp.mark,
            vector: vector,
            isDeleted: change.isDeleted,
            entry: Self.entry(lowered, body: body)
        )
        return .store(new, isAltered: isBodyAltered || lowered.stamp != sent.stamp)
    }

    private func checkHeader(_ change: EntryCodec.Header) throws {
        if change.key.text.isEmpty { throw ChangeRefusal.emptyKey }
        if change.stamp.vector.entries.count > Self.maxDevices { throw ChangeRefusal.longVector }
        guard change.stamp.vector.covers(change.stamp.mark) else { throw ChangeRefusal.uncoveredMark }
    }

    /// Reads the body by the entity's schema.
    private func version(
        _ change: EntryCodec.Header,
        in buffer: UnsafeBufferPointer<UInt8>,
        _ descriptor: EntityDescriptor
    ) throws -> SyncRecord {
        do {
            let version = try EntryCodec.version(change, in: buffer, descriptor)
            let key = descriptor.key(of: version.record)
            // A tombstone may have lost its value; what it has must be of this record.
            guard key == change.key || (key == nil && change.isDeleted) else { throw ChangeRefusal.otherKey }
            return version
        } catch let problem as FieldProblem {
            throw ChangeRefusal(rule: problem.rule, reason: problem.message)
        } catch let problem as JSONProblem {
            throw ChangeRefusal.body(problem)
        }
    }

    /// The version with no time that lies ahead of the server's clock by more than the tolerance: those are lowered to
    /// now, or to the tick after what the version replaces.
    private func lowering(
        _ version: SyncRecord,
        _ descriptor: EntityDescriptor,
        after replaced: EditMark?
    ) -> SyncRecord {
        let latest = now.adding(seconds: Int64(clamping: policy.clockToleranceSeconds))
        let lowest = max(now, replaced?.time.next ?? now)
        func lowered(_ time: Timestamp) -> Timestamp { time > latest ? min(time, lowest) : time }
        func lowered(_ mark: EditMark) -> EditMark {
            EditMark(time: lowered(mark.time), device: mark.device, sequence: mark.sequence)
        }
        var version = version
        version.stamp.mark = lowered(version.stamp.mark)
        version.stamp.detail = version.stamp.detail?.mapping(lowered)
        if let updated = descriptor.layout.updated,
            case .timestamp(let time)? = version.record.values[updated],
            time > latest
        {
            version.record.values[updated] = .timestamp(lowered(time))
        }
        return version
    }

    private static func entry(_ version: SyncRecord, body: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        let change = OutgoingChange(
            entity: version.entity,
            key: version.key,
            isDeleted: version.isDeleted,
            mergedInto: version.mergedInto,
            stamp: version.stamp,
            replaces: [],
            body: body
        )
        EntryCodec.append(change, to: &writer)
        return writer.bytes
    }

    private static func minified(_ body: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var writer = JSONWriter()
        writer.minified(body)
        return writer.bytes
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
