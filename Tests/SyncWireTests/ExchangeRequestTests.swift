import SyncCore
import SyncWire
import Testing

@Suite struct ExchangeRequestTests {
    let device = DeviceID(bits: 0xabc)

    private var change: Change {
        let editTimestamp = EditTimestamp(time: Timestamp(microseconds: 5), device: device, sequence: 3)
        return Change(
            Change.Header(
                entity: "note",
                key: RecordKey("k\"1"),
                metadata: VersionMetadata(first: editTimestamp),
                base: Revision("17")
            ),
            body: Array(#"{"id":"k\"1"}"#.utf8)
        )
    }

    @Test func aRequestReadsBackAsItWasWritten() throws {
        var request = ExchangeRequest(
            device: device,
            entities: ["a", "b"],
            cursor: "c.1",
            limit: 50,
            previous: "p"
        )
        request.batch = "b1"
        request.records = ["note 1": Digest([1]), "tag \" 2": Digest([])]
        let read = try ExchangeRequest(request.encoded(changes: ExchangeRequest.encode([change, change])))
        #expect(read.device == device)
        #expect(read.entities == ["a", "b"])
        #expect(read.cursor == "c.1")
        #expect(read.limit == 50)
        #expect(read.previous == "p")
        #expect(read.batch == "b1")
        #expect(read.records == request.records)
        #expect(read.changes.count == 2)
        #expect(read.changes[1].base == Revision("17"))
        #expect(read.changes[1].metadata == change.metadata)
        #expect(read.changes[1].body == change.body)
    }

    @Test func whatIsNotSaidIsAbsent() throws {
        let read = try ExchangeRequest(ExchangeRequest(device: device, entities: []).encoded())
        #expect(read.cursor == nil)
        #expect(read.limit == nil)
        #expect(read.previous == nil)
        #expect(read.batch == nil)
        #expect(read.records == nil)
        #expect(read.changes.isEmpty)
    }

    /// Whoever checks the request and whoever stores it take the same one.
    @Test func aMemberStandsOnce() throws {
        let text = #"{"device":"0000000000000abc","entities":[],"changes":[],"changes":null}"#
        let error = #expect(throws: WireError.self) { try ExchangeRequest(Array(text.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test func membersOfANewerProtocolAreIgnored() throws {
        let text = #"{"future":[{}],"device":"0000000000000abc","entities":[]}"#
        #expect(try ExchangeRequest(Array(text.utf8)).device == device)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"device":"0000000000000abc"}"#, #"{"entities":[]}"#,
        #"{"device":"ABC","entities":[]}"#, #"{"device":"0000000000000abc","entities":[],"limit":0}"#,
        #"{"device":"0000000000000abc","entities":[],"limit":-1}"#,
        #"{"device":"0000000000000abc","entities":[],"limit":1.5}"#,
        #"{"device":"0000000000000abc","entities":["a"],"entities":["b"}"#,
        #"{"device":"0000000000000abc","entities":[],"changes":[{}]}"#,
        #"{"device":"0000000000000abc","entities":[]} x"#,
        #"{"device":"0000000000000abc","entities":[],"changes":[{"entity":"n","key":"k","mark":"5.0000000000000abc.3","body":{}}]}"#,
    ])
    func aRequestThatSaysTooLittleIsRefused(text: String) {
        #expect(throws: (any Error).self) { _ = try ExchangeRequest(Array(text.utf8)) }
    }

    @Test func aLimitBeyondAllNumbersIsTheLargest() throws {
        let text = #"{"device":"0000000000000abc","entities":[],"limit":99999999999999999999999}"#
        #expect(try ExchangeRequest(Array(text.utf8)).limit == .max)
    }
}
