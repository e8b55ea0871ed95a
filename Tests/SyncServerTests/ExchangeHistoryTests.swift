import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite(.everyLogStore, .ofStores) struct ExchangeHistoryTests {
    @Test func aRestoredBackupIsNoticedAndPlacesBeforeItStayGood() async throws {
        let bench = try ExchangeBench()
        let (one, early, late) = (
            Client(bench: bench), Client(bench: bench, device: 2), Client(bench: bench, device: 3)
        )
        try await one.exchange(changes: .note(key: "a"), .note(key: "b"))
        #expect(try await early.pull() == ["note/a", "note/b"])
        let backup = try bench.backUp()
        try await one.exchange(changes: .note(key: "c"), .note(key: "d"))
        #expect(try await late.pull().count == 4)
        try bench.restore(backup)
        #expect(try await late.exchange().error?.code == .historyChanged)
        #expect(try await one.exchange(changes: .note(key: "e")).error?.code == .historyChanged)
        // New writes pass the old position with the same revision numbers in another run.
        let other = Client(bench: bench, device: 4)
        try await other.exchange(changes: .note(key: "x"), .note(key: "y"), .note(key: "z"))
        #expect(try await late.exchange().error?.code == .historyChanged)
        #expect(try await early.pull() == ["note/x", "note/y", "note/z"])
    }

    @Test func aRevisionOfALostHistoryIsNoBaseInTheNewOne() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(changes: .note(key: "a"))
        let backup = try bench.backUp()
        let lost = try await one.exchange(changes: .note(key: "b", title: "lost")).revision
        try bench.restore(backup)
        let found = try await Client(bench: bench, device: 2).exchange(
            changes: .note(key: "b", title: "found")
        )
        .revision
        #expect(found?.number == lost?.number)
        one.cursor = nil
        one.previous = "1-1"
        let vector = "0000000000000001:9,0000000000000002:9"
        #expect(
            try await one.exchange(changes: .note(key: "b", base: lost).with { $0.vector = vector }).results
                == [
                    "conflict"
                ]
        )
    }

    @Test func aBackupDuringAFullStateIsNoticedByItsReader() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(changes: .note(key: "a"), .note(key: "b"))
        let backup = try bench.backUp()
        try await one.exchange(changes: .note(key: "c"), .note(key: "d"))
        let reader = Client(bench: bench, device: 2)
        #expect(try await reader.exchange(limit: 1).page == ["note/a"])
        try bench.restore(backup)
        try await Client(bench: bench, device: 3).exchange(
            changes: .note(key: "x"),
            .note(key: "y"),
            .note(key: "z")
        )
        #expect(try await reader.exchange(limit: 1).error?.code == .historyChanged)
    }

    /// The writer's cursor is from before the backup and its change from after it. It must not continue as if
    /// the change were stored.
    @Test func aBackupThatLostAnAcknowledgedChangeIsNoticedByItsWriter() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench).exchange(changes: .note(key: "a"), .note(key: "b"), .note(key: "c"))
        let writer = Client(bench: bench, device: 2)
        _ = try await writer.exchange(limit: 1)
        let backup = try bench.backUp()
        #expect(try await writer.exchange(changes: [.note(key: "lost")], limit: 1).results == ["accepted"])
        try bench.restore(backup)
        try await Client(bench: bench, device: 3).exchange(changes: .note(key: "x"), .note(key: "y"))
        #expect(try await writer.exchange(limit: 1).error?.code == .historyChanged)
    }

    @Test func aRestartOfTheServerChangesNoHistory() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench), Client(bench: bench, device: 2))
        try await one.exchange(changes: .note(key: "a"), .note(key: "b"))
        _ = try await two.exchange(limit: 1)
        let epoch = try await one.exchange().answer?.epoch
        for _ in 0..<3 {
            try bench.reopen()
            try await one.exchange(changes: .note(key: "n\(one.sequence)"))
        }
        #expect(try await two.pull(limit: 1) == ["note/b", "note/n2", "note/n3", "note/n4"])
        #expect(try await one.exchange().answer?.epoch == epoch)
    }

    @Test func aPurgedTombstoneExpiresThoseWhoNeededIt() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench), Client(bench: bench, device: 2))
        let base = try await one.exchange(changes: .note(key: "a"), .note(key: "b")).revision
        #expect(try await two.pull() == ["note/a", "note/b"])
        try await one.exchange(
            changes: Change.note(key: "a", base: base).tombstone.with { $0.vector = "0000000000000001:9" }
        )
        bench.clock.advance(seconds: 179 * 86_400)
        #expect(try await bench.handler.purgeTombstones() == 0)
        bench.clock.advance(seconds: 86_400)
        #expect(try await bench.handler.purgeTombstones() == 1)
        #expect(try await two.exchange().error?.code == .cursorExpired)
        #expect(try await one.exchange().status == 200, "who was given the tombstone goes on")
        #expect(try await Client(bench: bench, device: 3).pull() == ["note/b"])
        two.cursor = nil
        #expect(try await two.pull() == ["note/b"])
        // An edit of a deleted and purged record does not create it.
        #expect(try await two.exchange(changes: .note(key: "a", base: base)).results == ["conflict-nothing"])
    }

    /// The first device of an account ends between the answer to its push and the page behind it.
    @Test func aPurgedTombstoneOfWhatADevicePushedExpiresItsFirstCursor() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench), Client(bench: bench, device: 2))
        try await one.exchange()
        let reply = try await one.exchange(changes: .note(key: "a"))
        one.cursor = try #require(reply.answer?.acknowledged)
        #expect(try await two.pull() == ["note/a"])
        try await two.exchange(
            changes: Change.note(key: "a", base: reply.revision).tombstone.with {
                ($0.device, $0.vector) = (2, "0000000000000001:1,0000000000000002:9")
            }
        )
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try await one.exchange().error?.code == .cursorExpired)
        one.cursor = nil
        #expect(try await one.pull() == [])
        #expect(try await one.exchange().status == 200)
    }

    @Test func aHistoryThatChangedIsToldBeforeAPlaceThatExpired() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench), Client(bench: bench, device: 2))
        one.path = "/v1/scratch/s/exchange"
        two.path = one.path
        let base = try await one.exchange(changes: .note(key: "a")).revision
        try await two.exchange()
        try await one.exchange(
            changes: Change.note(key: "a", base: base).tombstone.with { $0.vector = "0000000000000001:9" }
        )
        #expect(try await bench.send("POST", path: "/v1/scratch/s/purge").status == 204)
        #expect(try await two.exchange().error?.code == .cursorExpired)
        #expect(try await bench.send("POST", path: "/v1/scratch/s/restart").status == 204)
        #expect(try await two.exchange().error?.code == .historyChanged)
    }

    @Test func retentionIsTheSchemasOwnWhereItSays() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let reply = try await one.exchange(changes: .note(key: "a"), .tag(key: "t"))
        let bases = (reply.answer?.results ?? []).compactMap { result in
            if case .accepted(let revision, _) = result { revision } else { nil }
        }
        let vector = "0000000000000001:9"
        try await one.exchange(
            changes: Change.note(key: "a", base: bases[0]).tombstone.with { $0.vector = vector },
            Change.tag(key: "t", base: bases[1]).tombstone.with { $0.vector = vector }
        )
        bench.clock.advance(seconds: -86_400 * 400)
        #expect(try await bench.handler.purgeTombstones() == 0, "a clock that goes back removes nothing")
        bench.clock.advance(seconds: 86_400 * 411)
        #expect(try await bench.handler.purgeTombstones(account: "nobody") == 0)
        #expect(try await bench.handler.purgeTombstones(account: "ada") == 1)
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try await Client(bench: bench, device: 2).pull() == [])
    }

    /// A purged tombstone expires a snapshot's cursor only if it was made after the snapshot began.
    @Test func aPurgeDuringAFullStateExpiresItOnlyWhereItMissesADelete() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let vector = "0000000000000001:9"
        let base = try await one.exchange(changes: .note(key: "a")).revision
        let kept = try await one.exchange(changes: .note(key: "b"), .note(key: "c")).revision
        try await one.exchange(
            changes: Change.note(key: "a", base: base).tombstone.with { $0.vector = vector }
        )
        let reader = Client(bench: bench, device: 2)
        #expect(try await reader.exchange(limit: 1).page == ["note/b"])
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try await reader.exchange(limit: 1).page == ["note/c"])
        let second = Client(bench: bench, device: 3)
        #expect(try await second.exchange(limit: 1).page == ["note/b"])
        try await one.exchange(
            changes: Change.note(key: "b", base: kept).tombstone.with { $0.vector = vector }
        )
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try await second.exchange(limit: 1).error?.code == .cursorExpired)
    }

    @Test func aReaderOfAnEmptyLogNeverExpires() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench), Client(bench: bench, device: 2))
        #expect(try await two.pull() == [])
        let base = try await one.exchange(changes: .note(key: "a")).revision
        try await one.exchange(
            changes: Change.note(key: "a", base: base).tombstone.with { $0.vector = "0000000000000001:9" }
        )
        #expect(try await bench.handler.purgeTombstones(olderThanDays: 0) == 1)
        #expect(try await two.exchange().status == 200)
    }

    @Test func cursorsThatNobodyGaveAreRefusedAndNeverTrap() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(changes: .note(key: "a"))
        let good = try #require(one.cursor)
        func encode(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        let epoch = String(repeating: "0", count: 32)
        func crafted(places: String) -> String {
            encode(
                #"{"v":1,"epoch":"\#(epoch)","seen":\#(Int64.max),"run":"","snapshot":false,"places":[\#(places)]}"#
            )
        }
        for cursor in [
            "", "x", "!!!!", good + "A", String(good.dropLast()), good + "=", encode("{}"), encode("[]"),
            encode(#"{"v":2}"#), crafted(places: #"[-1,0,"note"]"#), crafted(places: #"[5,3,"note"]"#),
            crafted(places: "[1.5,2]"),
            crafted(places: #"[99999999999999999999,99999999999999999999,"note"]"#),
            crafted(places: "[[[[1]]]]"),
            String(repeating: "A", count: 70_000), encode(String(repeating: "[", count: 2000)),
        ] {
            one.cursor = cursor
            #expect(try await one.exchange().error?.code == .cursorExpired, "\(cursor.prefix(80))")
        }
        let max = Int64.max
        for places in [#"[0,0,"note"]"#, #"[\#(max),\#(max),"note"]"#, ""] {
            one.cursor = crafted(places: places)
            #expect(try await one.exchange().error?.code == .historyChanged, "\(places)")
        }
        one.cursor = good
        #expect(try await one.exchange().status == 200)
    }
}
