import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite struct ExchangeHistoryTests {
    @Test func aRestoredBackupIsNoticedAndPlacesBeforeItStayGood() throws {
        let bench = try ExchangeBench()
        let (one, early, late) = (Client(bench), Client(bench, device: 2), Client(bench, device: 3))
        try one.exchange(.note("a"), .note("b"))
        #expect(try early.pull() == ["note/a", "note/b"])
        let backup = try bench.files()
        try one.exchange(.note("c"), .note("d"))
        #expect(try late.pull().count == 4)
        try bench.restore(backup)
        #expect(try late.exchange().problem?.code == .historyChanged)
        #expect(try one.exchange(.note("e")).problem?.code == .historyChanged)
        // New writes go past the old position: the same numbers, in another run.
        let other = Client(bench, device: 4)
        try other.exchange(.note("x"), .note("y"), .note("z"))
        #expect(try late.exchange().problem?.code == .historyChanged)
        #expect(try early.pull() == ["note/x", "note/y", "note/z"])
    }

    @Test func aRevisionOfALostHistoryIsNoBaseInTheNewOne() throws {
        let bench = try ExchangeBench()
        let one = Client(bench)
        try one.exchange(.note("a"))
        let backup = try bench.files()
        let lost = try one.exchange(.note("b", "lost")).revision
        try bench.restore(backup)
        let found = try Client(bench, device: 2).exchange(.note("b", "found")).revision
        #expect(found?.number == lost?.number)
        one.cursor = nil
        one.previous = "1-1"
        let vector = "0000000000000001:9,0000000000000002:9"
        #expect(try one.exchange(.note("b", base: lost).with { $0.vector = vector }).results == ["conflict"])
    }

    @Test func aBackupDuringAFullStateIsNoticedByItsReader() throws {
        let bench = try ExchangeBench()
        let one = Client(bench)
        try one.exchange(.note("a"), .note("b"))
        let backup = try bench.files()
        try one.exchange(.note("c"), .note("d"))
        let reader = Client(bench, device: 2)
        #expect(try reader.exchange(limit: 1).page == ["note/a"])
        try bench.restore(backup)
        try Client(bench, device: 3).exchange(.note("x"), .note("y"), .note("z"))
        #expect(try reader.exchange(limit: 1).problem?.code == .historyChanged)
    }

    /// The writer's place is before the backup, and its change after it: it must not go on as if that were stored.
    @Test func aBackupThatLostAnAcknowledgedChangeIsNoticedByItsWriter() throws {
        let bench = try ExchangeBench()
        try Client(bench).exchange(.note("a"), .note("b"), .note("c"))
        let writer = Client(bench, device: 2)
        _ = try writer.exchange(limit: 1)
        let backup = try bench.files()
        #expect(try writer.exchange([.note("lost")], limit: 1).results == ["accepted"])
        try bench.restore(backup)
        try Client(bench, device: 3).exchange(.note("x"), .note("y"))
        #expect(try writer.exchange(limit: 1).problem?.code == .historyChanged)
    }

    @Test func aRestartOfTheServerChangesNoHistory() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench), Client(bench, device: 2))
        try one.exchange(.note("a"), .note("b"))
        _ = try two.exchange(limit: 1)
        let epoch = try one.exchange().answer?.epoch
        for _ in 0..<3 {
            try bench.reopen()
            try one.exchange(.note("n\(one.sequence)"))
        }
        #expect(try two.pull(limit: 1) == ["note/b", "note/n2", "note/n3", "note/n4"])
        #expect(try one.exchange().answer?.epoch == epoch)
    }

    @Test func aPurgedTombstoneExpiresThoseWhoNeededIt() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench), Client(bench, device: 2))
        let base = try one.exchange(.note("a"), .note("b")).revision
        #expect(try two.pull() == ["note/a", "note/b"])
        try one.exchange(Change.note("a", base: base).tombstone.with { $0.vector = "0000000000000001:9" })
        bench.clock.advance(seconds: 179 * 86_400)
        #expect(try bench.handler.purgeTombstones() == 0)
        bench.clock.advance(seconds: 86_400)
        #expect(try bench.handler.purgeTombstones() == 1)
        #expect(try two.exchange().problem?.code == .cursorExpired)
        #expect(try one.exchange().status == 200, "who was given the tombstone goes on")
        #expect(try Client(bench, device: 3).pull() == ["note/b"])
        two.cursor = nil
        #expect(try two.pull() == ["note/b"])
        // An edit of what was deleted and forgotten is no create.
        #expect(try two.exchange(.note("a", base: base)).results == ["conflict-nothing"])
    }

    @Test func aHistoryThatChangedIsToldBeforeAPlaceThatExpired() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench), Client(bench, device: 2))
        one.path = "/v1/scratch/s/exchange"
        two.path = one.path
        let base = try one.exchange(.note("a")).revision
        try two.exchange()
        try one.exchange(Change.note("a", base: base).tombstone.with { $0.vector = "0000000000000001:9" })
        #expect(try bench.send("POST", "/v1/scratch/s/purge").status == 204)
        #expect(try two.exchange().problem?.code == .cursorExpired)
        #expect(try bench.send("POST", "/v1/scratch/s/restart").status == 204)
        #expect(try two.exchange().problem?.code == .historyChanged)
    }

    @Test func retentionIsTheSchemasOwnWhereItSays() throws {
        let bench = try ExchangeBench()
        let one = Client(bench)
        let reply = try one.exchange(.note("a"), .tag("t"))
        let bases = (reply.answer?.results ?? []).compactMap { result in
            if case .accepted(let revision, _) = result { revision } else { nil }
        }
        let vector = "0000000000000001:9"
        try one.exchange(
            Change.note("a", base: bases[0]).tombstone.with { $0.vector = vector },
            Change.tag("t", base: bases[1]).tombstone.with { $0.vector = vector }
        )
        bench.clock.advance(seconds: -86_400 * 400)
        #expect(try bench.handler.purgeTombstones() == 0, "a clock that goes back removes nothing")
        bench.clock.advance(seconds: 86_400 * 411)
        #expect(try bench.handler.purgeTombstones(account: "nobody") == 0)
        #expect(try bench.handler.purgeTombstones(account: "ada") == 1)
        #expect(try bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try Client(bench, device: 2).pull() == [])
    }

    /// A tombstone from before a full state began is of no use to its reader; one made since is.
    @Test func aPurgeDuringAFullStateExpiresItOnlyWhereItMissesADelete() throws {
        let bench = try ExchangeBench()
        let one = Client(bench)
        let vector = "0000000000000001:9"
        let base = try one.exchange(.note("a")).revision
        let kept = try one.exchange(.note("b"), .note("c")).revision
        try one.exchange(Change.note("a", base: base).tombstone.with { $0.vector = vector })
        let reader = Client(bench, device: 2)
        #expect(try reader.exchange(limit: 1).page == ["note/b"])
        #expect(try bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try reader.exchange(limit: 1).page == ["note/c"])
        let second = Client(bench, device: 3)
        #expect(try second.exchange(limit: 1).page == ["note/b"])
        try one.exchange(Change.note("b", base: kept).tombstone.with { $0.vector = vector })
        #expect(try bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try second.exchange(limit: 1).problem?.code == .cursorExpired)
    }

    @Test func aReaderOfAnEmptyLogNeverExpires() throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench), Client(bench, device: 2))
        #expect(try two.pull() == [])
        let base = try one.exchange(.note("a")).revision
        try one.exchange(Change.note("a", base: base).tombstone.with { $0.vector = "0000000000000001:9" })
        #expect(try bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try two.exchange().status == 200)
    }

    @Test func cursorsThatNobodyGaveAreRefusedAndNeverTrap() throws {
        let bench = try ExchangeBench()
        let one = Client(bench)
        try one.exchange(.note("a"))
        let good = try #require(one.cursor)
        func encode(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        let epoch = String(repeating: "0", count: 32)
        func crafted(_ places: String) -> String {
            encode(
                #"{"v":1,"epoch":"\#(epoch)","seen":\#(Int64.max),"run":"","snapshot":false,"places":[\#(places)]}"#
            )
        }
        for cursor in [
            "", "x", "!!!!", good + "A", String(good.dropLast()), good + "=", encode("{}"), encode("[]"),
            encode(#"{"v":2}"#), crafted(#"[-1,0,"note"]"#), crafted(#"[5,3,"note"]"#), crafted("[1.5,2]"),
            crafted(#"[99999999999999999999,99999999999999999999,"note"]"#), crafted("[[[[1]]]]"),
            String(repeating: "A", count: 70_000), encode(String(repeating: "[", count: 2000)),
        ] {
            one.cursor = cursor
            #expect(try one.exchange().problem?.code == .cursorExpired, "\(cursor.prefix(80))")
        }
        let max = Int64.max
        for places in [#"[0,0,"note"]"#, #"[\#(max),\#(max),"note"]"#, ""] {
            one.cursor = crafted(places)
            #expect(try one.exchange().problem?.code == .historyChanged, "\(places)")
        }
        one.cursor = good
        #expect(try one.exchange().status == 200)
    }
}
