import SyncCore
import SyncWire

/// Decides about the changes of one request in order. Each has its own result: one that is refused holds up
/// no other.
///
/// It reads and writes nothing: what is to be stored goes into the outcome.
struct PushDecision {
    /// What is decided so far.
    private(set) var outcome = PushOutcome()
    private let judge: ChangeValidator
    private let state: LogState
    private let limits: WireLimits
    private let random: any RandomSource
    /// What holds the changes to their schemas, by entity.
    private var checks: [String: BodyCheck] = [:]
    /// Whether two changes may be of one record; where not, none is looked for among those before it.
    private var mayRepeat = true
    /// Where the versions stand that this request stores, by record.
    private var stored: [LogRecordID: Int] = [:]
    private var quota: AccountQuota
    /// The bytes of the entries in the results.
    private var entryBytes = 0

    /// Begins with nothing decided.
    init(judge: ChangeValidator, state: LogState, limits: WireLimits, random: any RandomSource) {
        (self.judge, self.state, self.limits, self.random) = (judge, state, limits, random)
        quota = AccountQuota(policy: judge.policy, state: state)
    }

    /// Decides about all changes of a request, whose records the state holds in the same order. Throws
    /// `WireError` where their results would fill too large an answer.
    mutating func take(_ request: ExchangeRequest) throws {
        outcome.results.reserveCapacity(request.changeCount)
        outcome.versions.reserveCapacity(request.changeCount)
        mayRepeat = Self.mayRepeat(request.changes)
        var next = 0
        for place in 0..<request.changeCount {
            let isMalformed = request.malformed.contains(place)
            let result = try result(of: isMalformed ? nil : request.changes[next], at: next)
            if !isMalformed { next += 1 }
            // A few small changes must not make an answer of any size.
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
            switch try judge.judge(change, check: check, stored: present?.version) {
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

    /// Whether two changes end their keys alike, which those of one record do. Cheaper than a table of all records.
    private static func mayRepeat(_ changes: [Change]) -> Bool {
        let ends = changes.map { change in
            change.header.key.text.utf8.suffix(16).reduce(0 as UInt64) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01b3
            }
        }
        let sorted = ends.sorted()
        return zip(sorted, sorted.dropFirst()).contains { $0 == $1 }
    }

    /// The present version of a record, and where its entry is found.
    private struct Present {
        var version: StoredVersion
        /// Its place among those that this request stores, or in the query's records.
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
        let check = try judge.check(entity)
        checks[entity] = check
        return check
    }
}
