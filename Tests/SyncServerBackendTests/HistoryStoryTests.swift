import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Servers that lose a part of their history, and devices that sleep while it moves on.
@Suite struct HistoryStoryTests {
    @Test(arguments: MergeStrategy.allCases, [false, true])
    func aRestoredBackupIsNoticedAndARejoinLosesAndRevivesNothing(strategy: MergeStrategy, countsOn: Bool)
        async throws
    {
        let note = Notes.entity(strategy: strategy)
        try await withServer(count: 3, entities: note) { world, server in
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            for index in 0..<5 { try a.put(entity: note, key: "k\(index)", title: "old") }
            try await world.converge()
            let copy = "\(world.path)/backup"
            try server.backUp(to: copy)
            try a.put(entity: note, key: "k0", title: "edited after the backup")
            try a.delete(entity: note, key: "k1")
            try a.put(entity: note, key: "new", title: "made after the backup")
            for device in [0, 1] { try await world.sync(device) }
            try server.restore(from: copy)
            if countsOn {
                // C knows nothing of what was lost, and writes past it.
                for index in 0..<9 { try c.put(entity: note, key: "c\(index)", title: "by C") }
                try await world.sync(2)
            }
            for device in [0, 1] {
                let error = await #expect(throws: SyncError.self) { try await world.sync(device) }
                #expect(error?.kind == .wrongRemote)
            }
            for device in [a, b] {
                _ = try await device.engine(label: device.name).sync(SyncOptions(rejoins: true))
            }
            try await world.converge()
            let exports = try world.devices.map { try $0.export(entity: note) }
            #expect(exports[0] == exports[1])
            #expect(exports[0] == exports[2])
            #expect(exports[0].count == (countsOn ? 14 : 5))
            #expect(try c.title(entity: note, key: "k0") == "edited after the backup")
            #expect(try c.title(entity: note, key: "k1") == nil)
            #expect(try c.title(entity: note, key: "new") == "made after the backup")
            for device in world.devices { #expect(try device.conflicts(entity: note).isEmpty) }
        }
    }

    @Test(arguments: [false, true], [0, 3])
    func aBackupPutBackAfterADeviceWentOffBetweenAnAcknowledgementAndItsPageIsNoticed(
        hasPushedBefore: Bool,
        later: Int
    ) async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 2, entities: note) { world, server in
            let (a, b) = (world.devices[0], world.devices[1])
            try await putBackBehindAnAcknowledgement(
                world,
                server: server,
                note: note,
                hasPushedBefore: hasPushedBefore,
                later: later
            )
            let error = await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(error?.kind == .wrongRemote)
            _ = try await a.engine(label: "a").sync(SyncOptions(rejoins: true))
            try await world.converge()
            #expect(try b.title(entity: note, key: "new") == "made after the backup")
            #expect(try a.export(entity: note) == b.export(entity: note))
        }
    }

    /// A (device 0) hears that a record was accepted, and goes off; the server is put back to before that, and B goes on.
    func putBackBehindAnAcknowledgement(
        _ world: World,
        server: LoopbackServer,
        note: EntityDescriptor,
        hasPushedBefore: Bool,
        later: Int
    ) async throws {
        let (a, b) = (world.devices[0], world.devices[1])
        if hasPushedBefore { try a.put(entity: note, key: "old", title: "before the backup") }
        try await world.converge()
        let copy = "\(world.path)/backup"
        try server.backUp(to: copy)
        try a.put(entity: note, key: "new", title: "made after the backup")
        let interrupted = SyncEngine(
            store: a.store,
            backend: BusyBackend(base: a.backend) { moment in
                guard moment == "before it pulls", try a.state(entity: note, key: "new") == .synced else {
                    return
                }
                throw SyncError(kind: .unreachable, message: "The device is off.", help: "")
            },
            environment: SyncEnvironment(clock: a.clock, random: SeededRandom(5), label: "a")
        )
        await #expect(throws: SyncError.self) { try await interrupted.sync() }
        #expect(try a.state(entity: note, key: "new") == .synced)
        try server.restore(from: copy)
        // B knows nothing of what was lost, and may write past it.
        for index in 0..<later { try b.put(entity: note, key: "b\(index)", title: "by B") }
        try await world.sync(1)
    }

    @Test(arguments: MergeStrategy.allCases)
    func aDeviceThatSleptWhileTombstonesWerePurgedRevivesNothingAndLosesNothing(strategy: MergeStrategy)
        async throws
    {
        let note = Notes.entity(strategy: strategy)
        try await withServer(count: 2, entities: note) { world, server in
            let (awake, sleeper) = (world.devices[0], world.devices[1])
            for key in ["kept", "clean", "edited", "deleted"] {
                try awake.put(entity: note, key: key, title: "old")
            }
            try await world.converge()
            for key in ["clean", "edited", "deleted"] { try awake.delete(entity: note, key: key) }
            try await world.sync(0)
            sleeper.clock.advance(seconds: 60)
            try sleeper.put(entity: note, key: "edited", title: "edited asleep")
            try sleeper.delete(entity: note, key: "deleted")
            try sleeper.put(entity: note, key: "new", title: "made asleep")
            server.clock.advance(seconds: 86_400 * 400)
            try await server.purgeTombstones(olderThanDays: 365)
            try await world.sync(1)
            #expect(try sleeper.title(entity: note, key: "kept") == "old")
            #expect(try sleeper.title(entity: note, key: "clean") == nil)
            #expect(try sleeper.title(entity: note, key: "deleted") == nil)
            #expect(
                try sleeper.title(entity: note, key: "edited") == "edited asleep",
                "what a person wrote is still there"
            )
            #expect(try sleeper.conflicts(entity: note) == (strategy == .preserveLocal ? ["edited"] : []))
            if strategy == .preserveLocal {
                try sleeper.resolve(entity: note, key: "edited", resolution: .local)
            }
            try await world.converge()
            #expect(try awake.title(entity: note, key: "edited") == "edited asleep")
            #expect(try awake.title(entity: note, key: "new") == "made asleep")
            #expect(try awake.title(entity: note, key: "clean") == nil)
            #expect(try awake.export(entity: note) == sleeper.export(entity: note))
        }
    }

    @Test func aCopiedStoreTakesAnIdentityOfItsOwnAndBothKeepTheirEdits() async throws {
        let note = Notes.entity(strategy: .preserveLocal)
        try await withServer(count: 2, entities: note) { world, server in
            let original = world.devices[0]
            try original.put(entity: note, key: "k", title: "before")
            try await world.sync(0)
            let copy = try world.copy(of: 0, name: "copy")
            try original.put(entity: note, key: "a", title: "by the original")
            try copy.put(entity: note, key: "b", title: "by the copy")
            try await world.sync(0)
            _ = try await copy.engine(label: "copy").sync()
            try await world.sync(0)
            try await world.sync(1)
            #expect(try world.devices[1].export(entity: note).count == 3)
            #expect(try original.export(entity: note) == copy.export(entity: note))
            let ids = try [original, copy].map { try $0.store.read { try $0.value(name: "device") } }
            #expect(ids[0] != ids[1])
        }
    }
}
