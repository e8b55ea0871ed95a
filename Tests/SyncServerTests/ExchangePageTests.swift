import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite(.everyLogStore) struct ExchangePageTests {
    @Test(arguments: [1, 2, 3, 100]) func equalStampsOverPageBordersAreAllGivenOnce(limit: Int) async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let keys = (0..<7).map { "k\($0)" }
        let changes = keys.map { key in Change.note(key: key).with { $0.time = 5 } } + [.tag(key: "t")]
        try await one.exchange(changes: changes)
        #expect(
            try await Client(bench: bench, device: 2).pull(limit: limit) == keys.map { "note/\($0)" } + [
                "tag/t"
            ]
        )
    }

    @Test(.ofStores) func aRecordThatIsEditedWhilePagingComesLaterAndNothingIsSkipped() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        let reply = try await one.exchange(changes: .note(key: "a"), .note(key: "b"), .note(key: "c"))
        var given = try await two.exchange(limit: 1).page
        let vector = "0000000000000001:9"
        let base = reply.revision
        let edited = Change.note(key: "a", title: "new", base: base).with {
            $0.vector = vector
            $0.sequence = 9
        }
        try await one.exchange(changes: edited)
        given += try await two.pull(limit: 1)
        #expect(given == ["note/a", "note/b", "note/c", "note/a"])
    }

    @Test func aFullStateIsMarkedOnAllOfItsPages() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench, device: 1).exchange(
            changes: .note(key: "a"),
            .note(key: "b"),
            .note(key: "c")
        )
        let two = Client(bench: bench, device: 2)
        var pages: [String] = []
        for _ in 0..<4 {
            let answer = try #require(try await two.exchange(limit: 1).answer)
            pages.append("\(answer.isSnapshot) \(answer.hasMore) \(answer.changes.count)")
        }
        #expect(pages == ["true true 1", "true true 1", "true false 1", "false false 0"])
    }

    @Test func aFullStateHoldsTombstonesThatAreStillKept() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let base = try await one.exchange(changes: .note(key: "a"), .note(key: "b")).revision
        try await one.exchange(
            changes: Change.note(key: "a", base: base).tombstone.with { $0.vector = "0000000000000001:9" }
        )
        #expect(try await Client(bench: bench, device: 2).pull() == ["note/b", "-note/a"])
    }

    @Test(.ofStores) func aPageEndsAtItsSizeAndOneRecordMayBeLarger() async throws {
        let bench = try ExchangeBench(limits: WireLimits(pageBytes: 1000))
        let sizes = [3000, 300, 300, 300, 3000]
        for (index, size) in sizes.enumerated() {
            let client = Client(bench: bench, device: UInt64(index + 1))
            try await client.exchange(
                changes: .note(key: "\(index)", title: String(repeating: "x", count: size))
            )
        }
        let two = Client(bench: bench, device: 99)
        var counts: [Int] = []
        repeat {
            counts.append(try await two.exchange().page.count)
        } while counts.reduce(0, +) < sizes.count
            && counts.count < 9
        #expect(counts == [1, 2, 1, 1])
    }

    @Test(.ofStores) func aHugeLimitIsHeldToTheServersOwn() async throws {
        let bench = try ExchangeBench(limits: WireLimits(pageRecords: 2))
        try await Client(bench: bench).exchange(changes: .note(key: "a"), .note(key: "b"), .note(key: "c"))
        let two = Client(bench: bench, device: 2)
        #expect(try await two.exchange(limit: .max).page.count == 2)
        let text = #"{"device":"0000000000000002","entities":["note"],"limit":99999999999999999999999}"#
        #expect(try await two.send(Array(text.utf8)).page.count == 2)
    }

    @Test func pushAndPullGoInOneTrip() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        try await one.exchange(changes: .note(key: "a"))
        let reply = try await two.exchange(changes: .note(key: "b"))
        #expect(reply.results == ["accepted"])
        #expect(reply.page == ["note/a"])
        #expect(try await two.pull() == [])
        #expect(try await one.pull() == ["note/b"])
    }

    @Test func aNewlyKnownEntityComesFromTheBeginningWhileOthersGoOn() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        try await one.exchange(changes: .tag(key: "t1"), .note(key: "a"), .tag(key: "t2"), .note(key: "b"))
        two.entities = ["note"]
        #expect(try await two.pull() == ["note/a", "note/b"])
        try await one.exchange(changes: .note(key: "c"), .tag(key: "t3"))
        two.entities = ["note", "tag"]
        let first = try await two.exchange(limit: 1)
        #expect(first.page == ["tag/t1"])
        #expect(first.answer?.isSnapshot == false)
        #expect(try await two.pull(limit: 1) == ["tag/t2", "note/c", "tag/t3"])
    }

    @Test(.ofStores) func anEntityThatIsLeftOutForAWhileGoesOnWhereItStood() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        try await one.exchange(changes: .tag(key: "t1"), .note(key: "a"))
        #expect(try await two.pull() == ["tag/t1", "note/a"])
        two.entities = ["note"]
        try await one.exchange(changes: .tag(key: "t2"), .note(key: "b"))
        #expect(try await two.pull() == ["note/b"])
        two.entities = ["note", "tag"]
        #expect(try await two.pull() == ["tag/t2"])
    }

    @Test func unknownAndForbiddenEntitiesAreNamedAndLeftOut() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: "a"), .tag(key: "t"))
        var account = Account.ada
        account.entities = ["note"]
        let two = Client(bench: bench, device: 2, account: account)
        two.entities = ["note", "../x", "tag", "tag", "note"]
        let reply = try await two.exchange(changes: .note(key: "b"), .tag(key: "u"))
        #expect(reply.results == ["accepted", "forbidden"])
        #expect(reply.page == ["note/a"])
        #expect(
            reply.answer?.refused == [
                RefusedEntity(entity: "../x", rule: "unknown"),
                RefusedEntity(entity: "tag", rule: "forbidden"),
            ]
        )
    }

    @Test(.ofFiles) func anIdleExchangeWritesNothing() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(changes: .note(key: "a"))
        let before = try bench.files()
        for _ in 0..<3 { #expect(try await one.exchange().status == 200) }
        #expect(try await Client(bench: bench, device: 2).pull() == ["note/a"])
        // NB: `-shm` is the WAL index in shared memory and contains no data.
        let data = try bench.files().filter { !$0.key.hasSuffix("-shm") }
        #expect(data == before.filter { !$0.key.hasSuffix("-shm") })
    }
}
