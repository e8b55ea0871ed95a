import HTTPDoubles
import SyncCore
import Testing

@testable import SyncHTTPClient

@Suite(.timeLimit(.minutes(30))) struct EventWatchTests {
    /// A sleeper that holds the slices in which silence is measured; other waits end at once.
    static func patient() -> TestSleeper { TestSleeper(holds: { $0 == 15 }) }

    @Test func anElementComesForEachConnectionAndForEachChange() async throws {
        let bench = try ClientBench(
            transport: RecordingTransport([.success(.events)]),
            sleeper: Self.patient()
        )
        var changes = bench.changes().makeAsyncIterator()
        try #require(try await changes.next() != nil)
        let request = bench.transport.requests[0]
        #expect(request.url == "https://sync.example.org:443/events")
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
        let bench = try ClientBench(transport: transport, sleeper: Self.patient())
        var changes = bench.changes().makeAsyncIterator()
        try #require(try await changes.next() != nil)
        #expect(bench.client.requests == 31)
        #expect(bench.sleeper.slept.filter { $0 == 45 }.count == 6)
        #expect(bench.sleeper.slept.allSatisfy { $0 <= 45 })
    }

    @Test func aStreamThatIsSilentIsBroken() async throws {
        let bench = try ClientBench(transport: RecordingTransport([.success(.events)]))
        var changes = bench.changes().makeAsyncIterator()
        while bench.client.requests < 3 { try #require(try await changes.next() != nil) }
        #expect(bench.sleeper.slept.filter { $0 == 15 }.count >= 8)
    }

    /// A keychain that is locked, or a refresh without a network.
    @Test func aTokenThatIsNotThereAtTheMomentIsAskedForAgain() async throws {
        struct Locked: Error {}
        let failures = Guarded(3)
        let bench = try ClientBench(
            transport: RecordingTransport { _, index in index < 4 ? HTTPResponse(status: 401) : .events },
            credentials: TestCredentials(token: "old", then: ["new"]) {
                let left = failures.use { count in
                    count -= 1
                    return count
                }
                if left >= 0 { throw Locked() }
            },
            sleeper: Self.patient()
        )
        var changes = bench.changes().makeAsyncIterator()
        try #require(try await changes.next() != nil)
        #expect(failures.use { $0 } == -1)
    }

    @Test func aRefusedTokenOrAccountEndsIt() async throws {
        let refused = try ClientBench(transport: RecordingTransport([.success(HTTPResponse(status: 401))]))
        var changes = refused.changes().makeAsyncIterator()
        let error = await #expect(throws: SyncError.self) { try await changes.next() }
        #expect(error?.kind == .notPermitted)

        let forbidden = try ClientBench(transport: RecordingTransport([.success(.page(status: 403))]))
        var others = forbidden.changes().makeAsyncIterator()
        let serverError = await #expect(throws: TestServerError.self) { try await others.next() }
        #expect(serverError?.status == 403)
    }

    @Test func whoStopsReadingEndsTheStream() async throws {
        let bench = try ClientBench(
            transport: RecordingTransport([.success(.events)]),
            sleeper: Self.patient()
        )
        let isEnded = Gate()
        do {
            var changes = bench.changes().makeAsyncIterator()
            try #require(try await changes.next() != nil)
            bench.transport.streams[0].onTermination = { _ in isEnded.open() }
        }
        try await isEnded.wait()
        #expect(bench.client.requests == 1)
    }
}
