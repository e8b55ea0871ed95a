import SyncCore
import SyncWire

/// One round trip on one log: checks the client's cursor, takes its changes, and answers with newer ones.
///
/// A store runs it in three steps: `query` names what to read, `decide` chooses what to write, and `answer`
/// encodes the result.
struct Exchange: Sendable {
    var request: ExchangeRequest
    let cursor: PageCursor?
    let validator: ChangeValidator
    /// What the bodies of the changes tell.
    let bodies: [Result<BodyCheck.Checked, any Error>]
    let limits: WireLimits
    /// Generates the tags of runs.
    let random: any RandomSource

    /// What `decide` found out. The answer and the change notification use it.
    struct Note: Sendable {
        /// The log before the exchange.
        var state: LogState
        /// The entities that are exchanged.
        var entities: Set<String>
        /// The reader's places before the page.
        var places: [String: PageCursor.Place]
        /// What happened to the changes; nil if nothing was pushed.
        var push: PushOutcome?
        /// The differences between devices at the end of the log; nil if this device has not reached it.
        var differences: RecordDifferences?
        /// Whether the device sent other fingerprints than before.
        var hasNewFingerprints = false
        /// The last batch of the device.
        var batch: String?

        /// Whether the log has grown.
        var hasGrown: Bool { push?.versions.isEmpty == false }
        /// The end of the log after the exchange.
        var end: LogPosition {
            guard let push, hasGrown else { return LogPosition(number: state.revision, run: state.run) }
            return LogPosition(number: state.revision + Int64(push.versions.count), run: push.run)
        }
    }

    /// What to read before the decision.
    var query: LogQuery {
        let isPush = request.changeCount > 0
        let mayTell = request.records != nil
        let policy = validator.policy
        let exact = policy.maxRecords.map { $0 - request.changeCount + 1 }
        return LogQuery(
            device: request.device,
            seen: cursor?.seen,
            records: request.changes.map { LogRecordID(entity: $0.entity, key: $0.key) },
            wantsFingerprints: wantsFingerprints,
            countsExactlyFrom: isPush ? exact : nil,
            wantsBytes: isPush && policy.maxBytes != nil,
            writing: isPush ? .always : mayTell ? cursor.map { .atEnd($0.seen) } ?? .never : .never,
            creation: LogCreation(
                time: validator.now,
                scratchExpiry: validator.now.adding(seconds: -Int64(clamping: policy.scratchLifetimeSeconds)),
                maxScratchLogs: ExchangePolicy.maxScratchLogs
            )
        )
    }

    /// Whether to read the fingerprints of devices: only for a reader that may be at the end of the log.
    var wantsFingerprints: Bool { request.changeCount == 0 && cursor?.isSnapshot == false }

    /// Decides what to write and what to return. If it throws a `WireError`, nothing is written.
    func decide(_ state: LogState) throws -> LogDecision<Note> {
        let entities = Self.entities(request: request, validator: validator).exchanged
        var places = cursor?.places ?? [:]
        for entity in entities where places[entity] == nil {
            places[entity] = PageCursor.Place(position: 0, start: state.revision)
        }
        try checkCursor(entities, state: state)
        var note = Note(state: state, entities: entities, places: places, batch: state.batch)
        var commit = LogCommit(time: validator.now, run: state.run, versions: [])
        try push(to: &commit, note: &note)
        if isAtEnd(entities, state: state) { compare(entities, commit: &commit, note: &note) }
        let page = LogPage(
            places: places.filter { entities.contains($0.key) }.mapValues(\.position),
            maxRecords: min(request.limit ?? .max, limits.pageRecords),
            maxBytes: limits.pageBytes,
            passed: note.push?.own ?? []
        )
        let isWriting = note.hasGrown || commit.batch != nil || commit.fingerprints != nil
        return LogDecision(
            shown: note.push?.shown ?? [],
            commit: isWriting ? commit : nil,
            page: page,
            note: note
        )
    }

    /// Encodes the answer.
    func answer(_ result: LogResult<Note>) -> [UInt8] {
        let (note, page) = (result.note, result.page)
        var writer = writer(epoch: note.state.epoch, batch: note.batch)
        if let differences = note.differences {
            writer.differing(entities: differences.entities(of: request.device, at: validator.now))
        }
        writer.results(results: note.push?.outcomes(shown: result.shown) ?? [])
        let isSnapshot = cursor?.isSnapshot ?? true
        var places = note.places
        for entity in note.entities {
            places[entity]?.advance(to: page.hasMore ? page.position : note.end.number)
        }
        let next = next(places: places, isSnapshot: isSnapshot && page.hasMore, result: result)
        return writer.finish(
            isSnapshot: isSnapshot,
            changes: page.text.isEmpty ? [] : [page.text],
            cursor: next.text,
            acknowledged: acknowledged(result),
            hasMore: page.hasMore
        )
    }

    /// The answer for a reader at the end of the log, from memory and equal to that of `answer`; nil if the
    /// log must be read.
    func idleAnswer(logEnds: LogEndCache) -> [UInt8]? {
        let entities = Self.entities(request: request, validator: validator).exchanged
        guard let cursor, request.changeCount == 0, request.records == nil,
            let head = logEnds.reached(
                account: validator.account.id,
                cursor: cursor,
                entities: entities,
                device: request.device
            )
        else { return nil }
        var writer = writer(epoch: head.epoch, batch: head.batches[request.device] ?? nil)
        writer.differing(entities: head.differences.entities(of: request.device, at: validator.now))
        writer.results(results: [])
        writer.beginChanges(isSnapshot: false)
        return writer.finish(cursor: cursor.text, acknowledged: nil, hasMore: false)
    }

    /// Starts an answer with everything up to the entities that are left out.
    private func writer(epoch: String, batch: String?) -> ExchangeAnswerWriter {
        var writer = ExchangeAnswerWriter(
            account: validator.account.id,
            epoch: epoch,
            time: validator.now,
            limits: limits,
            batch: batch
        )
        writer.refused(entities: Self.entities(request: request, validator: validator).refused)
        return writer
    }

    /// The entities to exchange, and those that are left out.
    private static func entities(
        request: ExchangeRequest,
        validator: ChangeValidator
    ) -> (exchanged: Set<String>, refused: [RefusedEntity]) {
        var entities: Set<String> = []
        var refused: Set<RefusedEntity> = []
        for name in request.entities {
            if validator.entities[name] == nil {
                refused.insert(RefusedEntity(entity: name, rule: "unknown"))
            } else if validator.account.entities?.contains(name) == false {
                refused.insert(RefusedEntity(entity: name, rule: "forbidden"))
            } else {
                entities.insert(name)
            }
        }
        let sorted = refused.sorted { $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8) }
        return (entities, sorted)
    }
}

extension Exchange {
    /// Whether the reader has everything in the log.
    private func isAtEnd(_ entities: Set<String>, state: LogState) -> Bool {
        guard let cursor, request.changeCount == 0, !cursor.isSnapshot, state.revision > 0 else {
            return false
        }
        return cursor.seen == state.revision
            && entities.allSatisfy { cursor.places[$0]?.position == state.revision }
    }

    /// Compares the fingerprints of all devices at the end of the log. Stores this device's fingerprints if
    /// they are new.
    private func compare(_ entities: Set<String>, commit: inout LogCommit, note: inout Note) {
        var fingerprints = note.state.fingerprints
        if let records = request.records {
            let new = DeviceFingerprints(
                device: request.device,
                time: validator.now,
                records: records,
                entities: entities
            )
            if !fingerprints.contains(where: { $0.device == new.device && $0.text == new.text }) {
                commit.fingerprints = new
                fingerprints.removeAll { $0.device == new.device }
                fingerprints.append(new)
                note.hasNewFingerprints = true
            }
        }
        note.differences = RecordDifferences(fingerprints)
    }

    /// Takes the changes, unless another device uses the same id.
    private func push(to commit: inout LogCommit, note: inout Note) throws {
        guard request.changeCount > 0, let batch = request.batch else { return }
        let last = note.state.batch
        let isRepeat = last.map { $0.utf8.elementsEqual(batch.utf8) } ?? false
        let follows = Self.isSame(left: last, right: request.previous)
        guard isRepeat || follows else { throw WireError.deviceCopied() }
        var decision = PushDecision(
            validator: validator,
            bodies: bodies,
            state: note.state,
            limits: limits,
            random: random
        )
        try decision.take(request)
        let push = decision.outcome
        (commit.run, commit.versions) = (push.run, push.versions)
        if !isRepeat { (commit.batch, note.batch) = (batch, batch) }
        note.push = push
    }

    private static func isSame(left: String?, right: String?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.utf8.elementsEqual(right.utf8)
    }

    /// Checks the epoch before the expiry: a place in another history says nothing about tombstones here.
    private func checkCursor(_ entities: Set<String>, state: LogState) throws {
        guard let cursor else { return }
        let isSameHistory =
            cursor.epoch == state.epoch && cursor.seen <= state.revision && cursor.run == state.seenRun
        guard isSameHistory else { throw WireError.historyChanged() }
        for (entity, place) in cursor.places where entities.contains(entity) {
            if place.isExpired(floor: state.floor, seen: cursor.seen) {
                throw WireError.cursorExpired()
            }
        }
    }

    /// The reader's cursor after the answer. Each revision that may be its highest one was read together with
    /// its run: that of the old cursor, those of the pushed changes, both ends of the log, and the end of the
    /// page.
    private func next(
        places: [String: PageCursor.Place],
        isSnapshot: Bool,
        result: LogResult<Note>
    ) -> PageCursor {
        let (note, page) = (result.note, result.page)
        let known = [
            LogPosition(number: cursor?.seen ?? 0, run: note.state.seenRun),
            LogPosition(number: note.state.revision, run: note.state.run), note.end,
            note.push?.accepted ?? LogPosition(number: 0, run: ""),
            LogPosition(number: page.position, run: page.run),
        ]
        let accepted = note.push?.accepted.number ?? 0
        let seen = places.values.reduce(max(cursor?.seen ?? 0, accepted)) { max($0, $1.start) }
        return PageCursor(
            epoch: note.state.epoch,
            seen: seen,
            run: known.first { $0.number == seen }?.run ?? "",
            isSnapshot: isSnapshot,
            places: places
        )
    }

    /// NB: the cursor returned with a push already covers the accepted changes, although the client takes in
    /// the page later. Otherwise a server restored from a backup in between would go unnoticed, and the
    /// changes would be lost for all other devices.
    private func acknowledged(_ result: LogResult<Note>) -> String? {
        guard let cursor, let push = result.note.push, push.accepted.number > 0
        else { return nil }
        return next(places: cursor.places, isSnapshot: cursor.isSnapshot, result: result).text
    }
}
