import HTTPDoubles
import SyncChecks
import SyncCore
import Testing

@testable import SyncHTTPClient

@Suite(.timeLimit(.minutes(30))) struct HTTPClientTests {
    @Test func aRequestSaysWhoAsksAndForWhat() async throws {
        let bench = try ClientBench(
            transport: RecordingTransport([.success(.json())]),
            base: "https://a.example/team/"
        )
        #expect(try await bench.post() == "{}")
        let request = bench.transport.requests[0]
        #expect(request.method == "POST")
        #expect(request.url == "https://a.example:443/team/records")
        #expect(request.maxResponseBytes == 1 << 20)
        #expect(
            Set(request.headers) == [
                HTTPHeader(name: "Accept", value: "application/json"),
                HTTPHeader(name: "User-Agent", value: "EntitySync"),
                HTTPHeader(name: "Content-Type", value: "application/json"),
                HTTPHeader(name: "Authorization", value: "Bearer secret"),
            ]
        )
    }

    @Test(
        arguments: [
            .success(HTTPResponse(status: 408)), .success(HTTPResponse(status: 425)),
            .success(HTTPResponse(status: 429)), .success(HTTPResponse(status: 500)),
            .success(HTTPResponse(status: 502)), .success(HTTPResponse(status: 503)),
            .success(HTTPResponse(status: 504)), .success(.page(status: 200)), .success(.page(status: 302)),
            .success(.json(text: "[]")),
            .success(HTTPResponse(status: 204)), .success(HTTPResponse(status: 200, body: [0x7b, 0x7d])),
            .failure(.interrupted), .failure(.unreachable),
        ] as [Result<HTTPResponse, TransportError>]
    )
    func whatMayPassIsTriedAgainUntilThereIsAnAnswer(trouble: Result<HTTPResponse, TransportError>)
        async throws
    {
        let bench = try ClientBench(answers: trouble, trouble, .success(.json(text: "{\"a\":1}")))
        #expect(try await bench.post() == "{\"a\":1}")
        #expect(bench.client.requests == 3)
        #expect(bench.sleeper.slept.count == 2)
    }

    @Test func aRequestThatIsNotAnsweredInTimeIsSentOnceMore() async throws {
        let bench = try ClientBench(answers: .failure(.timedOut), .success(.json(text: "{\"a\":1}")))
        #expect(try await bench.post() == "{\"a\":1}")
        #expect(bench.client.requests == 2)
    }

    @Test(
        arguments: [
            (.success(HTTPResponse(status: 503)), 3, "status 503"),
            (.success(HTTPResponse(status: 429)), 3, "no more requests"),
            (.success(.page(status: 200)), 5, "did not come from a sync server"),
            (.success(.page(status: 302)), 5, "leads elsewhere"),
            (.success(.json(text: "oops")), 5, "did not come from a sync server"),
            (.failure(.interrupted), 5, "broke off"),
            (.failure(.timedOut), 2, "too slow"),
            (.failure(.unreachable), 3, "cannot be reached"),
        ] as [(Result<HTTPResponse, TransportError>, Int, String)]
    )
    func theLastCauseIsNamedWhenAttemptsAreUsedUp(
        trouble: Result<HTTPResponse, TransportError>,
        attempts: Int,
        words: String
    ) async throws {
        let bench = try ClientBench(answers: trouble)
        let error = try await bench.refusal()
        #expect(error.kind == .unreachable)
        #expect(error.retry == .later)
        #expect(error.message.contains(words))
        #expect(error.message.contains("Tried \(attempts) times"))
        #expect(bench.client.requests == attempts)
        #expect(!error.message.contains("secret") && !error.help.contains("secret"))
    }

    @Test func aRefusalThatTheProtocolKnowsIsThrownAfterOneRequest() async throws {
        let wait = [HTTPHeader(name: "Retry-After", value: "7")]
        let bench = try ClientBench(answers: .success(.page(status: 410, headers: wait)))
        let error = await #expect(throws: TestServerError.self) { try await bench.post() }
        #expect(error == TestServerError(status: 410, wait: 7))
        #expect(bench.client.requests == 1)
    }

    @Test(arguments: [304, 404, 409, 412])
    func aStatusThatTheCallNamesIsReadWhateverItMeansElsewhere(status: Int) async throws {
        let bench = try ClientBench(answers: .success(.page(status: status)))
        var call = ClientBench.call()
        call.answers = [200, status]
        #expect(try await bench.client.send(call, read: \.status) == status)
        #expect(bench.client.requests == 1)
    }

    @Test(
        arguments: [
            (.failure(.unreachable), 2), (.success(HTTPResponse(status: 429)), 2),
            (.success(HTTPResponse(status: 425)), 2), (.failure(.interrupted), 1), (.failure(.timedOut), 1),
            (.success(HTTPResponse(status: 503)), 1), (.success(.page(status: 200)), 1),
        ] as [(Result<HTTPResponse, TransportError>, Int)]
    )
    func whatMayHaveBeenDoneIsNotRepeatedWhereOnceIsNotTwice(
        trouble: Result<HTTPResponse, TransportError>,
        requests: Int
    ) async throws {
        let bench = try ClientBench(answers: trouble, .success(.json()))
        var call = ClientBench.call()
        call.isRepeatable = false
        _ = try? await bench.send(call)
        #expect(bench.client.requests == requests)
    }

    @Test func aCallsFieldsReplaceThoseOfTheConventionsAndATokenMayBeAPassword() async throws {
        let conventions = HTTPConventions(
            headers: [
                HTTPHeader(name: "apikey", value: "key"), HTTPHeader(name: "Prefer", value: "minimal"),
            ],
            authorization: .basic
        )
        let bench = try ClientBench(
            transport: RecordingTransport([.success(.json())]),
            conventions: conventions,
            credentials: TestCredentials(token: "Aladdin:open")
        )
        var call = HTTPCall("GET", path: "records?limit=1", maxResponseBytes: 99, timeoutSeconds: 9)
        call.headers = [HTTPHeader(name: "prefer", value: "all")]
        try await bench.client.send(call) { _ in }
        let request = bench.transport.requests[0]
        #expect(request.url == "https://sync.example.org:443/records?limit=1")
        #expect(
            Set(request.headers) == [
                HTTPHeader(name: "Accept", value: "application/json"),
                HTTPHeader(name: "User-Agent", value: "EntitySync"),
                HTTPHeader(name: "apikey", value: "key"), HTTPHeader(name: "prefer", value: "all"),
                HTTPHeader(name: "Authorization", value: "Basic QWxhZGRpbjpvcGVu"),
            ]
        )
    }

    @Test func aStreamIsOpenedWithAFreshTokenAndWhateverItsStatus() async throws {
        let transport = RecordingTransport { request, _ in
            HTTPResponse(status: request.token == "Bearer b" ? 206 : 401)
        }
        let bench = try ClientBench(
            transport: transport,
            credentials: TestCredentials(token: "a", then: ["b"])
        )
        let stream = try await bench.client.stream(ClientBench.call())
        #expect(stream.head.status == 206)
        #expect(bench.client.requests == 2)
    }

    @Test(arguments: [400, 404, 409, 418, 451, 501, 505])
    func aStatusOutsideTheProtocolEndsAtOnce(status: Int) async throws {
        let bench = try ClientBench(answers: .success(.page(status: status)))
        let error = try await bench.refusal()
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("\(status)"))
        #expect(bench.client.requests == 1)
    }

    @Test(arguments: [TransportError.tooLarge, .notSecure])
    func whatCannotGetBetterIsNotTriedAgain(failure: TransportError) async throws {
        let bench = try ClientBench(answers: .failure(failure))
        #expect(try await bench.refusal().kind == .unreachable)
        #expect(bench.client.requests == 1)
    }

    @Test func theServersWaitIsObeyedAndALongOneReported() async throws {
        let soon = HTTPResponse(status: 503, headers: [HTTPHeader(name: "Retry-After", value: "7")])
        let bench = try ClientBench(answers: .success(soon), .success(.json()))
        _ = try await bench.post()
        #expect(bench.sleeper.slept.allSatisfy { $0 >= 7 && $0 < 7.25 })

        let late = HTTPResponse(
            status: 429,
            headers: [HTTPHeader(name: "Retry-After", value: "Thu, 01 Jan 2026 01:00:00 GMT")]
        )
        let other = try ClientBench(answers: .success(late))
        let error = try await other.refusal()
        #expect(error.message.contains("3600 seconds"))
        #expect(other.client.requests == 1)
        #expect(other.sleeper.slept.isEmpty)
    }

    @Test func errorsOfTheReaderThatAreNotAboutTheAnswerPassThrough() async throws {
        let bench = try ClientBench(answers: .success(.json()))
        let error = SyncError(kind: .wrongRemote, message: "Another.", help: "Look.")
        let thrown = await #expect(throws: SyncError.self) {
            try await bench.client.send(ClientBench.call()) { _ -> Int in throw error }
        }
        #expect(thrown == error)
        #expect(bench.client.requests == 1)
    }

    @Test func aCallerCanAskForFewerAttempts() async throws {
        let bench = try ClientBench(answers: .success(HTTPResponse(status: 503)))
        let error = try await bench.refusal(attempts: 1)
        #expect(bench.client.requests == 1)
        #expect(!error.message.contains("Tried"))
    }

    @Test func anOpenBreakerAnswersWithoutARequestUntilItsTime() async throws {
        let down = Counter()
        let transport = RecordingTransport { _, _ in
            down.value == 0 ? HTTPResponse(status: 500) : .json()
        }
        let bench = try ClientBench(transport: transport)
        _ = try await bench.refusal()
        // The breaker opens during the second call, whose own cause is still reported.
        #expect(try await bench.refusal().message.contains("status 500"))
        #expect(bench.client.requests == 8)

        let error = try await bench.refusal()
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("is not asked again before 2026-01-01T00:00:"))
        #expect(bench.client.requests == 8)

        down.increment()
        bench.clock.advance(seconds: 46)
        #expect(try await bench.post() == "{}")
        #expect(bench.breakers.state(of: bench.client.base) == .closed(failures: 0))
    }

    @Test(arguments: [429, 403, 200])
    func aHostThatAnswersOpensNoBreaker(status: Int) async throws {
        let bench = try ClientBench(
            answers: .success(.page(status: status)),
            policy: RetryPolicy(attempts: 3)
        )
        for _ in 0..<9 { await #expect(throws: (any Error).self) { try await bench.post() } }
        #expect(bench.breakers.state(of: bench.client.base) == .closed(failures: 0))
    }

    @Test func cancellingEndsTheWaitAndTheRequest() async throws {
        let gate = Gate()
        let hanging = try ClientBench(
            transport: RecordingTransport { _, _ in
                gate.open()
                try await Gate().wait()
                return .json()
            }
        )
        let request = Task { try await hanging.post() }
        try await gate.wait()
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }

        let between = try ClientBench(
            transport: RecordingTransport([.failure(.interrupted)]),
            sleeper: TestSleeper(holds: { _ in true })
        )
        let wait = Task { try await between.post() }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
    }

    @Test func aCancelledProbeLeavesTheBreakerToTheNext() async throws {
        let breakers = SharedCircuitBreaker(CircuitBreaker.Settings(failures: 1, coolDownSeconds: 0))
        let transport = RecordingTransport { _, index in
            if index == 0 { throw TransportError.timedOut }
            if index == 1 { throw CancellationError() }
            return .json()
        }
        let bench = try ClientBench(
            transport: transport,
            policy: RetryPolicy(attempts: 1),
            breakers: breakers
        )
        _ = try await bench.refusal()
        await #expect(throws: CancellationError.self) { try await bench.post() }
        #expect(try await bench.post() == "{}")
    }

    @Test func theDifferenceOfClocksIsMeasured() async throws {
        let date = [HTTPHeader(name: "Date", value: "Wed, 31 Dec 2025 23:58:00 GMT")]
        let bench = try ClientBench(
            answers: .success(.page(status: 500, headers: date)),
            .success(.json(text: "{}", date))
        )
        #expect(bench.client.skewSeconds == nil)
        await #expect(throws: SyncError.self) { try await bench.post(attempts: 1) }
        #expect(bench.client.skewSeconds == nil, "a proxy's clock tells nothing")
        _ = try await bench.post()
        #expect(bench.client.skewSeconds == 120)
        bench.client.noteServerTime(Timestamp(microseconds: bench.clock.now().microseconds + 1_500_000))
        _ = try await bench.post()
        #expect(bench.client.skewSeconds == -1.5, "the exact one stays")
    }

    @Test func eachWaitIsToldOf() async throws {
        let told = Counter()
        let bench = try ClientBench(
            transport: RecordingTransport([.failure(.interrupted), .failure(.interrupted), .success(.json())]
            ),
            onRetry: { attempt, delay, setback in
                #expect(attempt == told.increment())
                #expect(delay < 0.5)
                #expect(setback.cause == .transport(.interrupted))
            }
        )
        _ = try await bench.post()
        #expect(told.value == 2)
    }

    @Test func aServerThatIsLeftAloneForAWhileIsNotToBeAskedBefore() async throws {
        let breakers = SharedCircuitBreaker(CircuitBreaker.Settings(failures: 1, coolDownSeconds: 30))
        let transport = RecordingTransport([.failure(.timedOut)])
        let bench = try ClientBench(
            transport: transport,
            policy: RetryPolicy(attempts: 1),
            breakers: breakers
        )
        #expect(bench.client.notBefore == nil)
        _ = try await bench.refusal()
        let due = try #require(bench.client.notBefore)
        #expect(due.microseconds >= bench.clock.now().microseconds + 30_000_000)
    }
}
