import SyncChecks
import SyncCore
import SyncRuntime
import SyncWire
import Testing

/// What a server's answers tell besides records is kept with the sync, for those who look later.
@Suite struct ConditionTests {
    private func last(device: World.Device) throws -> PastSync? {
        try device.store.read { try $0.syncHistory().first }
    }

    @Test func aSyncKeepsHowFarTheServersClockIsAhead() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 1, entities: note) { world, server in
            server.clock.advance(seconds: 90)
            try await world.sync(0)
            #expect(try last(device: world.devices[0])?.clockSkewSeconds == 90)
            world.devices[0].clock.advance(seconds: 100)
            try await world.sync(0)
            #expect(try last(device: world.devices[0])?.clockSkewSeconds == -10)
        }
    }

    @Test func aFailedSyncKeepsWhenTheServerIsToBeAskedAgain() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            server.setFaults { _, _ in
                .answer(HTTPResponse(status: 429, headers: [HTTPHeader(name: "Retry-After", value: "3600")]))
            }
            await #expect(throws: SyncError.self) { try await world.sync(0) }
            let due = Timestamp(microseconds: device.clock.now().microseconds + 3_600_000_000)
            #expect(try last(device: device)?.notBefore == due)
            #expect(try last(device: device)?.clockSkewSeconds == nil)
            server.setFaults(nil)
            try await world.sync(0)
            #expect(try last(device: device)?.notBefore == nil)
            #expect(try last(device: device)?.outcome == .synced)
        }
    }
}
