import SyncCore

/// The number of attempts and the delays between them.
///
/// Delays are random between zero and a bound that doubles ("full jitter"), so that many clients do not
/// return together.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first.
    public var attempts: Int
    /// The maximum number of attempts without a connection. A machine that is offline usually stays so for a
    /// while.
    public var unreachableAttempts: Int
    /// The maximum number of attempts without an answer in time, so that the call ends within a minute.
    public var silentAttempts: Int
    /// The delays in seconds after 429 or 503 without `Retry-After`. Their number is the maximum number of
    /// retries.
    public var busySeconds: [Double]
    /// The bound of the first delay in seconds.
    public var baseSeconds: Double
    /// The largest bound of a delay in seconds.
    public var capSeconds: Double
    /// The longest `Retry-After` in seconds that the client waits for, and about the most that one call waits for it
    /// in total. A longer one ends the request with an error.
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

    /// The longest `Retry-After` in seconds that the client waits for after a failure of the server itself. A disk that
    /// is full stays so until a person acts, but a database may only restart.
    static let maxOwnFailureSeconds = 10.0

    /// What to do after a failed attempt.
    enum Step: Sendable, Hashable {
        /// Wait some seconds, then retry.
        case wait(Double)
        /// The attempts are used up.
        case giveUp
        /// The server asks for a longer delay than allowed.
        case askedToWait(Double)
    }

    /// Decides what to do after attempt number `attempt` (from 1) failed. `fraction` is a random number in
    /// 0..<1, `waited` the seconds that the call has waited so far. `isOwnFailure` says that the server failed itself.
    func step(
        after attempt: Int,
        cause: RetryCause,
        retryAfter: Double?,
        waited: Double = 0,
        isOwnFailure: Bool = false,
        fraction: Double
    ) -> Step {
        if let retryAfter {
            if retryAfter > maxRetryAfterSeconds { return .askedToWait(retryAfter) }
            if waited > 0, waited + retryAfter > maxRetryAfterSeconds { return .giveUp }
            if isOwnFailure, retryAfter > Self.maxOwnFailureSeconds { return .giveUp }
        }
        let isBusy = retryAfter == nil && cause.isBusy
        let most =
            switch cause {
            case .unreachable: unreachableAttempts
            case .timedOut: silentAttempts
            default: isBusy ? busySeconds.count + 1 : attempts
            }
        guard attempt < min(attempts, most) else { return .giveUp }
        if isBusy { return .wait(busySeconds[max(attempt, 1) - 1] + fraction * baseSeconds) }
        // Adds jitter to `Retry-After`, so that clients that were told the same time do not return together.
        if let retryAfter { return .wait(retryAfter + fraction * baseSeconds) }
        return .wait(wait(after: attempt, fraction: fraction))
    }

    /// The delay in seconds after attempt number `attempt` (from 1).
    func wait(after attempt: Int, fraction: Double) -> Double {
        // Base times 2^64 is over any cap.
        let doublings = Double(min(max(attempt - 1, 0), 64))
        return fraction * min(capSeconds, baseSeconds * Self.powerOfTwo(exponent: doublings))
    }

    private static func powerOfTwo(exponent: Double) -> Double {
        Double(sign: .plus, exponent: Int(exponent), significand: 1)
    }
}
