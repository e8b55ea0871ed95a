import SyncChecks
import SyncCore
import SyncSQLite
import SyncWire
import Testing

@testable import SyncServer

@Suite struct FrontErrorTests {
    struct Mishap: Error { var secret = "what a person wrote" }

    private func answer(error: any Error) async throws -> (HTTPResponse, RequestLog) {
        try #require(await Door(accounts: FakeAccountHandler { _, _ in throw error }).exchange())
    }

    @Test(arguments: WireError.Code.allCases)
    func anErrorOfTheProtocolIsAnsweredAsItIs(code: WireError.Code) async throws {
        let (answer, log) = try await answer(
            error: WireError(code: code, detail: "Why.", retryAfterSeconds: 7)
        )
        #expect(answer.status == code.status && answer.errorCode == code)
        #expect(answer.header("Content-Type") == "application/problem+json")
        #expect(answer.header("Retry-After") == "7")
        #expect(log.errorCode == code.rawValue)
    }

    @Test func aMistakeOfTheServerTellsNothing() async throws {
        let (answer, log) = try await answer(error: Mishap())
        #expect(answer.status == 500 && answer.errorCode == .internalError)
        #expect(!answer.text.contains("person") && !answer.text.contains("Mishap"))
        #expect(log.cause == "Mishap" && !log.line(at: Timestamp(microseconds: 0)).contains("person"))
    }

    /// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_FULL, SQLITE_IOERR.
    @Test(arguments: [Int32(5), 6, 13, 10])
    func aDatabaseThatCannotNowIsAWait(code: Int32) async throws {
        let (answer, log) = try await answer(
            error: SQLiteError(extendedCode: code, message: "secret", operation: "secret")
        )
        #expect(answer.status == 503 && answer.errorCode == .unavailable)
        #expect(Int(try #require(answer.header("Retry-After"))) ?? 0 > 0)
        #expect(!answer.text.contains("secret") && log.cause == "SQLite \(code)")
    }

    /// SQLITE_FULL, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN and SQLITE_BUSY; ENOSPC, EFBIG, EACCES, ENOENT.
    @Test(
        arguments: [
            (13, 0, .full), (8, 0, .readOnly), (10, 0, .failed), (10, 28, .full), (10, 27, .full),
            (14, 13, .notPermitted), (14, 2, .missing), (5, 0, nil), (11, 0, nil),
        ] as [(Int32, Int32, StorageFailure?)]
    )
    func aDatabaseThatCannotStoreSaysSo(code: Int32, number: Int32, storage: StorageFailure?) async throws {
        let error = SQLiteError(
            extendedCode: code,
            message: "secret",
            operation: "secret",
            systemErrorNumber: number
        )
        let (answer, _) = try await answer(error: error)
        #expect(WireError(body: answer.body)?.storage == storage)
        let kind = storage == .full ? LogStoreError.Kind.full : .unreachable
        let failure = LogStoreError(kind, cause: "SQLite \(code)", storage: storage)
        let wireError = WireError(failure: failure)
        #expect(wireError.storage == storage && wireError.code == .unavailable)
    }

    @Test func aDamagedDatabaseIsAMistakeOfTheServer() async throws {
        let error = SQLiteError(extendedCode: 11, message: "secret", operation: "secret")
        #expect(try await answer(error: error).0.status == 500)
    }

    @Test func accountsThatCannotBeReadAreAWaitAndNoRefusal() async throws {
        let failure = SyncError(kind: .busy, message: "m", help: "h")
        let door = Door(authenticator: FakeAuthenticator(failure: failure))
        #expect(await door.exchange()?.0.status == 503)
    }

    @Test func textThatIsNotJSONIsTheClientsError() async throws {
        let (answer, _) = try await answer(error: JSONError(offset: 3, kind: .unexpectedByte))
        #expect(answer.status == 400 && answer.errorCode == .malformed)
    }

    @Test func logsAndMetricsHoldNoTokenNoPathAndNoValue() async throws {
        let door = Door()
        var lines: [String] = []
        for (method, path) in [
            ("POST", "/v1/exchange"), ("GET", "/v1/secret-path"), ("SECRETMETHOD", "/secret-path"),
            ("POST", "/v1/scratch/secret-name/exchange"), ("DELETE", "/v1/scratch/secret-name/secret"),
        ] {
            let headers = [
                ("Authorization", "Bearer est_ada"), ("Content-Type", "application/json"),
                ("X-Secret", "secret"),
            ]
            let (_, log) = try #require(
                await door.response(method: method, path: path, headers: headers, body: #""secret-value""#)
            )
            lines.append(log.line(at: door.clock.now()))
        }
        lines.append(door.handler.metrics.text())
        for line in lines {
            #expect(!line.lowercased().contains("secret") && !line.contains("est_ada"))
        }
        #expect(!door.handler.metrics.text().contains("ada"))
        #expect(
            lines[0].hasPrefix(
                #"{"time":"2026-01-01T00:00:00Z","level":"info","event":"request","request":""#
            )
        )
        #expect(lines[0].hasSuffix(#""bytesIn":14,"bytesOut":2,"account":"id-ada"}"#))
    }

    @Test func metricsCountWhatWasAnswered() async throws {
        let door = Door(rates: RatePolicy(requestsPerSecond: 1, requestBurst: 2))
        for _ in 0..<3 { _ = await door.exchange() }
        door.handler.metrics.countChanges(accepted: 5, conflicts: 2, refused: 1)
        door.handler.metrics.streamOpened()
        let (answer, _) = try #require(await door.response(method: "GET", path: "/metrics"))
        let lines = answer.text.split(separator: "\n")
        #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
        for line in [
            #"entitysync_requests_total{route="/v1/exchange",status="200"} 2"#,
            #"entitysync_requests_total{route="/v1/exchange",status="429"} 1"#,
            #"entitysync_request_seconds_bucket{route="/v1/exchange",le="0.001"} 3"#,
            #"entitysync_request_seconds_bucket{route="/v1/exchange",le="+Inf"} 3"#,
            #"entitysync_request_seconds_count{route="/v1/exchange"} 3"#,
            #"entitysync_changes_total{outcome="accepted"} 5"#,
            #"entitysync_changes_total{outcome="conflict"} 2"#,
            #"entitysync_changes_total{outcome="refused"} 1"#,
            #"entitysync_rate_limited_total{limit="account"} 1"#,
            "entitysync_streams_open 1",
        ] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
    }
}
