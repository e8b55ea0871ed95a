public import SyncCore

/// The dependencies of an HTTP client.
public struct HTTPEnvironment: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Random bits, for jitter.
    public var random: any RandomSource
    /// Sleeps between attempts.
    public var sleeper: any SyncSleeper
    /// Sends requests.
    public var transport: any HTTPTransport
    /// Circuit breakers by host, shared by all clients of an app.
    public var breakers: SharedCircuitBreaker

    /// Makes an environment, by default with the system's transport.
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
