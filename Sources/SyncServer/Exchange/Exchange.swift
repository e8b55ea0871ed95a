import SyncCore
import SyncWire

/// One round trip on one log: checks where the client stands, takes its changes, and answers with what is new.
///
/// Lives inside one transaction, on the file of the account that asks.
struct Exchange {
    let request: ExchangeRequest
    let cursor: PageCursor?
    let judge: ChangeValidator
    let limits: WireLimits
    private(set) var session: LogSession
    /// Revisions of the request's own changes, which its page passes by.
    private var own: Set<Int64> = []
    /// The highest revision among the request's own changes.
    private var accepted: Int64 = 0
    /// What became of the changes.
    private(set) var counts = PushCounts()
    /// Entities of which tombstones were stored.
    private(set) var tombstoned: Set<String> = []
    /// Whether the log has grown.
    private(set) var hasGrown = false
    /// Whether the device told other fingerprints than before.
    private(set) var hasTold = false
    /// Where devices differ that have come to the end of the log; nil where this one has not.
    private(set) var differences: RecordDifferences?
    /// What holds the changes to their schemas, by entity.
    private var checks: [String: BodyCheck] = [:]
    /// What the account may still store.
    private var quota: AccountQuota

    init(
        request: ExchangeRequest,
        cursor: PageCursor?,
        judge: ChangeValidator,
        limits: WireLimits,
        session: LogSession
    ) {
        self.request = request
        self.cursor = cursor
        self.judge = judge
        self.limits = limits
        self.session = session
        quota = AccountQuota(judge.policy)
    }

    /// Performs the round trip. Throws `WireProblem`, and then nothing is to be kept.
    mutating func answer() throws -> [UInt8] {
        let (entities, refused) = Self.entities(request: request, judge: judge)
        var places = cursor?.places ?? [:]
        for entity in entities where places[entity] == nil {
            places[entity] = PageCursor.Place(position: 0, start: session.revision)
        }
        try checkCursor(entities)
        let results = try push()
        var writer = ExchangeAnswerWriter(
            account: judge.account.id,
            epoch: session.epoch,
            time: judge.now,
            limits: limits,
            batch: try session.batch(of: request.device)
        )
        writer.refused(entities: refused)
        if try isAtEnd(entities) {
            try compare(entities)
            writer.differing(entities: differences?.entities(of: request.device, at: judge.now) ?? [])
        }
        writer.results(results: results)
        let isSnapshot = cursor?.isSnapshot ?? true
        writer.beginChanges(isSnapshot: isSnapshot)
        let page = try read(places: places.filter { entities.contains($0.key) }, into: &writer)
        for entity in entities {
            places[entity]?.advance(to: page.hasMore ? page.position : session.revision)
        }
        return writer.finish(
            cursor: try next(places: places, isSnapshot: isSnapshot && page.hasMore).text,
            acknowledged: try acknowledged(),
            hasMore: page.hasMore
        )
    }

    /// The answer for a reader at the end of the log, as `answer` would give it; nil where there may be something to tell.
    static func idleAnswer(
        request: ExchangeRequest,
        cursor: PageCursor?,
        judge: ChangeValidator,
        limits: WireLimits,
        heads: LogHeads
    ) -> [UInt8]? {
        let (entities, refused) = entities(request: request, judge: judge)
        guard let cursor, request.changeCount == 0,
            let head = heads.reached(
                account: judge.account.id,
                cursor: cursor,
                entities: entities,
                device: request.device
            )
        else { return nil }
        var writer = ExchangeAnswerWriter(
            account: judge.account.id,
            epoch: head.epoch,
            time: judge.now,
            limits: limits,
            batch: head.batches[request.device] ?? nil
        )
        writer.refused(entities: refused)
        writer.differing(entities: head.differences.entities(of: request.device, at: judge.now))
        writer.results(results: [])
        writer.beginChanges(isSnapshot: false)
        return writer.finish(cursor: cursor.text, acknowledged: nil, hasMore: false)
    }

    /// Whether there is nothing in the log that the reader was not given.
    private func isAtEnd(_ entities: Set<String>) throws -> Bool {
        guard let cursor, request.changeCount == 0, !cursor.isSnapshot, session.revision > 0 else {
            return false
        }
        return cursor.seen == session.revision
            && entities.allSatisfy { cursor.places[$0]?.position == session.revision }
    }

    /// Compares what devices tell that have come to the end of the log; keeps what this one tells, where that is new.
    private mutating func compare(_ entities: Set<String>) throws {
        let position = try session.position()
        var told = try session.fingerprints(at: position)
        if let records = request.records, !Mutation.disables(.statesCompared) {
            let new = DeviceFingerprints(
                device: request.device,
                time: judge.now,
                records: records,
                entities: entities
            )
            if !told.contains(where: { $0.device == new.device && $0.text == new.text }) {
                try session.save(new, at: position)
                told.removeAll { $0.device == new.device }
                told.append(new)
                hasTold = true
            }
        }
        differences = RecordDifferences(told)
    }

    /// The entities to exchange, and those that are left out.
    private static func entities(
        request: ExchangeRequest,
        judge: ChangeValidator
    ) -> (Set<String>, [RefusedEntity]) {
        var entities: Set<String> = []
        var refused: Set<RefusedEntity> = []
        for name in request.entities {
            if judge.entities[name] == nil {
                refused.insert(RefusedEntity(entity: name, rule: "unknown"))
            } else if judge.account.entities?.contains(name) == false {
                refused.insert(RefusedEntity(entity: name, rule: "forbidden"))
            } else {
                entities.insert(name)
            }
        }
        let sorted = refused.sorted { $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8) }
        return (entities, sorted)
    }

    /// Another history is told before an expired place in it, as a place of another history says nothing here.
    private func checkCursor(_ entities: Set<String>) throws {
        guard let cursor else { return }
        let isSameHistory =
            try cursor.epoch == session.epoch && cursor.seen <= session.revision
            && cursor.run == session.runTag(at: cursor.seen)
        guard isSameHistory || Mutation.disables(.sameHistory) else { throw WireError.historyChanged() }
        for (entity, place) in cursor.places where entities.contains(entity) {
            if place.isExpired(floor: session.floor), !Mutation.disables(.tombstoneFloor) {
                throw WireError.cursorExpired()
            }
        }
    }

    private func next(places: [String: PageCursor.Place], isSnapshot: Bool) throws -> PageCursor {
        let seen = places.values.reduce(max(cursor?.seen ?? 0, accepted)) { max($0, $1.start) }
        return PageCursor(
            epoch: session.epoch,
            seen: seen,
            run: try session.runTag(at: seen),
            isSnapshot: isSnapshot,
            places: places
        )
    }

    /// NB: a client keeps what was accepted before it takes in the page. Were its place until then one that knows nothing
    /// of that, a backup put back in between would not be noticed, and the changes would be lost for all others.
    private func acknowledged() throws -> String? {
        guard let cursor, accepted > 0, !Mutation.disables(.acknowledgedPlace) else { return nil }
        return try next(places: cursor.places, isSnapshot: cursor.isSnapshot).text
    }

    private func read(
        places: [String: PageCursor.Place],
        into writer: inout ExchangeAnswerWriter
    ) throws -> PageReader.Page {
        var reader = PageReader(
            session: session,
            maxRecords: min(request.limit ?? .max, limits.pageRecords),
            maxBytes: limits.pageBytes,
            passed: own
        )
        return try reader.page(after: places, into: &writer)
    }
}

extension Exchange {
    /// Takes the changes in order. Each has its own result: one that is refused holds up no other.
    private mutating func push() throws -> [ExchangeAnswerWriter.Outcome] {
        guard request.changeCount > 0, let batch = request.batch else { return [] }
        let last = try session.batch(of: request.device)
        let isRepeat = last.map { $0.utf8.elementsEqual(batch.utf8) } ?? false
        let follows = Self.isSame(left: last, right: request.previous)
        guard isRepeat || follows || Mutation.disables(.copyNoticed) else { throw WireError.deviceCopied() }
        var results: [ExchangeAnswerWriter.Outcome] = []
        var bytes = 0
        try request.bytes.withUnsafeBufferPointer { buffer in
            var changes = request.changes.makeIterator()
            for place in 0..<request.changeCount {
                let change = request.malformed.contains(place) ? nil : changes.next()
                let result = try outcome(of: change, in: buffer)
                bytes += result.entryBytes
                // A few small changes must not make an answer of any size.
                if bytes > limits.requestBytes, request.changeCount > 1 {
                    throw WireError.tooLargeAnswer(limits: limits)
                }
                count(result)
                results.append(result)
            }
        }
        if hasGrown { try session.saveRevision() }
        if !isRepeat { try session.save(batch: batch, of: request.device) }
        return results
    }

    private mutating func count(_ result: ExchangeAnswerWriter.Outcome) {
        switch result {
        case .accepted: counts.accepted += 1
        case .conflict: counts.conflicts += 1
        case .refused: counts.refused += 1
        }
    }

    private static func isSame(left: String?, right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.utf8.elementsEqual(right.utf8)
    }

    private mutating func outcome(
        of change: EntryCodec.Header?,
        in buffer: UnsafeBufferPointer<UInt8>
    ) throws -> ExchangeAnswerWriter.Outcome {
        do {
            guard let change else { throw ChangeError.malformed }
            let check = try check(change.entity)
            let key = StoredKey(change.key)
            let stored = try session.record(entity: change.entity, key: key)
            switch try judge.judge(change, key: key, in: buffer, check: check, stored: stored) {
            case .known(let stored, let isAltered):
                accepted = max(accepted, stored.number)
                if !isAltered { own.insert(stored.number) }
                return .accepted(stored.revision, stored: isAltered ? stored.answer : nil)
            case .conflict(let stored):
                return .conflict(current: stored?.answer)
            case .store(let version, let isAltered):
                try quota.take(version, replaced: stored, access: session.access)
                let (number, name) = try session.store(version: version, now: judge.now)
                hasGrown = true
                if version.isDeleted { tombstoned.insert(version.entity) }
                accepted = max(accepted, number)
                if !isAltered { own.insert(number) }
                let entry = isAltered ? StoredRecord.answer(revision: name, entry: version.entry) : nil
                return .accepted(name, stored: entry)
            }
        } catch let refusal as ChangeError {
            return .refused(rule: refusal.rule, reason: refusal.reason)
        }
    }

    private mutating func check(_ entity: String) throws -> BodyCheck {
        if let check = checks[entity] { return check }
        let check = try judge.check(entity)
        checks[entity] = check
        return check
    }
}

extension ExchangeAnswerWriter.Outcome {
    /// The size of the entry in it.
    fileprivate var entryBytes: Int {
        switch self {
        case .accepted(_, let entry), .conflict(let entry): entry?.count ?? 0
        case .refused: 0
        }
    }
}
