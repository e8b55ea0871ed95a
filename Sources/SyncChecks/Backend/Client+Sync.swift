import SyncCore

extension Client {
    /// The result of one sync.
    struct Outcome {
        var items = 0
        var pages: [RemotePage] = []
        var results: [RecordID: PushReceipt.Result] = [:]
        var requests = 0
    }

    /// Pulls, pushes, pulls again and closes. Drops edits that are in conflict or refused.
    @discardableResult
    func sync(rejoin: Bool = false) async throws -> Outcome {
        var outcome = Outcome()
        let session = try await open(rejoin: rejoin)
        if rejoin { forgetRemote() }
        outcome.pages = try await pull(session)
        outcome.results = try await push(session)
        outcome.pages += try await pull(session)
        outcome.items = outcome.pages.reduce(0) { $0 + $1.changes.count }
        outcome.requests = await session.requests()
        try await session.close(cursor: cursor)
        return outcome
    }

    /// Opens a session. Fails the check if the remote takes the store for a copy, unless `mayBeCopy`.
    func open(
        rejoin: Bool = false,
        readOnly: Bool = false,
        mayBeCopy: Bool = false
    ) async throws -> any RemoteSession {
        var request = SessionRequest(
            device: device,
            label: "conformance",
            entities: entities,
            binding: binding,
            cursor: cursor,
            intent: intent,
            rejoin: rejoin,
            readOnly: readOnly
        )
        let backend = try await remote.backend(for: home)
        capabilities = backend.capabilities
        var session = try await backend.open(request)
        if session.greeting.renewal != nil, !readOnly, rejoin || mayRenew {
            renew()
            (request.device, request.binding, request.cursor, request.intent) = (device, nil, nil, nil)
            session = try await remote.backend(for: home).open(request)
        }
        try require(
            mayBeCopy || !session.greeting.isCopy,
            expected: "that a store is known by its device",
            found: "it was taken for a copy"
        )
        if !readOnly, !session.greeting.isCopy { binding = session.greeting.binding }
        return session
    }

    /// Fetches pages to the end, or at most the given number.
    @discardableResult
    func pull(_ session: any RemoteSession, pages limit: Int = .max) async throws -> [RemotePage] {
        var pages: [RemotePage] = []
        while pages.count < limit, let page = try await session.fetch() {
            try take(page)
            pages.append(page)
            try require(
                pages.count <= 2 * Scene.maxBatch,
                expected: "an end of the pages",
                found: "they went on and on"
            )
        }
        return pages
    }

    /// Pushes all edits in batches within the remote's limit.
    func push(_ session: any RemoteSession) async throws -> [RecordID: PushReceipt.Result] {
        var results: [RecordID: PushReceipt.Result] = [:]
        while case let batch = Self.batch(changes: outgoing, limit: await session.pushLimit()), !batch.isEmpty
        {
            var isAnswered = false
            for (change, result) in try await send(batch, session: session) {
                let id = RecordID(entity: change.entity, key: change.key)
                if case .notSent = result { continue }
                isAnswered = true
                results[id] = result
                drop(id)
            }
            try require(
                isAnswered,
                expected: "an answer for some change of each push",
                found: "none was answered"
            )
        }
        return results
    }

    /// Prepares and sends changes, and records the receipt.
    func send(
        _ changes: [Change],
        session: any RemoteSession
    ) async throws -> [(Change, PushReceipt.Result)] {
        let prepared = try await prepare(changes, session: session)
        return try record(prepared: prepared, receipt: try await session.push(prepared))
    }

    /// Prepares changes and saves the intent.
    func prepare(_ changes: [Change], session: any RemoteSession) async throws -> PreparedPush {
        let prepared = try await session.prepare(changes, cursor: cursor)
        intent = prepared.intent
        return prepared
    }

    /// Records the receipt of a push.
    @discardableResult
    func record(
        prepared: PreparedPush,
        receipt: PushReceipt
    ) throws -> [(Change, PushReceipt.Result)] {
        try require(
            receipt.results.count == prepared.changes.count,
            expected: "one result for each of \(prepared.changes.count) changes",
            found: "there were \(receipt.results.count)"
        )
        for (change, result) in zip(prepared.changes, receipt.results) {
            try acknowledge(change, result: result)
        }
        cursor = receipt.cursor ?? cursor
        intent = nil
        return Array(zip(prepared.changes, receipt.results))
    }

    private static func batch(changes: [Change], limit: PushLimit) -> [Change] {
        var batch: [Change] = []
        var bytes = 0
        for change in changes.prefix(max(limit.changes, 1)) {
            bytes += change.body.count
            if bytes > limit.bytes, !batch.isEmpty { break }
            batch.append(change)
        }
        return batch
    }
}

extension PushReceipt.Result {
    /// Whether the remote has stored the change.
    var isAccepted: Bool {
        switch self {
        case .accepted, .altered: true
        case .conflict, .missing, .refused, .entityRefused, .busy, .notSent, .failed: false
        }
    }

    /// The result in a word.
    var word: String {
        switch self {
        case .accepted: "accepted"
        case .altered: "accepted with changes"
        case .conflict: "a conflict"
        case .missing: "a conflict with nothing"
        case .refused: "refused"
        case .entityRefused: "refused with its entity"
        case .busy: "held by somebody else"
        case .notSent: "not sent"
        case .failed: "not answered"
        }
    }
}
