public import SyncCore
public import SyncHTTPClient
public import SyncServerBackend

extension LoopbackServer {
    /// Nothing is done ahead: it comes at any time, and a world has to go the same way each time.
    public static let limits = HTTPLimits(aheadBytes: 0, preparesAhead: false)

    /// A backend of an account for one device. Without a sleeper all waits end at once; a reader of `changes`
    /// needs a sleeper that waits.
    public func backend(
        token: String,
        clock: any SyncClock,
        random: any RandomSource,
        sleeper: any SyncSleeper = NoSleep(),
        limits: HTTPLimits = limits
    ) throws -> HTTPBackend {
        HTTPBackend(
            url: try ServerURL(Self.url),
            credentials: FixedToken(text: token),
            environment: HTTPEnvironment(
                clock: clock,
                random: random,
                sleeper: sleeper,
                transport: self,
                breakers: SharedCircuitBreaker(CircuitBreaker.Settings(failures: 1000))
            ),
            limits: limits
        )
    }
}

/// A token that never changes.
public struct FixedToken: CredentialSource {
    let text: String

    /// Makes a source with a fixed token.
    public init(text: String) {
        self.text = text
    }

    /// The token.
    public func token() async throws -> String { text }

    /// Returns nil, because there is no other token.
    public func refresh(refused: String) async throws -> String? { nil }
}

/// A sleeper that does not wait.
public struct NoSleep: SyncSleeper {
    /// Makes a sleeper.
    public init() {}

    /// Returns at once.
    public func sleep(seconds: Double) async throws { try Task.checkCancellation() }
}
