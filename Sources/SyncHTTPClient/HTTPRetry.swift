/// A request that is tried again after a wait.
public struct HTTPRetry: Sendable, Hashable {
    /// The number of the attempt that failed, from 1.
    public var attempt: Int
    /// Seconds until the next one.
    public var delaySeconds: Double
    /// Why, in words.
    public var cause: String
}
