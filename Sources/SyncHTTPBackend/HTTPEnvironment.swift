public import SyncCore

/// What an HTTP client needs from outside.
public struct HTTPEnvironment: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Random bits, for jitter.
    public var random: any RandomSource
    /// Waits between attempts.
    public var sleeper: any SyncSleeper
    /// Carries requests.
    public var transport: any HTTPTransport
    /// Breakers by host; an app has one for all its clients.
    public var breakers: SharedCircuitBreaker

    /// Gathers what a client needs; over what the system has unless another transport is given.
    public init(
        clock: any SyncClock,
        random: any RandomSource,
        sleeper: any SyncSleeper,
        transport: any HTTPTransport = SystemTransport(),
        breakers: SharedCircuitBreaker = SharedCircuitBreaker()
    ) {
        self.clock = clock
        self.random = random
        self.sleeper = sleeper
        self.transport = transport
        self.breakers = breakers
    }
}

/// A request that is tried again after a wait.
public struct HTTPRetry: Sendable, Hashable {
    /// The number of the attempt that failed, from 1.
    public var attempt: Int
    /// Seconds until the next one.
    public var delaySeconds: Double
    /// Why, in words.
    public var cause: String
}

extension ServerClient {
    /// A client of one account at one server.
    package convenience init(
        url: ServerURL,
        credentials: any CredentialSource,
        environment: HTTPEnvironment,
        onRetry: @escaping @Sendable (HTTPRetry) -> Void = { _ in }
    ) {
        self.init(
            base: url,
            transport: environment.transport,
            tokens: TokenStore(credentials),
            breakers: environment.breakers,
            clock: environment.clock,
            random: environment.random,
            sleeper: environment.sleeper
        ) { attempt, seconds, cause in
            onRetry(HTTPRetry(attempt: attempt, delaySeconds: seconds, cause: cause.sentence))
        }
    }
}
