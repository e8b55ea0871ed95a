import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

/// Limits of an account, a request and a record.
@Suite(.everyLogStore, .ofStores) struct ExchangeQuotaTests {
    @Test func anAccountHoldsAsManyRecordsAsItMay() async throws {
        let bench = try ExchangeBench(policy: ExchangePolicy(maxRecords: 3))
        let client = Client(bench: bench)
        #expect(
            try await client.exchange(
                changes: .note(key: "a"),
                .note(key: "b"),
                .note(key: "c"),
                .note(key: "d"),
                .tag(key: "e")
            ).results
                == ["accepted", "accepted", "accepted", "quota", "quota"]
        )
        let page = try await Client(bench: bench, device: 2).exchange()
        #expect(page.page == ["note/a", "note/b", "note/c"])
        let revision = page.answer?.changes.first?.revision
        // Edits and deletes of existing records are accepted.
        let delete = Change.note(key: "a", base: revision).tombstone.with {
            $0.vector = "0000000000000001:99"
        }
        #expect(try await client.exchange(changes: delete).results == ["accepted"])
        #expect(try await client.exchange(changes: .note(key: "f")).results == ["quota"])
        // A tombstone counts until it is purged.
        bench.clock.advance(seconds: 200 * 86_400)
        #expect(try await bench.handler.purgeTombstones() == 1)
        #expect(try await client.exchange(changes: .note(key: "f")).results == ["accepted"])
    }

    @Test func anAccountTakesAsMuchSpaceAsItMay() async throws {
        let bench = try ExchangeBench(policy: ExchangePolicy(maxBytes: 300_000))
        let client = Client(bench: bench)
        let large = String(repeating: "x", count: 100_000)
        let notes = (0..<5).map { Change.note(key: "n\($0)", title: large) }
        let reply = try await client.exchange(changes: notes)
        #expect(reply.results.first == "accepted" && reply.results.last == "quota", "\(reply.results)")
        #expect(try await client.exchange(changes: .note(key: "small")).status == 200)
        let delete = Change.note(key: "n0", base: reply.revision).tombstone.with {
            $0.vector = "0000000000000001:99"
        }
        #expect(try await client.exchange(changes: delete).results == ["accepted"])
    }

    @Test func oneMalformedChangeIsRefusedAlone() async throws {
        let bench = try ExchangeBench()
        let editTimestamp = #""mark":"1.0000000000000001.1""#
        let good = #"{"entity":"note","key":"KEY",\#(editTimestamp),"body":{"id":"KEY","title":"t"}}"#
        let bad = [
            "{}", "5", "null", "[]", #""text""#, #"{"entity":"note","key":5,\#(editTimestamp),"body":{}}"#,
            #"{"entity":"note","key":"x","mark":"9999999999999999999.0000000000000001.1","body":{}}"#,
            #"{"entity":"note","key":"x","mark":"1.0000000000000001.0","body":{}}"#,
        ]
        for (number, text) in bad.enumerated() {
            let changes = [
                good.replacing("KEY", with: "a\(number)"), text, good.replacing("KEY", with: "b\(number)"),
            ]
            let previous = number == 0 ? "" : #""previous":"batch-\#(number - 1)","#
            let request =
                #"{"device":"0000000000000001","entities":["note"],\#(previous)"batch":"batch-\#(number)","#
                + #""changes":[\#(changes.joined(separator: ","))]}"#
            let reply = try await bench.unchecked(body: Array(request.utf8))
            #expect(reply.results == ["accepted", "malformed", "accepted"], "\(text)")
        }
        #expect(try await Client(bench: bench, device: 3).pull().count == 2 * bad.count)
    }

    @Test func namesOfARequestAreBounded() async throws {
        let bench = try ExchangeBench()
        let client = Client(bench: bench)
        func request(_ entities: Int, batch: Int) async throws -> Reply {
            client.entities = (0..<entities).map { "e\($0)" }
            let name = String(repeating: "b", count: batch)
            let change =
                #"{"entity":"note","key":"a","mark":"1.0000000000000001.1","body":{"id":"a","title":""}}"#
            let names = client.entities.map { "\"\($0)\"" }.joined(separator: ",")
            let text =
                #"{"device":"0000000000000009","entities":[\#(names)],"batch":"\#(name)","changes":[\#(change)]}"#
            return try await bench.send("POST", path: "/v1/exchange", body: Array(text.utf8))
        }
        #expect(try await request(1001, batch: 1).error?.code == .malformed)
        #expect(try await request(1, batch: 257).error?.code == .malformed)
        #expect(try await request(1000, batch: 256).status == 200)
    }

    @Test func membersThatNoSchemaKnowsAreBounded() async throws {
        let bench = try ExchangeBench()
        func note(key: String, count: Int) -> Change {
            Change.note(key: key).with {
                let members = (0..<count).map { #""u\#($0)":1"# }.joined(separator: ",")
                $0.body = #"{"id":"\#(key)","title":"t",\#(members)}"#
            }
        }
        #expect(
            try await Client(bench: bench).exchange(
                changes: note(key: "a", count: 1000),
                note(key: "b", count: 1001)
            ).results == ["accepted", "members"]
        )
    }
}
