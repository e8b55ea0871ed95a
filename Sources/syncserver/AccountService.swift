import Foundation
import SyncCore
import SyncServer
import SyncWire

/// The parts of a server that deal with records.
struct AccountService: Sendable {
    /// Answers the requests of an account under `/v1`.
    var handler: any AccountHandler
    /// Removes tombstones older than the given days, or as schemas and policy say, and returns their number.
    var purge: @Sendable (_ olderThanDays: Int?) async throws -> Int
    /// Why nothing can be stored at present; nil if it can.
    var storageFailure: @Sendable () async -> StorageFailure?
    /// The bytes of each account's file, by the account's id; empty if a database keeps the records.
    var sizes: @Sendable () async -> [String: Int64]
    /// The document served at `/v1/openapi.json`.
    var openAPI: [UInt8]
}

/// The options of the account parts.
struct AccountServiceOptions: Sendable {
    /// The server's data folder.
    var dataFolder: String
    /// The entities that pushed records must match.
    var entities: [EntityDescriptor]
    /// The limits of one request and its answer.
    var limits: WireLimits
    /// Days that tombstones are kept; nil for the rules of the schemas.
    var tombstoneDays: Int?
    /// The most account files that are open at once.
    var maxOpenFiles = 16
    /// The page cache of all open account files together, in megabytes.
    var cacheMegabytes = 256
    /// The most records of one account; nil for any number.
    var maxRecords: Int?
    /// The most bytes of one account's file; nil for any number.
    var maxBytes: Int?
    /// Runs the file access.
    var threads: any BlockingThreads = CallingThread()
    /// Counts the results of pushes.
    var metrics: ServerMetrics
    /// Called after each round trip on an account's data.
    var onExchange: @Sendable (ExchangeReport) -> Void = { _ in }
    /// Called with the topic of a log that changed.
    var onChange: @Sendable (String) -> Void
}

/// Makes the account handler of a server. This is the only place where host and exchange meet.
func makeAccountHandler(
    _ options: AccountServiceOptions,
    clock: any SyncClock,
    random: any RandomSource
) throws -> AccountService {
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
        onExchange: options.onExchange,
        onChange: options.onChange
    )
    return AccountService(
        handler: handler,
        purge: { try await handler.purgeTombstones(olderThanDays: $0) },
        storageFailure: {
            [probe = StorageProbe(data: options.dataFolder, clock: clock), threads = options.threads] in
            do { return try await threads.run { probe.failure() } } catch { return .failed }
        },
        sizes: { [folder = options.dataFolder + "/logs", threads = options.threads] in
            (try? await threads.run { accountSizes(folder: folder) }) ?? [:]
        },
        openAPI: OpenAPIDocument.bytes
    )
}

/// The bytes of each account's files in a folder, its write-ahead log included.
private func accountSizes(folder: String) -> [String: Int64] {
    var sizes: [String: Int64] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        guard let end = name.range(of: ".sqlite") else { continue }
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
        sizes[String(name[..<end.lowerBound]), default: 0] +=
            (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
    return sizes
}
