import SyncCore
import SyncWire
import Testing

@Suite struct ExchangeAnswerTests {
    private let time = Timestamp(microseconds: 1_767_225_600_000_000)
    private let entry = Array(
        #"{"entity":"note","key":"k","mark":"5.0000000000000abc.3","revision":"9","body":{"id":"k"}}"#.utf8
    )

    private func answer() -> [UInt8] {
        var writer = ExchangeAnswerWriter(
            account: "acc",
            epoch: "ep",
            time: time,
            limits: WireLimits(changes: 7, requestBytes: 8, pageRecords: 9, pageBytes: 10),
            batch: "b1"
        )
        writer.refused(entities: [RefusedEntity(entity: "secret", rule: "forbidden")])
        writer.differing(entities: ["note", "tag"])
        writer.results(results: [
            .accepted(Revision("9"), stored: nil), .accepted(Revision("9"), stored: entry),
            .conflict(current: entry), .conflict(current: nil),
            .refused(rule: "max-length", reason: "Too long."),
        ])
        return writer.finish(
            isSnapshot: true,
            changes: [entry, entry],
            cursor: "c",
            acknowledged: "a",
            hasMore: true
        )
    }

    @Test func anAnswerReadsBackAsItWasWritten() throws {
        let read = try ExchangeAnswer(answer())
        #expect(read.account == "acc")
        #expect(read.epoch == "ep")
        #expect(read.time == time)
        #expect(read.limits == WireLimits(changes: 7, requestBytes: 8, pageRecords: 9, pageBytes: 10))
        #expect(read.batch == "b1")
        #expect(read.refused == [RefusedEntity(entity: "secret", rule: "forbidden")])
        #expect(read.differing == ["note", "tag"])
        #expect(read.isSnapshot)
        #expect(read.hasMore)
        #expect(read.cursor == "c")
        #expect(read.acknowledged == "a")
        #expect(read.changes.map(\.revision) == [Revision("9"), Revision("9")])
        #expect(Array(read.changes[1].body) == Array(#"{"id":"k"}"#.utf8))
        guard read.results.count == 5, case .accepted(Revision("9"), nil) = read.results[0],
            case .accepted(_, .some) = read.results[1], case .conflict(.some) = read.results[2],
            case .conflict(nil) = read.results[3]
        else {
            Issue.record("the results do not read back")
            return
        }
        #expect(read.results[4] == .refused(rule: "max-length", reason: "Too long."))
    }

    @Test func anEvictedRecordIsKnownInAPageAndNowhereElse() throws {
        let evict = Array(#"{"entity":"note","key":"k","evict":true}"#.utf8)
        var writer = ExchangeAnswerWriter(
            account: "acc",
            epoch: "ep",
            time: time,
            limits: WireLimits(),
            batch: nil
        )
        writer.results(results: [])
        let bytes = writer.finish(
            isSnapshot: false,
            changes: [evict, entry],
            cursor: "c",
            acknowledged: nil,
            hasMore: false
        )
        let read = try ExchangeAnswer(bytes)
        #expect(read.changes.map(\.header.kind) == [.outOfScope, .upsert])
        #expect(read.changes[0].key == RecordKey("k"))
        // What a folder or a request says so is a member that nobody knows.
        let full = Array(
            #"{"entity":"note","key":"k","mark":"5.0000000000000abc.3","evict":true,"body":{"id":"k"}}"#.utf8
        )
        let change = try full.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            return try EntryCodec.change(reader: &reader, bytes: full)
        }
        #expect(change.header.kind == .upsert)
    }

    /// An answer with three records, of which the text of the second is given.
    private func answer(second: [UInt8]) -> [UInt8] {
        func record(_ key: String) -> [UInt8] {
            Array(
                #"{"entity":"note","key":"\#(key)","mark":"5.0000000000000abc.3","revision":"9","body":{"id":"\#(key)"}}"#
                    .utf8
            )
        }
        return Array(#"{"account":"a","epoch":"e","cursor":"c","more":false,"changes":["#.utf8) + record("a")
            + Array(",".utf8) + second + Array(",".utf8) + record("c") + Array("]}".utf8)
    }

    /// Half of a surrogate pair, and bytes that are no UTF-8.
    private static let noText: [[UInt8]] = [
        Array(#"\ud800"#.utf8), Array(#"x\udc00y"#.utf8), [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xFF],
    ]

    @Test(arguments: noText)
    func aBodyThatIsNoUnicodeComesAloneAndUnread(text: [UInt8]) throws {
        let head = #"{"entity":"note","key":"b","mark":"5.0000000000000abc.3","body":{"id":"b","t":""#
        let answer = try ExchangeAnswer(answer(second: Array(head.utf8) + text + Array(#""}}"#.utf8)))
        #expect(answer.changes.map(\.key.text) == ["a", "b", "c"])
        #expect(answer.unreadable == 0)
        let note = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "t", type: .string()),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
        for change in answer.changes {
            var decoder = RecordDecoder(descriptor: note, form: .wire)
            let read: () throws -> Void = {
                let builder = RecordBuilder(note)
                try change.withBody { body in
                    var reader = JSONReader(validated: body)
                    try decoder.decode(&reader, into: builder)
                }
            }
            if change.key.text == "b" { #expect(throws: JSONError.self) { try read() } } else { try read() }
        }
    }

    @Test(arguments: noText)
    func aRecordWhoseKeyIsNoUnicodeIsLeftOutAloneAndCounted(text: [UInt8]) throws {
        let second =
            Array(#"{"entity":"note","key":""#.utf8) + text
            + Array(#"","mark":"5.0000000000000abc.3","body":{"id":"b"}}"#.utf8)
        let answer = try ExchangeAnswer(answer(second: second))
        #expect(answer.changes.map(\.key.text) == ["a", "c"])
        #expect(answer.unreadable == 1)
    }

    @Test func anAnswerWhoseOwnWordsAreNoUnicodeIsNone() {
        for text in Self.noText {
            let bytes =
                Array(#"{"account":""#.utf8) + text + Array(#"","epoch":"e","cursor":"c","more":false}"#.utf8)
            #expect(throws: (any Error).self) { _ = try ExchangeAnswer(bytes) }
        }
    }

    @Test(arguments: noText)
    func aPushedChangeThatIsNoUnicodeIsMalformedAlone(text: [UInt8]) throws {
        let good = #"{"entity":"note","key":"a","mark":"5.0000000000000abc.3","body":{"id":"a"}}"#
        let bad =
            Array(#"{"entity":"note","key":"b","mark":"5.0000000000000abc.3","body":{"id":""#.utf8) + text
            + Array(#""}}"#.utf8)
        let head = #"{"device":"0000000000000abc","entities":["note"],"batch":"x","changes":["#
        let bytes = Array((head + good + ",").utf8) + bad + Array(("," + good + "]}").utf8)
        let request = try ExchangeRequest(bytes)
        #expect(request.changes.count == 2)
        #expect(request.malformed == [1])
    }

    /// What a broken connection, a proxy or another program may send must never look like an answer.
    @Test func aCutOffAnswerIsNoAnswerWhereverItWasCut() throws {
        let whole = answer()
        for length in 0..<whole.count {
            #expect(throws: (any Error).self) { _ = try ExchangeAnswer(Array(whole.prefix(length))) }
        }
    }

    @Test(arguments: [
        "<html>captive portal</html>", "{}", "[]", "null", #"{"data":42}"#,
        #"{"account":"a","epoch":"e","cursor":"c"}"#, #"{"account":"a","epoch":"e","more":false}"#,
        #"{"account":1,"epoch":"e","cursor":"c","more":false}"#,
        #"{"account":"a","epoch":"e","cursor":"c","more":false,"results":[{"status":"fine"}]}"#,
        #"{"account":"a","epoch":"e","cursor":"c","more":false,"changes":[{"entity":"note"}]}"#,
    ])
    func otherTextIsNoAnswer(text: String) {
        #expect(throws: (any Error).self) { _ = try ExchangeAnswer(Array(text.utf8)) }
    }

    @Test func anErrorReadsBackWithItsLimits() throws {
        let error = WireError(code: .tooLarge, detail: "Too much.", limits: WireLimits(changes: 3))
        let read = try #require(WireError(body: error.body))
        #expect(read == error)
        #expect(WireError(body: Array("<html>".utf8)) == nil)
        #expect(WireError(body: Array(#"{"code":"of-the-future"}"#.utf8)) == nil)
    }

    @Test(arguments: StorageFailure.allCases)
    func anErrorReadsBackWithWhatIsWrongWithTheStorage(storage: StorageFailure) throws {
        let error = WireError(code: .unavailable, detail: "Not now.", storage: storage)
        #expect(WireError(body: error.body) == error)
        let newer = #"{"code":"unavailable","storage":"of-the-future"}"#
        #expect(WireError(body: Array(newer.utf8))?.storage == .failed)
        #expect(WireError(body: WireError(code: .unavailable, detail: "Busy.").body)?.storage == nil)
    }

    @Test(arguments: WireError.Code.allCases)
    func everyErrorHasAStatusThatSaysWhoseFaultItIs(code: WireError.Code) {
        #expect((400...599).contains(code.status))
        #expect((code.status >= 500) == (code == .internalError || code == .unavailable))
    }
}
