import HTTPDoubles
import SyncCore
import SyncHTTPClient
import SyncServerBackend
import SyncWire
import Testing

/// What protocol v1 adds to the HTTP client.
@Suite(.timeLimit(.minutes(30))) struct ExchangeClientTests {
    private func bench(answers: HTTPResponse...) throws -> ClientBench {
        try ClientBench(
            transport: RecordingTransport(answers.map { .success($0) }),
            conventions: .syncServer,
            base: "https://a.example/team/"
        )
    }

    private func post(bench: ClientBench) async throws -> [UInt8] {
        try await bench.client.post(
            path: "/v1/exchange",
            body: Array("{}".utf8),
            maxResponseBytes: 1 << 20,
            timeoutSeconds: 30,
            read: \.body
        )
    }

    @Test func aRequestSaysWhoAsksAndForWhat() async throws {
        let bench = try bench(answers: .json())
        #expect(try await post(bench: bench) == Array("{}".utf8))
        let request = bench.transport.requests[0]
        #expect(request.method == "POST")
        #expect(request.url == "https://a.example:443/team/v1/exchange")
        #expect(request.maxResponseBytes == 1 << 20)
        #expect(
            Set(request.headers) == [
                HTTPHeader(name: "Accept", value: "application/json, application/problem+json"),
                HTTPHeader(name: "User-Agent", value: "EntitySync"),
                HTTPHeader(name: "Content-Type", value: "application/json"),
                HTTPHeader(name: "Authorization", value: "Bearer secret"),
            ]
        )
    }

    @Test(arguments: [
        HTTPResponse.page(status: 200), HTTPResponse(status: 204),
        HTTPResponse(status: 200, body: [0x7b, 0x7d]),
    ])
    func anAnswerThatIsNotJSONIsTriedAgain(answer: HTTPResponse) async throws {
        let bench = try bench(answers: answer, .json())
        #expect(try await post(bench: bench) == Array("{}".utf8))
        #expect(bench.client.requests == 2)
    }

    @Test(
        arguments: [
            WireError(code: .malformed, detail: "No."), WireError(code: .forbidden, detail: "No."),
            WireError(code: .notFound, detail: "No."),
            WireError(code: .historyChanged, detail: "No."),
            WireError(code: .deviceCopied, detail: "No."),
            WireError(code: .cursorExpired, detail: "No."),
            WireError(code: .tooLarge, detail: "No.", limits: WireLimits(changes: 3)),
            WireError(code: .unsupportedMediaType, detail: "No."),
        ]
    )
    func aRefusalIsThrownAsItIsAfterOneRequest(error: WireError) async throws {
        let bench = try bench(answers: .error(error))
        #expect(await #expect(throws: WireError.self) { try await post(bench: bench) } == error)
        #expect(bench.client.requests == 1)
    }

    @Test(arguments: [
        (410, WireError.Code.cursorExpired), (413, .tooLarge),
    ])
    func anErrorWithoutABodyIsReadFromItsStatus(status: Int, code: WireError.Code) async throws {
        let bench = try bench(answers: .page(status: status))
        #expect(await #expect(throws: WireError.self) { try await post(bench: bench) }?.code == code)
        #expect(bench.client.requests == 1)
    }

    @Test func anErrorThatContradictsItsStatusIsNotBelieved() async throws {
        var answer = HTTPResponse.error(WireError(code: .cursorExpired, detail: "No."))
        answer.status = 404
        let bench = try bench(answers: answer)
        #expect(await #expect(throws: SyncError.self) { try await post(bench: bench) } == .nothingThere())
    }

    /// Only the server's own word that it has nothing there ends automatic syncs: a proxy says so, too, while the server
    /// behind it is replaced.
    @Test func nothingThereIsBelievedOfTheServerAlone() async throws {
        let proxy = try bench(answers: .page(status: 404))
        let passing = await #expect(throws: SyncError.self) { try await post(bench: proxy) }
        #expect(passing?.kind == .unreachable && passing?.retry == .later)
        #expect(passing.map { Setback($0).fault } == .way)
        let server = try bench(answers: .error(WireError(code: .notFound, detail: "No.")))
        #expect(await #expect(throws: WireError.self) { try await post(bench: server) }?.code == .notFound)
    }

    /// A captive portal, nginx with basic authentication, a gateway with errors of its own.
    @Test(
        arguments: [401, 403, 407, 511],
        [
            ("text/html", "<html>Sign in</html>"), ("text/plain", ""),
            ("application/json", #"{"error":"no"}"#),
            ("application/problem+json", #"{"title":"no"}"#),
            ("application/problem+json", #"{"code":"not-found"}"#),
        ]
    )
    func onlyTheServerMayBlameATokenOrAnAccount(status: Int, page: (type: String, body: String)) async throws
    {
        let headers = [
            HTTPHeader(name: "Content-Type", value: page.type),
            HTTPHeader(name: "WWW-Authenticate", value: "Basic realm=\"has expired\""),
        ]
        let foreign = HTTPResponse(status: status, headers: headers, body: Array(page.body.utf8))
        let bench = try bench(answers: foreign, foreign, .json())
        #expect(try await post(bench: bench) == Array("{}".utf8))
        #expect(bench.client.requests == 3)
        #expect(await !bench.client.tokens.isPaused)

        let lasting = try self.bench(answers: foreign)
        let error = await #expect(throws: SyncError.self) { try await post(bench: lasting) }
        #expect(error?.kind == .unreachable)
        #expect(error?.retry == .later)
        #expect(await !lasting.client.tokens.isPaused)
    }

    @Test func theServersOwnRefusalPausesTheAccount() async throws {
        let bench = try bench(answers: .error(WireError(code: .unauthorized, detail: "No.")))
        let error = await #expect(throws: SyncError.self) { try await post(bench: bench) }
        #expect(error?.kind == .notPermitted)
        #expect(await bench.client.tokens.isPaused)
    }

    @Test func aPortalEndsNoStream() async throws {
        let portal = HTTPResponse.page(status: 403)
        let login = HTTPResponse.page(status: 401)
        let bench = try ClientBench(
            transport: RecordingTransport([.success(portal), .success(login), .success(.events)]),
            conventions: .syncServer,
            sleeper: TestSleeper(holds: { $0 == 15 })
        )
        var changes = bench.client.changes().makeAsyncIterator()
        try #require(try await changes.next() != nil)
        #expect(bench.client.requests == 3)
    }

    @Test(arguments: [400, 409, 418, 451, 501, 505])
    func aStatusOutsideTheProtocolEndsAtOnce(status: Int) async throws {
        let bench = try bench(answers: .page(status: status))
        let error = await #expect(throws: SyncError.self) { try await post(bench: bench) }
        #expect(error?.kind == .unreachable)
        #expect(error?.message.contains("\(status)") == true)
        #expect(bench.client.requests == 1)
    }

    @Test func aServerThatNeverAnswersIsGivenUpWithinAMinute() throws {
        #expect(HTTPLimits().timeoutSeconds * 2 + RetryPolicy().baseSeconds < 60)
        #expect(try bench(answers: .json()).client.policy.silentAttempts == 2)
    }

    @Test func deletingTakesAnySuccess() async throws {
        let bench = try bench(answers: HTTPResponse(status: 204), .json(), .page(status: 404))
        try await bench.client.delete("/v1/scratch/a", timeoutSeconds: 5)
        try await bench.client.delete("/v1/scratch/a", timeoutSeconds: 5)
        await #expect(throws: SyncError.self) {
            try await bench.client.delete("/v1/scratch/a", timeoutSeconds: 5)
        }
        #expect(bench.transport.requests.allSatisfy { $0.method == "DELETE" && $0.body.isEmpty })
    }

    @Test func changesAreThoseOfTheProtocolsStreamAndEndWhereTheAccountIsForbidden() async throws {
        let bench = try ClientBench(
            transport: RecordingTransport([
                .success(.events),
                .success(
                    HTTPResponse(
                        status: 403,
                        headers: [HTTPHeader(name: "Content-Type", value: "application/problem+json")]
                    )
                ),
            ]),
            conventions: .syncServer,
            sleeper: TestSleeper(holds: { $0 == 15 })
        )
        var changes = bench.client.changes().makeAsyncIterator()
        try #require(try await changes.next() != nil)
        #expect(bench.transport.requests[0].url == "https://sync.example.org:443/v1/events")
        bench.transport.streams[0].yield(Array("event: change\ndata:\n\n".utf8))
        try #require(try await changes.next() != nil)
        bench.transport.streams[0].finish()
        let error = await #expect(throws: WireError.self) { try await changes.next() }
        #expect(error?.code == .forbidden)
    }
}
