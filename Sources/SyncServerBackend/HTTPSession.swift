import SyncCore
import SyncHTTPClient
import SyncWire

/// A session of one sync with a server.
actor HTTPSession: RemoteSession {
    nonisolated let greeting: SessionGreeting
    private var exchange: ServerSession
    /// The answer whose page is not delivered yet.
    private var waiting: ExchangeAnswer?
    /// Current versions from conflict answers. They are delivered before the waiting page.
    private var currents: [Change] = []
    private var hasMore = true
    private var limit: PushLimit
    private let requestBytes: Int
    private var refused: [RefusedEntity] = []
    private var hasReported = false
    private var hasPushed = false
    private var standing = PushStanding.fine
    /// The single-change push that was sent again after it failed.
    private var retriedAlone: String?

    init(exchange: ServerSession, first answer: ExchangeAnswer, isCopy: Bool) {
        self.exchange = exchange
        self.exchange.cursor.batch = answer.batch
        waiting = answer
        limit = answer.limits.push(exchange.limits)
        requestBytes = answer.limits.requestBytes
        greeting = SessionGreeting(binding: HTTPBinding(answer).text, isCopy: isCopy)
    }

    func pushLimit() async -> PushLimit { limit }

    func recordLimit() async -> Int? { requestBytes }

    func requests() async -> Int { exchange.client.requests - exchange.requestsBefore }

    func fetch() async throws -> RemotePage? {
        if let answer = waiting {
            waiting = nil
            let before = exchange.cursor
            let page = try page(answer: answer)
            let isNews = page.kind != .delta || !page.changes.isEmpty || !page.diagnostics.isEmpty
            if isNews || exchange.cursor != before || isNewCursor { return page }
        }
        guard hasMore else { return nil }
        return try page(answer: try await exchange.next())
    }

    /// Whether the store must still save the session's cursor, although no page moved it.
    private var isNewCursor: Bool { exchange.request.cursor != exchange.cursor.text && !hasPushed }

    func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
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
                // Parts of a failed batch are not retried; the single change that is left in the end is.
                attempts: standing == .fine ? nil : 1
            )
        } catch let error as WireError where error.code == .tooLarge {
            return try await halve(push: push, error: error)
        } catch let error as WireError {
            throw SyncError(error)
        } catch let error as SyncError
            where error.kind == .unreachable && exchange.client.mayBlameChange(for: error)
        {
            return try await setAside(push: push, error: error)
        }
        try check(answer)
        exchange.cursor = HTTPCursor(
            server: answer.acknowledged ?? exchange.cursor.server,
            batch: push.intent
        )
        let acknowledged = exchange.cursor
        hasPushed = true
        standing.noteAccepted()
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
        if answer.hasMore, exchange.cursor.server == answer.cursor { throw SyncError.serverStandsStill() }
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

    /// The push is too large: a smaller one is tried next. A single change that is too large is rejected.
    private func halve(push: PreparedPush, error: WireError) async throws -> PushReceipt {
        guard push.changes.count > 1 else {
            return try await retryAlone(push: push, reason: "\(error.detail) [\(error.code.rawValue)]")
        }
        if let limits = error.limits { limit.bytes = min(limit.bytes, limits.push(exchange.limits).bytes) }
        limit.changes = max(1, push.changes.count / 2)
        return PushReceipt(results: push.changes.map { _ in .notSent }, cursor: nil)
    }

    /// Retries the last single change of a failed push, before it is rejected for a transient failure.
    private func retryAlone(push: PreparedPush, reason: String) async throws -> PushReceipt {
        guard retriedAlone != push.intent else {
            standing.noteRefused()
            return PushReceipt(results: [.refused(reason)], cursor: nil)
        }
        retriedAlone = push.intent
        return try await self.push(push)
    }

    /// The server failed on this push repeatedly. If it still answers others, a change in the push is to blame. It is
    /// found by halving, and a change that fails alone is rejected, so that it blocks no other.
    private func setAside(push: PreparedPush, error: SyncError) async throws -> PushReceipt {
        let answer = try await exchange.next()
        waiting = answer
        standing.noteFailed()
        if answer.batch == push.intent {
            // It was stored after all. The next page returns the edits, which acknowledges them.
            exchange.cursor.batch = push.intent
            return PushReceipt(results: push.changes.map { _ in .conflict }, cursor: nil)
        }
        guard push.changes.count > 1 else {
            // A server that says when to come back, for example with a full disk, may mean itself and not the push.
            // Whether it accepts others decides.
            if standing == .takesOthers || error.retryAfterSeconds == nil {
                return try await retryAlone(push: push, reason: error.message)
            }
            guard standing != .inDoubt else { return try blame(push: push, error: error) }
            standing = .inDoubt
            let now = exchange.client.clock.now()
            exchange.cursor.failing = FailingPush(
                intent: push.intent,
                at: now,
                after: exchange.cursor.failing
            )
            return PushReceipt(results: [.failed(error.message)], cursor: exchange.cursor.text)
        }
        limit.changes = push.changes.count / 2
        return PushReceipt(results: push.changes.map { _ in .notSent }, cursor: nil)
    }

    /// The only pending change failed again, and no other one can show whether the server accepts any. It is rejected
    /// after enough syncs, so that it does not fail every sync. Throws `error` before that.
    private func blame(push: PreparedPush, error: SyncError) throws -> PushReceipt {
        guard let failing = exchange.cursor.failing, failing.intent == push.intent,
            failing.isToBlame(at: exchange.client.clock.now())
        else { throw error }
        exchange.cursor.failing = nil
        return PushReceipt(results: [.refused(error.message)], cursor: exchange.cursor.text)
    }
}

extension HTTPClient {
    /// Whether a change may have caused the failure of a push: the server did not ask for a longer pause than one
    /// sync waits.
    fileprivate func mayBlameChange(for error: SyncError) -> Bool {
        error.retryAfterSeconds.map { $0 <= policy.maxRetryAfterSeconds } ?? true
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
