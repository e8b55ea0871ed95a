import SyncCore
import SyncServer
import SyncWire

/// The parts of a server that know what records are.
struct AccountParts: Sendable {
    /// Answers what an account asks under `/v1`.
    var handler: any AccountHandler
    /// Removes tombstones that are older than so many days, or than schemas and policy say, and returns how
    /// many.
    var purge: @Sendable (_ olderThanDays: Int?) async throws -> Int
    /// The document that `/v1/openapi.json` shows.
    var openAPI: [UInt8]
}

/// What the parts are made from.
struct AccountPartsOptions: Sendable {
    /// The server's data folder.
    var dataFolder: String
    /// What records are held to.
    var entities: [EntityDescriptor]
    /// What is taken and given at once.
    var limits: WireLimits
    /// Days that tombstones are kept; nil for what the schemas say.
    var tombstoneDays: Int?
    /// The most account files that are open at once.
    var maxOpenFiles = 16
    /// The megabytes that their page caches may take together.
    var cacheMegabytes = 256
    /// The most records of one account; nil for any number.
    var maxRecords: Int?
    /// The most bytes of one account's file; nil for any number.
    var maxBytes: Int?
    /// Where account files are read and written.
    var threads: any BlockingThreads = CallingThread()
    /// Counts what became of pushed changes.
    var metrics: ServerMetrics
    /// Is told the topic of a log that changed.
    var onChange: @Sendable (String) -> Void
}

/// Makes the account handler of a server, in the one place where host and exchange meet.
func makeAccountHandler(
    _ options: AccountPartsOptions,
    clock: any SyncClock,
    random: any RandomSource
) throws -> AccountParts {
    var policy = ExchangePolicy()
    policy.maxOpenFiles = options.maxOpenFiles
    policy.cacheMegabytes = options.cacheMegabytes
    policy.maxRecords = options.maxRecords
    policy.maxBytes = options.maxBytes
    if let days = options.tombstoneDays { policy.tombstoneDays = days }
    let handler = try ExchangeHandler(
        data: options.dataFolder,
        entities: options.entities,
        clock: clock,
        random: random,
        limits: options.limits,
        policy: policy,
        threads: options.threads,
        onPush: { [metrics = options.metrics] counts in
            metrics.countChanges(
                accepted: counts.accepted,
                conflicts: counts.conflicts,
                refused: counts.refused
            )
        },
        onChange: options.onChange
    )
    return AccountParts(
        handler: handler,
        purge: { try await handler.purgeTombstones(olderThanDays: $0) },
        openAPI: OpenAPIDocument.bytes
    )
}
