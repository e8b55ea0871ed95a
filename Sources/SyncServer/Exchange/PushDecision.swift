import SyncCore
import SyncWire

/// Decides about the changes of one request in order. Each change has its own result: a refused change does
/// not affect the others.
///
/// Reads and writes nothing: the outcome lists the versions to store.
struct PushDecision {
    /// What is decided so far.
    private(set) var outcome = PushOutcome()
    private let validator: ChangeValidator
    private let state: LogState
    private let bodies: [Result<BodyCheck.Checked, any Error>]
    private let limits: WireLimits
    private let random: any RandomSource
    /// The validators of the changes' bodies, by entity.
    private var checks: [String: BodyCheck] = [:]
    /// Whether two changes may be of the same record. If not, earlier changes are not searched.
    private var mayRepeat = true
    /// The indices of the versions that this request stores, by record.
    private var stored: [LogRecordID: Int] = [:]
    private var quota: AccountQuota
    /// The bytes of all entries in the results.
    private var entryBytes = 0

    /// Makes a decision without any changes. `bodies`: what those of the request tell, in order.
    init(
        validator: ChangeValidator,
        bodies: [Result<BodyCheck.Checked, any Error>],
        state: LogState,
        limits: WireLimits,
        random: any RandomSource
    ) {
        (self.validator, self.bodies, self.state) = (validator, bodies, state)
        (self.limits, self.random) = (limits, random)
        quota = AccountQuota(policy: validator.policy, state: state)
    }

    /// Decides about all changes of a request. The state holds their records in the same order. Throws
    /// `WireError` if the results would make the answer too large.
    mutating func take(_ request: ExchangeRequest) throws {
        outcome.results.reserveCapacity(request.changeCount)
        outcome.versions.reserveCapacity(request.changeCount)
        mayRepeat = Self.mayRepeat(request.changes)
        var next = 0
        for place in 0..<request.changeCount {
            let isMalformed = request.malformed.contains(place)
            let result = try result(of: isMalformed ? nil : request.changes[next], at: next)
            if !isMalformed { next += 1 }
            // Many small changes must not cause an unbounded answer.
            if entryBytes > limits.requestBytes, request.changeCount > 1 {
                throw WireError.tooLargeAnswer(limits: limits)
            }
            outcome.results.append(result)
        }
    }

    private mutating func result(
        of change: Change?,
        at place: Int
    ) throws -> PushOutcome.Result {
        do {
            guard let change else { throw ChangeError.malformed }
            let header = change.header
            let check = try check(header.entity)
            let present = present(record: LogRecordID(entity: header.entity, key: header.key), at: place)
            switch try validator.validate(
                change,
                check: check,
                body: bodies[place],
                stored: present?.version
            ) {
            case .known(let isAltered):
                guard let present else { return .conflict(current: nil) }
                let position = LogPosition(number: present.version.number, run: present.version.run)
                accept(position, isAltered: isAltered)
                return .accepted(present.version.revision, stored: isAltered ? entry(of: present) : nil)
            case .conflict: return .conflict(current: present.map { entry(of: $0) })
            case .store(let version, let isAltered):
                try quota.take(version, replacedBytes: present?.version.entryBytes)
                return store(version, isAltered: isAltered)
            }
        } catch let refusal as ChangeError {
            return .refused(refusal)
        }
    }

    /// Whether two changes have keys with equal endings, as changes of the same record do. Cheaper than a
    /// table of all records.
    private static func mayRepeat(_ changes: [Change]) -> Bool {
        let ends = changes.map { change in
            change.header.key.text.utf8.suffix(16).reduce(0 as UInt64) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01b3
            }
        }
        let sorted = ends.sorted()
        return zip(sorted, sorted.dropFirst()).contains { $0 == $1 }
    }

    /// The present version of a record, and the location of its entry.
    private struct Present {
        var version: StoredVersion
        /// The index among the versions that this request stores, or in the query's records.
        var place: Int
        var isOwn: Bool
    }

    private func present(record: LogRecordID, at place: Int) -> Present? {
        if mayRepeat, let index = stored[record] {
            let new = outcome.versions[index]
            let version = StoredVersion(
                number: state.revision + Int64(index) + 1,
                run: outcome.run,
                editTimestamp: new.editTimestamp,
                pushed: new.pushed,
                vector: new.vector,
                entryBytes: new.entry.count
            )
            return Present(version: version, place: index, isOwn: true)
        }
        return state.records[place].map { Present(version: $0, place: place, isOwn: false) }
    }

    private mutating func entry(of present: Present) -> PushOutcome.Entry {
        let revision = present.version.revision
        note(entryBytes: present.version.entryBytes, revision: revision)
        if present.isOwn { return .version(present.place, revision) }
        outcome.shown.append(present.place)
        return .shown(outcome.shown.count - 1, revision)
    }

    private mutating func note(entryBytes count: Int, revision: Revision) {
        entryBytes += StoredVersion.answerBytes(revision: revision, entryBytes: count)
    }

    private mutating func accept(_ position: LogPosition, isAltered: Bool) {
        if position.number > outcome.accepted.number { outcome.accepted = position }
        if !isAltered { outcome.own.insert(position.number) }
    }

    private mutating func store(_ version: NewVersion, isAltered: Bool) -> PushOutcome.Result {
        if outcome.versions.isEmpty {
            outcome.run = state.continuesRun ? state.run : DeviceID(bits: random.next()).description
        }
        outcome.versions.append(version)
        let count = outcome.versions.count
        if mayRepeat { stored[version.record] = count - 1 }
        if version.isDeleted { outcome.tombstoned.insert(version.record.entity) }
        let position = LogPosition(number: state.revision + Int64(count), run: outcome.run)
        accept(position, isAltered: isAltered)
        guard isAltered else { return .accepted(position.revision, stored: nil) }
        note(entryBytes: version.entry.count, revision: position.revision)
        return .accepted(position.revision, stored: .version(count - 1, position.revision))
    }

    private mutating func check(_ entity: String) throws -> BodyCheck {
        if let check = checks[entity] { return check }
        let check = try validator.rules.check(entity)
        checks[entity] = check
        return check
    }
}
