package import SyncChecks
package import SyncCore
package import SyncHTTPClient

/// A client with test doubles.
package struct ClientBench {
    /// Answers the client, and records its requests.
    package let transport: RecordingTransport
    /// Records the client's waits.
    package let sleeper: TestSleeper
    /// The client's clock.
    package let clock = ManualClock()
    /// The client's breakers.
    package let breakers: SharedCircuitBreaker
    /// The client.
    package let client: HTTPClient

    /// Makes a client of one server.
    package init(
        transport: RecordingTransport,
        conventions: HTTPConventions,
        credentials: TestCredentials = TestCredentials(token: "secret"),
        base: String = "https://sync.example.org",
        policy: RetryPolicy = RetryPolicy(),
        breakers: SharedCircuitBreaker = SharedCircuitBreaker(),
        sleeper: TestSleeper = TestSleeper(),
        onRetry: HTTPClient.RetryNotice? = nil
    ) throws {
        self.transport = transport
        self.sleeper = sleeper
        self.breakers = breakers
        client = HTTPClient(
            url: try ServerURL(base),
            tokens: TokenStore(credentials),
            conventions: conventions,
            policy: policy,
            environment: HTTPEnvironment(
                clock: clock,
                random: SeededRandom(7),
                sleeper: sleeper,
                transport: transport,
                breakers: breakers
            ),
            onRetry: onRetry
        )
    }
}
