import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

/// A backend that has no answer for some change, sync after sync.
@Suite struct UnansweredChangeTests {
    private static let note = Entities.note(strategy: .lastWriteWins)

    /// Whoever is to blame, the sync ends, and what has no answer stays in the outbox.
    @Test(.timeLimit(.minutes(1)), arguments: [Setback.Fault.remote, .way, .ours])
    func aChangeWithoutAnAnswerNeverKeepsASyncFromEnding(fault: Setback.Fault) async throws {
        try await withWorld(count: 1, entities: Self.note, place: .folders) { world in
            let device = world.devices[0]
            for key in ["a", "deaf", "z"] {
                try device.put(entity: Self.note, json: #"{"id":"\#(key)","title":"t"}"#)
            }
            let engine = SyncEngine(
                store: device.store,
                backend: DeafBackend(base: device.backend, fault: fault),
                environment: SyncEnvironment(clock: device.clock, random: SeededRandom(3), label: "A")
            )
            let error = await #expect(throws: SyncError.self) { try await engine.sync() }
            #expect(error?.retry == .later)
            #expect(try device.state(of: "deaf", entity: Self.note) == .pending)
            #expect(try device.state(of: "z", entity: Self.note) == .synced)
            #expect(try device.store.read { try $0.rejections() }.isEmpty)
            // Another backend answers for it.
            try await world.sync(0)
            #expect(try device.state(of: "deaf", entity: Self.note) == .synced)
        }
    }
}

extension World.Device {
    fileprivate func state(of key: String, entity: EntityDescriptor) throws -> SyncState? {
        try store.read { try $0.header(entity: entity, key: RecordKey(key))?.state }
    }
}

/// Takes one change at a time, and never answers for one of them.
private struct DeafBackend: RemoteBackend {
    let base: any RemoteBackend
    let fault: Setback.Fault

    var capabilities: RemoteCapabilities { base.capabilities }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        Session(base: try await base.open(request), fault: fault)
    }

    private struct Session: RemoteSession {
        let base: any RemoteSession
        let fault: Setback.Fault

        var greeting: SessionGreeting { base.greeting }

        func fetch() async throws -> RemotePage? { try await base.fetch() }

        func pushLimit() async -> PushLimit { PushLimit(changes: 1, bytes: .max) }

        func prepare(_ changes: [Change], cursor: String?) async throws -> PreparedPush {
            try await base.prepare(changes, cursor: cursor)
        }

        func push(_ prepared: PreparedPush) async throws -> PushReceipt {
            guard prepared.changes.contains(where: { $0.header.key == RecordKey("deaf") }) else {
                return try await base.push(prepared)
            }
            return PushReceipt(results: [.failed(Setback(fault: fault, retry: .later))], cursor: nil)
        }

        func close(cursor: String?) async throws { try await base.close(cursor: cursor) }
    }
}
