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

    /// Makes a policy.
    public init(
        tombstoneDays: Int = 180,
        clockToleranceSeconds: Int = 300,
        scratchLifetimeSeconds: Int = 86_400,
        maxOpenFiles: Int = 64
    ) {
        self.tombstoneDays = tombstoneDays
        self.clockToleranceSeconds = clockToleranceSeconds
        self.scratchLifetimeSeconds = scratchLifetimeSeconds
        self.maxOpenFiles = maxOpenFiles
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
