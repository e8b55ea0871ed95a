import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import SyncServer
import SyncWire
import Testing

/// What devices and a server come to in situations that cost other frameworks data.
@Suite struct ServerStoryTests {
    let note = Notes.entity(strategy: .preserveLocal)
    let task = Notes.entity(strategy: .lastWriteWins, name: "task")
    let list = Notes.entity(strategy: .setUnion, name: "list")

    @Test func aSyncWithNothingToDoIsOneRequestOverAnyNumberOfEntities() async throws {
        try await withServer(count: 1, entities: note, task, list) { world, _ in
            try world.devices[0].put(entity: note, key: "k", title: "a")
            try world.devices[0].put(entity: list, key: "k", title: "a")
            #expect(try await world.sync(0).requests == 2)
            #expect(try await world.sync(0).requests == 1)
        }
    }

    @Test func anEditMadeDuringItsUploadIsNotTakenForSent() async throws {
        try await withServer(count: 2, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "k", title: "first")
            server.setFaults { [note] count, _ in
                // Written while the push is at the server.
                if count == 2 { try? device.put(entity: note, key: "k", title: "second") }
                return nil
            }
            try await world.sync(0)
            #expect(try device.title(entity: note, key: "k") == "second")
            #expect(try device.state(entity: note, key: "k") == .pending)
            try await world.sync(0)
            try await world.sync(1)
            #expect(try world.devices[1].title(entity: note, key: "k") == "second")
            #expect(try device.conflicts(entity: note).isEmpty)
        }
    }

    @Test func anEditMadeAfterALostAnswerIsNoConflictWithOneself() async throws {
        for entity in [note, task, list] {
            try await withServer(count: 2, entities: entity) { world, server in
                let device = world.devices[0]
                try device.put(entity: entity, key: "k", title: "first")
                server.setFaults { count, _ in count == 2 ? .dropResponse : count > 2 ? .unreachable : nil }
                await #expect(throws: SyncError.self) { try await world.sync(0) }
                try device.put(entity: entity, key: "k", title: "second")
                server.setFaults(nil)
                let report = try await world.sync(0)
                #expect(report.entities[0].conflicts == 0)
                #expect(report.entities[0].merged == 0)
                #expect(report.entities[0].pulled == 0, "an echo is not counted")
                try await world.sync(1)
                #expect(try world.devices[1].title(entity: entity, key: "k") == "second")
            }
        }
    }

    @Test func aPushThatIsTooLargeIsHalvedAndOneRecordThatIsTooLargeIsRefusedAlone() async throws {
        try await withServer(count: 2, entities: task, limits: WireLimits(changes: 100, requestBytes: 4000)) {
            world,
            _ in
            for index in 0..<40 {
                try world.devices[0].put(
                    entity: task,
                    key: "k\(index)",
                    title: String(repeating: "x", count: 300)
                )
            }
            try world.devices[0].put(entity: task, key: "large", title: String(repeating: "x", count: 8000))
            let report = try await world.sync(0)
            #expect(report.entities[0].pushed == 40)
            #expect(report.entities[0].rejected == 1)
            try await world.sync(1)
            #expect(try world.devices[1].export(entity: task).count == 40)
        }
    }

    @Test func aClockThatIsFarAheadIsLoweredOnceAndAllDevicesAgree() async throws {
        for entity in [note, task, list] {
            try await withServer(count: 2, entities: entity) { world, server in
                let (a, b) = (world.devices[0], world.devices[1])
                a.clock.advance(seconds: 86_400 * 365)
                try a.put(entity: entity, key: "k", title: "from the future")
                try await world.sync(0)
                let stored = try #require(try a.local(entity: entity, key: "k"))
                #expect(stored.state == .synced)
                #expect(stored.version.metadata.editTimestamp.time <= server.clock.now())
                try await world.sync(1)
                #expect(try b.local(entity: entity, key: "k")?.version.metadata == stored.version.metadata)
                b.clock.advance(seconds: 60)
                try b.put(entity: entity, key: "k", title: "by B")
                try await world.converge()
                let exports = try world.exports(entity: entity)
                #expect(exports[0] == exports[1])
                #expect(try a.title(entity: entity, key: "k") == "by B")
            }
        }
    }

    @Test func aLoweredTimeWhoseAnswerWasLostIsTakenFromThePage() async throws {
        try await withServer(count: 2, entities: task) { world, server in
            let device = world.devices[0]
            device.clock.advance(seconds: 86_400 * 365)
            try device.put(entity: task, key: "k", title: "from the future")
            server.setFaults { count, _ in count == 2 ? .dropResponse : count > 2 ? .unreachable : nil }
            await #expect(throws: SyncError.self) { try await world.sync(0) }
            server.setFaults(nil)
            try await world.converge()
            #expect(try device.state(entity: task, key: "k") == .synced)
            #expect(try world.exports(entity: task)[0] == world.exports(entity: task)[1])
            #expect(
                try device.local(entity: task, key: "k")?.version.metadata
                    == world.devices[1].local(entity: task, key: "k")?.version.metadata
            )
        }
    }

    @Test func anEntityThatTheAccountMayNotExchangeStopsNoOther() async throws {
        try await withServer(count: 1, entities: note, task) { world, server in
            server.add(Account(id: "account-1", name: "everyone", entities: ["task"]), token: World.token)
            try world.devices[0].put(entity: note, key: "k", title: "kept here")
            try world.devices[0].put(entity: task, key: "k", title: "sent")
            let report = try await world.sync(0)
            #expect(report.outcome == .partial)
            #expect(report.diagnostics.map(\.rule) == ["entity-refused"])
            #expect(report.diagnostics.map(\.place) == ["note"])
            #expect(try world.devices[0].state(entity: note, key: "k") == .pending)
            #expect(try world.devices[0].state(entity: task, key: "k") == .synced)
            server.add(Account(id: "account-1", name: "everyone"), token: World.token)
            #expect(try await world.sync(0).outcome == .synced)
            #expect(try world.devices[0].state(entity: note, key: "k") == .synced)
        }
    }

    @Test func aSyncOfSomeEntitiesLeavesTheOthersForLater() async throws {
        try await withServer(count: 2, entities: note, task) { world, _ in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, key: "k", title: "a note")
            try a.put(entity: task, key: "k", title: "a task")
            let first = SyncOptions(entities: ["task"])
            _ = try await a.engine(label: "A").sync(first)
            #expect(try a.state(entity: task, key: "k") == .synced)
            #expect(try a.state(entity: note, key: "k") == .pending)
            try await world.sync(0)
            _ = try await b.engine(label: "B").sync(first)
            #expect(try b.title(entity: task, key: "k") == "a task")
            #expect(try b.title(entity: note, key: "k") == nil)
            #expect(try await world.sync(1).entities.map(\.pulled) == [1, 0], "nothing was passed over")
            #expect(try b.title(entity: note, key: "k") == "a note")
        }
    }

    @Test func anotherAccountAtTheSameAddressIsRefusedAndNothingIsMixed() async throws {
        try await withServer(count: 2, entities: note) { world, server in
            try world.devices[0].put(entity: note, key: "k", title: "of the first")
            try await world.sync(0)
            let before = try world.devices[0].cursor()
            server.add(Account(id: "account-2", name: "somebody else"), token: World.token)
            try world.devices[0].put(entity: note, key: "new", title: "not for others")
            let error = await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(error?.kind == .wrongRemote)
            #expect(error?.message.contains("2 records, 1 of them not sent") == true)
            #expect(try world.devices[0].cursor() == before)
            try await world.sync(1)
            #expect(try world.devices[1].export(entity: note).isEmpty, "the other account has nothing of it")
        }
    }
}
