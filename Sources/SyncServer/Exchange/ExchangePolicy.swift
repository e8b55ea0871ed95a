/// Retention and limits of a server's logs.
public struct ExchangePolicy: Sendable, Hashable {
    /// Days that a tombstone is kept if its schema does not say (`tombstoneDays`).
    public var tombstoneDays: Int
    /// Seconds that an edit's time may be ahead of the server's clock before it is lowered.
    public var clockToleranceSeconds: Int
    /// Seconds after which a scratch log is removed. This happens when another one is created.
    public var scratchLifetimeSeconds: Int
    /// The most account files that are open at once.
    public var maxOpenFiles: Int
    /// The page cache of all open account files together, in megabytes. A running push may use more for its
    /// own file.
    public var cacheMegabytes: Int

    /// The most records of one account, tombstones included; nil for any number.
    public var maxRecords: Int?
    /// The most bytes of one account's file; nil for any number. Deletes are always accepted.
    public var maxBytes: Int?
    /// The most entities in one request.
    public var maxEntities: Int
    /// The most bytes of a batch name.
    static let maxBatchBytes = 256
    /// The most scratch logs of one account.
    static let maxScratchLogs = 8

    /// Makes a policy.
    public init(
        tombstoneDays: Int = 180,
        clockToleranceSeconds: Int = 300,
        scratchLifetimeSeconds: Int = 86_400,
        maxOpenFiles: Int = 64,
        cacheMegabytes: Int = 256,
        maxRecords: Int? = nil,
        maxBytes: Int? = nil,
        maxEntities: Int = 1000
    ) {
        self.tombstoneDays = tombstoneDays
        self.clockToleranceSeconds = clockToleranceSeconds
        self.scratchLifetimeSeconds = scratchLifetimeSeconds
        self.maxOpenFiles = maxOpenFiles
        self.cacheMegabytes = cacheMegabytes
        self.maxRecords = maxRecords
        self.maxBytes = maxBytes
        self.maxEntities = maxEntities
    }
}

/// What happened to the changes of one push.
public struct PushCounts: Sendable, Hashable {
    /// Stored changes, including those that were stored before.
    public var accepted = 0
    /// Changes that were not based on the stored version.
    public var conflicts = 0
    /// Changes that were rejected as invalid.
    public var refused = 0

    /// Makes counts of zero.
    public init() {}
}
