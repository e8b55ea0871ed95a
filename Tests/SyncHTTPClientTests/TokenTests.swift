import Foundation
import HTTPDoubles
import SyncCore
import Testing
import Waits

@testable import SyncHTTPClient

@Suite(.timeLimit(.minutes(30))) struct TokenTests {
    /// A server that accepts one token.
    static func server(taking token: String, onRefusal: @escaping @Sendable () -> Void = {})
        -> RecordingTransport
    {
        RecordingTransport { request, _ in
            if request.token == "Bearer \(token)" { return .json() }
            onRefusal()
            return HTTPResponse(status: 401)
        }
    }

    @Test func parallelRequestsThatAreRefusedShareOneRefresh() async throws {
        let gate = Gate()
        let refusals = Counter()
        let credentials = TestCredentials(token: "old", then: ["new", "never"]) { try await gate.wait() }
        let transport = Self.server(taking: "new") { if refusals.increment() == 20 { gate.open() } }
        let bench = try ClientBench(transport: transport, credentials: credentials)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await bench.post() } }
            try await group.waitForAll()
        }
        #expect(credentials.refreshes == ["old"])
        #expect(bench.client.requests == 40)
        #expect(await !bench.client.tokens.isPaused)
    }

    @Test func aRefusalThatComesLateUsesTheTokenThatIsThereAlready() async throws {
        let credentials = TestCredentials(token: "old", then: ["new", "never"])
        let keeper = TokenStore(credentials)
        #expect(try await keeper.replacement(for: "old") == "new")
        #expect(try await keeper.replacement(for: "old") == "new")
        #expect(credentials.refreshes == ["old"])
        // A source that still returns the old token does not reactivate it.
        credentials.set("old")
        #expect(try await keeper.token() == "new")
    }

    /// The one that an earlier refusal gave may be refused, too, before those who wait for it have it.
    @Test func aRefusalOfTheTokenThatARenewalGivesHasARenewalOfItsOwn() async throws {
        let gate = Gate()
        let credentials = TestCredentials(token: "first", then: ["second", "third"]) { try await gate.wait() }
        let keeper = TokenStore(credentials)
        async let one = keeper.replacement(for: "first")
        try await eventually(what: "the renewal has begun") { credentials.refreshes == ["first"] }
        async let two = keeper.replacement(for: "second")
        try await Task.sleep(for: .milliseconds(50))
        gate.open()
        #expect(try await [one, two] == ["second", "third"])
        #expect(credentials.refreshes == ["first", "second"])
    }

    @Test func aTokenThatIsRefusedAgainPausesTheAccountUntilThereIsAnother() async throws {
        let credentials = TestCredentials(token: "first", then: ["second"])
        let bench = try ClientBench(transport: Self.server(taking: "third"), credentials: credentials)
        let error = try await bench.refusal()
        #expect(error.kind == .notPermitted)
        #expect(error.message == "The server does not accept the token.")
        #expect(bench.client.requests == 2)
        #expect(await bench.client.tokens.isPaused)

        #expect(try await bench.refusal().kind == .notPermitted)
        #expect(bench.client.requests == 2, "a paused account sends nothing")
        #expect(credentials.refreshes == ["first"])

        credentials.set("third")
        #expect(try await bench.post() == "{}")
        #expect(await !bench.client.tokens.isPaused)
    }

    @Test func aSourceWithoutAnotherTokenPausesTheAccountAtOnce() async throws {
        let bench = try ClientBench(
            transport: Self.server(taking: "other"),
            credentials: TestCredentials(token: "first")
        )
        #expect(try await bench.refusal().kind == .notPermitted)
        #expect(try await bench.refusal().kind == .notPermitted)
        #expect(bench.client.requests == 1)
    }

    @Test func aRefreshThatFailsReachesEveryWaiterAndIsTriedAgainLater() async throws {
        struct Offline: Error {}
        let tries = Counter()
        let credentials = TestCredentials(token: "old", then: ["new"]) {
            if tries.increment() == 1 { throw Offline() }
        }
        let bench = try ClientBench(transport: Self.server(taking: "new"), credentials: credentials)
        await #expect(throws: Offline.self) { try await bench.post() }
        #expect(try await bench.post() == "{}")
    }

    @Test func whoIsCancelledLeavesTheRefreshToTheOthers() async throws {
        let gate = Gate()
        let keeper = TokenStore(TestCredentials(token: "old", then: ["new"]) { try await gate.wait() })
        let leaving = Task { try await keeper.replacement(for: "old") }
        let staying = Task { try await keeper.replacement(for: "old") }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.open()
        #expect(try await staying.value == "new")
    }

    @Test(arguments: ["", "a b", "a\r\nX-Other: b", "tökén"])
    func whatIsNoTokenIsNeverSent(token: String) async throws {
        let bench = try ClientBench(
            transport: Self.server(taking: token),
            credentials: TestCredentials(token: token)
        )
        let error = try await bench.refusal()
        #expect(error.kind == .notPermitted)
        #expect(bench.client.requests == 0)
    }

    @Test(arguments: [
        "@evil.example/", "//evil.example/", ".evil.example", "http://evil.example", "", "/records",
    ])
    func theTokenGoesToTheConfiguredOriginOnly(path: String) async throws {
        let bench = try ClientBench(answers: .success(.json()))
        _ = try await bench.send(ClientBench.call(path))
        let url = try #require(URL(string: bench.transport.requests[0].url))
        #expect(url.host == "sync.example.org")
        #expect(url.port == 443)
        #expect(url.scheme == "https")
        #expect(url.user == nil)
    }

    @Test func aRedirectTakesTheTokenNowhere() async throws {
        let away = HTTPResponse(
            status: 307,
            headers: [HTTPHeader(name: "Location", value: "https://evil.example/")]
        )
        let bench = try ClientBench(answers: .success(away))
        let error = try await bench.refusal()
        #expect(error.kind == .unreachable)
        #expect(bench.transport.requests.allSatisfy { $0.url == "https://sync.example.org:443/records" })
    }
}
