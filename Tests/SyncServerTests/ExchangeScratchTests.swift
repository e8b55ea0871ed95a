import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite(.everyLogStore) struct ExchangeScratchTests {
    private func client(bench: ExchangeBench, name: String, device: UInt64 = 1) -> Client {
        let client = Client(bench: bench, device: device)
        client.path = "/v1/scratch/\(name)/exchange"
        return client
    }

    @Test func aScratchLogTouchesNeitherTheDataNorAnotherOne() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: "a"))
        let scratch = client(bench: bench, name: "one")
        #expect(
            try await scratch.exchange(changes: .note(key: "a", title: "scratch")).results == ["accepted"]
        )
        #expect(await bench.takeTopics() == ["ada/main", "ada/scratch/one"])
        #expect(try await client(bench: bench, name: "two").pull() == [])
        #expect(try await bench.send("GET", path: "/v1/scratch/one/events").topic == "ada/scratch/one")
        #expect(
            try await bench.send("GET", path: "/v1/scratch/one/events", as: .eve).error?.code == .notFound
        )
        let mixed = client(bench: bench, name: "one", device: 2)
        mixed.cursor = try #require(try await Client(bench: bench, device: 3).exchange().answer?.cursor)
        #expect(try await mixed.exchange().error?.code == .historyChanged)
    }

    @Test func aRestartedLogHasAnotherHistoryAndNothingInIt() async throws {
        let bench = try ExchangeBench()
        let one = client(bench: bench, name: "s")
        try await one.exchange(changes: .note(key: "a"))
        _ = await bench.takeTopics()
        #expect(try await bench.send("POST", path: "/v1/scratch/s/restart").status == 204)
        #expect(await bench.takeTopics() == ["ada/scratch/s"])
        #expect(try await one.exchange().error?.code == .historyChanged)
        let again = client(bench: bench, name: "s")
        #expect(try await again.pull() == [])
        #expect(try await again.exchange(changes: .note(key: "a")).results == ["accepted"])
    }

    @Test func aRemovedLogIsGoneUntilTheNextExchange() async throws {
        let bench = try ExchangeBench()
        let one = client(bench: bench, name: "s")
        try await one.exchange(changes: .note(key: "a"))
        #expect(try await bench.send("DELETE", path: "/v1/scratch/s").status == 204)
        for (method, path) in [
            ("DELETE", "/v1/scratch/s"), ("POST", "/v1/scratch/s/purge"), ("POST", "/v1/scratch/s/restart"),
            ("GET", "/v1/scratch/s/events"),
        ] {
            #expect(try await bench.send(method, path: path).error?.code == .notFound)
            #expect(try await bench.send(method, path: path, as: .eve).error?.code == .notFound)
        }
        #expect(try await one.exchange().error?.code == .historyChanged)
        #expect(try await client(bench: bench, name: "s").pull() == [])
    }

    @Test(.ofStores) func anAccountHasEightScratchLogsAndOldOnesMakeRoom() async throws {
        let bench = try ExchangeBench()
        for number in 0..<8 {
            #expect(try await client(bench: bench, name: "s\(number)").exchange().status == 200)
        }
        #expect(try await client(bench: bench, name: "s8").exchange().error?.code == .forbidden)
        #expect(try await client(bench: bench, name: "s7").exchange().status == 200)
        bench.clock.advance(seconds: 86_401)
        #expect(try await client(bench: bench, name: "s8").exchange().status == 200)
        #expect(try await bench.send("GET", path: "/v1/scratch/s0/events").error?.code == .notFound)
        #expect(try await bench.send("GET", path: "/v1/scratch/s8/events").status == 200)
    }

    @Test func thePeriodicPurgeLeavesScratchLogsAlone() async throws {
        let bench = try ExchangeBench()
        let one = client(bench: bench, name: "s")
        let base = try await one.exchange(changes: .note(key: "a")).revision
        try await one.exchange(
            changes: Change.note(key: "a", base: base).tombstone.with { $0.vector = "0000000000000001:9" }
        )
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 0)
        #expect(try await client(bench: bench, name: "s").pull() == ["-note/a"])
        #expect(try await bench.send("POST", path: "/v1/scratch/s/purge").status == 204)
        #expect(try await client(bench: bench, name: "s").pull() == [])
    }
}
