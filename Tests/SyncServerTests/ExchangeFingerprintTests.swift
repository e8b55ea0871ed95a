import Foundation
import SyncChecks
import SyncCore
import SyncSQLite
import SyncServer
import SyncWire
import Testing

/// Devices at the end of the log say what they show, and are told where another one shows something else.
@Suite struct ExchangeFingerprintTests {
    private let one = Digest(Array("one".utf8))
    private let other = Digest(Array("other".utf8))

    /// Two devices at the end of a log.
    private func pair() throws -> (ExchangeBench, Client, Client) {
        let bench = try ExchangeBench()
        let (ada, bob) = (Client(bench: bench), Client(bench: bench, device: 2))
        try ada.exchange(changes: .note(key: "a"), .tag(key: "t"))
        for client in [ada, bob] { _ = try client.pull() }
        return (bench, ada, bob)
    }

    /// What the answer to a request says that tells fingerprints.
    @discardableResult
    private func tell(_ client: Client, records: [String: Digest]?) throws -> [String]? {
        let reply = try client.send(client.request([], records: records))
        return reply.answer?.differing
    }

    /// The rows of the file, while a handler has it open.
    private func rows(bench: ExchangeBench) throws -> [String] {
        let file = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readOnly)
        defer { file.close() }
        return try file.texts(
            sql: "SELECT device || ' ' || position || ' ' || records FROM fingerprint ORDER BY device"
        )
    }

    @Test func whoHasSeenTheSameAndShowsSomethingElseIsTold() throws {
        let (_, ada, bob) = try pair()
        #expect(try tell(ada, records: ["note 1": one, "tag 1": one]) == [])
        #expect(try tell(bob, records: ["note 1": other, "tag 1": one]) == ["note"])
        for _ in 0..<3 {
            #expect(try tell(ada, records: nil) == ["note"])
            #expect(try tell(bob, records: nil) == ["note"])
        }
        #expect(try tell(bob, records: ["note 1": one, "tag 1": other]) == ["tag"])
        #expect(try tell(ada, records: nil) == ["tag"])
        #expect(try tell(bob, records: ["note 1": one, "tag 1": one]) == [])
        #expect(try tell(ada, records: nil) == [])
    }

    @Test func whatOneTellsOfAnotherSchemaOrNotAtAllIsNotCompared() throws {
        let (_, ada, bob) = try pair()
        try tell(ada, records: ["note 1": one, "tag 1": one])
        #expect(try tell(bob, records: ["note 2": other]) == [])
        #expect(try tell(bob, records: nil) == [])
        #expect(try tell(bob, records: [:]) == [])
        #expect(try tell(ada, records: nil) == [])
    }

    @Test func whoToldNothingIsToldNothing() throws {
        let (bench, ada, bob) = try pair()
        try tell(ada, records: ["note 1": one])
        try tell(bob, records: ["note 1": other])
        let late = Client(bench: bench, device: 3)
        _ = try late.pull()
        #expect(try tell(late, records: nil) == [])
        #expect(try late.exchange().answer?.differing == [])
    }

    @Test func aChangeBringsItToAnEndUntilBothHaveSeenIt() throws {
        let (bench, ada, bob) = try pair()
        try tell(ada, records: ["note 1": one])
        try tell(bob, records: ["note 1": other])
        try ada.exchange(changes: .note(key: "b"))
        #expect(try tell(ada, records: nil) == [])
        #expect(try tell(bob, records: ["note 1": other]) == [], "what is behind the log is not kept")
        #expect(try rows(bench: bench).allSatisfy { $0.contains(" 2-") })
        _ = try bob.pull()
        #expect(try tell(bob, records: ["note 1": other]) == [])
        #expect(try tell(ada, records: nil) == [])
        #expect(try tell(ada, records: ["note 1": one]) == ["note"])
        #expect(try tell(bob, records: nil) == ["note"])
    }

    @Test func aPushIsNotCompared() throws {
        let (_, ada, bob) = try pair()
        try tell(ada, records: ["note 1": one])
        let reply = try bob.send(bob.request([.note(key: "b")], records: ["note 1": other]))
        #expect(reply.results == ["accepted"] && reply.answer?.differing == [])
    }

    @Test func whatIsToldAgainIsNotWrittenAgainAndThenAnsweredWithoutTheFile() throws {
        let (bench, ada, bob) = try pair()
        try tell(ada, records: ["note 1": one])
        try tell(bob, records: ["note 1": other])
        let before = try bench.files().filter { !$0.key.hasSuffix("-shm") }
        for _ in 0..<3 {
            try tell(ada, records: ["note 1": one])
            for client in [ada, bob] { #expect(try tell(client, records: nil) == ["note"]) }
        }
        #expect(try bench.files().filter { !$0.key.hasSuffix("-shm") } == before)
        let file = bench.path + "/logs/ada.sqlite"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        for client in [ada, bob] { #expect(try tell(client, records: nil) == ["note"]) }
    }

    @Test func aDeviceThatWasLongGoneIsNotComparedWith() throws {
        let (bench, ada, bob) = try pair()
        try tell(bob, records: ["note 1": other])
        bench.clock.advance(seconds: 20 * 86_400)
        #expect(try tell(ada, records: ["note 1": one]) == ["note"])
        bench.clock.advance(seconds: 11 * 86_400)
        #expect(try tell(ada, records: nil) == [], "from memory")
        try bench.reopen()
        #expect(try tell(ada, records: nil) == [], "from the file")
        #expect(try tell(bob, records: nil) == ["note"], "Ada told eleven days ago")
    }

    @Test func aRequestWithTooManyOrStrangeFingerprintsIsMalformed() throws {
        let (bench, ada, _) = try pair()
        func send(_ records: [String: Digest]) throws -> WireError.Code? {
            try bench.unheld(body: ada.request([], records: records))?.code
        }
        let many = (0..<257).map { ("e\($0) 1", one) }
        #expect(try send(Dictionary(uniqueKeysWithValues: many)) == .malformed)
        #expect(try send(Dictionary(uniqueKeysWithValues: many.dropLast())) == nil)
        #expect(try send([String(repeating: "e", count: 1025): one]) == .malformed)
        #expect(try send(["two\nlines": one]) == .malformed)
        #expect(try send(["": one]) == .malformed)
        #expect(
            try rows(bench: bench) == ["0000000000000001 \(try position(bench: bench)) "],
            "none is of an entity"
        )
    }

    private func position(bench: ExchangeBench) throws -> String {
        let file = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readOnly)
        defer { file.close() }
        return try file.texts(sql: "SELECT '2-' || tag FROM run")[0]
    }

    @Test func onlyEntitiesThatTheAccountExchangesAreCompared() throws {
        let bench = try ExchangeBench()
        let account = Account(id: "ada", name: "Ada", entities: ["tag"])
        let (ada, bob) = (
            Client(bench: bench, account: account), Client(bench: bench, device: 2, account: account)
        )
        try ada.exchange(changes: .tag(key: "t"))
        for client in [ada, bob] { _ = try client.pull() }
        try tell(ada, records: ["note 1": one, "tag 1": one])
        #expect(try tell(bob, records: ["note 1": other, "tag 1": one]) == [])
        #expect(try rows(bench: bench).allSatisfy { !$0.contains("note") })
    }

    @Test func onlyThoseThatToldLastAreKept() throws {
        let (bench, _, _) = try pair()
        for device in 1...70 {
            let client = Client(bench: bench, device: UInt64(device))
            _ = try client.pull()
            bench.clock.advance(seconds: 1)
            try tell(client, records: ["note 1": one])
        }
        let kept = try rows(bench: bench)
        #expect(kept.count == 64 && kept[0].hasPrefix("0000000000000007 "))
    }

    @Test func aLogThatBeginsAnewHasNone() throws {
        let bench = try ExchangeBench()
        let client = Client(bench: bench)
        client.path = "/v1/scratch/a/exchange"
        try client.exchange(changes: .note(key: "a"))
        _ = try client.pull()
        try tell(client, records: ["note 1": one])
        #expect(try rows(bench: bench).count == 1)
        #expect(try bench.send("POST", path: "/v1/scratch/a/restart").status == 204)
        #expect(try rows(bench: bench).isEmpty)
    }

    @Test func aFileThatAnOlderServerMadeGetsATableWithTheFirstFingerprints() throws {
        let (bench, ada, bob) = try pair()
        try bench.restore(try bench.files())
        let file = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readWrite)
        try file.execute("DROP TABLE fingerprint")
        file.close()
        #expect(try tell(ada, records: nil) == [])
        #expect(try tell(ada, records: ["note 1": one]) == [])
        #expect(try tell(bob, records: ["note 1": other]) == ["note"])
        #expect(try rows(bench: bench).count == 2)
    }
}
