import SyncCore
import Testing

@testable import SyncHTTPClient

@Suite struct EventStreamParserTests {
    static let samples: [(String, [ServerEvent])] = [
        ("data: a\n\n", [ServerEvent(name: "message", data: "a")]),
        ("event: change\ndata:\n\n", [ServerEvent(name: "change", data: "")]),
        ("event: change\n\n", []),
        (
            "event:change\r\ndata:x\r\n\r\ndata: y\r\n\r\n",
            [
                ServerEvent(name: "change", data: "x"), ServerEvent(name: "message", data: "y"),
            ]
        ),
        ("data: a\rdata: b\r\r", [ServerEvent(name: "message", data: "a\nb")]),
        ("data:  two\ndata\ndata: \n\n", [ServerEvent(name: "message", data: " two\n\n")]),
        (": ping\n\n:\n\n\n", []),
        ("\u{feff}data: a\n\n", [ServerEvent(name: "message", data: "a")]),
        ("id: 1\nfoo: bar\ndata: ü\u{1f600}\n\n", [ServerEvent(name: "message", data: "ü\u{1f600}")]),
        ("data: lost", []),
        ("data: a:b:c\n\n", [ServerEvent(name: "message", data: "a:b:c")]),
        ("event: x\nevent: y\ndata: 1\n\n", [ServerEvent(name: "y", data: "1")]),
    ]

    @Test(arguments: samples)
    func eventsAreReadHoweverTheyAreSplit(text: String, events: [ServerEvent]) throws {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            var parser = EventStreamParser()
            var read = try parser.feed(Array(bytes[..<split]))
            read += try parser.feed(Array(bytes[split...]))
            #expect(read == events, "split at \(split)")
        }
        var parser = EventStreamParser()
        var single: [ServerEvent] = []
        for byte in bytes { single += try parser.feed([byte]) }
        #expect(single == events)
    }

    @Test func theTimeToComeBackIsRead() throws {
        var parser = EventStreamParser()
        _ = try parser.feed(Array("retry: 3000\nretry: 1s\nretry:\n".utf8))
        #expect(parser.retryMilliseconds == 3000)
    }

    @Test func aLineOrAnEventWithoutEndIsRefused() throws {
        var parser = EventStreamParser()
        _ = try parser.feed([UInt8](repeating: 0x61, count: EventStreamParser.maxBytes))
        #expect(throws: EventStreamParser.TooLongError.self) { try parser.feed([0x61]) }

        var lines = EventStreamParser()
        let line = Array(("data: " + String(repeating: "x", count: 1000) + "\n").utf8)
        #expect(throws: EventStreamParser.TooLongError.self) {
            for _ in 0..<100 { _ = try lines.feed(line) }
        }
    }
}
