import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

/// The server does not trust clocks, nor that device ids are unique.
@Suite(.everyLogStore) struct ExchangeTrustTests {
    static let day: Int64 = 86_400_000_000

    @Test(.ofStores) func aFarAheadTimeIsLoweredOnceAndTold() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let now = bench.clock.now()
        let far = now.microseconds + Self.day
        let change = Change(key: "a").with {
            $0.sequence = 1
            $0.time = far
            $0.body = #"{"id":"a","title":"x","updatedAt":"\#(Timestamp(microseconds: far))"}"#
            $0.extra = #","detail":{"origin":"\#(far).0000000000000001.1"}"#
        }
        let first = try await one.exchange(changes: change)
        let answer = try #require(first.answer)
        guard case .accepted(_, let stored?) = answer.results.first else {
            Issue.record("not told")
            return
        }
        #expect(stored.writtenMetadata.editTimestamp.time == now)
        #expect(stored.writtenMetadata.detail?.origin.time == now)
        #expect(stored.writtenMetadata.vector == VersionVector(stored.writtenMetadata.editTimestamp))
        let body = String(decoding: stored.body, as: UTF8.self)
        #expect(body.contains(now.description))
        // The same push again, as it was first sent.
        bench.clock.advance(seconds: 60)
        let again = try await one.exchange(changes: change)
        #expect(again.results == ["accepted"])
        #expect(again.revision == first.revision)
        guard case .accepted(_, let known?) = again.answer?.results.first else {
            Issue.record("not told again")
            return
        }
        #expect(known.metadata == stored.metadata)
        // The same by a device that has the stored form.
        let adopted = try await one.exchange(
            changes: change.with {
                $0.time = now.microseconds
                $0.extra = ""
            }
        )
        #expect(adopted.revision == first.revision)
    }

    @Test(.ofStores) func aLoweredTimeStillComesAfterWhatItReplaces() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        let ahead = bench.clock.now().microseconds + 299_000_000
        let base = try await one.exchange(changes: Change(key: "a").with { $0.time = ahead }).revision
        let reply = try await one.exchange(
            changes: Change(key: "a", base: base).with { $0.time = ahead + Self.day }
        )
        guard case .accepted(_, let stored?) = reply.answer?.results.first else {
            Issue.record("not lowered")
            return
        }
        #expect(stored.writtenMetadata.editTimestamp.time.microseconds == ahead + 1)
    }

    @Test func aTimeWithinTheToleranceStaysAsItIs() async throws {
        let bench = try ExchangeBench()
        let time = bench.clock.now().microseconds + 300_000_000
        let reply = try await Client(bench: bench).exchange(
            changes: Change(key: "a").with { $0.time = time },
            Change(key: "b").with { $0.time = .max },
            Change(key: "c").with { $0.time = .min }
        )
        let lowered = (reply.answer?.results ?? []).map { result in
            if case .accepted(_, let stored) = result { stored != nil } else { false }
        }
        #expect(lowered == [false, true, false])
    }

    @Test func aCopiedDeviceIsNoticedAndWritesNothing() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(changes: .note(key: "a"))
        let copy = Client(bench: bench)
        (copy.previous, copy.cursor, copy.batches) = (one.previous, one.cursor, 100)
        try await one.exchange(changes: .note(key: "b"))
        let reply = try await copy.exchange(changes: .note(key: "c"))
        #expect(reply.error?.code == .deviceCopied)
        #expect(try await Client(bench: bench, device: 2).pull() == ["note/a", "note/b"])
        #expect(try await copy.exchange().answer?.batch == one.previous, "a copy that only reads is served")
    }

    @Test func aDeviceMustNameItsLastBatch() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        one.previous = "made-up"
        #expect(try await one.exchange(changes: .note(key: "a")).error?.code == .deviceCopied)
        one.previous = nil
        #expect(try await one.exchange(changes: .note(key: "a")).results == ["accepted"])
        one.previous = nil
        #expect(try await one.exchange(changes: .note(key: "b")).error?.code == .deviceCopied)
    }

    @Test func aLostAnswerToAPushCanBeFetchedAgainAfterARestart() async throws {
        let bench = try ExchangeBench()
        let one = Client(bench: bench)
        try await one.exchange(changes: .note(key: "a"))
        let request = one.request([.note(key: "b")])
        let lost = try await one.send(request)
        try bench.reopen()
        #expect(try await one.send(request).revision == lost.revision)
    }
}
