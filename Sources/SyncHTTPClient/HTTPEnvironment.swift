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
