import HTTPDoubles
import SyncCore
import SyncHTTPClient
import Testing

extension ClientBench {
    /// Makes a bench for a client without a protocol.
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

    /// A call with a JSON answer.
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

    /// Sends a call and returns its JSON answer as text.
    func send(_ call: HTTPCall) async throws -> String {
        try await client.send(call) { response in
            guard response.mediaType == "application/json", response.body.first == UInt8(ascii: "{") else {
                throw JSONError(offset: 0, kind: .unexpectedByte)
            }
            return String(decoding: response.body, as: UTF8.self)
        }
    }

    /// Sends the default call.
    func post(attempts: Int? = nil) async throws -> String { try await send(Self.call(attempts: attempts)) }

    /// Returns the error of the default call.
    func refusal(attempts: Int? = nil) async throws -> SyncError {
        try #require(await #expect(throws: SyncError.self) { try await post(attempts: attempts) })
    }
}

extension HTTPConventions {
    /// Conventions with JSON, and errors for 403 and 410.
    static let plain = HTTPConventions { response, retryAfter in
        [403, 410].contains(response.status)
            ? TestServerError(status: response.status, wait: retryAfter) : nil
    }
}

/// The error of a test server.
struct TestServerError: Error, Equatable {
    var status: Int
    var wait: Double?
}
