import SyncCore
import SyncHTTPClient
import SyncWire

/// A session of one sync with a server.
actor HTTPSession: RemoteSession {
    nonisolated let greeting: SessionGreeting
    nonisolated let preparesAhead: Bool
    private var exchange: ServerSession
    /// The answer whose page is not delivered yet.
    private var waiting: ExchangeAnswer?
    /// Current versions from conflict answers. They are delivered before the waiting page.
    private var currents: [Change] = []
    private var hasMore = true
    /// The cursors after which the server had more.
    private var passed: Set<String> = []
    private var limit: PushLimit
    private let requestBytes: Int
    private var refused: [RefusedEntity] = []
    private var hasReported = false
    private var hasPushed = false
    private var trial = PushTrial()
    private let ahead: PagesAhead

    init(exchange: ServerSession, first answer: ExchangeAnswer, isCopy: Bool) {
        self.exchange = exchange
        self.exchange.cursor.batch = answer.batch
        waiting = answer
        ahead = PagesAhead(maxBytes: exchange.limits.aheadBytes)
        limit = answer.limits.push(exchange.limits)
        requestBytes = answer.limits.requestBytes
        preparesAhead = exchange.limits.preparesAhead
        greeting = SessionGreeting(binding: HTTPBinding(answer).text, isCopy: isCopy)
    }

    func pushLimit() async -> PushLimit { limit }

    func recordLimit() async -> Int? { requestBytes }

    func requests() async -> Int { exchange.client.requests - exchange.requestsBefore }

    func fetch() async throws -> RemotePage? {
        if let answer = waiting {
            waiting = nil
            let before = exchange.cursor
            let page = try await taken(answer)
            let isNews = page.kind != .delta || !page.changes.isEmpty || !page.diagnostics.isEmpty
            if isNews || exchange.cursor != before || isNewCursor { return page }
        }
        guard hasMore else { return nil }
        if let answer = try await ahead.next() { return try await taken(answer) }
        return try await taken(try await exchange.next())
    }

    /// The page of an answer. Meanwhile the next one is asked for.
    private func taken(_ answer: ExchangeAnswer) async throws -> RemotePage {
        let page = try page(answer: answer)
        await ahead.ask(exchange, after: answer)
        return page
    }

    /// Whether the store must still save the session's cursor, although no page moved it.
    private var isNewCursor: Bool { exchange.request.cursor != exchange.cursor.text && !hasPushed }

    nonisolated func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
        let payload = ExchangeRequest.encode(changes)
        return PreparedPush(intent: Digest(payload).description, changes: changes, payload: payload)
    }

    func push(_ push: PreparedPush) async throws -> PushReceipt {
        guard !exchange.request.readOnly else { throw SyncError.readOnlyPush() }
        let answer: ExchangeAnswer
        do {
            answer = try await exchange.push(
                push.payload,
                batch: push.intent,
                count: push.changes.count,
                attempts: trial.attempts
            )
        } catch let error as WireError where error.code == .tooLarge {
            if push.changes.count > 1, let limits = error.limits {
                limit.bytes = min(limit.bytes, limits.push(exchange.limits).bytes)
            }
            return try await search(push, error: SyncError.tooLargePush(error))
        } catch let error as WireError {
            throw SyncError(error)
        } catch let error as SyncError where Setback(error).mayBeFound {
            return try await probe(push, error: error)
        }
        try check(answer)
        exchange.cursor = HTTPCursor(
            server: answer.acknowledged ?? exchange.cursor.server,
            batch: push.intent
        )
        let acknowledged = exchange.cursor
        hasPushed = true
        trial.noteAccepted()
        limit = answer.limits.push(exchange.limits).grown(from: limit)
        waiting = answer
        let results = zip(push.changes, answer.results).map { result(of: $0, result: $1) }
        return PushReceipt(results: results, cursor: acknowledged.text)
    }

    func close(cursor: String?) async throws {}
}

extension HTTPSession {
    /// Rejects an answer of another account or history in the middle of a session.
    private func check(_ answer: ExchangeAnswer) throws {
        let found = HTTPBinding(answer)
        guard found.text != greeting.binding else { return }
        throw HTTPBinding(greeting.binding)?.account == found.account
            ? SyncError.historyChanged() : SyncError.otherAccount()
    }

    private func page(answer: ExchangeAnswer) throws -> RemotePage {
        try check(answer)
        var cursor = exchange.cursor
        cursor.server = answer.cursor
        if answer.hasMore, !passed.insert(answer.cursor).inserted || exchange.cursor.server == answer.cursor {
            throw SyncError.serverStandsStill()
        }
        let isFirst = exchange.cursor.server == nil
        exchange.cursor = cursor
        hasMore = answer.hasMore
        if !hasReported { refused = answer.refused }
        let entities = exchange.request.entities.map(\.name).filter { name in
            !answer.refused.contains { $0.entity == name }
        }
        var page = RemotePage(
            kind: answer.isSnapshot
                ? .snapshot(
                    of: entities.map { SnapshotScope(entity: $0) },
                    isFirst: isFirst,
                    isComplete: !answer.hasMore
                ) : .delta,
            changes: answer.changes.filter { entities.contains($0.header.entity) },
            cursor: cursor.text,
            diagnostics: hasReported
                ? [] : refused.map { .refusedEntity(refused: $0) } + differences(answer: answer)
        )
        if answer.unreadable > 0 { page.diagnostics.append(.unreadable(count: answer.unreadable)) }
        hasReported = true
        for current in currents {
            let isNewer = page.changes.contains {
                $0.header.entity == current.header.entity && $0.header.key == current.header.key
            }
            if !isNewer { page.changes.append(current) }
        }
        currents = []
        return page
    }

    /// Diagnostics from the first answer about another device that has seen the same.
    private func differences(answer: ExchangeAnswer) -> [RemoteDiagnostic] {
        let names = answer.differing.filter { name in exchange.request.entities.contains { $0.name == name } }
        return names.isEmpty ? [] : [.recordsDiffer(entities: names)]
    }

    private func result(of change: Change, result: ExchangeResult) -> PushReceipt.Result {
        let editTimestamp = change.header.writtenMetadata.editTimestamp
        switch result {
        case .accepted(let revision, nil): return .accepted(editTimestamp, revision)
        case .accepted(_, let stored?): return .altered(editTimestamp, stored)
        case .conflict(nil): return .missing
        case .conflict(let current?):
            currents.append(current)
            return .conflict
        case .refused("busy", _, _): return .busy
        case .refused(let rule, let reason, let other):
            guard !RefusedEntity.rules.contains(rule) else { return .entityRefused(reason) }
            return .refused("\(reason) [\(rule)\(other.map { ": \($0)" } ?? "")]")
        }
    }

    /// A push failed repeatedly. If the server answers other requests, the push is searched.
    private func probe(_ push: PreparedPush, error: SyncError) async throws -> PushReceipt {
        let answer = try await exchange.next()
        waiting = answer
        trial.noteFailed()
        guard answer.batch != push.intent else {
            // It was stored after all. The next page returns the edits, which acknowledges them.
            exchange.cursor.batch = push.intent
            return PushReceipt(results: push.changes.map { _ in .conflict }, cursor: nil)
        }
        return try await search(push, error: error)
    }

    /// Does what `PushTrial` says to find the change that is to blame.
    private func search(_ push: PreparedPush, error: SyncError) async throws -> PushReceipt {
        let setback = Setback(ofPush: error)
        let before = exchange.cursor
        let step = trial.step(
            after: setback,
            intent: push.intent,
            changes: push.changes.count,
            failing: &exchange.cursor.failing,
            now: exchange.client.clock.now()
        )
        let result: PushReceipt.Result
        switch step {
        case .end: throw setback.error ?? error
        case .resend: return try await self.push(push)
        case .halve:
            limit.changes = max(1, push.changes.count / 2)
            result = .notSent
        case .hold: result = .failed(setback)
        case .reject: result = .refused(error.message)
        }
        let cursor = exchange.cursor == before ? nil : exchange.cursor.text
        return PushReceipt(results: push.changes.map { _ in result }, cursor: cursor)
    }
}

extension RefusedEntity {
    /// The rules by which a server rejects a whole entity.
    static let rules: Set<String> = ["forbidden", "unknown", "unknown-entity"]
}

extension WireLimits {
    /// How much a push may hold so that the server accepts it, with room for the rest of the request.
    func push(_ own: HTTPLimits) -> PushLimit {
        PushLimit(changes: min(changes, own.pushChanges), bytes: max(1, requestBytes / 2))
    }
}

extension PushLimit {
    /// The limit after a successful push: twice its size, up to this limit.
    func grown(from last: PushLimit) -> PushLimit {
        PushLimit(
            changes: last.changes > changes / 2 ? changes : last.changes * 2,
            bytes: last.bytes > bytes / 2 ? bytes : last.bytes * 2
        )
    }
}
