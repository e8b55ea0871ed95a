import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A sync ends although somebody keeps writing, and leaves nothing behind for ever.
@Suite struct ContinuousWritingTests {
    private let note = Entities.note(strategy: .lastWriteWins)

    /// An engine of the device that lets something happen between the messages of a sync.
    private func engine(
        _ device: World.Device,
        moment: @escaping @Sendable (String) async throws -> Void
    ) -> SyncEngine {
        SyncEngine(
            store: device.store,
            backend: BusyBackend(base: device.backend, moment: moment),
            environment: SyncEnvironment(clock: device.clock, random: SeededRandom(7), label: device.name)
        )
    }

    @Test(arguments: World.Place.allCases)
    func whatIsWrittenDuringAPushWaitsForTheNextSync(place: World.Place) async throws {
        let note = note
        try await withWorld(count: 2, entities: note, place: place) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"first","title":"before the sync"}"#)
            let busy = engine(device) { moment in
                guard moment == "before it pushes" else { return }
                let key = "new-\(try device.store.read { try $0.lastSequence() })"
                try device.put(entity: note, json: #"{"id":"\#(key)","title":"during the push"}"#)
                // The same record once more: its first edit is on the way.
                try device.put(entity: note, json: #"{"id":"first","title":"edited during the push"}"#)
            }
            let report = try await busy.sync()
            #expect(report.outcome == .synced, "it ends although each push brings new edits")
            #expect(report.entities[0].pushed == 1)
            #expect(try device.local(entity: note, key: "first")?.state == .pending)
            let next = try await world.sync(0)
            #expect(next.entities[0].pushed == 2)
            try await world.converge()
            let exports = try world.devices.map { try $0.export(entity: note) }
            #expect(exports[0] == exports[1])
            #expect(exports[0].contains { $0.contains("edited during the push") })
        }
    }

    /// A store that was put back from a copy counts its edits from a lower number again.
    @Test func anOwnEditWithAHigherNumberThanTheStoreKnowsIsSent() async throws {
        try await withWorld(count: 2, entities: note) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"n","title":"of another life"}"#)
            let local = try #require(try device.local(entity: note, key: "n"))
            var ahead = local
            let own = local.version.metadata.editTimestamp
            ahead.version.metadata = VersionMetadata(
                first: EditTimestamp(time: own.time, device: own.device, sequence: own.sequence + 100)
            )
            let record = ahead
            try device.store.write(.full) { try $0.save(entity: note, record: record) }
            let report = try await world.sync(0)
            #expect(report.entities[0].pushed == 1)
            #expect(try device.local(entity: note, key: "n")?.state == .synced)
            try await world.converge()
            let there = try world.devices[1].local(entity: note, key: "n")
            #expect(there?.version.record == record.version.record)
        }
    }
}
