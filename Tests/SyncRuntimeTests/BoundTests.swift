import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What a sync holds does not grow with what it brings.
@Suite struct BoundTests {
    private static let note = Entities.note(strategy: .lastWriteWins)

    @Test(arguments: [World.Place.folder, .server]) func aPullIsAppliedPageByPage(place: World.Place)
        async throws
    {
        try await withWorld(count: 2, entities: Self.note, place: place) { world in
            try Self.write(6_000, on: world.devices[0])
            let watch = WatchedBackend(base: world.devices[0].backend)
            _ = try await Self.engine(device: world.devices[0], backend: watch).sync()
            let reader = WatchedBackend(base: world.devices[1].backend)
            let report = try await Self.engine(device: world.devices[1], backend: reader).sync()
            #expect(report.entities[0].pulled == 6_000)
            // One transaction takes in 5,000 records at most, but for its last page.
            #expect(reader.state.mostHeld <= 5_000 + reader.state.largestPage)
            if place == .server { #expect(reader.state.mostHeld < 6_000) }
        }
    }

    @Test func pagesThatWaitForATransactionAreBoundedInBytes() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let remote = PagesBackend(pages: 40, items: 3, bytesOfItem: 1 << 20)
            let watch = WatchedBackend(base: remote)
            let report = try await Self.engine(device: world.devices[0], backend: watch).sync()
            #expect(report.entities[0].pulled == 120)
            #expect(watch.state.mostHeldBytes <= (8 << 20) + 4 * (1 << 20))
        }
    }

    @Test func aPushCollectsNoMoreThanTheRemoteTakesAtOnce() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            try Self.write(500, on: world.devices[0])
            let watch = WatchedBackend(
                base: world.devices[0].backend,
                limit: PushLimit(changes: 40, bytes: 4_000)
            )
            let report = try await Self.engine(device: world.devices[0], backend: watch).sync()
            #expect(report.entities[0].pushed == 500)
            #expect(watch.state.largestPush <= 40)
            #expect(watch.state.largestPushBytes <= 4_000)
            #expect(watch.state.pushes >= 500 / 40)
        }
    }

    private static func write(_ count: Int, on device: World.Device) throws {
        try device.writer.write { session in
            for number in 0..<count {
                _ = try session.put(entity: note, json: Array(#"{"id":"\#(number)","title":"t"}"#.utf8))
            }
        }
    }

    private static func engine(device: World.Device, backend: WatchedBackend) -> SyncEngine {
        SyncEngine(
            store: device.store,
            backend: backend,
            environment: SyncEnvironment(clock: device.clock, random: SeededRandom(7), label: "bound"),
            onProgress: { backend.note($0) }
        )
    }
}

/// A remote that counts what was handed out and not applied yet, and how large pushes are.
private final class WatchedBackend: RemoteBackend, @unchecked Sendable {
    struct State {
        var pending: [(items: Int, bytes: Int)] = []
        var fetched = 0
        var applied = 0
        var largestPage = 0
        var mostHeld = 0
        var mostHeldBytes = 0
        var pushes = 0
        var largestPush = 0
        var largestPushBytes = 0
    }

    var capabilities: RemoteCapabilities { base.capabilities }
    private let base: any RemoteBackend
    private let limit: PushLimit?
    private let lock = NSLock()
    // Guarded by `lock`.
    private var guarded = State()

    init(base: any RemoteBackend, limit: PushLimit? = nil) {
        self.base = base
        self.limit = limit
    }

    var state: State { lock.withLock { guarded } }

    func note(_ progress: SyncProgress) {
        guard case .pulling(let applied) = progress else { return }
        lock.withLock {
            guarded.applied = applied
            // All that was handed out is taken in together.
            guarded.pending = []
        }
    }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        Session(owner: self, base: try await base.open(request))
    }

    private struct Session: RemoteSession {
        let owner: WatchedBackend
        let base: any RemoteSession

        var greeting: SessionGreeting { base.greeting }

        func fetch() async throws -> RemotePage? {
            guard let page = try await base.fetch() else { return nil }
            owner.lock.withLock {
                owner.guarded.pending.append(
                    (page.changes.count, page.changes.reduce(0) { $0 + $1.body.count })
                )
                let held = owner.guarded.pending.reduce((0, 0)) { ($0.0 + $1.items, $0.1 + $1.bytes) }
                owner.guarded.fetched += page.changes.count
                owner.guarded.largestPage = max(owner.guarded.largestPage, page.changes.count)
                owner.guarded.mostHeld = max(owner.guarded.mostHeld, held.0)
                owner.guarded.mostHeldBytes = max(owner.guarded.mostHeldBytes, held.1)
            }
            return page
        }

        func pushLimit() async -> PushLimit {
            if let limit = owner.limit { return limit }
            return await base.pushLimit()
        }

        func requests() async -> Int { await base.requests() }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            owner.lock.withLock {
                owner.guarded.pushes += 1
                owner.guarded.largestPush = max(owner.guarded.largestPush, changes.count)
                let bytes = changes.reduce(0) { $0 + $1.body.count }
                owner.guarded.largestPushBytes = max(owner.guarded.largestPushBytes, bytes)
            }
            return try await base.prepare(changes, cursor: cursor)
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt { try await base.push(prepared) }

        func close(cursor: String?) async throws { try await base.close(cursor: cursor) }
    }
}

/// A remote of large records, made when they are asked for.
private struct PagesBackend: RemoteBackend {
    let pages: Int
    let items: Int
    let bytesOfItem: Int
    let capabilities: RemoteCapabilities = [.compareAndSet, .tombstones, .versionMetadata, .revisions]

    func open(_ request: SessionRequest) async throws -> any RemoteSession { Session(remote: self) }

    private actor Session: RemoteSession {
        nonisolated let greeting = SessionGreeting(binding: "pages")
        private let remote: PagesBackend
        private var next = 0

        init(remote: PagesBackend) {
            self.remote = remote
        }

        func fetch() async throws -> RemotePage? {
            guard next < remote.pages else { return nil }
            next += 1
            var page = RemotePage(changes: [], cursor: "\(next)")
            for item in 0..<remote.items {
                let number = next * remote.items + item
                let text = String(repeating: "x", count: remote.bytesOfItem)
                let body = Array(
                    #"{"id":"\#(number)","title":"\#(text)","createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-01T00:00:00Z"}"#
                        .utf8
                )
                let editTimestamp = EditTimestamp(
                    time: Timestamp(microseconds: 1),
                    device: DeviceID(bits: 5),
                    sequence: Int64(number)
                )
                page.changes.append(
                    Change(
                        Change.Header(
                            entity: "note",
                            key: RecordKey("\(number)"),
                            metadata: VersionMetadata(first: editTimestamp)
                        ),
                        body: body
                    )
                )
            }
            return page
        }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            PreparedPush(intent: "", changes: changes, payload: [])
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            PushReceipt(
                results: prepared.changes.map { .accepted($0.writtenMetadata.editTimestamp, nil) },
                cursor: nil
            )
        }

        func close(cursor: String?) async throws {}
    }
}
