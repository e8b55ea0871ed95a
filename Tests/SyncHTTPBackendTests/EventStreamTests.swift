import SyncCore
import SyncWire
import Testing

@testable import SyncHTTPBackend

@Suite struct EventStreamTests {
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
        #expect(throws: EventStreamParser.TooLong.self) { try parser.feed([0x61]) }

        var lines = EventStreamParser()
        let line = Array(("data: " + String(repeating: "x", count: 1000) + "\n").utf8)
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0..<100 { _ = try lines.feed(line) }
        }
    }
}

@Suite(.timeLimit(.minutes(30))) struct ChangeWatchTests {
    /// Holds the slices in which silence is counted; other waits pass at once.
    static func patient() -> TestSleeper { TestSleeper(holds: { $0 == 15 }) }

    @Test func anElementComesForEachConnectionAndForEachChange() async throws {
        let bench = try Bench(transport: RecordingTransport([.success(.events)]), sleeper: Self.patient())
        var changes = bench.client.changes().makeAsyncIterator()
        try #require(try await changes.next() != nil)
        let request = bench.transport.requests[0]
        #expect(request.url == "https://sync.example.org:443/v1/events")
        #expect(request.headers.contains(HTTPHeader(name: "Accept", value: "text/event-stream")))
        #expect(request.token == "Bearer secret")

        bench.transport.streams[0].yield(Array("event: change\nda".utf8))
        bench.transport.streams[0].yield(Array("ta:\n\n".utf8))
        try #require(try await changes.next() != nil)
        #expect(bench.client.requests == 1)

        bench.transport.streams[0].finish()
        try #require(try await changes.next() != nil)
        #expect(bench.client.requests == 2)

        bench.transport.streams[1].finish(throwing: TransportError.interrupted)
        try #require(try await changes.next() != nil)
        #expect(bench.client.requests == 3)
    }

    @Test func whatFailsIsConnectedAgainForEver() async throws {
        let troubles: [Result<HTTPResponse, TransportError>] = [
            .failure(.unreachable), .failure(.timedOut), .success(.page(status: 200)),
            .success(.page(status: 302)),
            .success(HTTPResponse(status: 503, headers: [HTTPHeader(name: "Retry-After", value: "45")])),
        ]
        let transport = RecordingTransport { _, index in
            guard index < 30 else { return .events }
            return try troubles[index % troubles.count].get()
        }
        let bench = try Bench(transport: transport, sleeper: Self.patient())
        var changes = bench.client.changes().makeAsyncIterator()
        try #require(try await changes.next() != nil)
        #expect(bench.client.requests == 31)
        #expect(bench.sleeper.slept.filter { $0 == 45 }.count == 6)
        #expect(bench.sleeper.slept.allSatisfy { $0 <= 45 })
    }

    @Test func aStreamThatIsSilentIsBroken() async throws {
        let bench = try Bench(transport: RecordingTransport([.success(.events)]))
        var changes = bench.client.changes().makeAsyncIterator()
        while bench.client.requests < 3 { try #require(try await changes.next() != nil) }
        #expect(bench.sleeper.slept.filter { $0 == 15 }.count >= 8)
    }

    @Test func aRefusedTokenOrAccountEndsIt() async throws {
        let refused = try Bench(transport: RecordingTransport([.success(HTTPResponse(status: 401))]))
        var changes = refused.client.changes().makeAsyncIterator()
        let error = await #expect(throws: SyncError.self) { try await changes.next() }
        #expect(error?.kind == .notPermitted)

        let forbidden = try Bench(transport: RecordingTransport([.success(.page(status: 403))]))
        var others = forbidden.client.changes().makeAsyncIterator()
        let problem = await #expect(throws: WireError.self) { try await others.next() }
        #expect(problem?.code == .forbidden)
    }

    @Test func whoStopsReadingEndsTheStream() async throws {
        let bench = try Bench(transport: RecordingTransport([.success(.events)]), sleeper: Self.patient())
        let isEnded = Gate()
        do {
            var changes = bench.client.changes().makeAsyncIterator()
            try #require(try await changes.next() != nil)
            bench.transport.streams[0].onTermination = { _ in isEnded.open() }
        }
        try await isEnded.wait()
        #expect(bench.client.requests == 1)
    }
}
