import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite struct ExchangePageTests {
    @Test(arguments: [1, 2, 3, 100]) func equalStampsOverPageBordersAreAllGivenOnce(limit: Int) throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let keys = (0..<7).map { "k\($0)" }
        let changes = keys.map { key in Change.note(key: key).with { $0.time = 5 } } + [.tag(key: "t")]
        try one.exchange(changes: changes)
        #expect(
            try Client(bench: bench, device: 2).pull(limit: limit) == keys.map { "note/\($0)" } + ["tag/t"]
        )
    }

    @Test func aRecordThatIsEditedWhilePagingComesLaterAndNothingIsSkipped() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        let reply = try one.exchange(changes: .note(key: "a"), .note(key: "b"), .note(key: "c"))
        var given = try two.exchange(limit: 1).page
        let vector = "0000000000000001:9"
        let base = reply.revision
        let edited = Change.note(key: "a", title: "new", base: base).with {
            $0.vector = vector
            $0.sequence = 9
        }
        try one.exchange(changes: edited)
        given += try two.pull(limit: 1)
        #expect(given == ["note/a", "note/b", "note/c", "note/a"])
    }

    @Test func aFullStateIsMarkedOnAllOfItsPages() throws {
        let bench = try ExchangeBench()
        try Client(bench: bench, device: 1).exchange(
            changes: .note(key: "a"),
            .note(key: "b"),
            .note(key: "c")
        )
        let two = Client(bench: bench, device: 2)
        let editTimestamps = try (0..<4).map { _ in
            let answer = try #require(try two.exchange(limit: 1).answer)
            return "\(answer.isSnapshot) \(answer.hasMore) \(answer.changes.count)"
        }
        #expect(editTimestamps == ["true true 1", "true true 1", "true false 1", "false false 0"])
    }

    @Test func aFullStateHoldsTombstonesThatAreStillKept() throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let base = try one.exchange(changes: .note(key: "a"), .note(key: "b")).revision
        try one.exchange(
            changes: Change.note(key: "a", base: base).tombstone.with { $0.vector = "0000000000000001:9" }
        )
        #expect(try Client(bench: bench, device: 2).pull() == ["note/b", "-note/a"])
    }

    @Test func aPageEndsAtItsSizeAndOneRecordMayBeLarger() throws {
        let bench = try ExchangeBench(limits: WireLimits(pageBytes: 1000))
        let sizes = [3000, 300, 300, 300, 3000]
        for (index, size) in sizes.enumerated() {
            let client = Client(bench: bench, device: UInt64(index + 1))
            try client.exchange(changes: .note(key: "\(index)", title: String(repeating: "x", count: size)))
        }
        let two = Client(bench: bench, device: 99)
        var counts: [Int] = []
        repeat {
            counts.append(try two.exchange().page.count)
        } while counts.reduce(0, +) < sizes.count
            && counts.count < 9
        #expect(counts == [1, 2, 1, 1])
    }

    @Test func aHugeLimitIsHeldToTheServersOwn() throws {
        let bench = try ExchangeBench(limits: WireLimits(pageRecords: 2))
        try Client(bench: bench).exchange(changes: .note(key: "a"), .note(key: "b"), .note(key: "c"))
        let two = Client(bench: bench, device: 2)
        #expect(try two.exchange(limit: .max).page.count == 2)
        let text = #"{"device":"0000000000000002","entities":["note"],"limit":99999999999999999999999}"#
        #expect(try two.send(Array(text.utf8)).page.count == 2)
    }

    @Test func pushAndPullGoInOneTrip() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        try one.exchange(changes: .note(key: "a"))
        let reply = try two.exchange(changes: .note(key: "b"))
        #expect(reply.results == ["accepted"])
        #expect(reply.page == ["note/a"])
        #expect(try two.pull() == [])
        #expect(try one.pull() == ["note/b"])
    }

    @Test func aNewlyKnownEntityComesFromTheBeginningWhileOthersGoOn() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        try one.exchange(changes: .tag(key: "t1"), .note(key: "a"), .tag(key: "t2"), .note(key: "b"))
        two.entities = ["note"]
        #expect(try two.pull() == ["note/a", "note/b"])
        try one.exchange(changes: .note(key: "c"), .tag(key: "t3"))
        two.entities = ["note", "tag"]
        let first = try two.exchange(limit: 1)
        #expect(first.page == ["tag/t1"])
        #expect(first.answer?.isSnapshot == false)
        #expect(try two.pull(limit: 1) == ["tag/t2", "note/c", "tag/t3"])
    }

    @Test func anEntityThatIsLeftOutForAWhileGoesOnWhereItStood() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        try one.exchange(changes: .tag(key: "t1"), .note(key: "a"))
        #expect(try two.pull() == ["tag/t1", "note/a"])
        two.entities = ["note"]
        try one.exchange(changes: .tag(key: "t2"), .note(key: "b"))
        #expect(try two.pull() == ["note/b"])
        two.entities = ["note", "tag"]
        #expect(try two.pull() == ["tag/t2"])
    }

    @Test func unknownAndForbiddenEntitiesAreNamedAndLeftOut() throws {
        let bench = try ExchangeBench()
        try Client(bench: bench).exchange(changes: .note(key: "a"), .tag(key: "t"))
        var account = Account.ada
        account.entities = ["note"]
        let two = Client(bench: bench, device: 2, account: account)
        two.entities = ["note", "../x", "tag", "tag", "note"]
        let reply = try two.exchange(changes: .note(key: "b"), .tag(key: "u"))
        #expect(reply.results == ["accepted", "forbidden"])
        #expect(reply.page == ["note/a"])
        #expect(
            reply.answer?.refused == [
                RefusedEntity(entity: "../x", rule: "unknown"),
                RefusedEntity(entity: "tag", rule: "forbidden"),
            ]
        )
    }

    @Test func anIdleExchangeWritesNothing() throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try one.exchange(changes: .note(key: "a"))
        let before = try bench.files()
        for _ in 0..<3 { #expect(try one.exchange().status == 200) }
        #expect(try Client(bench: bench, device: 2).pull() == ["note/a"])
        // NB: `-shm` is the index that readers share in memory; nothing of it is data.
        let data = try bench.files().filter { !$0.key.hasSuffix("-shm") }
        #expect(data == before.filter { !$0.key.hasSuffix("-shm") })
    }
}
