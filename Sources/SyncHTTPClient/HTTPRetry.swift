/// A retry of a request after a delay.
public struct HTTPRetry: Sendable, Hashable {
    /// The number of the attempt that failed, from 1.
    public var attempt: Int
    /// Seconds until the next attempt.
    public var delaySeconds: Double
    /// The cause, as text.
    public var cause: String
}
