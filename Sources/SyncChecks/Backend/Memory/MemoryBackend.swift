import Foundation
public import SyncCore

/// An in-memory remote for tests, with the least code that passes the backend suite.
public final class MemoryRemote: ScratchRemote, @unchecked Sendable {
    /// The profile of a server.
    public let profile: SuiteProfile
    // Guarded by `lock`.
    private var log: MemoryLog
    private var currentHooks = MemoryHooks()
    private var restarts = 0
    private let name: String
    private let lock = NSLock()

    /// Makes an empty remote. Stores are bound to its `name`.
    public convenience init(
        name: String = "memory",
        entities: [EntityDescriptor],
        limits: MemoryLimits = MemoryLimits()
    ) {
        self.init(name: name, entities: entities, limits: limits, flaws: [])
    }

    package init(name: String, entities: [EntityDescriptor], limits: MemoryLimits, flaws: Set<MemoryFlaw>) {
        self.name = name
        log = MemoryLog(epoch: name, entities: entities, limits: limits, flaws: flaws)
        profile = .server(pageRecords: limits.pageRecords, canPurge: true, canRestart: true)
    }

    /// Hooks around requests, so that tests can lose requests or answers.
    public var hooks: MemoryHooks {
        get { lock.withLock { currentHooks } }
        set { lock.withLock { currentHooks = newValue } }
    }

    /// A backend of this remote, the same for all devices.
    public func backend(for device: DeviceID) -> any RemoteBackend { MemoryBackend(self) }

    /// Removes all tombstones.
    public func purgeTombstones() { lock.withLock { log.purge() } }

    /// Starts a new, empty history under another name.
    public func restart() {
        lock.withLock {
            restarts += 1
            log.restart(epoch: "\(name)-\(restarts)")
        }
    }

    func use<Result>(body: (inout MemoryLog) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&log) }
    }
}

/// The limits of a memory remote.
public struct MemoryLimits: Sendable, Hashable {
    /// The most records of a page.
    public var pageRecords: Int
    /// The most changes of a push.
    public var pushChanges: Int

    /// Makes limits; the defaults are small, so that few records reach them.
    public init(pageRecords: Int = 10, pushChanges: Int = 20) {
        self.pageRecords = pageRecords
        self.pushChanges = pushChanges
    }
}

/// Hooks around the requests to a memory remote. An error in a "before" hook loses the request, in an "after"
/// hook the answer.
public struct MemoryHooks: Sendable {
    /// Called with the requesting device.
    public typealias Hook = @Sendable (DeviceID) async throws -> Void

    /// Before a page is read.
    public var beforeFetch: Hook?
    /// After a page was read.
    public var afterFetch: Hook?
    /// Before changes are stored.
    public var beforePush: Hook?
    /// After changes were stored.
    public var afterPush: Hook?

    /// Makes hooks that do nothing.
    public init() {}
}

/// The backend of a memory remote for one device.
public struct MemoryBackend: RemoteBackend {
    private let remote: MemoryRemote

    /// Makes a backend of a remote.
    public init(_ remote: MemoryRemote) {
        self.remote = remote
    }

    /// The capabilities of a server without change hints.
    public var capabilities: RemoteCapabilities {
        [.compareAndSet, .tombstones, .versionMetadata, .revisions]
    }

    /// Makes the first request. Its page is returned by the first fetch. Throws `wrongRemote`.
    public func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await remote.hooks.beforeFetch?(request.device)
        let session = try remote.use { log in try MemorySession(remote: remote, request: request, log: &log) }
        try await remote.hooks.afterFetch?(request.device)
        return session
    }
}

/// A session of a memory remote.
actor MemorySession: RemoteSession {
    nonisolated let greeting: SessionGreeting
    private let remote: MemoryRemote
    private let request: SessionRequest
    private let names: Set<String>
    private let limits: MemoryLimits
    private let flaws: Set<MemoryFlaw>
    private let horizon: Int64
    /// The cursor after the last delivered page.
    private var cursor: MemoryCursor
    /// The device's last batch.
    private var batch: String?
    /// A page that was read but not delivered yet.
    private var kept: MemoryPage?
    private var hasMore: Bool
    private var delivered = 0
    private var requestCount = 1

    init(remote: MemoryRemote, request: SessionRequest, log: inout MemoryLog) throws {
        self.remote = remote
        self.request = request
        (limits, flaws, horizon) = (log.limits, log.flaws, log.head)
        names = Set(request.entities.map(\.name))
        cursor = try log.start(request: request)
        let isCopy = log.isCopy(request)
        greeting = SessionGreeting(
            binding: log.epoch,
            isCopy: isCopy,
            ownSequence: log.sequence(of: request.device)
        )
        // A copied store keeps its own last batch, so that its pushes are refused.
        batch = isCopy ? cursor.batch : log.lastBatch(device: request.device)
        (kept, hasMore) = try log.page(after: cursor, names: names, skip: 0, horizon: horizon)
        if flaws.contains(.asksTwice) { requestCount += 1 }
    }

    func fetch() async throws -> RemotePage? {
        if kept == nil, hasMore { try await request() }
        guard let page = kept else { return nil }
        kept = nil
        delivered += page.rows.count
        if !flaws.contains(.pagesByOffset) || !hasMore { cursor = page.cursor }
        let result = page.remotePage(batch: batch, flaws: flaws)
        // A page without changes is not delivered.
        return page.rows.isEmpty && page.kind == .delta && result.cursor == request.cursor ? nil : result
    }

    private func request() async throws {
        requestCount += 1
        try await remote.hooks.beforeFetch?(request.device)
        let skip = delivered
        (kept, hasMore) = try remote.use {
            try $0.page(after: cursor, names: names, skip: skip, horizon: horizon)
        }
        try await remote.hooks.afterFetch?(request.device)
    }

    func pushLimit() -> PushLimit { PushLimit(changes: limits.pushChanges, bytes: .max) }

    func requests() -> Int { requestCount }

    func prepare(_ changes: [Change], cursor: String?) -> PreparedPush {
        var writer = JSONWriter()
        for change in changes { EntryCodec.append(change, to: &writer) }
        // The batch name depends only on the changes, so equal changes are the same batch.
        return PreparedPush(
            intent: Digest(writer.bytes).description,
            changes: changes,
            payload: writer.bytes
        )
    }

    func push(_ prepared: PreparedPush) async throws -> PushReceipt {
        guard !request.readOnly || flaws.contains(.writesInReadOnlySessions) else {
            throw MemoryDiagnostics.readOnly
        }
        requestCount += 1
        try await remote.hooks.beforePush?(request.device)
        let previous = batch
        let results = try remote.use { log in
            try log.push(
                prepared.changes,
                batch: prepared.intent,
                previous: previous,
                from: request.device,
                horizon: horizon
            )
        }
        try await remote.hooks.afterPush?(request.device)
        batch = prepared.intent
        hasMore = true
        cursor.batch = batch
        var saved = cursor
        if flaws.contains(.skipsOnPush) { saved.position = remote.use { $0.head } }
        return PushReceipt(results: results, cursor: saved.text)
    }

    func close(cursor: String?) {}
}
