/// Rate limits of requests, failed authentications and first logins.
public struct RatePolicy: Sendable, Hashable {
    /// Requests per second that one account may make in the long run.
    public var requestsPerSecond: Double
    /// Requests that one account may make at once.
    public var requestBurst: Double
    /// Failed authentications per second that one peer may make in the long run.
    public var failuresPerSecond: Double
    /// Failed authentications that one peer may make at once.
    public var failureBurst: Double
    /// Logins without an account per second that one peer may make in the long run. Each may add an account, and a
    /// reverse proxy is one peer.
    public var newLoginsPerSecond: Double
    /// Logins without an account that one peer may make at once.
    public var newLoginBurst: Double
    /// The most accounts and peers that are tracked. Those that were idle for longest are dropped first.
    public var maxBuckets: Int

    /// Makes a policy; the defaults are what `syncserver` uses.
    public init(
        requestsPerSecond: Double = 200,
        requestBurst: Double = 400,
        failuresPerSecond: Double = 10,
        failureBurst: Double = 50,
        newLoginsPerSecond: Double = 20,
        newLoginBurst: Double = 200,
        maxBuckets: Int = 10_000
    ) {
        self.requestsPerSecond = requestsPerSecond
        self.requestBurst = requestBurst
        self.failuresPerSecond = failuresPerSecond
        self.failureBurst = failureBurst
        self.newLoginsPerSecond = newLoginsPerSecond
        self.newLoginBurst = newLoginBurst
        self.maxBuckets = maxBuckets
    }
}
