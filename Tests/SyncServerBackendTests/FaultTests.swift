import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import SyncWire
import Testing

/// Every fault at every request of a sync over several pages and pushes.
@Suite struct FaultTests {
    static let faults: [(name: String, fault: LoopbackFault)] = [
        ("request lost", .dropRequest), ("answer lost", .dropResponse), ("no connection", .unreachable),
        ("too slow", .timeOut), ("sent twice", .repeated), ("cut off", .truncated),
        ("after the next", .late(1)), ("after four others", .late(4)),
        ("captive portal", .answer(page(type: "text/html", text: "<html>welcome</html>"))),
        ("other JSON", .answer(page(type: "application/json", text: #"{"data":42}"#))),
        ("nothing", .answer(page(type: "application/json", text: ""))),
        (
            "half a record",
            .answer(page(type: "application/json", text: #"{"account":"a","epoch":"e","cursor":"c""#))
        ),
        (
            "redirect",
            .answer(
                HTTPResponse(status: 302, headers: [HTTPHeader(name: "Location", value: "https://a.example")])
            )
        ),
        ("429", .answer(HTTPResponse(status: 429, headers: [HTTPHeader(name: "Retry-After", value: "1")]))),
        ("500", .answer(HTTPResponse(status: 500))), ("503", .answer(HTTPResponse(status: 503))),
        ("403", .answer(HTTPResponse(status: 403))), ("401", .answer(HTTPResponse(status: 401))),
        ("404", .answer(HTTPResponse(status: 404))), ("410", .answer(HTTPResponse(status: 410))),
        ("413", .answer(HTTPResponse(status: 413))), ("418", .answer(HTTPResponse(status: 418))),
    ]

    static func page(type: String, text: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [HTTPHeader(name: "Content-Type", value: type)],
            body: Array(text.utf8)
        )
    }

    static let otherAccount =
        #"{"account":"x","epoch":"y","time":"2026-01-01T00:00:00Z","changes":[],"cursor":"z","more":false}"#

    @Test(arguments: faults.map(\.name), MergeStrategy.allCases)
    func afterAFaultAtAnyRequestAllIsEqualAndNothingIsNew(name: String, strategy: MergeStrategy) async throws
    {
        let note = Notes.entity(strategy: strategy)
        let fault = try #require(Self.faults.first { $0.name == name }).fault
        for number in 1...9 {
            try await withServer(count: 2, entities: note, limits: WireLimits(changes: 4, pageRecords: 4)) {
                world,
                server in
                let (a, b) = (world.devices[0], world.devices[1])
                for index in 0..<10 { try a.put(entity: note, key: "k\(index)", title: "by A") }
                try b.put(entity: note, key: "own", title: "by B")
                server.setFaults { count, _ in count == number ? fault : nil }
                for _ in 0..<2 {
                    for device in 0..<2 { _ = try? await world.sync(device) }
                }
                try b.put(entity: note, key: "k3", title: "edited by B")
                try a.delete(entity: note, key: "k4")
                for _ in 0..<2 {
                    for device in 0..<2 { _ = try? await world.sync(device) }
                }
                let requests = server.requests
                for device in 0..<2 {
                    let report = try await world.sync(device)
                    #expect(report.outcome == .synced, "\(name) at \(number)")
                    let counts = report.entities[0]
                    #expect(counts.pushed + counts.pulled + counts.conflicts + counts.rejected == 0)
                }
                #expect(server.requests == requests + 2, "a sync with nothing to do is one request")
                let exports = try world.exports(entity: note)
                #expect(exports[0] == exports[1], "\(name) at \(number)")
                #expect(exports[0].count == 11)
                #expect(try a.title(entity: note, key: "k3") == "edited by B")
                #expect(try b.title(entity: note, key: "k4") == nil)
            }
        }
    }

    @Test(arguments: ["captive portal", "other JSON", "cut off", "half a record", "redirect", "nothing"])
    func anAnswerThatIsNoneMovesNoCursorAndInfersNoDelete(name: String) async throws {
        let note = Notes.entity(strategy: .preserveLocal)
        let fault = try #require(Self.faults.first { $0.name == name }).fault
        try await withServer(count: 1, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "k", title: "mine")
            try await world.sync(0)
            let cursor = try device.cursor()
            server.setFaults { _, _ in fault }
            let error = await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(error?.kind == .unreachable)
            #expect(error?.retry == .later)
            #expect(try device.cursor() == cursor)
            #expect(try device.title(entity: note, key: "k") == "mine")
            #expect(try device.state(entity: note, key: "k") == .synced)
        }
    }

    @Test func anotherAccountsAnswerInTheMiddleOfASyncIsNotBelieved() async throws {
        let note = Notes.entity(strategy: .preserveLocal)
        for number in 2...5 {
            try await withServer(count: 2, entities: note, limits: WireLimits(changes: 4, pageRecords: 4)) {
                world,
                server in
                let device = world.devices[1]
                for index in 0..<10 {
                    try world.devices[0].put(entity: note, key: "k\(index)", title: "by A")
                }
                try await world.sync(0)
                try device.put(entity: note, key: "own", title: "by B")
                let other = LoopbackFault.answer(Self.page(type: "application/json", text: Self.otherAccount))
                server.setFaults { count, _ in count == number ? other : nil }
                do {
                    try await world.sync(1)
                    // The fourth is the push: an answer without its result is no answer, and asked for again.
                    #expect(server.requests < number || number == 4, "the answer never came")
                } catch let error as SyncError {
                    #expect(error.kind == .wrongRemote, "at \(number): \(error)")
                }
                server.setFaults(nil)
                try await world.converge()
                #expect(try world.exports(entity: note)[0] == world.exports(entity: note)[1])
                #expect(try device.export(entity: note).count == 11)
            }
        }
    }

    @Test func aRefusedTokenStopsTheSyncAndKeepsTheEdit() async throws {
        let note = Notes.entity(strategy: .preserveLocal)
        try await withServer(count: 1, entities: note) { world, server in
            try world.devices[0].put(entity: note, key: "k", title: "mine")
            let refusal = HTTPResponse.error(WireError(code: .unauthorized, detail: "No."))
            server.setFaults { _, _ in .answer(refusal) }
            let error = await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(error?.kind == .notPermitted)
            #expect(server.requests == 1, "nothing else is tried with a token that is refused")
            #expect(try world.devices[0].state(entity: note, key: "k") == .pending)
        }
    }

    /// A record that a proxy or a bug of the server answers with 503 whenever it is sent.
    @Test func aRefusalDressedAsAFailureIsSetAsideAndBlocksNobody() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 2, entities: note) { world, server in
            for index in 0..<20 {
                try world.devices[0].put(entity: note, key: "k\(index)", title: "title \(index)")
            }
            server.setFaults { _, request in
                let isPoisoned = String(decoding: request.body, as: UTF8.self).contains(#""title 13""#)
                return isPoisoned ? .answer(HTTPResponse(status: 503)) : nil
            }
            let report = try await world.sync(0)
            #expect(report.outcome == .partial)
            #expect(report.entities[0].pushed == 19)
            #expect(report.entities[0].rejected == 1)
            #expect(try world.devices[0].state(entity: note, key: "k13") == .rejected)
            #expect(try world.devices[0].title(entity: note, key: "k13") == "title 13")
            #expect(server.requests < 60, "attempts are bounded")
            try await world.sync(1)
            #expect(try world.devices[1].export(entity: note).count == 19)
            // An edit is another try.
            try world.devices[0].put(entity: note, key: "k13", title: "harmless")
            #expect(try await world.sync(0).outcome == .synced)
            try await world.sync(1)
            #expect(try world.devices[1].title(entity: note, key: "k13") == "harmless")
        }
    }

    @Test func aRefusedRecordIsSentAgainOrGivenUpOnlyAsAPersonSays() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 2, entities: note) { world, server in
            let device = world.devices[0]
            try device.put(entity: note, key: "known", title: "agreed")
            try await world.sync(0)
            try device.put(entity: note, key: "known", title: "poison")
            try device.put(entity: note, key: "fresh", title: "poison")
            try device.put(entity: note, key: "again", title: "poison")
            try device.put(entity: note, key: "fine", title: "which shows that the server takes others")
            server.setFaults { _, request in
                let isPoisoned = String(decoding: request.body, as: UTF8.self).contains("poison")
                return isPoisoned ? .answer(HTTPResponse(status: 503)) : nil
            }
            try await world.sync(0)
            #expect(try device.store.read { try $0.rejections() }.count == 3)
            for key in ["known", "fresh"] { try device.writer.discard(entity: note, key: RecordKey(key)) }
            #expect(try device.title(entity: note, key: "known") == "agreed")
            #expect(try device.local(entity: note, key: "fresh") == nil)
            let lost = try device.journal().map(\.lost.key.text)
            #expect(Set(lost) == ["known", "fresh"], "what is given up can be brought back")
            server.setFaults(nil)
            #expect(try await world.sync(0).entities[0].rejected == 1, "it is not tried again by itself")
            try device.writer.retry(entity: note, key: RecordKey("again"))
            let report = try await world.sync(0)
            #expect(report.outcome == .synced)
            #expect(report.entities[0].pushed == 1)
            let entry = try #require(try device.journal().first { $0.lost.key.text == "fresh" })
            _ = try device.writer.restore(journal: entry.id)
            try await world.converge()
            #expect(try world.devices[1].title(entity: note, key: "fresh") == "poison")
            #expect(throws: SyncError.self) { try device.writer.retry(entity: note, key: RecordKey("known")) }
            #expect(throws: SyncError.self) {
                try device.writer.discard(entity: note, key: RecordKey("known"))
            }
        }
    }

    @Test func anAnswerToAnotherPushAcknowledgesNothing() async throws {
        let note = Notes.entity(strategy: .preserveLocal)
        for number in 2...6 {
            try await withServer(count: 2, entities: note, limits: WireLimits(changes: 4)) { world, server in
                for index in 0..<12 {
                    try world.devices[0].put(entity: note, key: "k\(index)", title: "by A")
                }
                server.setFaults { count, request in
                    let isPush = String(decoding: request.body, as: UTF8.self).contains(#""batch""#)
                    return isPush && count == number ? .answerBefore : nil
                }
                try await world.sync(0)
                server.setFaults(nil)
                try await world.converge()
                #expect(try world.devices[1].export(entity: note).count == 12, "at \(number)")
            }
        }
    }

    @Test func aServerThatCannotStoreForNowRejectsNothing() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 1, entities: note) { world, server in
            for key in ["k1", "k2", "k3"] { try world.devices[0].put(entity: note, key: key, title: "mine") }
            let full = HTTPResponse(status: 503, headers: [HTTPHeader(name: "Retry-After", value: "60")])
            server.setFaults { _, request in
                String(decoding: request.body, as: UTF8.self).contains("mine") ? .answer(full) : nil
            }
            let error = await #expect(throws: SyncError.self) { try await world.sync(0) }
            #expect(error?.kind == .unreachable)
            #expect(error?.retryAfterSeconds == 60)
            for key in ["k1", "k2", "k3"] {
                #expect(try world.devices[0].state(entity: note, key: key) == .pending)
            }
            server.setFaults(nil)
            #expect(try await world.sync(0).entities[0].pushed == 3)
        }
    }

    @Test func aServerThatIsDownRejectsNothing() async throws {
        let note = Notes.entity(strategy: .lastWriteWins)
        try await withServer(count: 1, entities: note) { world, server in
            try world.devices[0].put(entity: note, key: "k", title: "mine")
            for fault in [LoopbackFault.answer(HTTPResponse(status: 503)), .unreachable, .timeOut] {
                // The first request passes, so that it is the push that fails.
                server.setFaults { count, _ in count == 1 ? nil : fault }
                let error = await #expect(throws: SyncError.self) { try await world.sync(0) }
                #expect(error?.kind == .unreachable)
                #expect(try world.devices[0].state(entity: note, key: "k") == .pending)
            }
        }
    }
}
