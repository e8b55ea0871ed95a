/// How long the server keeps what it need not keep for ever, and how far it trusts clocks.
public struct ExchangePolicy: Sendable, Hashable {
    /// Days that a tombstone stays, for entities whose schema does not say (`tombstoneDays`).
    public var tombstoneDays: Int
    /// Seconds by which an edit's time may lie ahead of the server's clock before it is lowered.
    public var clockToleranceSeconds: Int
    /// Seconds after which a scratch log is removed, once another one is made.
    public var scratchLifetimeSeconds: Int
    /// The most account files that are open at once.
    public var maxOpenFiles: Int
    /// The megabytes that the page caches of all open account files may take together. A push in progress may hold more of
    /// its own file until it is over.
    public var cacheMegabytes: Int

    /// The most records of one account, tombstones included; nil for any number.
    public var maxRecords: Int?
    /// The most bytes that one account's file may use; nil for any number. Deletes are always taken.
    public var maxBytes: Int?
    /// The most entities that a request names.
    public var maxEntities: Int
    /// The longest name of a batch.
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

/// What became of the changes of one push.
public struct PushCounts: Sendable, Hashable {
    /// Changes that are stored, those that were stored before included.
    public var accepted = 0
    /// Changes that were not made on what the log holds.
    public var conflicts = 0
    /// Changes that were not taken.
    public var refused = 0

    /// Counts nothing.
    public init() {}
}
