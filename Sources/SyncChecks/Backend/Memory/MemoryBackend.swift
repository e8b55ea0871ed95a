import Foundation
public import SyncCore

/// A remote in memory: a double for tests, and the smallest one that keeps all that the suite asks for.
public final class MemoryRemote: ScratchRemote, @unchecked Sendable {
    /// That of a server.
    public let profile: SuiteProfile
    // Guarded by `lock`.
    private var log: MemoryLog
    private var currentHooks = MemoryHooks()
    private var restarts = 0
    private let name: String
    private let lock = NSLock()

    /// Makes an empty remote. `name` tells it from others; stores are bound to it.
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

    /// What happens around requests, so that tests can lose them or their answers.
    public var hooks: MemoryHooks {
        get { lock.withLock { currentHooks } }
        set { lock.withLock { currentHooks = newValue } }
    }

    /// A backend on this remote; all devices have the same.
    public func backend(for device: DeviceID) -> any RemoteBackend { MemoryBackend(self) }

    /// Forgets all tombstones.
    public func purgeTombstones() { lock.withLock { log.purge() } }

    /// Begins anew with nothing, under another name.
    public func restart() {
        lock.withLock {
            restarts += 1
            log.restart(epoch: "\(name)-\(restarts)")
        }
    }

    func use<Result>(_ body: (inout MemoryLog) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&log) }
    }
}

/// What a memory remote takes and gives at once.
public struct MemoryLimits: Sendable, Hashable {
    /// The greatest number of records in one page.
    public var pageRecords: Int
    /// The greatest number of changes in one push.
    public var pushChanges: Int

    /// Makes limits, small ones by default, so that few records reach them.
    public init(pageRecords: Int = 10, pushChanges: Int = 20) {
        self.pageRecords = pageRecords
        self.pushChanges = pushChanges
    }
}

/// What happens around the requests to a memory remote. An error before one loses the request, after it the answer.
public struct MemoryHooks: Sendable {
    /// Called with the device that asks.
    public typealias Hook = @Sendable (DeviceID) async throws -> Void

    /// Before a page is read.
    public var beforeFetch: Hook?
    /// After a page was read.
    public var afterFetch: Hook?
    /// Before changes are stored.
    public var beforePush: Hook?
    /// After changes were stored.
    public var afterPush: Hook?

    /// No hooks.
    public init() {}
}

/// A memory remote as one device has it.
public struct MemoryBackend: RemoteBackend {
    private let remote: MemoryRemote

    /// A backend on a remote.
    public init(_ remote: MemoryRemote) {
        self.remote = remote
    }

    /// Those of a server that says nothing by itself.
    public var capabilities: RemoteCapabilities {
        [.compareAndSet, .tombstones, .versionMetadata, .revisions]
    }

    /// Makes the first request, whose page the first fetch returns. Throws `wrongRemote`.
    public func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await remote.hooks.beforeFetch?(request.device)
        let session = try remote.use { log in try MemorySession(remote: remote, request: request, log: &log) }
        try await remote.hooks.afterFetch?(request.device)
        return session
    }
}

/// One sync's conversation with a memory remote.
actor MemorySession: RemoteSession {
    nonisolated let greeting: SessionGreeting
    private let remote: MemoryRemote
    private let request: SessionRequest
    private let names: Set<String>
    private let limits: MemoryLimits
    private let flaws: Set<MemoryFlaw>
    private let horizon: Int64
    /// Where the last page that was delivered ends.
    private var cursor: MemoryCursor
    /// The device's last batch.
    private var batch: String?
    /// A page that was read and not delivered yet.
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
        // A copy keeps its own idea of the last batch, so that its pushes are stopped.
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
        // A page that says nothing new is none.
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
        // The name of the batch: the same changes are the same batch.
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
