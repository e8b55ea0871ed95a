import SyncChecks
import SyncCore
import SyncWire
import Testing

@testable import SyncHTTPBackend

@Suite(.timeLimit(.minutes(30))) struct ServerClientTests {
    @Test func aRequestSaysWhoAsksAndForWhat() async throws {
        let bench = try Bench(
            transport: RecordingTransport([.success(.json())]),
            base: "https://a.example/team/"
        )
        #expect(try await bench.post() == "{}")
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
        let bench = try Bench(answers: trouble, trouble, .success(.json(text: "{\"a\":1}")))
        #expect(try await bench.post() == "{\"a\":1}")
        #expect(bench.client.requests == 3)
        #expect(bench.sleeper.slept.count == 2)
    }

    @Test func aRequestThatIsNotAnsweredInTimeIsSentOnceMore() async throws {
        let bench = try Bench(answers: .failure(.timedOut), .success(.json(text: "{\"a\":1}")))
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
        let bench = try Bench(answers: trouble)
        let error = try await bench.refusal()
        #expect(error.kind == .unreachable)
        #expect(error.retry == .later)
        #expect(error.message.contains(words))
        #expect(error.message.contains("Tried \(attempts) times"))
        #expect(bench.client.requests == attempts)
        #expect(!error.message.contains("secret") && !error.help.contains("secret"))
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
    func aRefusalIsThrownAsItIsAfterOneRequest(problem: WireError) async throws {
        let bench = try Bench(answers: .success(.problem(problem: problem)))
        #expect(await #expect(throws: WireError.self) { try await bench.post() } == problem)
        #expect(bench.client.requests == 1)
    }

    @Test(arguments: [
        (403, WireError.Code.forbidden), (404, .notFound), (410, .cursorExpired), (413, .tooLarge),
    ])
    func aRefusalWithoutAProblemIsReadFromItsStatus(status: Int, code: WireError.Code) async throws {
        let bench = try Bench(answers: .success(.page(status: status)))
        #expect(await #expect(throws: WireError.self) { try await bench.post() }?.code == code)
        #expect(bench.client.requests == 1)
    }

    @Test func aProblemThatContradictsItsStatusIsNotBelieved() async throws {
        var answer = HTTPResponse.problem(problem: WireError(code: .cursorExpired, detail: "No."))
        answer.status = 404
        let bench = try Bench(answers: .success(answer))
        #expect(await #expect(throws: WireError.self) { try await bench.post() }?.code == .notFound)
    }

    @Test(arguments: [400, 407, 409, 418, 451, 501, 505, 511])
    func aStatusOutsideTheProtocolEndsAtOnce(status: Int) async throws {
        let bench = try Bench(answers: .success(.page(status: status)))
        let error = try await bench.refusal()
        #expect(error.kind == .unreachable)
        #expect(error.message.contains("\(status)"))
        #expect(bench.client.requests == 1)
    }

    @Test(arguments: [TransportError.tooLarge, .notSecure])
    func whatCannotGetBetterIsNotTriedAgain(failure: TransportError) async throws {
        let bench = try Bench(answers: .failure(failure))
        #expect(try await bench.refusal().kind == .unreachable)
        #expect(bench.client.requests == 1)
    }

    @Test func theServersWaitIsObeyedAndALongOneReported() async throws {
        let soon = HTTPResponse(status: 503, headers: [HTTPHeader(name: "Retry-After", value: "7")])
        let bench = try Bench(answers: .success(soon), .success(.json()))
        _ = try await bench.post()
        #expect(bench.sleeper.slept.allSatisfy { $0 >= 7 && $0 < 7.25 })

        let late = HTTPResponse(
            status: 429,
            headers: [HTTPHeader(name: "Retry-After", value: "Thu, 01 Jan 2026 01:00:00 GMT")]
        )
        let other = try Bench(answers: .success(late))
        let error = try await other.refusal()
        #expect(error.message.contains("3600 seconds"))
        #expect(other.client.requests == 1)
        #expect(other.sleeper.slept.isEmpty)
    }

    @Test func errorsOfTheReaderThatAreNotAboutTheAnswerPassThrough() async throws {
        let bench = try Bench(answers: .success(.json()))
        let error = SyncError(kind: .wrongRemote, message: "Another.", help: "Look.")
        let thrown = await #expect(throws: SyncError.self) {
            try await bench.client.post(path: "/", body: [], maxResponseBytes: 9, timeoutSeconds: 9) {
                _ -> Int in
                throw error
            }
        }
        #expect(thrown == error)
        #expect(bench.client.requests == 1)
    }

    @Test func aCallerCanAskForFewerAttempts() async throws {
        let bench = try Bench(answers: .success(HTTPResponse(status: 503)))
        let error = try await bench.refusal(attempts: 1)
        #expect(bench.client.requests == 1)
        #expect(!error.message.contains("Tried"))
    }

    @Test func anOpenBreakerAnswersWithoutARequestUntilItsTime() async throws {
        let down = Counter()
        let transport = RecordingTransport { _, _ in
            down.value == 0 ? HTTPResponse(status: 500) : .json()
        }
        let bench = try Bench(transport: transport)
        _ = try await bench.refusal()
        // The breaker opens in the middle of the second: its own cause is still the one that is named.
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
        let bench = try Bench(answers: .success(.page(status: status)), policy: RetryPolicy(attempts: 3))
        for _ in 0..<9 { await #expect(throws: (any Error).self) { try await bench.post() } }
        #expect(bench.breakers.state(of: bench.client.base) == .closed(failures: 0))
    }

    @Test func cancellingEndsTheWaitAndTheRequest() async throws {
        let gate = Gate()
        let hanging = try Bench(
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

        let between = try Bench(
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
        let bench = try Bench(transport: transport, policy: RetryPolicy(attempts: 1), breakers: breakers)
        _ = try await bench.refusal()
        await #expect(throws: CancellationError.self) { try await bench.post() }
        #expect(try await bench.post() == "{}")
    }

    @Test func theDifferenceOfClocksIsMeasured() async throws {
        let date = [HTTPHeader(name: "Date", value: "Wed, 31 Dec 2025 23:58:00 GMT")]
        let bench = try Bench(
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
        let bench = try Bench(
            transport: RecordingTransport([.failure(.interrupted), .failure(.interrupted), .success(.json())]
            ),
            onRetry: { attempt, delay, cause in
                #expect(attempt == told.increment())
                #expect(delay < 0.5)
                #expect(cause == .interrupted)
            }
        )
        _ = try await bench.post()
        #expect(told.value == 2)
    }

    @Test func deletingTakesAnySuccess() async throws {
        let bench = try Bench(
            answers: .success(HTTPResponse(status: 204)),
            .success(.json()),
            .success(.page(status: 404))
        )
        try await bench.client.delete("/v1/scratch/a", timeoutSeconds: 5)
        try await bench.client.delete("/v1/scratch/a", timeoutSeconds: 5)
        await #expect(throws: WireError.self) {
            try await bench.client.delete("/v1/scratch/a", timeoutSeconds: 5)
        }
        #expect(bench.transport.requests.allSatisfy { $0.method == "DELETE" && $0.body.isEmpty })
    }
}
