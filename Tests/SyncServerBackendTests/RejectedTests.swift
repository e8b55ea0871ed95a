import SyncChecks
import SyncCore
import SyncRuntime
import SyncWire
import Testing

/// A refused record waits for a person, blocks no other, and never vanishes.
@Suite struct RejectedTests {
    private let note = Notes.entity(strategy: .lastWriteWins)

    /// Every push that holds "poison" fails, though the server answers others.
    private func poison(server: LoopbackServer) {
        server.setFaults { _, request in
            let isPoisoned = String(decoding: request.body, as: UTF8.self).contains("poison")
            return isPoisoned ? .answer(HTTPResponse(status: 503)) : nil
        }
    }

    /// Syncs the first device with one more record, so that the server shows that it takes others.
    private func syncWithAnother(_ world: World) async throws {
        let device = world.devices[0]
        let key = "fine-\(try device.store.read { try $0.lastSequence() })"
        try device.put(entity: note, key: key, title: "fine")
        try await world.sync(0)
    }

    private func listed(device: World.Device) throws -> [Rejection] {
        try device.store.read { try $0.standingRejections() }
    }

    @Test func anEditMakesItPendingAndTheNextSyncSendsIt() async throws {
        try await withServer(count: 2, entities: note) { world, server in
            let device = world.devices[0]
            poison(server: server)
            try device.put(entity: note, key: "bad", title: "poison")
            try device.put(entity: note, key: "good", title: "fine")
            let report = try await world.sync(0)
            #expect(report.outcome == .partial)
            #expect(report.entities[0].pushed == 1, "it blocks no other")
            #expect(try device.store.read { try $0.counts(entity: note) }.rejected == 1)
            try device.put(entity: note, key: "bad", title: "harmless")
            #expect(try device.state(entity: note, key: "bad") == .pending)
            #expect(try listed(device: device).isEmpty)
            #expect(try device.store.read { try $0.counts(entity: note) }.rejected == 0)
            let next = try await world.sync(0)
            #expect(next.outcome == .synced && next.entities[0].pushed == 1)
            try await world.sync(1)
            #expect(try world.devices[1].title(entity: note, key: "bad") == "harmless")
            #expect(try device.store.read { try $0.rejections() }.isEmpty, "an answer ends the story")
        }
    }

    @Test func triesAreCountedSinceTheFirstOverEditsAndRetries() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            poison(server: server)
            try device.put(entity: note, key: "bad", title: "poison")
            try await syncWithAnother(world)
            let since = try #require(try listed(device: device).first?.since)
            device.clock.advance(seconds: 60)
            try device.writer.retry(entity: note, key: RecordKey("bad"))
            try await syncWithAnother(world)
            device.clock.advance(seconds: 60)
            try device.put(entity: note, key: "bad", title: "more poison")
            try await syncWithAnother(world)
            let rejection = try #require(try listed(device: device).first)
            #expect(rejection.attempts == 3)
            #expect(rejection.since == since)
            // Accepted once, it begins anew.
            server.setFaults(nil)
            try device.writer.retry(entity: note, key: RecordKey("bad"))
            try await syncWithAnother(world)
            poison(server: server)
            try device.put(entity: note, key: "bad", title: "poison again")
            try await syncWithAnother(world)
            #expect(try listed(device: device).map(\.attempts) == [1])
        }
    }

    @Test func aRetryThatIsNotAnsweredKeepsIt() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            poison(server: server)
            try device.put(entity: note, key: "bad", title: "poison")
            try await syncWithAnother(world)
            try device.writer.retry(entity: note, key: RecordKey("bad"))
            server.setFaults { _, _ in .unreachable }
            await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(try device.state(entity: note, key: "bad") == .pending)
            poison(server: server)
            try await syncWithAnother(world)
            #expect(try listed(device: device).map(\.attempts) == [2])
            #expect(try device.title(entity: note, key: "bad") == "poison")
        }
    }

    @Test func aDeleteOfItIsSentAndEndsIt() async throws {
        try await withServer(count: 2, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "bad", title: "agreed")
            try await world.converge()
            poison(server: server)
            try device.put(entity: note, key: "bad", title: "poison")
            try await syncWithAnother(world)
            server.setFaults(nil)
            try device.delete(entity: note, key: "bad")
            #expect(try await world.sync(0).outcome == .synced)
            try await world.sync(1)
            #expect(try world.devices[1].title(entity: note, key: "bad") == nil)
            #expect(try device.store.read { try $0.rejections() }.isEmpty)
        }
    }

    @Test func aRejoinSendsItAgain() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            poison(server: server)
            try device.put(entity: note, key: "bad", title: "poison")
            try await syncWithAnother(world)
            try device.put(entity: note, key: "fine", title: "fine")
            let again = try await device.engine(label: "A").sync(SyncOptions(rejoins: true))
            #expect(again.entities[0].rejected == 1)
            #expect(try listed(device: device).map(\.attempts) == [2])
            server.setFaults(nil)
            let report = try await device.engine(label: "A").sync(SyncOptions(rejoins: true))
            #expect(report.outcome == .synced)
            #expect(try device.state(entity: note, key: "bad") == .synced)
            #expect(try listed(device: device).isEmpty)
        }
    }

    @Test func aNewerVersionOfTheRemoteReplacesTheRefusal() async throws {
        try await withServer(count: 2, entities: note) { world, server in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, key: "bad", title: "agreed")
            try await world.converge()
            poison(server: server)
            try a.put(entity: note, key: "bad", title: "poison")
            try await syncWithAnother(world)
            b.clock.advance(seconds: 60)
            try b.put(entity: note, key: "bad", title: "by B")
            try await world.sync(1)
            #expect(try await world.sync(0).outcome == .synced)
            #expect(try a.title(entity: note, key: "bad") == "by B")
            #expect(try listed(device: a).isEmpty)
            #expect(try a.journal().contains { $0.lost.key.text == "bad" }, "the value is kept")
        }
    }
}
