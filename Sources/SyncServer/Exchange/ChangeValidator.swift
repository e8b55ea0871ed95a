import SyncCore
import SyncWire

/// Decides whether one change is valid, whether it is based on the stored version, and what to store of it.
/// Reads and writes nothing.
struct ChangeValidator {
    /// What needs no stored version.
    let rules: ChangeRules
    let policy: ExchangePolicy
    let now: Timestamp

    init(entities: EntityList, account: Account, policy: ExchangePolicy, now: Timestamp) {
        rules = ChangeRules(entities: entities, account: account)
        (self.policy, self.now) = (policy, now)
    }

    var entities: EntityList { rules.entities }
    var account: Account { rules.account }

    /// What happens to a change.
    enum Decision {
        /// The stored version is this change already; `isAltered` says whether it was stored differently than
        /// sent.
        case known(isAltered: Bool)
        /// The change is not based on the stored version.
        case conflict
        /// The change is to be stored; `isAltered` says whether differently than sent.
        case store(NewVersion, isAltered: Bool)
    }

    /// What the bodies of changes tell, in order. This is most of the work for a change, and needs nothing of the log, so
    /// that nobody else of the account has to wait for it.
    func bodies(of changes: [Change]) -> [Result<BodyCheck.Checked, any Error>] {
        var checks: [String: BodyCheck] = [:]
        return changes.map { change in
            Result {
                let check = try checks[change.header.entity] ?? rules.check(change.header.entity)
                checks[change.header.entity] = check
                return try check.checked(change: change)
            }
        }
    }

    /// Validates one change against its entity's schema and the stored version of its record. `body`: what its body
    /// tells. Throws `ChangeError`.
    func validate(
        _ change: Change,
        check: BodyCheck,
        body: Result<BodyCheck.Checked, any Error>,
        stored: StoredVersion?
    ) throws -> Decision {
        let metadata = try rules.metadata(of: change.header)
        let vector = metadata.vector.description
        if let stored, stored.vector == vector,
            [stored.editTimestamp, stored.pushed].contains(metadata.editTimestamp)
        {
            return .known(isAltered: metadata.editTimestamp != stored.editTimestamp)
        }
        // NB: a change with a base never creates a record. If the record is missing, it was deleted and its
        // tombstone purged.
        guard change.header.base == stored?.revision else {
            return .conflict
        }
        if let stored {
            guard let seen = VersionVector(stored.vector) else { throw WireError.damagedLog() }
            guard metadata.vector.covers(seen) else { return .conflict }
        }
        let checked = try body.get()
        let updated = checked.updated
        let limit = TimeLimit(now: now, policy: policy, replaced: stored?.editTimestamp)
        let lowered = limit.lowered(metadata: metadata)
        var header = change.header
        header.metadata = lowered
        let time = updated.map(limit.lowered)
        let entry =
            if let time, time != updated {
                try check.body(of: change, metadata: metadata, updated: time)
                    .withUnsafeBufferPointer { Self.entry(header: header, body: $0) }
            } else if checked.isKept {
                change.body.withUnsafeBufferPointer { Self.entry(header: header, body: $0) }
            } else {
                check.body(withKeyOnly: header.key)
                    .withUnsafeBufferPointer { Self.entry(header: header, body: $0) }
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

    private static func entry(header: Change.Header, body: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var writer = JSONWriter()
        // Room for the member names, the key and one edit timestamp; the buffer grows for more.
        writer.bytes.reserveCapacity(body.count + 256)
        EntryCodec.append(header, body: body, to: &writer)
        return writer.bytes
    }
}

/// Lowers edit times that are ahead of the server's clock by more than the tolerance: to now, or to the tick
/// after the version that is replaced.
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
