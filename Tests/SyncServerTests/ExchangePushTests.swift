import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

@Suite(.everyLogStore) struct ExchangePushTests {
    @Test func aChangeIsStoredAndComesToTheOtherDevice() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        let pushed = try await one.exchange(changes: .note(key: "a"), .tag(key: "t"))
        #expect(pushed.results == ["accepted", "accepted"])
        #expect(pushed.page == [], "own changes are not echoed")
        #expect(await bench.takeTopics() == ["ada/main"])
        #expect(try await one.pull() == [], "the cursor passes own changes")
        #expect(try await two.pull() == ["note/a", "tag/t"])
        #expect(await bench.takeTopics() == [], "reading changes nothing")
    }

    @Test(.ofStores) func anAnswerCarriesTheRecordAsItWasSent() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let body = #"{ "id":"a","title":"\u0041 – B", "later":{"x": [1.0, null]} }"#
        try await one.exchange(changes: Change(key: "a").with { $0.body = body })
        let reply = try await Client(bench: bench, device: 2).exchange()
        let answer = try #require(reply.answer)
        let entry = try #require(answer.changes.first)
        let text = String(decoding: entry.body, as: UTF8.self)
        #expect(text == #"{"id":"a","title":"\u0041 – B","later":{"x":[1.0,null]}}"#)
        #expect(entry.base == nil && entry.revision?.number == 1)
    }

    @Test func aRepeatedPushIsAnsweredAsAcceptedWithTheSameRevision() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let request = one.request([.note(key: "a"), .note(key: "b")])
        let first = try await one.send(request)
        _ = await bench.takeTopics()
        let again = try await one.send(request)
        #expect(again.results == ["accepted", "accepted"])
        #expect(again.revision == first.revision)
        #expect(again.page == [])
        #expect(await bench.takeTopics() == [], "nothing was stored again")
    }

    @Test func aRepeatIsAcceptedWhateverItsBaseSays() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let change = Change.note(key: "a").with { $0.sequence = 1 }
        let first = try await one.exchange(changes: change)
        let again = try await one.exchange(changes: change.with { $0.base = Revision("77-nonsense") })
        #expect(again.results == ["accepted"])
        #expect(again.revision == first.revision)
    }

    private static func deleteThatDoesNotFit(base: Revision?) -> Change {
        Change.note(key: "a", base: base).tombstone.with {
            $0.body = #"{"id":"a","title":5}"#
            $0.vector = "0000000000000001:9"
        }
    }

    @Test(.ofStores) func aDeleteIsAcceptedWithoutLastValuesThatDoNotFit() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        let revision = try await one.exchange(changes: .note(key: "a")).revision
        #expect(try await two.pull() == ["note/a"])
        let delete = Self.deleteThatDoesNotFit(base: revision)
        let results = try await one.exchange(changes: delete).results
        #expect(results == ["accepted"])
        let answer = try #require(try await two.exchange().answer)
        let entry = try #require(answer.changes.first)
        #expect(entry.header.isDeleted)
        #expect(String(decoding: entry.body, as: UTF8.self) == #"{"id":"a"}"#)
    }

    @Test func aDeleteReachesOtherDevicesAlthoughItsLastValuesDoNotFit() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        let revision = try await one.exchange(changes: .note(key: "a")).revision
        #expect(try await two.pull() == ["note/a"])
        let delete = Self.deleteThatDoesNotFit(base: revision)
        #expect(try await one.exchange(changes: delete).results == ["accepted"])
        let answer = try #require(try await two.exchange().answer)
        #expect(answer.changes.map(\.header.isDeleted) == [true])
    }

    @Test func aChangeOnAStaleBaseIsAConflictWithTheCurrentRecord() async throws {
        let bench = try ExchangeBench()
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        let base = try await one.exchange(changes: .note(key: "a")).revision
        let vector = "0000000000000001:9,0000000000000002:9"
        let newer = try await two.exchange(
            changes: .note(key: "a", title: "newer", base: base).with { $0.vector = vector }
        )
        #expect(newer.results == ["accepted"])
        let stale = try await one.exchange(
            changes: .note(key: "a", title: "stale", base: base).with { $0.vector = vector }
        )
        #expect(stale.results == ["conflict"])
        #expect(stale.revision == newer.revision)
        let answer = try #require(stale.answer)
        guard case .conflict(let current?) = answer.results[0] else {
            Issue.record("no current record")
            return
        }
        #expect(String(decoding: current.body, as: UTF8.self).contains("newer"))
    }

    @Test func aRecordThatComesTwiceInABatchMeetsWhatTheBatchStored() async throws {
        let bench = try ExchangeBench()
        let first = Change.note(key: "a", title: "first").with { $0.sequence = 1 }
        let reply = try await Client(bench: bench).exchange(
            changes: first,
            Change.note(key: "a", title: "second").with { $0.sequence = 2 },
            first,
            .note(key: "b")
        )
        #expect(reply.results == ["accepted", "conflict", "accepted", "accepted"])
        let answer = try #require(reply.answer)
        guard case .conflict(let current?) = answer.results[1],
            case .accepted(let again, nil) = answer.results[2]
        else {
            Issue.record("not the present record")
            return
        }
        #expect(current.revision == reply.revision && again == reply.revision)
        #expect(String(decoding: current.body, as: UTF8.self).contains("first"))
        #expect(try await Client(bench: bench, device: 2).pull() == ["note/a", "note/b"])
    }

    @Test func aCreateOverARecordIsAConflict() async throws {
        let bench = try ExchangeBench()
        try await Client(bench: bench, device: 1).exchange(changes: .note(key: "a"))
        #expect(
            try await Client(bench: bench, device: 2).exchange(changes: .note(key: "a")).results == [
                "conflict"
            ]
        )
    }

    @Test func anEditOfWhatIsNotThereIsAConflictAndNeverACreate() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let reply = try await one.exchange(changes: .note(key: "a", base: Revision("3-0000000000000000")))
        #expect(reply.results == ["conflict-nothing"])
        #expect(try await Client(bench: bench, device: 2).pull() == [])
    }

    @Test func aChangeThatHasNotSeenTheStoredEditIsAConflictEvenOnItsRevision() async throws {
        let bench = try ExchangeBench()
        let base = try await Client(bench: bench, device: 1).exchange(changes: .note(key: "a")).revision
        #expect(
            try await Client(bench: bench, device: 2).exchange(changes: .note(key: "a", base: base)).results
                == [
                    "conflict"
                ]
        )
    }

    @Test func aBadRecordIsRefusedAndTheOthersGoOn() async throws {
        let bench = try ExchangeBench()
        let long = (1...10_001).map { "\(DeviceID(bits: UInt64($0))):1" }.joined(separator: ",")
        let reply = try await Client(bench: bench).exchange(
            changes: .note(key: "a"),
            Change(key: "b").with { $0.entity = "nothing" },
            Change(key: "c").with { $0.body = #"{"id":"c"}"# },
            Change(key: "d").with { $0.body = #"{"id":"other","title":"x"}"# },
            Change(key: "e").with { $0.body = "[1]" },
            Change(key: "f").with { $0.body = #"{"id":"f","id":"f","title":"x"}"# },
            Change(key: "g").with { $0.vector = "00000000000000aa:4" },
            Change(key: "h").with { $0.vector = long },
            Change(key: "i").with { $0.body = #"{"id":"i","title":7}"# },
            Change(key: "").with { $0.body = #"{"id":"","title":"x"}"# },
            .note(key: "z")
        )
        #expect(
            reply.results == [
                "accepted", "unknown-entity", "required", "key", "type", "json", "vector", "vector", "type",
                "key", "accepted",
            ]
        )
        #expect(try await Client(bench: bench, device: 2).pull() == ["note/a", "note/z"])
    }

    @Test func aRefusalNeverRepeatsAValue() async throws {
        let bench = try ExchangeBench()
        let reply = try await Client(bench: bench).exchange(
            changes: Change(key: "a").with { $0.body = #"{"id":"a","title":{"secret":"hunter2"}}"# },
            Change(key: "b").with { $0.body = #"{"id":"hunter2","title":"x"}"# }
        )
        #expect(!String(decoding: reply.body, as: UTF8.self).contains("hunter2"))
    }

    @Test func aTombstoneNeedsNoValueAndCanBeRevived() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let base = try await one.exchange(changes: .note(key: "a")).revision
        let gone = try await one.exchange(
            changes: .note(key: "a", base: base).tombstone.with { $0.body = "{}" }
        )
        #expect(gone.results == ["accepted"])
        let back = try await one.exchange(changes: .note(key: "a", base: gone.revision))
        #expect(back.results == ["accepted"])
        #expect(try await Client(bench: bench, device: 2).pull() == ["note/a"])
    }

    @Test(.ofStores) func keysOfAnyContentAreJustData() async throws {
        let bench = try ExchangeBench()
        let keys = [
            "a/b", "../../etc/passwd", "'; DROP TABLE record; --", "\"quoted\"", "nul\u{0}l", "🕌", "e\u{301}",
            "\u{e9}", " ", "\\", "%2e%2e", "{}", String(repeating: "k", count: 5000),
        ]
        let reply = try await Client(bench: bench).exchange(changes: keys.map { .note(key: $0) })
        #expect(reply.results == keys.map { _ in "accepted" })
        let answer = try #require(try await Client(bench: bench, device: 2).exchange().answer)
        #expect(answer.changes.map(\.key) == keys.map { RecordKey($0) })
    }

    @Test func aCompositeKeyIsTheBodysKey() async throws {
        let bench = try ExchangeBench()
        let change = Change(key: #"[3,"c"]"#).with {
            $0.entity = "place"
            $0.body = #"{"row":3,"column":"c"}"#
        }
        let reply = try await Client(bench: bench).exchange(
            changes: change,
            change.with { $0.key = #"[3, "c"]"# }
        )
        #expect(reply.results == ["accepted", "key"])
    }

    @Test(.ofStores) func moreChangesThanTheLimitAreTooLarge() async throws {
        let bench = try ExchangeBench(limits: WireLimits(changes: 2))
        let one = Client(bench: bench)
        let reply = try await one.exchange(changes: .note(key: "a"), .note(key: "b"), .note(key: "c"))
        #expect(reply.error?.code == .tooLarge)
        #expect(reply.error?.limits?.changes == 2)
        #expect(try await one.pull() == [], "nothing of it was stored")
        #expect(
            try await one.exchange(changes: .note(key: "a"), .note(key: "b")).results == [
                "accepted", "accepted",
            ]
        )
    }

    @Test(.ofStores) func conflictsThatFillTheAnswerAreAnsweredByAskingForLess() async throws {
        let bench = try ExchangeBench(limits: WireLimits(requestBytes: 4000))
        let (one, two) = (Client(bench: bench, device: 1), Client(bench: bench, device: 2))
        let keys = ["a", "b"]
        for key in keys {
            try await one.exchange(changes: .note(key: key, title: String(repeating: "x", count: 3000)))
        }
        two.cursor = one.cursor
        #expect(try await two.exchange(changes: keys.map { .note(key: $0) }).error?.code == .tooLarge)
        #expect(try await two.exchange(changes: .note(key: "a")).results == ["conflict"])
    }
}
