import Foundation
import SyncChecks
import SyncCore
import SyncWire
import Testing

@testable import SyncHTTPBackend

/// A transport that answers from a script and remembers what was asked.
final class RecordingTransport: HTTPTransport, @unchecked Sendable {
    /// Answers request number `index` (from 0).
    typealias Script = @Sendable (_ request: HTTPRequest, _ index: Int) async throws -> HTTPResponse

    private let script: Script
    private let lock = NSLock()
    // Guarded by `lock`.
    private var asked: [HTTPRequest] = []
    private var feeds: [AsyncThrowingStream<[UInt8], any Error>.Continuation] = []

    init(_ script: @escaping Script) {
        self.script = script
    }

    /// Gives answers in turn, and the last one for ever.
    convenience init(_ answers: [Result<HTTPResponse, TransportError>]) {
        self.init { _, index in try answers[min(index, answers.count - 1)].get() }
    }

    var requests: [HTTPRequest] { lock.withLock { asked } }
    /// What streams are fed with, oldest first.
    var streams: [AsyncThrowingStream<[UInt8], any Error>.Continuation] { lock.withLock { feeds } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let index = lock.withLock {
            asked.append(request)
            return asked.count - 1
        }
        return try await script(request, index)
    }

    func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        let head = try await send(request)
        let (pieces, feed) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        lock.withLock { feeds.append(feed) }
        return HTTPStream(head: head, pieces: pieces)
    }
}

extension HTTPRequest {
    var token: String? { headers.first { $0.name == "Authorization" }?.value }
}

extension HTTPResponse {
    static func json(text: String = "{}", _ headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")] + headers,
            body: Array(text.utf8)
        )
    }

    static func problem(problem: WireError, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: problem.code.status,
            headers: [HTTPHeader(name: "Content-Type", value: "application/problem+json")] + headers,
            body: problem.body
        )
    }

    static func page(status: Int, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [HTTPHeader(name: "Content-Type", value: "text/html")] + headers,
            body: Array("<html>Please sign in</html>".utf8)
        )
    }

    static let events = HTTPResponse(
        status: 200,
        headers: [HTTPHeader(name: "Content-Type", value: "text/event-stream")]
    )
}

/// Does not wait, but remembers that it should have; waits that a test holds last until they are cancelled.
final class TestSleeper: SyncSleeper, @unchecked Sendable {
    private let lock = NSLock()
    private let holds: @Sendable (Double) -> Bool
    // Guarded by `lock`.
    private var waits: [Double] = []

    init(holds: @escaping @Sendable (Double) -> Bool = { _ in false }) {
        self.holds = holds
    }

    var slept: [Double] { lock.withLock { waits } }

    func sleep(seconds: Double) async throws {
        lock.withLock { waits.append(seconds) }
        try Task.checkCancellation()
        if holds(seconds) { try await Gate().wait() }
    }
}

/// Opens once; who waits is let through then, or when cancelled.
final class Gate: @unchecked Sendable {
    private let stream: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    init() {
        (stream, feed) = AsyncStream.makeStream(of: Void.self)
    }

    func open() { feed.finish() }

    func wait() async throws {
        for await _ in stream {}
        try Task.checkCancellation()
    }
}

/// Tokens from a list: each refresh gives the next.
final class TestCredentials: CredentialSource, @unchecked Sendable {
    private let lock = NSLock()
    private let beforeRefresh: @Sendable () async throws -> Void
    // Guarded by `lock`.
    private var current: String
    private var others: [String]
    private var refused: [String] = []

    init(
        token: String,
        then others: [String] = [],
        beforeRefresh: @escaping @Sendable () async throws -> Void = {}
    ) {
        current = token
        self.others = others
        self.beforeRefresh = beforeRefresh
    }

    var refreshes: [String] { lock.withLock { refused } }

    func set(_ token: String) { lock.withLock { current = token } }

    func token() async throws -> String { lock.withLock { current } }

    func refresh(refused token: String) async throws -> String? {
        lock.withLock { refused.append(token) }
        try await beforeRefresh()
        return lock.withLock {
            guard !others.isEmpty else { return nil }
            current = others.removeFirst()
            return current
        }
    }
}

/// A client over doubles.
struct Bench {
    let transport: RecordingTransport
    let sleeper: TestSleeper
    let clock = ManualClock()
    let breakers: SharedCircuitBreaker
    let client: ServerClient

    init(
        transport: RecordingTransport,
        credentials: TestCredentials = TestCredentials(token: "secret"),
        base: String = "https://sync.example.org",
        policy: RetryPolicy = RetryPolicy(),
        breakers: SharedCircuitBreaker = SharedCircuitBreaker(),
        sleeper: TestSleeper = TestSleeper(),
        onRetry: ServerClient.RetryNotice? = nil
    ) throws {
        self.transport = transport
        self.sleeper = sleeper
        self.breakers = breakers
        client = ServerClient(
            base: try ServerURL(base),
            transport: transport,
            tokens: TokenStore(credentials),
            policy: policy,
            breakers: breakers,
            clock: clock,
            random: SeededRandom(7),
            sleeper: sleeper,
            onRetry: onRetry
        )
    }

    init(answers: Result<HTTPResponse, TransportError>..., policy: RetryPolicy = RetryPolicy()) throws {
        try self.init(transport: RecordingTransport(answers), policy: policy)
    }

    /// Posts, and returns the body as text.
    func post(path: String = "/v1/exchange", attempts: Int? = nil) async throws -> String {
        try await client.post(
            path: path,
            body: [],
            maxResponseBytes: 1 << 20,
            timeoutSeconds: 30,
            attempts: attempts
        ) { response in
            guard response.body.first == UInt8(ascii: "{") else {
                throw JSONError(offset: 0, kind: .unexpectedByte)
            }
            return String(decoding: response.body, as: UTF8.self)
        }
    }

    /// The error that a post ends with.
    func refusal(attempts: Int? = nil) async throws -> SyncError {
        try #require(await #expect(throws: SyncError.self) { try await post(attempts: attempts) })
    }
}
