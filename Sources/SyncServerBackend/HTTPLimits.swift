/// Client-side limits.
public struct HTTPLimits: Sendable, Hashable {
    /// The most records of one page.
    public var pageRecords: Int
    /// The most bytes of one response, after decoding.
    public var maxResponseBytes: Int
    /// Seconds until a whole response must have arrived. An unanswered request is sent twice.
    public var timeoutSeconds: Double
    /// The most changes of one push; the server may set a lower limit.
    public var pushChanges: Int

    /// About how many bytes of records are asked for ahead, while those before them are taken in; 0 for none.
    public var aheadBytes: Int
    /// Whether the next push is prepared while one is under way.
    public var preparesAhead: Bool

    /// Makes limits.
    public init(
        pageRecords: Int = 1000,
        maxResponseBytes: Int = 32 << 20,
        timeoutSeconds: Double = 25,
        pushChanges: Int = 1000,
        aheadBytes: Int = 4 << 20,
        preparesAhead: Bool = true
    ) {
        self.pageRecords = pageRecords
        self.maxResponseBytes = maxResponseBytes
        self.timeoutSeconds = timeoutSeconds
        self.pushChanges = pushChanges
        self.aheadBytes = aheadBytes
        self.preparesAhead = preparesAhead
    }
}
