import SyncCore

/// How often a request is sent again, and how long to wait before.
///
/// Waits are drawn from zero to a bound that doubles ("full jitter"), so that many clients do not come back together.
public struct RetryPolicy: Sendable, Hashable {
    /// The greatest number of attempts, the first included.
    public var attempts: Int
    /// The same where no connection can be made: a machine that is offline stays so for a while.
    public var unreachableAttempts: Int
    /// The same where a server does not answer in time: it is given up within a minute.
    public var silentAttempts: Int
    /// The waits in seconds after a server said that it takes no more for now (429, 503) and not until when. It is asked so
    /// many times again, and no more.
    public var busySeconds: [Double]
    /// The bound of the first wait in seconds.
    public var baseSeconds: Double
    /// The greatest bound of a wait in seconds.
    public var capSeconds: Double
    /// The longest `Retry-After` in seconds that is waited for; a longer one ends the request and is reported.
    public var maxRetryAfterSeconds: Double

    /// Makes a policy.
    public init(
        attempts: Int = 5,
        unreachableAttempts: Int = 3,
        silentAttempts: Int = 2,
        busySeconds: [Double] = [5, 30],
        baseSeconds: Double = 0.25,
        capSeconds: Double = 20,
        maxRetryAfterSeconds: Double = 60
    ) {
        self.attempts = attempts
        self.unreachableAttempts = unreachableAttempts
        self.silentAttempts = silentAttempts
        self.busySeconds = busySeconds
        self.baseSeconds = baseSeconds
        self.capSeconds = capSeconds
        self.maxRetryAfterSeconds = maxRetryAfterSeconds
    }

    /// What to do after an attempt failed.
    enum Step: Sendable, Hashable {
        /// Wait some seconds and send again.
        case wait(Double)
        /// Enough attempts.
        case giveUp
        /// The server wants a longer wait than is allowed.
        case askedToWait(Double)
    }

    /// Decides after attempt number `attempt` (from 1) failed. `fraction` is random, from 0 up to 1.
    func step(after attempt: Int, cause: RetryCause, retryAfter: Double?, fraction: Double) -> Step {
        if let retryAfter, retryAfter > maxRetryAfterSeconds { return .askedToWait(retryAfter) }
        let isBusy = retryAfter == nil && cause.isBusy
        let most =
            switch cause {
            case .unreachable: unreachableAttempts
            case .timedOut: silentAttempts
            default: isBusy ? busySeconds.count + 1 : attempts
            }
        guard attempt < min(attempts, most) else { return .giveUp }
        if isBusy { return .wait(busySeconds[max(attempt, 1) - 1] + fraction * baseSeconds) }
        // Spread also those whom the server told the same time.
        if let retryAfter { return .wait(retryAfter + fraction * baseSeconds) }
        return .wait(wait(after: attempt, fraction: fraction))
    }

    /// The wait in seconds after attempt number `attempt` (from 1).
    func wait(after attempt: Int, fraction: Double) -> Double {
        // 2^64 times any base is beyond any cap.
        let doublings = Double(min(max(attempt - 1, 0), 64))
        return fraction * min(capSeconds, baseSeconds * Self.powerOfTwo(exponent: doublings))
    }

    private static func powerOfTwo(exponent: Double) -> Double {
        Double(sign: .plus, exponent: Int(exponent), significand: 1)
    }
}
