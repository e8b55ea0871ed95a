import SyncChecks
import SyncCore
import SyncServerBackend
import Testing
import Waits

/// Pages are asked for while others are taken in: each comes once, in order, and not more than a bound wait.
@Suite(.timeLimit(.minutes(30))) struct PagesAheadTests {
    private static let note = Notes.entity(strategy: .lastWriteWins)
    private static let records = 40

    /// Records at a server, and a session of a device that has none of them: 4 records a page.
    private func withSession(
        aheadBytes: Int,
        pageRecords: Int = 4,
        _ body: (any RemoteSession, LoopbackServer) async throws -> Void,
        faults: LoopbackServer.FaultPlan? = nil
    ) async throws {
        try await withServer(count: 1, entities: Self.note) { world, server in
            for number in 0..<Self.records {
                try world.devices[0].put(entity: Self.note, key: "k\(number)", title: "t\(number)")
            }
            try await world.sync(0)
            server.setFaults(faults)
            let backend = try server.backend(
                token: World.token,
                clock: ManualClock(),
                random: SeededRandom(1),
                limits: HTTPLimits(pageRecords: pageRecords, aheadBytes: aheadBytes)
            )
            let request = SessionRequest(
                device: DeviceID(bits: 9),
                label: "reader",
                entities: [Self.note],
                binding: nil,
                cursor: nil,
                intent: nil
            )
            try await body(try await backend.open(request), server)
        }
    }

    private func keys(_ session: any RemoteSession) async throws -> [String] {
        var keys: [String] = []
        while let page = try await session.fetch() { keys += page.changes.map(\.header.key.text) }
        return keys
    }

    @Test(arguments: [0, 1, 200, 1 << 20])
    func eachPageComesOnceAndInOrder(aheadBytes: Int) async throws {
        var inOrder: [String] = []
        try await withSession(aheadBytes: 0) { session, _ in inOrder = try await keys(session) }
        #expect(inOrder.count == Self.records)
        try await withSession(aheadBytes: aheadBytes) { session, server in
            let found = try await keys(session)
            #expect(found == inOrder)
            #expect(server.requests == Self.records / 4)
        }
    }

    @Test func allPagesComeWhileOneIsInHand() async throws {
        try await withSession(aheadBytes: 1 << 20) { session, server in
            _ = try await session.fetch()
            try await eventually(what: "the request for the last page") {
                server.requests == Self.records / 4
            }
        }
    }

    @Test func moreThanTheBoundIsNotAskedFor() async throws {
        try await withSession(aheadBytes: 1) { session, server in
            var pages = 0
            while try await session.fetch() != nil {
                pages += 1
                // The first page came when the session was opened.
                #expect(server.requests <= pages + 1)
            }
        }
    }

    /// On a slow way only small pages come in time.
    @Test func aPageThatDoesNotComeInTimeIsAskedForInParts() async throws {
        var inOrder: [String] = []
        try await withSession(aheadBytes: 0) { session, _ in inOrder = try await keys(session) }
        try await withSession(aheadBytes: 0, pageRecords: 40) { session, server in
            let first = try await session.fetch()
            #expect(first?.changes.count == 5, "the first page came in parts already")
            let found = try await keys(session)
            #expect((first?.changes.map(\.header.key.text) ?? []) + found == inOrder)
        } faults: { _, request in
            let text = String(decoding: request.body, as: UTF8.self)
            return text.contains(#""limit":5"#) ? nil : .timeOut
        }
    }

    @Test func anErrorComesAfterThePagesBeforeIt() async throws {
        try await withSession(aheadBytes: 1 << 20) { session, server in
            server.setFaults { count, _ in count >= 3 ? .answer(HTTPResponse(status: 403)) : nil }
            var pages = 0
            do {
                while try await session.fetch() != nil { pages += 1 }
                Issue.record("the refused page came")
            } catch is SyncError {}
            #expect(pages == 3)
            server.setFaults(nil)
        }
    }

    @Test func whoGivesUpWaitsForNoPage() async throws {
        try await withSession(aheadBytes: 1 << 20) { session, _ in
            _ = try await session.fetch()
            let reading = Task { try await keys(session) }
            reading.cancel()
            _ = await reading.result
        }
    }
}
