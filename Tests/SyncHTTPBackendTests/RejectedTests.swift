import SyncChecks
import SyncCore
import SyncRuntime
import SyncWire
import Testing

/// A refused record waits for a person, blocks no other, and never vanishes.
@Suite struct RejectedTests {
    private let note = Notes.entity(.lastWriteWins)

    /// Every push that holds "poison" fails, though the server answers others.
    private func poison(_ server: LoopbackServer) {
        server.setFaults { _, request in
            let isPoisoned = String(decoding: request.body, as: UTF8.self).contains("poison")
            return isPoisoned ? .answer(HTTPResponse(status: 503)) : nil
        }
    }

    private func listed(_ device: World.Device) throws -> [Rejection] {
        try device.store.read { try $0.standingRejections() }
    }

    @Test func anEditMakesItPendingAndTheNextSyncSendsIt() async throws {
        try await withServer(2, note) { world, server in
            let device = world.devices[0]
            poison(server)
            try device.put(note, "bad", title: "poison")
            try device.put(note, "good", title: "fine")
            let report = try await world.sync(0)
            #expect(report.outcome == .partial)
            #expect(report.entities[0].pushed == 1, "it blocks no other")
            #expect(try device.store.read { try $0.counts(note) }.rejected == 1)
            try device.put(note, "bad", title: "harmless")
            #expect(try device.state(note, "bad") == .pending)
            #expect(try listed(device).isEmpty)
            #expect(try device.store.read { try $0.counts(note) }.rejected == 0)
            let next = try await world.sync(0)
            #expect(next.outcome == .synced && next.entities[0].pushed == 1)
            try await world.sync(1)
            #expect(try world.devices[1].title(note, "bad") == "harmless")
            #expect(try device.store.read { try $0.rejections() }.isEmpty, "an answer ends the story")
        }
    }

    @Test func triesAreCountedSinceTheFirstOverEditsAndRetries() async throws {
        try await withServer(1, note) { world, server in
            let device = world.devices[0]
            poison(server)
            try device.put(note, "bad", title: "poison")
            try await world.sync(0)
            let since = try #require(try listed(device).first?.since)
            device.clock.advance(seconds: 60)
            try device.writer.retry(note, RecordKey("bad"))
            try await world.sync(0)
            device.clock.advance(seconds: 60)
            try device.put(note, "bad", title: "more poison")
            try await world.sync(0)
            let rejection = try #require(try listed(device).first)
            #expect(rejection.attempts == 3)
            #expect(rejection.since == since)
            // Accepted once, it begins anew.
            server.setFaults(nil)
            try device.writer.retry(note, RecordKey("bad"))
            try await world.sync(0)
            poison(server)
            try device.put(note, "bad", title: "poison again")
            try await world.sync(0)
            #expect(try listed(device).map(\.attempts) == [1])
        }
    }

    @Test func aRetryThatIsNotAnsweredKeepsIt() async throws {
        try await withServer(1, note) { world, server in
            let device = world.devices[0]
            poison(server)
            try device.put(note, "bad", title: "poison")
            try await world.sync(0)
            try device.writer.retry(note, RecordKey("bad"))
            server.setFaults { _, _ in .unreachable }
            await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(try device.state(note, "bad") == .pending)
            poison(server)
            try await world.sync(0)
            #expect(try listed(device).map(\.attempts) == [2])
            #expect(try device.title(note, "bad") == "poison")
        }
    }

    @Test func aDeleteOfItIsSentAndEndsIt() async throws {
        try await withServer(2, note) { world, server in
            let device = world.devices[0]
            try device.put(note, "bad", title: "agreed")
            try await world.settle()
            poison(server)
            try device.put(note, "bad", title: "poison")
            try await world.sync(0)
            server.setFaults(nil)
            try device.delete(note, "bad")
            #expect(try await world.sync(0).outcome == .synced)
            try await world.sync(1)
            #expect(try world.devices[1].export(note).isEmpty)
            #expect(try device.store.read { try $0.rejections() }.isEmpty)
        }
    }

    @Test func aRejoinSendsItAgain() async throws {
        try await withServer(1, note) { world, server in
            let device = world.devices[0]
            poison(server)
            try device.put(note, "bad", title: "poison")
            try await world.sync(0)
            let again = try await device.engine(label: "A").sync(SyncOptions(rejoins: true))
            #expect(again.entities[0].rejected == 1)
            #expect(try listed(device).map(\.attempts) == [2])
            server.setFaults(nil)
            let report = try await device.engine(label: "A").sync(SyncOptions(rejoins: true))
            #expect(report.outcome == .synced)
            #expect(try device.state(note, "bad") == .synced)
            #expect(try listed(device).isEmpty)
        }
    }

    @Test func aNewerVersionOfTheRemoteReplacesTheRefusal() async throws {
        try await withServer(2, note) { world, server in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(note, "bad", title: "agreed")
            try await world.settle()
            poison(server)
            try a.put(note, "bad", title: "poison")
            try await world.sync(0)
            b.clock.advance(seconds: 60)
            try b.put(note, "bad", title: "by B")
            try await world.sync(1)
            #expect(try await world.sync(0).outcome == .synced)
            #expect(try a.title(note, "bad") == "by B")
            #expect(try listed(a).isEmpty)
            #expect(try a.journal().contains { $0.lost.key.text == "bad" }, "the value is kept")
        }
    }
}
