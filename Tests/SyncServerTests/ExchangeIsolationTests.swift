import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite(.everyLogStore) struct ExchangeIsolationTests {
    @Test func aHostileAccountNeitherReadsNorWritesAnothersData() async throws {
        let bench = try ExchangeBench()
        let ada = Client(bench: bench)
        let base = try await ada.exchange(changes: .note(key: "secret", title: "ada's words")).revision
        let eve = Client(bench: bench, account: .eve)
        var seen: [Reply] = []
        seen.append(try await eve.exchange())
        // Tries to read and write by key, by guessed revision, and with Ada's device and batch.
        eve.previous = nil
        seen.append(try await eve.exchange(changes: .note(key: "secret", title: "eve's", base: base)))
        seen.append(try await eve.exchange(changes: .note(key: "secret", title: "eve's")))
        seen.append(try await eve.exchange(changes: Change.note(key: "secret", base: base).tombstone))
        // Ada's cursor and Ada's batch.
        (eve.cursor, eve.previous) = (ada.cursor, ada.previous)
        let stolen = try await eve.exchange()
        #expect(stolen.error?.code == .historyChanged)
        eve.cursor = nil
        eve.previous = "1-1"
        eve.batches = 0
        seen.append(try await eve.exchange(changes: .note(key: "other")))
        seen.append(stolen)
        for reply in seen {
            let text = String(decoding: reply.body, as: UTF8.self)
            // Cursors and histories are random digits, in which the bare name may stand.
            for secret in ["ada's", "\"ada", "\"Ada"] { #expect(!text.contains(secret), "\(text)") }
            #expect(reply.status < 500)
        }
        #expect(seen[1].results == ["conflict-nothing"])
        #expect(seen[2].results == ["accepted"], "the same key is another record in another account")
        // Ada's data is unchanged.
        let reply = try await Client(bench: bench, device: 9).exchange()
        #expect(reply.page == ["note/secret"])
        #expect(String(decoding: reply.body, as: UTF8.self).contains("ada's words"))
        #expect(try await ada.exchange().page == [])
    }

    @Test(.ofFiles) func everyAccountHasAFileOfItsOwnAndTopicsOfItsOwn() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: "a"))
        try await Client(bench: bench, account: .eve).exchange(changes: .note(key: "a"))
        let names = try bench.files().keys.filter { $0.hasSuffix(".sqlite") }.sorted()
        #expect(names == ["ada.sqlite", "eve.sqlite"])
        #expect(await bench.takeTopics() == ["ada/main", "eve/main"])
        #expect(try await bench.send("GET", path: "/v1/events").topic == "ada/main")
        #expect(try await bench.send("GET", path: "/v1/events", as: .eve).topic == "eve/main")
    }

    @Test(.ofFiles) func anotherAccountsFileIsRefusedAndLeftAsItIs() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: "a"))
        var files = try bench.files()
        for (name, data) in files {
            files[name] = nil
            files[name.replacing("ada", with: "eve")] = data
        }
        try bench.restore(files)
        let eve = Client(bench: bench, account: .eve)
        expectUnusable(try await eve.exchange(changes: .note(key: "b")).error, cause: "another account's")
        expectUnusable(try await eve.exchange().error, cause: "another account's")
        #expect(try bench.files()["eve.sqlite"] == files["eve.sqlite"])
    }

    @Test(
        .ofFiles,
        arguments: ["../ada", "a/b", "", ".", "..", "a\u{0}b", "é", String(repeating: "a", count: 200)]
    )
    func anAccountIdThatIsNoFileNameOpensNothing(id: String) async throws {
        let bench = try ExchangeBench()
        let odd = Account(id: id, name: "odd")
        #expect(
            try await Client(bench: bench, account: odd).exchange(changes: .note(key: "a")).error?.code
                == .internalError
        )
        #expect(try bench.files().isEmpty)
    }

    @Test(.ofFiles) func aFileOfANewerFormatOrAnotherProgramIsRefused() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: "a"))
        try bench.restore(try bench.files())
        let file = URL(fileURLWithPath: bench.path + "/logs/ada.sqlite")
        let good = try Data(contentsOf: file)
        // Format number and application id stand at bytes 60 and 68 of the header (sqlite.org/fileformat2.html, 1.3).
        for (offset, value, cause) in [(63, UInt8(9), "format 9"), (71, UInt8(0), "another program's")] {
            var bad = good
            bad[offset] = value
            try bad.write(to: file)
            try bench.reopen()
            expectUnusable(try await Client(bench: bench).exchange().error, cause: cause)
            #expect(try Data(contentsOf: file) == bad)
        }
        try Data("this is no database at all".utf8).write(to: file)
        try bench.reopen()
        expectUnusable(try await Client(bench: bench).exchange().error, cause: "damaged (SQLite 26)")
    }

    /// The client keeps its changes and waits. The log has the cause and the account.
    private func expectUnusable(
        _ error: WireError?,
        cause: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error?.code == .unavailable, sourceLocation: sourceLocation)
        #expect(error?.retryAfterSeconds == 300, sourceLocation: sourceLocation)
        #expect(
            error?.cause?.contains(cause) == true,
            "\(error?.cause ?? "")",
            sourceLocation: sourceLocation
        )
        let told = error.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
        #expect(!told.contains(cause), sourceLocation: sourceLocation)
    }

    @Test(.ofStores) func requestsThatAreNotTheProtocolAreRefused() async throws {
        let bench = try ExchangeBench(limits: WireLimits(requestBytes: 100_000))
        let deep =
            #"{"device":"0000000000000001","entities":[],"x":"#
            + String(repeating: "[", count: 40_000)
        for text in [
            "", "null", "[]", "{}", "{", "\u{FEFF}{}", #"{"device":"1","entities":[]}"#,
            #"{"device":"0000000000000001"}"#, #"{"device":"0000000000000001","entities":"note"}"#,
            #"{"device":"0000000000000001","entities":[],"limit":0}"#,
            #"{"device":"0000000000000001","entities":[],"limit":-1}"#,
            #"{"device":"0000000000000001","entities":[],"changes":[{"entity":"note","key":"a","mark":"1.0000000000000001.1","body":{}}]}"#,
            deep,
        ] {
            let reply = try await bench.send("POST", path: "/v1/exchange", body: Array(text.utf8))
            #expect(reply.error?.code == .malformed, "\(text.prefix(120))")
        }
        let long = [UInt8](repeating: 0x20, count: 100_001)
        #expect(try await bench.send("POST", path: "/v1/exchange", body: long).error?.code == .tooLarge)
        for header in [
            HTTPHeader(name: "content-type", value: "text/plain"),
            HTTPHeader(name: "Content-Encoding", value: "gzip"),
        ] {
            let reply = try await bench.send(
                "POST",
                path: "/v1/exchange",
                body: Client(bench: bench).request([]),
                headers: [header]
            )
            #expect(reply.error?.code == .unsupportedMediaType)
        }
        let media = HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")
        let body = Client(bench: bench).request([])
        #expect(
            try await bench.send("POST", path: "/v1/exchange", body: body, headers: [media]).status == 200
        )
    }

    @Test(.ofFiles) func pathsThatDoNotExistAreNotFound() async throws {
        let bench = try ExchangeBench()
        for path in [
            "/", "/v1", "/v1/", "/v1/exchange/", "/v1/exchange/x", "/v1/scratch", "/v1/scratch/",
            "/v1/scratch/../exchange", "/v1/scratch/%2e%2e/exchange", "/v1/scratch/UPPER/exchange",
            "/v1/scratch/a_b/exchange", "/v1/scratch/a/b/exchange", "/v1/scratch/é/exchange", "/v2/exchange",
            "/v1/scratch/" + String(repeating: "a", count: 65) + "/exchange",
        ] {
            #expect(try await bench.send("POST", path: path).error?.code == .notFound, "\(path)")
        }
        #expect(try await bench.send("GET", path: "/v1/exchange").error?.code == .methodNotAllowed)
        #expect(try await bench.send("POST", path: "/v1/events").error?.code == .methodNotAllowed)
        #expect(try await bench.send("GET", path: "/v1/scratch/a").error?.code == .methodNotAllowed)
        #expect(try bench.files().isEmpty, "none of it made a file")
    }

    @Test func hugeVectorsAreComparedInOneWalk() async throws {
        let bench = try ExchangeBench()
        let vector = (1...10_000).map { "\(DeviceID(bits: UInt64($0))):7" }.joined(separator: ",")
        let one = Client(bench: bench)
        let base = try await one.exchange(changes: .note(key: "a").with { $0.vector = vector }).revision
        let reply = try await one.exchange(
            changes: .note(key: "a", title: "b", base: base).with { $0.vector = vector.reversedPairs }
        )
        #expect(reply.results == ["accepted"])
        #expect(VersionVector(vector.reversedPairs) == VersionVector(vector))
        #expect(VersionVector("00000000000000aa:4,00000000000000aa:9,00000000000000aa:2")?.entries.count == 1)
        #expect(VersionVector("00000000000000aa:4,00000000000000aa:9")?[DeviceID(bits: 0xaa)] == 9)
    }
}

extension String {
    fileprivate var reversedPairs: String { split(separator: ",").reversed().joined(separator: ",") }
}
