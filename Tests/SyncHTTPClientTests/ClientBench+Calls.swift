import HTTPDoubles
import SyncCore
import SyncHTTPClient
import Testing

extension ClientBench {
    /// Makes the bench of a client of no protocol.
    init(
        transport: RecordingTransport,
        credentials: TestCredentials = TestCredentials(token: "secret"),
        base: String = "https://sync.example.org",
        policy: RetryPolicy = RetryPolicy(),
        breakers: SharedCircuitBreaker = SharedCircuitBreaker(),
        sleeper: TestSleeper = TestSleeper(),
        onRetry: HTTPClient.RetryNotice? = nil
    ) throws {
        try self.init(
            transport: transport,
            conventions: .plain,
            credentials: credentials,
            base: base,
            policy: policy,
            breakers: breakers,
            sleeper: sleeper,
            onRetry: onRetry
        )
    }

    init(answers: Result<HTTPResponse, TransportError>..., policy: RetryPolicy = RetryPolicy()) throws {
        try self.init(transport: RecordingTransport(answers), policy: policy)
    }

    /// The client's watch of a stream of changes.
    func changes() -> AsyncThrowingStream<Void, any Error> { client.events(named: "change", path: "/events") }

    /// A call whose answer is JSON.
    static func call(_ path: String = "/records", attempts: Int? = nil) -> HTTPCall {
        HTTPCall(
            "POST",
            path: path,
            headers: [HTTPHeader(name: "Content-Type", value: "application/json")],
            maxResponseBytes: 1 << 20,
            timeoutSeconds: 30,
            attempts: attempts
        )
    }

    /// Sends a call, and returns the JSON object that answers it as text.
    func send(_ call: HTTPCall) async throws -> String {
        try await client.send(call) { response in
            guard response.mediaType == "application/json", response.body.first == UInt8(ascii: "{") else {
                throw JSONError(offset: 0, kind: .unexpectedByte)
            }
            return String(decoding: response.body, as: UTF8.self)
        }
    }

    /// Sends the usual call.
    func post(attempts: Int? = nil) async throws -> String { try await send(Self.call(attempts: attempts)) }

    /// The error that the usual call ends with.
    func refusal(attempts: Int? = nil) async throws -> SyncError {
        try #require(await #expect(throws: SyncError.self) { try await post(attempts: attempts) })
    }
}

extension HTTPConventions {
    /// JSON, and statuses 403 and 410 that have a meaning.
    static let plain = HTTPConventions { response, retryAfter in
        [403, 410].contains(response.status) ? TestRefusal(status: response.status, wait: retryAfter) : nil
    }
}

/// What the server of tests refuses.
struct TestRefusal: Error, Equatable {
    var status: Int
    var wait: Double?
}
