import SyncChecks
import SyncCore
import SyncRuntime
import SyncServer
import SyncServerBackend
import SyncWire
import Testing

/// Devices that have seen the same over a server hold the same, or say that they do not.
@Suite struct ComparedRecordsTests {
    let note = Notes.entity(strategy: .lastWriteWins)
    let task = Notes.entity(strategy: .preserveLocal, name: "task")

    /// Two devices that hold the same notes and tasks, and have told so.
    private func withPair(
        story: (World, LoopbackServer, World.Device, World.Device) async throws -> Void
    ) async throws {
        try await withServer(count: 2, entities: note, task) { world, server in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, key: "n1", title: "first")
            try a.put(entity: note, key: "n2", title: "second")
            try b.put(entity: task, key: "t1", title: "a task")
            try await world.converge()
            let reports = try await rounds(count: 2, world: world)
            #expect(reports.allSatisfy { $0.outcome == .synced && $0.diagnostics.isEmpty })
            try await story(world, server, a, b)
        }
    }

    @discardableResult
    private func rounds(count: Int, world: World) async throws -> [SyncReport] {
        var reports: [SyncReport] = []
        for _ in 0..<count {
            for index in world.devices.indices { reports.append(try await world.sync(index)) }
        }
        return reports
    }

    /// Changes a note behind the engine.
    private func damage(_ device: World.Device, key: String = "n1") throws {
        try device.store.write(.full) { transaction in
            var local = try #require(try transaction.load(entity: note, key: RecordKey(key)))
            local.version.record.values[1] = .text("something else")
            try transaction.save(entity: note, record: local)
        }
    }

    @Test func devicesThatHaveSeenTheSameAndHoldOthersSaySoOverAServer() async throws {
        try await withPair { world, _, a, b in
            try damage(b)
            try a.put(entity: note, key: "n3", title: "third")
            try await rounds(count: 2, world: world)
            for _ in 0..<3 {
                for report in try await rounds(count: 1, world: world) {
                    #expect(report.outcome == .partial && report.requests == 1)
                    let diagnostic = try #require(report.diagnostics.first)
                    #expect(report.diagnostics.count == 1)
                    #expect(diagnostic.rule == "records-differ" && diagnostic.isSerious)
                    #expect(diagnostic.message.contains("records of note."))
                    #expect(!diagnostic.message.contains("something else"))
                    #expect(!diagnostic.message.contains("--"))
                    #expect(diagnostic.commandLineMessage?.contains("'sync --rejoin'") == true)
                }
            }
            _ = try await b.engine(label: "B").sync(SyncOptions(rejoins: true))
            try await world.converge()
            let reports = try await rounds(count: 2, world: world)
            #expect(reports.allSatisfy { $0.outcome == .synced && $0.diagnostics.isEmpty })
            #expect(reports.allSatisfy { $0.requests == 1 })
            for entity in [note, task] { #expect(try a.export(entity: entity) == b.export(entity: entity)) }
        }
    }

    @Test func theyAreToldWhicheverOfThemJoinsAnewFirst() async throws {
        try await withPair { world, _, a, b in
            try damage(b)
            try a.put(entity: note, key: "n3", title: "third")
            try await rounds(count: 3, world: world)
            for device in [a, b] {
                _ = try await device.engine(label: device.name).sync(SyncOptions(rejoins: true))
                try await rounds(count: 2, world: world)
            }
            let reports = try await rounds(count: 2, world: world)
            #expect(reports.allSatisfy { $0.outcome == .synced && $0.diagnostics.isEmpty })
            #expect(try a.export(entity: note) == b.export(entity: note))
        }
    }

    @Test func aFurtherEditOfTheRecordEndsItToo() async throws {
        try await withPair { world, _, a, b in
            try damage(b)
            try a.put(entity: note, key: "n3", title: "third")
            #expect(try await rounds(count: 3, world: world).suffix(2).allSatisfy { $0.outcome == .partial })
            try a.put(entity: note, key: "n1", title: "written again")
            #expect(try await rounds(count: 3, world: world).suffix(2).allSatisfy { $0.outcome == .synced })
            #expect(try a.export(entity: note) == b.export(entity: note))
        }
    }

    @Test func nothingIsToldWhileDevicesAgree() async throws {
        try await withPair { world, _, a, b in
            for number in 0..<5 {
                try a.put(entity: note, key: "n1", title: "a\(number)")
                try b.put(entity: note, key: "n\(number + 3)", title: "b\(number)")
                try b.put(entity: task, key: "t1", title: "b\(number)")
                if number == 3 { try a.delete(entity: note, key: "n2") }
                try a.put(entity: task, key: "t1", title: "a\(number)")
                let reports = try await rounds(count: 3, world: world)
                #expect(
                    reports.allSatisfy { $0.diagnostics.isEmpty },
                    "a task is in conflict, and is not compared"
                )
            }
        }
    }

    /// What the devices ask and are answered, by the name of a member.
    private func told(server: LoopbackServer, body: () async throws -> Void) async throws -> [Bool] {
        let seen = Seen()
        server.setFaults { _, request in
            seen.add((try? ExchangeRequest(request.body))?.records != nil)
            return nil
        }
        try await body()
        server.setFaults(nil)
        return seen.all
    }

    @Test func anIdleSyncIsOneRequestThatTellsNothingMore() async throws {
        try await withPair { world, server, a, _ in
            let idle = try await told(server: server) { try await rounds(count: 3, world: world) }
            #expect(idle == Array(repeating: false, count: 6))
            try a.put(entity: note, key: "n3", title: "third")
            // A pushes, and B takes it in; both tell once, with the request that they would have sent anyway.
            let all = try await told(server: server) { try await rounds(count: 3, world: world) }
            #expect(all == [false, false, false, true, true, false, false])
        }
    }

    @Test func aSyncOfSomeEntitiesOrThatOnlyLooksTellsNothing() async throws {
        try await withPair { world, server, a, b in
            try a.put(entity: note, key: "n3", title: "third")
            try await world.sync(0)
            let all = try await told(server: server) {
                _ = try await a.engine(label: "A").sync(SyncOptions(entities: ["note"]))
                _ = try await a.engine(label: "A").sync(SyncOptions(isDryRun: true))
            }
            #expect(all == [false, false])
            _ = b
        }
    }

    @Test func whatWasToldWithoutAnAnswerIsToldAgain() async throws {
        try await withPair { world, server, a, b in
            try damage(b)
            try a.put(entity: note, key: "n3", title: "third")
            try await rounds(count: 1, world: world)
            server.setFaults { _, _ in .dropRequest }
            await #expect(throws: SyncError.self) { try await world.sync(0) }
            server.setFaults(nil)
            #expect(try await rounds(count: 2, world: world).suffix(2).allSatisfy { $0.outcome == .partial })
        }
    }

    @Test func aRemoteThatDoesNotAskIsToldNothing() async throws {
        try await withPair { world, server, a, b in
            try damage(b)
            try a.put(entity: note, key: "n3", title: "third")
            let all = try await told(server: server) {
                for _ in 0..<3 {
                    for device in [a, b] {
                        let engine = SyncEngine(
                            store: device.store,
                            backend: SilentBackend(base: device.backend),
                            environment: SyncEnvironment(
                                clock: device.clock,
                                random: SeededRandom(9),
                                label: device.name
                            )
                        )
                        let report = try await engine.sync()
                        #expect(report.outcome == .synced)
                    }
                }
            }
            #expect(all.count == 7 && !all.contains(true))
            _ = world
        }
    }
}

/// What requests told, in order.
private final class Seen: Sendable {
    private let list = Guarded<[Bool]>([])

    var all: [Bool] { list.use { $0 } }

    func add(_ value: Bool) { list.use { $0.append(value) } }
}

/// A server's backend of before, which does not ask what a store shows.
private struct SilentBackend: RemoteBackend {
    let base: any RemoteBackend

    var capabilities: RemoteCapabilities {
        base.capabilities.subtracting([.changeHints, .requestComparison])
    }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await base.open(request)
    }
}
