import Foundation
import SyncChecks
import SyncCore
import SyncSQLite
import SyncServer
import SyncWire
import Testing

/// Devices at the end of the log send fingerprints, and learn in which entities another device differs.
@Suite(.everyLogStore) struct ExchangeFingerprintTests {
    private let one = Digest(Array("one".utf8))
    private let other = Digest(Array("other".utf8))

    /// Two devices at the end of a log.
    private func pair() async throws -> (ExchangeBench, Client, Client) {
        let bench = try ExchangeBench()
        let (ada, bob) = (Client(bench: bench), Client(bench: bench, device: 2))
        try await ada.exchange(changes: .note(key: "a"), .tag(key: "t"))
        for client in [ada, bob] { _ = try await client.pull() }
        return (bench, ada, bob)
    }

    /// The answer to a request with fingerprints.
    @discardableResult
    private func tell(_ client: Client, records: [String: Digest]?) async throws -> [String]? {
        let reply = try await client.send(client.request([], records: records))
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

    @Test func whoHasSeenTheSameAndShowsSomethingElseIsTold() async throws {
        let (_, ada, bob) = try await pair()
        #expect(try await tell(ada, records: ["note 1": one, "tag 1": one]) == [])
        #expect(try await tell(bob, records: ["note 1": other, "tag 1": one]) == ["note"])
        for _ in 0..<3 {
            #expect(try await tell(ada, records: nil) == ["note"])
            #expect(try await tell(bob, records: nil) == ["note"])
        }
        #expect(try await tell(bob, records: ["note 1": one, "tag 1": other]) == ["tag"])
        #expect(try await tell(ada, records: nil) == ["tag"])
        #expect(try await tell(bob, records: ["note 1": one, "tag 1": one]) == [])
        #expect(try await tell(ada, records: nil) == [])
    }

    @Test func whatOneTellsOfAnotherSchemaOrNotAtAllIsNotCompared() async throws {
        let (_, ada, bob) = try await pair()
        try await tell(ada, records: ["note 1": one, "tag 1": one])
        #expect(try await tell(bob, records: ["note 2": other]) == [])
        #expect(try await tell(bob, records: nil) == [])
        #expect(try await tell(bob, records: [:]) == [])
        #expect(try await tell(ada, records: nil) == [])
    }

    @Test func whoToldNothingIsToldNothing() async throws {
        let (bench, ada, bob) = try await pair()
        try await tell(ada, records: ["note 1": one])
        try await tell(bob, records: ["note 1": other])
        let late = Client(bench: bench, device: 3)
        _ = try await late.pull()
        #expect(try await tell(late, records: nil) == [])
        #expect(try await late.exchange().answer?.differing == [])
    }

    @Test(.ofFiles) func aChangeBringsItToAnEndUntilBothHaveSeenIt() async throws {
        let (bench, ada, bob) = try await pair()
        try await tell(ada, records: ["note 1": one])
        try await tell(bob, records: ["note 1": other])
        try await ada.exchange(changes: .note(key: "b"))
        #expect(try await tell(ada, records: nil) == [])
        #expect(try await tell(bob, records: ["note 1": other]) == [], "what is behind the log is not kept")
        #expect(try rows(bench: bench).allSatisfy { $0.contains(" 2-") })
        _ = try await bob.pull()
        #expect(try await tell(bob, records: ["note 1": other]) == [])
        #expect(try await tell(ada, records: nil) == [])
        #expect(try await tell(ada, records: ["note 1": one]) == ["note"])
        #expect(try await tell(bob, records: nil) == ["note"])
    }

    @Test func aPushIsNotCompared() async throws {
        let (_, ada, bob) = try await pair()
        try await tell(ada, records: ["note 1": one])
        let reply = try await bob.send(bob.request([.note(key: "b")], records: ["note 1": other]))
        #expect(reply.results == ["accepted"] && reply.answer?.differing == [])
    }

    @Test(.ofFiles) func whatIsToldAgainIsNotWrittenAgainAndThenAnsweredWithoutTheFile() async throws {
        let (bench, ada, bob) = try await pair()
        try await tell(ada, records: ["note 1": one])
        try await tell(bob, records: ["note 1": other])
        let before = try bench.files().filter { !$0.key.hasSuffix("-shm") }
        for _ in 0..<3 {
            try await tell(ada, records: ["note 1": one])
            for client in [ada, bob] { #expect(try await tell(client, records: nil) == ["note"]) }
        }
        #expect(try bench.files().filter { !$0.key.hasSuffix("-shm") } == before)
        let file = bench.path + "/logs/ada.sqlite"
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        for client in [ada, bob] { #expect(try await tell(client, records: nil) == ["note"]) }
    }

    @Test(.ofStores) func aDeviceThatWasLongGoneIsNotComparedWith() async throws {
        let (bench, ada, bob) = try await pair()
        try await tell(bob, records: ["note 1": other])
        bench.clock.advance(seconds: 20 * 86_400)
        #expect(try await tell(ada, records: ["note 1": one]) == ["note"])
        bench.clock.advance(seconds: 11 * 86_400)
        #expect(try await tell(ada, records: nil) == [], "from memory")
        try bench.reopen()
        #expect(try await tell(ada, records: nil) == [], "from the file")
        #expect(try await tell(bob, records: nil) == ["note"], "Ada told eleven days ago")
    }

    @Test(.ofFiles) func aRequestWithTooManyOrStrangeFingerprintsIsMalformed() async throws {
        let (bench, ada, _) = try await pair()
        func send(_ records: [String: Digest]) async throws -> WireError.Code? {
            try await bench.unheld(body: ada.request([], records: records))?.code
        }
        let many = (0..<257).map { ("e\($0) 1", one) }
        #expect(try await send(Dictionary(uniqueKeysWithValues: many)) == .malformed)
        #expect(try await send(Dictionary(uniqueKeysWithValues: many.dropLast())) == nil)
        #expect(try await send([String(repeating: "e", count: 1025): one]) == .malformed)
        #expect(try await send(["two\nlines": one]) == .malformed)
        #expect(try await send(["": one]) == .malformed)
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

    @Test(.ofFiles) func onlyEntitiesThatTheAccountExchangesAreCompared() async throws {
        let bench = try ExchangeBench()
        let account = Account(id: "ada", name: "Ada", entities: ["tag"])
        let (ada, bob) = (
            Client(bench: bench, account: account), Client(bench: bench, device: 2, account: account)
        )
        try await ada.exchange(changes: .tag(key: "t"))
        for client in [ada, bob] { _ = try await client.pull() }
        try await tell(ada, records: ["note 1": one, "tag 1": one])
        #expect(try await tell(bob, records: ["note 1": other, "tag 1": one]) == [])
        #expect(try rows(bench: bench).allSatisfy { !$0.contains("note") })
    }

    @Test(.ofFiles) func onlyThoseThatToldLastAreKept() async throws {
        let (bench, _, _) = try await pair()
        for device in 1...70 {
            let client = Client(bench: bench, device: UInt64(device))
            _ = try await client.pull()
            bench.clock.advance(seconds: 1)
            try await tell(client, records: ["note 1": one])
        }
        let kept = try rows(bench: bench)
        #expect(kept.count == 64 && kept[0].hasPrefix("0000000000000007 "))
    }

    @Test(.ofFiles) func aLogThatBeginsAnewHasNone() async throws {
        let bench = try ExchangeBench()
        let client = Client(bench: bench)
        client.path = "/v1/scratch/a/exchange"
        try await client.exchange(changes: .note(key: "a"))
        _ = try await client.pull()
        try await tell(client, records: ["note 1": one])
        #expect(try rows(bench: bench).count == 1)
        #expect(try await bench.send("POST", path: "/v1/scratch/a/restart").status == 204)
        #expect(try rows(bench: bench).isEmpty)
    }

    @Test(.ofFiles) func aFileThatAnOlderServerMadeGetsATableWithTheFirstFingerprints() async throws {
        let (bench, ada, bob) = try await pair()
        try bench.restore(try bench.files())
        let file = try Connection.open(path: bench.path + "/logs/ada.sqlite", flags: .readWrite)
        try file.execute("DROP TABLE fingerprint")
        file.close()
        #expect(try await tell(ada, records: nil) == [])
        #expect(try await tell(ada, records: ["note 1": one]) == [])
        #expect(try await tell(bob, records: ["note 1": other]) == ["note"])
        #expect(try rows(bench: bench).count == 2)
    }
}
