import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing
import Waits

/// Pushes to a remote that lets the next one be prepared while one is under way.
@Suite struct PreparedAheadTests {
    private static let note = Entities.note(strategy: .lastWriteWins)

    /// Syncs six notes of one device, two with each push, with a remote that others know, too.
    private func withRemote(_ story: (World, AheadBackend) async throws -> Void) async throws {
        try await withWorld(count: 2, entities: Self.note, place: .folders) { world in
            for key in ["a", "b", "c", "d", "e", "f"] { try world.devices[0].write(key: key, title: "first") }
            let remote = MemoryRemote(entities: [Self.note], limits: MemoryLimits(pushChanges: 2))
            try await story(world, AheadBackend(base: MemoryBackend(remote)))
        }
    }

    @Test func eachPushIsPreparedWhileTheOneBeforeIsUnderWayAndNoneIsSentBeforeItsIntentIsDurable()
        async throws
    {
        try await withRemote { world, backend in
            let store = world.devices[0].store
            backend.whilePushing { number, push in
                try await eventually(what: "the next push is prepared") {
                    backend.prepared.count == min(number + 1, 3)
                }
                #expect(try store.read { try $0.value(name: StoreValue.intent) } == push.intent)
            }
            let report = try await world.devices[0].engine(backend).sync()
            #expect(report.entities.map(\.pushed) == [6])
            #expect(backend.prepared == [["a", "b"], ["c", "d"], ["e", "f"]])
            #expect(backend.pushed == backend.prepared)
            #expect(try store.read { try $0.value(name: StoreValue.intent) } == nil)
        }
    }

    @Test func aPushThatWasPreparedBeforeNewsOfTheRemoteIsPreparedAgain() async throws {
        try await withRemote { world, backend in
            let other = world.devices[1]
            backend.onceTheSecondPushIsPrepared {
                other.clock.advance(seconds: 60)
                try other.write(key: "d", title: "of the other")
                _ = try await other.engine(backend.base).sync()
            }
            _ = try await world.devices[0].engine(backend).sync()
            #expect(backend.prepared == [["a", "b"], ["c", "d"], ["c", "e"], ["f"]])
            #expect(backend.pushed == [["a", "b"], ["c", "e"], ["f"]])
            #expect(
                try world.devices[0].value(entity: Self.note, key: "d", field: "title")
                    == .text("of the other")
            )
        }
    }

    @Test func anEditOfARecordThatIsPreparedStaysInTheOutbox() async throws {
        try await withRemote { world, backend in
            let device = world.devices[0]
            backend.onceTheSecondPushIsPrepared {
                try device.write(key: "c", title: "second")
            }
            _ = try await device.engine(backend).sync()
            #expect(backend.pushed == [["a", "b"], ["c", "d"], ["e", "f"]])
            #expect(try device.pendingKeys() == ["c"])
            _ = try await device.engine(backend).sync()
            _ = try await world.devices[1].engine(backend.base).sync()
            #expect(try device.pendingKeys() == [])
            #expect(
                try world.devices[1].value(entity: Self.note, key: "c", field: "title") == .text("second")
            )
        }
    }

    @Test func afterARefusalThePushThatWasPreparedIsNotSent() async throws {
        try await withRemote { world, backend in
            backend.refuse(key: "b")
            let report = try await world.devices[0].engine(backend).sync()
            #expect(report.entities.map(\.pushed) == [5])
            #expect(report.entities.map(\.rejected) == [1])
            #expect(backend.prepared == [["a", "b"], ["c", "d"], ["c", "d"], ["e", "f"]])
        }
    }

    /// The remote has the second push, which was prepared during the first one.
    @Test func aPushWhoseAnswerIsLostIsKnownAgain() async throws {
        try await withRemote { world, backend in
            let device = world.devices[0]
            let identity = try device.store.read { try $0.value(name: "device") }
            backend.afterPushing { number in
                if number == 2 { throw SyncError(kind: .unreachable, message: "It is gone.", help: "") }
            }
            await #expect(throws: SyncError.self) { try await device.engine(backend).sync() }
            #expect(try device.pendingKeys() == ["c", "d", "e", "f"])
            _ = try await device.engine(backend.base).sync()
            #expect(try device.pendingKeys() == [])
            #expect(try device.store.read { try $0.value(name: "device") } == identity)
        }
    }
}

extension World.Device {
    fileprivate func write(key: String, title: String) throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try put(entity: note, json: #"{"id":"\#(key)","title":"\#(title)"}"#)
    }

    fileprivate func engine(_ backend: any RemoteBackend) -> SyncEngine {
        SyncEngine(
            store: store,
            backend: backend,
            environment: SyncEnvironment(clock: clock, random: SeededRandom(3), label: "A")
        )
    }

    fileprivate func pendingKeys() throws -> [String] {
        let note = Entities.note(strategy: .lastWriteWins)
        return try store.read {
            try $0.keys(entity: note, in: .pending, after: nil, limit: .max).map(\.text)
        }
    }
}

/// A remote that lets pushes be prepared ahead, and notes which were prepared and sent.
private final class AheadBackend: RemoteBackend {
    typealias Meanwhile = @Sendable (_ number: Int, PreparedPush) async throws -> Void
    typealias After = @Sendable (_ number: Int) throws -> Void

    struct Notes {
        var prepared: [[String]] = []
        var pushed: [[String]] = []
        var refused: String?
        var meanwhile: Meanwhile = { _, _ in }
        var after: After = { _ in }
    }

    final class Notebook: @unchecked Sendable {
        // Guarded by `lock`.
        private var notes = Notes()
        private let lock = NSLock()

        func use<Result>(_ body: (inout Notes) -> Result) -> Result { lock.withLock { body(&notes) } }
    }

    let base: MemoryBackend
    private let notes = Notebook()

    init(base: MemoryBackend) { self.base = base }

    var capabilities: RemoteCapabilities { base.capabilities }
    /// The keys of each push that was prepared.
    var prepared: [[String]] { notes.use { $0.prepared } }
    /// The keys of each push that was sent.
    var pushed: [[String]] { notes.use { $0.pushed } }

    /// Called with each push before the remote gets it.
    func whilePushing(_ meanwhile: @escaping Meanwhile) { notes.use { $0.meanwhile = meanwhile } }

    /// Called during the first push, when the second one is prepared.
    func onceTheSecondPushIsPrepared(_ act: @escaping @Sendable () async throws -> Void) {
        whilePushing { [self] number, _ in
            guard number == 1 else { return }
            try await eventually(what: "the next push is prepared") { prepared.count == 2 }
            try await act()
        }
    }

    /// Called when the remote has a push; an error loses its answer.
    func afterPushing(_ after: @escaping After) { notes.use { $0.after = after } }

    /// Lets the remote refuse a record.
    func refuse(key: String) { notes.use { $0.refused = key } }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        Session(base: try await base.open(request), notes: notes)
    }

    private struct Session: RemoteSession {
        let base: any RemoteSession
        let notes: Notebook

        var greeting: SessionGreeting { base.greeting }
        var preparesAhead: Bool { true }

        func fetch() async throws -> RemotePage? { try await base.fetch() }

        func pushLimit() async -> PushLimit { await base.pushLimit() }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            let push = try await base.prepare(changes, cursor: cursor)
            notes.use { $0.prepared.append(changes.map(\.header.key.text)) }
            return push
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            let keys = prepared.changes.map(\.header.key.text)
            let (number, meanwhile, refused) = notes.use { notes in
                notes.pushed.append(keys)
                return (notes.pushed.count, notes.meanwhile, notes.refused)
            }
            try await meanwhile(number, prepared)
            var taken = prepared
            taken.changes.removeAll { $0.header.key.text == refused }
            var receipt = try await base.push(taken)
            if let index = keys.firstIndex(where: { $0 == refused }) {
                receipt.results.insert(.refused("no"), at: index)
            }
            let after = notes.use { $0.after }
            try after(number)
            return receipt
        }

        func close(cursor: String?) async throws { try await base.close(cursor: cursor) }
    }
}
