import SyncChecks
import SyncCore
import SyncRuntime
import SyncWire
import Testing

/// A change on which the server always fails, and says each time when to come back.
@Suite struct BlamedChangeTests {
    private let note = Notes.entity(strategy: .lastWriteWins)
    private static let busy = HTTPResponse(
        status: 503,
        headers: [HTTPHeader(name: "Retry-After", value: "1")]
    )

    private func poison(server: LoopbackServer) {
        server.setFaults { _, request in
            String(decoding: request.body, as: UTF8.self).contains("poison") ? .answer(Self.busy) : nil
        }
    }

    @Test(arguments: [0, 4, 9])
    func itIsSetAsideWithItsReasonAndBlocksNobody(place: Int) async throws {
        try await withServer(count: 2, entities: note) { world, server in
            let device = world.devices[0]
            for index in 0..<10 {
                try device.put(
                    entity: note,
                    key: "k\(index)",
                    title: index == place ? "poison" : "title \(index)"
                )
            }
            poison(server: server)
            let report = try await world.sync(0)
            #expect(report.outcome == .partial)
            #expect(report.entities[0].pushed == 9)
            let rejections = try device.store.read { try $0.standingRejections() }
            #expect(rejections.map(\.key.text) == ["k\(place)"])
            #expect(rejections.first?.reason.contains("503") == true)
            #expect(server.requests < 40, "attempts are bounded")
            try await world.sync(1)
            #expect(try world.devices[1].export(entity: note).count == 9)
            // A person's edit is another try.
            try device.put(entity: note, key: "k\(place)", title: "harmless")
            #expect(try await world.sync(0).outcome == .synced)
        }
    }

    @Test func aServerThatTakesNothingRejectsNothingHoweverManyWait() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            for index in 0..<10 { try device.put(entity: note, key: "k\(index)", title: "mine") }
            server.setFaults { _, request in
                String(decoding: request.body, as: UTF8.self).contains("mine") ? .answer(Self.busy) : nil
            }
            let error = await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(error?.kind == .unreachable)
            for index in 0..<10 { #expect(try device.state(entity: note, key: "k\(index)") == .pending) }
            #expect(server.requests < 40, "attempts are bounded")
            server.setFaults(nil)
            #expect(try await world.sync(0).entities[0].pushed == 10)
        }
    }

    @Test func aLoneChangeIsNotBlamedForAServerThatMayBeBusy() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "k", title: "poison")
            poison(server: server)
            await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(try device.state(entity: note, key: "k") == .pending)
        }
    }

    @Test func aLoneChangeOnWhichTheServerFailsForLongIsSetAsideAndSyncsSucceedAgain() async throws {
        try await withServer(count: 2, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "k", title: "poison")
            poison(server: server)
            for _ in 0..<4 {
                await #expect(throws: SyncError.self) { try await world.sync(0) }
                #expect(try device.state(entity: note, key: "k") == .pending)
                device.clock.advance(seconds: 1200)
            }
            #expect(try await world.sync(0).outcome == .partial)
            let rejections = try device.store.read { try $0.standingRejections() }
            #expect(rejections.map(\.key.text) == ["k"])
            #expect(rejections.first?.reason.contains("503") == true)
            // What others write flows on.
            try world.devices[1].put(entity: note, key: "other", title: "fine")
            try await world.sync(1)
            try await world.sync(0)
            #expect(try device.title(entity: note, key: "other") == "fine")
            #expect(try device.title(entity: note, key: "k") == "poison", "nothing is lost")
            try device.put(entity: note, key: "k", title: "harmless")
            #expect(try await world.sync(0).outcome == .synced)
        }
    }

    /// Syncs that follow each other quickly say little of a server that is full for a while.
    @Test func aLoneChangeIsNotSetAsideByManySyncsInAShortTime() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "k", title: "poison")
            poison(server: server)
            for _ in 0..<10 { await #expect(throws: SyncError.self) { try await world.sync(0) } }
            #expect(try device.state(entity: note, key: "k") == .pending)
            server.setFaults(nil)
            #expect(try await world.sync(0).outcome == .synced)
        }
    }

    /// A disk that is nearly full takes one record and not the next, for hours, until a person makes place.
    @Test(arguments: StorageFailure.allCases, [1, 1000])
    func aServerWhoseStorageFailsRejectsNothingThoughItTookOthers(
        storage: StorageFailure,
        most: Int
    ) async throws {
        let limits = WireLimits(changes: most)
        try await withServer(count: 2, entities: note, limits: limits) { world, server in
            let device = world.devices[0]
            for index in 0..<3 { try device.put(entity: note, key: "k\(index)", title: "title \(index)") }
            let error = WireError(code: .unavailable, detail: "No place.", storage: storage)
            server.setFaults { _, request in
                String(decoding: request.body, as: UTF8.self).contains("title 1")
                    ? .answer(.error(error, headers: [HTTPHeader(name: "Retry-After", value: "60")])) : nil
            }
            let stored = most == 1 ? 1 : 0
            for number in 0..<6 {
                let before = server.requests
                let attempt = await device.engine(label: "A").attempt()
                let failure = try #require(attempt.error as? SyncError)
                #expect(failure.kind == .unreachable && failure.retry == .later)
                #expect(failure.retryAfterSeconds == 60)
                #expect(failure.message.hasPrefix("The server cannot store anything now: "))
                #expect(attempt.report.entities.map(\.pushed) == [number == 0 ? stored : 0])
                #expect(attempt.report.entities.map(\.rejected) == [0])
                #expect(server.requests - before <= 3, "it neither waits nor searches for a culprit")
                device.clock.advance(seconds: 1200)
            }
            #expect(try device.store.read { try $0.rejections() }.isEmpty)
            #expect(try device.store.read { try $0.counts(entity: note) }.pending == 3 - stored)
            server.setFaults(nil)
            #expect(try await world.sync(0).entities[0].pushed == 3 - stored)
            try await world.sync(1)
            #expect(try world.devices[1].export(entity: note).count == 3)
        }
    }

    /// What somebody else answers in the server's place, whenever the record is sent.
    private static let notOurs: [LoopbackFault] = [
        .answer(FaultTests.page(type: "text/html", text: "<html>blocked</html>")),
        .answer(HTTPResponse(status: 302)), .answer(HTTPResponse(status: 403)),
        .answer(HTTPResponse(status: 511)), .answer(HTTPResponse(status: 406)), .unreachable,
    ]

    @Test(arguments: notOurs.indices, [[0], [9], [3, 4, 5]])
    func whatTheServerDidNotAnswerRejectsNoRecordAndHoldsBackNoOther(index: Int, places: [Int]) async throws {
        try await withServer(count: 2, entities: note) { world, server in
            let device = world.devices[0]
            for number in 0..<10 {
                let title = places.contains(number) ? "poison" : "title"
                try device.put(entity: note, key: "k\(number)", title: "\(title) \(number)")
            }
            server.setFaults { _, request in
                let isPoisoned = String(decoding: request.body, as: UTF8.self).contains("poison")
                return isPoisoned ? Self.notOurs[index] : nil
            }
            let attempt = await device.engine(label: "A").attempt()
            #expect((attempt.error as? SyncError)?.kind == .unreachable)
            // What others write is still pulled by itself.
            #expect((attempt.error as? SyncError)?.retry == .later)
            #expect(attempt.report.entities.map(\.pushed) == [10 - places.count])
            #expect(try device.store.read { try $0.rejections() }.isEmpty)
            #expect(try places.allSatisfy { try device.state(entity: note, key: "k\($0)") == .pending })
            #expect(server.requests < 60, "attempts are bounded")
            server.setFaults(nil)
            #expect(try await world.sync(0).entities[0].pushed == places.count)
            try await world.sync(1)
            #expect(try world.devices[1].export(entity: note).count == 10)
        }
    }

    @Test(arguments: notOurs.indices)
    func aLoneChangeIsNeverSetAsideForWhatTheServerDidNotAnswer(index: Int) async throws {
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "k", title: "poison")
            server.setFaults { _, request in
                let isPoisoned = String(decoding: request.body, as: UTF8.self).contains("poison")
                return isPoisoned ? Self.notOurs[index] : nil
            }
            for _ in 0..<6 {
                await #expect(throws: SyncError.self) { try await world.sync(0) }
                #expect(try device.state(entity: note, key: "k") == .pending)
                device.clock.advance(seconds: 1200)
            }
            #expect(try device.store.read { try $0.rejections() }.isEmpty)
            server.setFaults(nil)
            #expect(try await world.sync(0).outcome == .synced)
        }
    }

    @Test func aDatabaseThatIsSoonBackIsWaitedForWithinTheSync() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            try world.devices[0].put(entity: note, key: "k", title: "mine")
            let error = WireError(code: .unavailable, detail: "It restarts.", storage: .databaseDown)
            let soon = [HTTPHeader(name: "Retry-After", value: "5")]
            server.setFaults { count, _ in count == 2 ? .answer(.error(error, headers: soon)) : nil }
            let report = try await world.sync(0)
            #expect(report.outcome == .synced && report.entities[0].pushed == 1)
        }
    }

    @Test func aConflictThatIsSoonOverIsTriedAgainWithinTheSync() async throws {
        try await withServer(count: 1, entities: note) { world, server in
            try world.devices[0].put(entity: note, key: "k", title: "mine")
            let transient = HTTPResponse(status: 409, headers: [HTTPHeader(name: "Retry-After", value: "1")])
            server.setFaults { count, _ in count == 2 ? .answer(transient) : nil }
            let report = try await world.sync(0)
            #expect(report.outcome == .synced)
            #expect(report.entities[0].pushed == 1)
        }
    }

    @Test func aCursorThatTheServerCannotReadIsGivenUpForTheFullState() async throws {
        try await withServer(count: 2, entities: note) { world, server in
            try world.devices[0].put(entity: note, key: "k", title: "first")
            try await world.converge()
            server.setFaults { count, request in
                let body = String(decoding: request.body, as: UTF8.self)
                return body.contains(#""cursor""#)
                    ? .answer(
                        .error(WireError(code: .malformed, detail: "The cursor is not one."))
                    ) : nil
            }
            #expect(try await world.sync(1).outcome == .synced)
            server.setFaults(nil)
            try world.devices[0].put(entity: note, key: "k", title: "second")
            try await world.converge()
            #expect(try world.devices[1].title(entity: note, key: "k") == "second")
        }
    }
}

/// A sync that fails tells what it did until then.
@Suite struct FailedSyncTests {
    @Test func whatWasAcknowledgedBeforeTheFailureIsReportedAndRemembered() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 1, entities: note, limits: WireLimits(changes: 4)) { world, server in
            let device = world.devices[0]
            for index in 0..<10 { try device.put(entity: note, key: "k\(index)", title: "mine") }
            server.setFaults { count, _ in count > 3 ? .unreachable : nil }
            let attempt = await device.engine(label: "A").attempt()
            #expect((attempt.error as? SyncError)?.kind == .unreachable)
            #expect(attempt.report.outcome == .failed)
            #expect(attempt.report.entities.map(\.pushed) == [8])
            #expect(attempt.report.requests >= 4)
            let (past, last) = try device.store.read {
                (try $0.syncHistory().first, try $0.value(name: StoreValue.lastSync))
            }
            #expect(past?.outcome == .failed && past?.errorKind == .unreachable)
            #expect(past?.pushed == 8 && past?.requests == attempt.report.requests)
            #expect(last != nil, "it has synced, though not to the end")
        }
    }

    @Test func requestsOfASyncThatNeverBeganAreCounted() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 1, entities: note) { world, server in
            server.setFaults { _, _ in .unreachable }
            let attempt = await world.devices[0].engine(label: "A").attempt()
            #expect(attempt.report.requests == 3)
            #expect(attempt.report.entities.map(\.entity) == ["note"])
            let last = try world.devices[0].store.read { try $0.value(name: StoreValue.lastSync) }
            #expect(last == nil)
        }
    }
}
