/// Client-side limits.
public struct HTTPLimits: Sendable, Hashable {
    /// The most records of one page.
    public var pageRecords: Int
    /// The most bytes of one answer, once decoded.
    public var maxResponseBytes: Int
    /// Seconds until a whole answer must be there. A request that is not answered is sent twice.
    public var timeoutSeconds: Double
    /// The most changes of one push; the server may say less.
    public var pushChanges: Int

    /// Makes limits.
    public init(
        pageRecords: Int = 1000,
        maxResponseBytes: Int = 32 << 20,
        timeoutSeconds: Double = 25,
        pushChanges: Int = 1000
    ) {
        self.pageRecords = pageRecords
        self.maxResponseBytes = maxResponseBytes
        self.timeoutSeconds = timeoutSeconds
        self.pushChanges = pushChanges
    }
}
