import SyncCore
import SyncHTTPClient
import SyncWire

/// Requests pages from a server and sends changes. Keeps the cursor of the last answer.
struct ServerSession: Sendable {
    let client: HTTPClient
    let request: SessionRequest
    let limits: HTTPLimits
    private let path: String
    /// The cursor of the next request.
    var cursor: HTTPCursor
    /// Requests made before this exchange began.
    let requestsBefore: Int
    /// The most records of a page, on a way that may be slow.
    private let pageRecords: Guarded<Int>

    init(client: HTTPClient, request: SessionRequest, limits: HTTPLimits, path: String) {
        self.path = path
        self.client = client
        self.request = request
        self.limits = limits
        pageRecords = Guarded(limits.pageRecords)
        cursor = request.rejoin ? HTTPCursor() : request.cursor.flatMap { HTTPCursor($0) } ?? HTTPCursor()
        requestsBefore = client.requests
    }

    /// The first page. If the cursor is too old or unreadable, requests the full state instead. Throws `SyncError`.
    mutating func first() async throws -> ExchangeAnswer {
        do {
            return try await page(records: records)
        } catch let error as WireError
            where [.cursorExpired, .malformed].contains(error.code) && cursor.server != nil
        {
            cursor.server = nil
            return try await translated { try await page() }
        } catch let error as WireError where error.code == .historyChanged && cursor.server != nil {
            throw try await whyAnotherHistory()
        } catch let error as WireError {
            throw SyncError(error)
        }
    }

    /// Every account has its own history, so a rejected cursor does not show whether the account differs. An answer
    /// to a request without a cursor does.
    private mutating func whyAnotherHistory() async throws -> SyncError {
        cursor = HTTPCursor()
        let answer = try await next()
        let bound = request.binding.flatMap { HTTPBinding($0) }
        return bound.map { $0.account != answer.account } ?? false ? .otherAccount() : .historyChanged()
    }

    /// The next page. Throws `SyncError`.
    func next() async throws -> ExchangeAnswer {
        try await translated { try await page() }
    }

    /// Sends `count` changes that `ExchangeRequest.encode` encoded. Throws `WireError` or `SyncError`.
    func push(
        _ payload: [UInt8],
        batch: String,
        count: Int,
        attempts: Int?
    ) async throws -> ExchangeAnswer {
        var message = message()
        message.batch = batch
        return try await send(
            message.encoded(changes: payload),
            results: count,
            batch: batch,
            attempts: attempts
        )
    }

    /// The store's fingerprints; nil if there are more than a request may contain.
    private var records: [String: Digest]? {
        guard cursor.server != nil, let records = request.records,
            records.count <= WireProtocol.maxFingerprints
        else { return nil }
        return records.filter { $0.key.utf8.count <= WireProtocol.maxFingerprintNameBytes }
    }

    /// A page. Where none comes in time, the way may be slow: a smaller one is asked for, a few times, and so are the pages
    /// after it.
    private func page(records: [String: Digest]? = nil) async throws -> ExchangeAnswer {
        let smallest = max(1, limits.pageRecords / Self.maxDivisor)
        var attempts: Int?
        while true {
            do {
                var message = message()
                message.records = records
                return try await send(message.encoded(), results: 0, attempts: attempts)
            } catch let error as SyncError where error.fault == .unanswered {
                let isSmaller = pageRecords.use { count in
                    guard count > smallest else { return false }
                    count = max(smallest, count / Self.divisor)
                    return true
                }
                guard isSmaller else { throw error }
                attempts = 1
            }
        }
    }

    /// By how much a page becomes smaller, at once and in all.
    private static let (divisor, maxDivisor) = (8, 64)
    /// So many bytes of a request may take a second, beside the time for an answer.
    private static let slowBytesPerSecond = 16_000.0

    private func message() -> ExchangeRequest {
        ExchangeRequest(
            device: request.device,
            entities: request.entities.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            cursor: cursor.server,
            limit: pageRecords.use { $0 },
            previous: cursor.batch
        )
    }

    private func send(
        _ body: [UInt8],
        results: Int,
        batch: String? = nil,
        attempts: Int? = nil
    ) async throws -> ExchangeAnswer {
        let answer = try await client.post(
            path: path,
            body: body,
            maxResponseBytes: limits.maxResponseBytes,
            timeoutSeconds: limits.timeoutSeconds + Double(body.count) / Self.slowBytesPerSecond,
            attempts: attempts
        ) { response in
            let answer = try ExchangeAnswer(response.body)
            // An incomplete answer is not used at all. Nor is the answer to another push, which may have as many
            // results but acknowledges other changes.
            guard answer.results.count == results, batch == nil || answer.batch == batch,
                answer.changes.allSatisfy({ $0.header.isAnswered })
            else { throw JSONError(offset: 0, kind: .unexpectedByte) }
            return answer
        }
        client.noteServerTime(answer.time)
        return answer
    }

    private func translated<Result>(body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as WireError { throw SyncError(error) }
    }
}

extension Change.Header {
    /// Whether a server may answer it: a version with its revision, or a record that leaves the account's view.
    fileprivate var isAnswered: Bool {
        guard let metadata else { return kind == .outOfScope }
        return revision != nil && metadata.vector.covers(metadata.editTimestamp)
    }
}
