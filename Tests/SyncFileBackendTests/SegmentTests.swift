import SyncCore
import SyncWire
import Testing

@Suite struct SegmentTests {
    let device = DeviceID(bits: 0xf1e2)

    func change(key: String, body: String, sequence: Int64 = 1) -> Change {
        Change(
            Change.Header(
                entity: "thing",
                key: RecordKey(key),
                metadata: VersionMetadata(
                    first: EditTimestamp(time: Timestamp(microseconds: 7), device: device, sequence: sequence)
                )
            ),
            body: Array(body.utf8)
        )
    }

    func encoded(changes: [Change], number: Int64 = 3) -> EncodedSegment {
        var writer = SegmentWriter(
            SegmentHeader(device: device, range: number...number, kind: .segment, entries: changes.count)
        )
        for change in changes { writer.append(change) }
        return writer.finish()
    }

    func refusal(bytes: [UInt8]) -> SegmentError? {
        do throws(SegmentError) {
            _ = try Segment(bytes)
            return nil
        } catch { return error }
    }

    @Test func readsBackWhatWasWritten() throws {
        let changes = [
            change(key: "a", body: "{\"n\":1}"), change(key: "b\n", body: "{\"n\":\"\\n\"}", sequence: 2),
        ]
        let written = encoded(changes: changes)
        let segment = try Segment(written.bytes)
        #expect(segment.header == written.header)
        #expect(segment.digest == written.digest)
        #expect(segment.lines.count == 2)
        for (line, change) in zip(segment.lines, changes) {
            #expect(try Segment.entry(in: line, of: written.bytes) == change)
        }
    }

    @Test func keepsEachEntryOnOneLineWhateverItsBodyLooksLike() throws {
        let written = encoded(changes: [change(key: "a", body: "{\n  \"n\": \"a b\\n\"\n}\n")])
        let segment = try Segment(written.bytes)
        let entry = try Segment.entry(in: segment.lines[0], of: written.bytes)
        #expect(String(decoding: entry.body, as: UTF8.self) == "{\"n\":\"a b\\n\"}")
    }

    @Test func isEmptyOfEntriesButWhole() throws {
        #expect(try Segment(encoded(changes: []).bytes).lines.isEmpty)
    }

    @Test func refusesEveryBeginningOfItselfAsTorn() {
        let bytes = encoded(changes: [change(key: "a", body: "{\"n\":1}"), change(key: "b", body: "{}")])
            .bytes
        #expect(refusal(bytes: []) == .empty)
        let name = "{\"format\":\"\(SegmentHeader.format)\"".utf8.count
        for length in 1..<bytes.count {
            let found = refusal(bytes: Array(bytes[..<length]))
            #expect(found == .torn, "cut after \(length) bytes of \(bytes.count), the name ends at \(name)")
        }
    }

    @Test func refusesEveryChangedByte() {
        let bytes = encoded(changes: [change(key: "a", body: "{\"n\":1}"), change(key: "b", body: "{}")])
            .bytes
        for index in bytes.indices {
            for bit in [UInt8(0x01), 0x20, 0x80] {
                var changed = bytes
                changed[index] ^= bit
                #expect(refusal(bytes: changed) != nil, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func saysWhyItRefuses() {
        let bytes = encoded(changes: [change(key: "a", body: "{\"n\":1}")]).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        func refusal(text: String) -> SegmentError? { self.refusal(bytes: Array(text.utf8)) }
        #expect(refusal(text: text.replacing("\"n\":1", with: "\"n\":2")) == .wrongDigest)
        #expect(refusal(text: text + "{}\n") == .torn)
        #expect(refusal(text: text + "\n") == .torn)
        #expect(refusal(text: text + text) == .torn)
        #expect(refusal(text: text.replacing("\n", with: "\r\n")) == .wrongDigest)
        #expect(refusal(text: text.replacing("\"version\":1", with: "\"version\":2")) == .newerFormat(2))
        #expect(refusal(text: "hello\n") == .foreign)
        #expect(refusal(text: "{}\n") == .foreign)
        #expect(refusal(text: "{\"format\":\"something.else\",\"version\":9}\n") == .foreign)
        #expect(refusal(text: "\u{FEFF}" + text) == .foreign)
        #expect(self.refusal(bytes: [UInt8](repeating: 0, count: 4_096)) == .torn)
        #expect(
            self.refusal(bytes: Array(bytes[..<40]) + [UInt8](repeating: 0, count: bytes.count - 40)) == .torn
        )
        #expect(self.refusal(bytes: bytes + [UInt8](repeating: 0, count: 512)) == .torn)
    }

    @Test func refusesAHeaderThatMakesNoSense() {
        let good =
            "\"version\":1,\"device\":\"000000000000f1e2\",\"kind\":\"segment\",\"first\":3,\"number\":3,\"entries\":0}"
        let headers = [
            good.replacing("\"first\":3", with: "\"first\":2"),
            good.replacing("\"first\":3", with: "\"first\":4"),
            good.replacing("\"first\":3", with: "\"first\":-3"), good.replacing("f1e2", with: "F1E2"),
            good.replacing("\"segment\"", with: "\"other\""),
            good.replacing("\"entries\":0", with: "\"entries\":-1"),
            good.replacing("\"entries\":0", with: "\"entries\":99999999999999999999"),
        ]
        for header in headers {
            let first = "{\"format\":\"\(SegmentHeader.format)\",\(header)\n"
            let digest = Digest(Array(first.utf8))
            let text = first + "{\"entries\":0,\"digest\":\"\(digest)\"}\n"
            #expect(refusal(bytes: Array(text.utf8)) == .foreign, "\(header)")
        }
    }

    @Test func refusesAnEntryThatHasNotSeenItself() {
        let line =
            "{\"entity\":\"e\",\"key\":\"k\",\"mark\":\"1.000000000000f1e2.2\",\"vector\":\"000000000000f1e2:1\",\"body\":{}}"
        #expect(throws: JSONError.self) {
            _ = try Segment.entry(in: 0..<line.utf8.count, of: Array(line.utf8))
        }
    }
}
