import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

@Suite struct EngineTests {
    @Test func whoWaitsForASyncThatIsCancelledGetsOneOfTheirOwn() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 1, entities: note) { world in
            let device = world.devices[0]
            let (arrived, arrive) = AsyncStream.makeStream(of: Void.self)
            let (released, release) = AsyncStream.makeStream(of: Void.self)
            let backend = BusyBackend(base: device.backend) { _ in
                arrive.yield()
                for await _ in released {}
                try Task.checkCancellation()
            }
            let engine = SyncEngine(
                store: device.store,
                backend: backend,
                environment: SyncEnvironment(clock: device.clock, random: SeededRandom(7), label: "a")
            )
            let first = Task { try await engine.sync() }
            for await _ in arrived { break }
            let cancelled = Task { try await engine.sync() }
            for _ in 0..<50 { await Task.yield() }
            let waiting = Task { try await engine.sync() }
            for _ in 0..<50 { await Task.yield() }
            cancelled.cancel()
            release.finish()
            let done = try await first.value
            #expect(done.outcome == .synced)
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let own = try await waiting.value
            #expect(own.outcome == .synced)
        }
    }

    @Test func aSecondSyncSendsAndFetchesNothing() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"n","title":"t"}"#)
            let first = try await world.sync(0)
            #expect(first.entities[0].pushed == 1)
            let pulled = try await world.sync(1)
            #expect(pulled.entities[0].pulled == 1)
            for index in [0, 1, 0] {
                let report = try await world.sync(index)
                #expect(report.outcome == .synced)
                #expect(report.entities[0].pushed == 0 && report.entities[0].pulled == 0)
            }
        }
    }

    @Test func sameContentAgreesAndPushesNothing() async throws {
        for strategy in MergeStrategy.allCases {
            let note = Entities.note(strategy: strategy, fields: [Entities.tags])
            try await withWorld(count: 2, entities: note) { world in
                let json =
                    #"{"id":"n","title":"t","tags":["x"],"createdAt":"2025-01-01T00:00:00Z","updatedAt":"2025-01-02T00:00:00Z"}"#
                for device in world.devices { try device.put(entity: note, json: json) }
                try await world.sync(0)
                let report = try await world.sync(1)
                #expect(report.entities[0] == EntityReport(entity: "note"))
                #expect(try world.devices[0].export(entity: note) == world.devices[1].export(entity: note))
            }
        }
    }

    @Test func anAgreementTakesTheEarlierCreatedAndTheLaterUpdated() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"n","title":"t"}"#)
            world.devices[1].clock.advance(seconds: 60)
            try world.devices[1].put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try await world.sync(0)
            let report = try await world.sync(1)
            #expect(report.entities[0].pushed == 0 && report.entities[0].conflicts == 0)
            try await world.converge()
            for device in world.devices {
                #expect(
                    try device.value(entity: note, key: "n", field: "createdAt")
                        == .timestamp(ManualClock().now())
                )
                #expect(
                    try device.value(entity: note, key: "n", field: "updatedAt")
                        == .timestamp(world.devices[1].clock.now())
                )
            }
        }
    }

    @Test func aWriteThatChangesNothingIsNoEdit() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 1, entities: note) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try await world.sync(0)
            device.clock.advance(seconds: 5)
            try device.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            #expect(try device.local(entity: note, key: "n")?.state == .synced)
        }
    }

    @Test func textThatOnlyLooksAlikeIsAnEdit() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            try world.devices[0].put(entity: note, json: "{\"id\":\"caf\u{e9}\",\"title\":\"caf\u{e9}\"}")
            try world.devices[0].put(entity: note, json: "{\"id\":\"cafe\u{301}\",\"title\":\"x\"}")
            try world.devices[0].put(entity: note, json: "{\"id\":\"caf\u{e9}\",\"title\":\"cafe\u{301}\"}")
            try await world.converge()
            #expect(try world.devices[1].export(entity: note).count == 2)
            let title = try world.devices[1].value(entity: note, key: "caf\u{e9}", field: "title")
            #expect(title == .text("cafe\u{301}"))
        }
    }

    @Test func aConflictKeepsBothSidesAndTheBase() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            try a.put(entity: note, json: #"{"id":"n","title":"by A"}"#)
            try b.put(entity: note, json: #"{"id":"n","title":"by B"}"#)
            try await world.sync(0)
            let report = try await world.sync(1)
            #expect(report.entities[0].conflicts == 1 && report.entities[0].pushed == 0)
            #expect(report.outcome == .synced)
            let recordState = try b.store.read {
                (
                    $0, try $0.load(entity: note, key: RecordKey("n")),
                    try $0.side(entity: note, key: RecordKey("n"), kind: .base),
                    try $0.side(entity: note, key: RecordKey("n"), kind: .remote)
                )
            }
            #expect(recordState.1?.version.record.values[1] == .text("by B"))
            #expect(recordState.2?.record.values[1] == .text("base"))
            #expect(recordState.3?.record.values[1] == .text("by A"))
            // An ordinary edit keeps the conflict; a newer remote replaces the remote side.
            try b.put(entity: note, json: #"{"id":"n","title":"by B again"}"#)
            try a.put(entity: note, json: #"{"id":"n","title":"by A again"}"#)
            try await world.sync(0)
            try await world.sync(1)
            #expect(try b.conflicts(entity: note) == ["n"])
            try b.resolve(entity: note, key: "n", resolution: .remote)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: note, key: "n", field: "title") == .text("by A again"))
            }
        }
    }

    @Test func aDeleteResolvesAConflict() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            try a.put(entity: note, json: #"{"id":"n","title":"by A"}"#)
            try b.put(entity: note, json: #"{"id":"n","title":"by B"}"#)
            try await world.converge()
            try b.delete(entity: note, key: "n")
            try await world.converge()
            for device in world.devices {
                #expect(try device.export(entity: note).isEmpty)
                #expect(try device.conflicts(entity: note).isEmpty)
            }
        }
    }

    @Test func theJournalKeepsTheLoserAndBringsItBack() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            try b.put(entity: note, json: #"{"id":"n","title":"early"}"#)
            a.clock.advance(seconds: 60)
            try a.put(entity: note, json: #"{"id":"n","title":"late"}"#)
            try await world.sync(0)
            let report = try await world.sync(1)
            #expect(report.entities[0].merged == 1)
            let entry = try #require(try b.journal().first)
            #expect(entry.lost.record.values[1] == .text("early"))
            #expect(entry.kept.record.values[1] == .text("late"))
            _ = try b.writer.restore(journal: entry.id)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: note, key: "n", field: "title") == .text("early"))
            }
        }
    }

    @Test func aDeletedRecordStaysDeletedAndCanBeMadeAnew() async throws {
        for strategy in MergeStrategy.allCases {
            let note = Entities.note(strategy: strategy)
            try await withWorld(count: 2, entities: note) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try a.put(entity: note, json: #"{"id":"n","title":"first"}"#)
                try await world.converge()
                try b.delete(entity: note, key: "n")
                try await world.converge()
                try await world.converge()
                #expect(try a.export(entity: note).isEmpty && b.export(entity: note).isEmpty)
                try a.put(entity: note, json: #"{"id":"n","title":"second"}"#)
                try await world.converge()
                for device in world.devices {
                    #expect(try device.value(entity: note, key: "n", field: "title") == .text("second"))
                }
            }
        }
    }

    @Test func aSoftDeleteFieldMirrorsTheTombstone() async throws {
        let field = FieldDescriptor(name: "deletedAt", type: .dateTime, isNullable: true)
        let note = Entities.note(strategy: .lastWriteWins, fields: [field], deleted: "deletedAt")
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try await world.converge()
            a.clock.advance(seconds: 1)
            try a.put(entity: note, json: #"{"id":"n","deletedAt":"2026-01-01T00:00:01Z"}"#)
            try await world.converge()
            #expect(try b.export(entity: note).isEmpty)
            try b.put(entity: note, json: #"{"id":"n","deletedAt":null}"#)
            try await world.converge()
            #expect(try a.value(entity: note, key: "n", field: "title") == .text("t"))
        }
    }

    @Test func aLaterDeleteBeatsAnEditThoughAnEarlierDeleteCameFirst() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 3, entities: note) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            for (index, seconds) in [10, 20, 30].enumerated() {
                world.devices[index].clock.advance(seconds: Int64(seconds))
            }
            try world.devices[0].delete(entity: note, key: "n")
            try world.devices[1].put(entity: note, json: #"{"id":"n","title":"between"}"#)
            try world.devices[2].delete(entity: note, key: "n")
            try await world.sync(0)
            #expect(try await world.sync(2).entities[0].pushed == 0)
            try await world.converge(order: [0, 2, 1])
            for device in world.devices { #expect(try device.export(entity: note).isEmpty) }
        }
    }

    @Test func aDryRunSaysWhatWouldHappenAndWritesNothing() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try await world.sync(0)
            try b.put(entity: note, json: #"{"id":"m","title":"t"}"#)
            let before = try FileManager.default.subpathsOfDirectory(atPath: b.folder).sorted()
            let report = try await b.engine(label: "B").sync(SyncOptions(isDryRun: true))
            #expect(report.entities[0].pulled == 1 && report.entities[0].pushed == 1)
            #expect(try b.export(entity: note).count == 1)
            #expect(try FileManager.default.subpathsOfDirectory(atPath: b.folder).sorted() == before)
        }
    }

    @Test func requestsMadeDuringASyncShareOneMore() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 1, entities: note) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"n","title":"t"}"#)
            let engine = world.devices[0].engine(label: "A")
            try await withThrowingTaskGroup(of: SyncReport.self) { group in
                for _ in 0..<8 { group.addTask { try await engine.sync() } }
                var pushed = 0
                for try await report in group { pushed += report.entities[0].pushed }
                #expect(pushed == 1)
            }
        }
    }
}
