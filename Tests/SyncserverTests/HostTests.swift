#if Server
    import Foundation
    import SyncCore
    import SyncServer
    import SyncWire
    import Testing

    @testable import syncserver

    @Suite(.ownThreads) struct HostTests {
        @Test func requestsOfOneConnectionAreAnsweredInOrder() async throws {
            try await RunningHost.run { host in
                let answers = try await onOwnThread {
                    let wire = try Wire(host.port)
                    wire.send(
                        exchangeHead(fields: "Content-Length: 2")
                            + "[]GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
                    )
                    wire.send("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try (0..<3).map { _ in try wire.answer() }
                }
                #expect(answers.map(\.status) == [200, 200, 404])
                #expect(answers[0].body == "{}" && answers[1].body == #"{"status":"ok"}"#)
                #expect(answers[0].fields["cache-control"] == "no-store")
                #expect(answers[0].fields["date"]?.hasSuffix(" GMT") == true)
                #expect(host.accounts.seen.map { String(decoding: $0.body, as: UTF8.self) } == ["[]"])
                #expect(host.accounts.seen.map(\.peer) == ["127.0.0.1"])
            }
        }

        @Test func theQueryIsNoPartOfThePath() async throws {
            try await RunningHost.run { host in
                let text = try await host.exchange(
                    text: "GET /health?x=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                )
                #expect(text.hasPrefix("HTTP/1.1 200 "))
            }
        }

        @Test func aHeadHasNoBodyAndLeavesTheConnectionInStep() async throws {
            try await RunningHost.run { host in
                let (head, next) = try await onOwnThread {
                    let wire = try Wire(host.port)
                    wire.send(
                        "HEAD /health HTTP/1.1\r\nHost: a\r\n\r\nOPTIONS /health HTTP/1.1\r\nHost: a\r\n\r\n"
                    )
                    return (try wire.answer(hasBody: false), try wire.answer())
                }
                #expect(head.status == 200 && head.fields["content-length"] == "15")
                #expect(next.status == 204 && next.fields["allow"] == "GET, HEAD, OPTIONS")
            }
        }

        @Test func aBodyIsAskedForOnlyWhenItIsWanted() async throws {
            try await RunningHost.run { host in
                let (asked, answered, refused) = try await onOwnThread {
                    let wire = try Wire(host.port)
                    wire.send(exchangeHead(fields: "Content-Length: 2", "Expect: 100-continue"))
                    let asked = try wire.answer()
                    wire.send("{}")
                    let answered = try wire.answer()
                    let other = try Wire(host.port)
                    other.send(exchangeHead(fields: "Content-Length: 100001", "Expect: 100-continue"))
                    return (asked, answered, try other.answer())
                }
                #expect(asked.status == 100 && answered.status == 200 && refused.status == 413)
            }
        }

        @Test func aSocketThatIsClosedForSendingIsAnswered() async throws {
            try await RunningHost.run { host in
                let text = try await host.exchange(
                    text: exchangeHead(fields: "Content-Length: 2") + "{}",
                    endsSending: true
                )
                #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("\r\n\r\n{}"))
            }
        }

        @Test func aLargeAnswerArrivesWhole() async throws {
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_001)
            try await RunningHost.run(answer: { _ in .response(HTTPResponse(status: 200, body: body)) }) {
                host in
                let answer = try await onOwnThread {
                    let wire = try Wire(host.port)
                    wire.send(exchangeHead(fields: "Content-Length: 2") + "{}")
                    return try wire.answer()
                }
                #expect(answer.body.utf8.count == body.count)
            }
        }

        @Test func moreConnectionsThanAllowedWaitAndAreAnsweredLater() async throws {
            try await RunningHost.run({ $0.maxConnections = 8 }) { host in
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<100 { group.addTask { try await host.health() } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses == Array(repeating: 200, count: 100))
            }
        }

        @Test func manyConnectionsThatSayNothingKeepNobodyOut() async throws {
            try await RunningHost.run { host in
                let status = try await onOwnThread {
                    let silent = try (0..<200).map { _ in try Wire(host.port) }
                    let wire = try Wire(host.port)
                    wire.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                    return try withExtendedLifetime(silent) { try wire.answer().status }
                }
                #expect(status == 200)
            }
        }

        @Test func aRequestInFlightIsAnsweredBeforeTheServerStops() async throws {
            let arrived = DispatchSemaphore(value: 0)
            let goOn = DispatchSemaphore(value: 0)
            let answer: @Sendable (ServerRequest) throws -> ServerAnswer = { request in
                arrived.signal()
                goOn.wait()
                return try RunningHost.plain(request)
            }
            try await RunningHost.run(answer: answer) { host in
                async let text = host.exchange(text: exchangeHead(fields: "Content-Length: 2") + "{}")
                try await onOwnThread { arrived.wait() }
                await host.stop()
                try await eventually(what: "the server stops") { host.handler.isDraining }
                goOn.signal()
                #expect(try await text.hasPrefix("HTTP/1.1 200 "))
            }
        }

        @Test func aBodyThatNeverComesDoesNotKeepTheServerFromStopping() async throws {
            try await RunningHost.run({ $0.shutdownSeconds = 0.3 }) { host in
                let (wire, health) = try await onOwnThread {
                    let wire = try Wire(host.port)
                    // The answer to the first request proves that the second one has arrived as well.
                    wire.send(
                        "GET /health HTTP/1.1\r\nHost: a\r\n\r\n" + exchangeHead(fields: "Content-Length: 10")
                    )
                    return (wire, try wire.answer())
                }
                await host.stop()
                let rest = try await onOwnThread { wire.readToEnd() }
                #expect(health.status == 200 && !rest.contains(" 200 "))
                #expect(host.accounts.seen.isEmpty)
            }
        }

        @Test func theMaintenanceRunsAtTheStartAndAgain() async throws {
            let ran = DispatchSemaphore(value: 0)
            try await RunningHost.run({ $0.maintenanceSeconds = 0.01 }, maintain: { ran.signal() }) { _ in
                try await onOwnThread { for _ in 0..<3 { ran.wait() } }
            }
        }

        @Test func anAddressOfAnotherMachineIsAnErrorWithHelp() async throws {
            try await RunningHost.run { host in
                let serving = Serving(host: "203.0.113.9", port: 0, maxConnections: 10)
                let error = await #expect(throws: SyncError.self) {
                    try await serving.run(host.handler, hub: ChangeHub(), clock: SystemClock(), maintain: {})
                }
                #expect(error?.kind == .inputOutput && error?.help.contains("--host") == true)
            }
        }

        @Test func aPortThatIsInUseIsAnErrorWithHelp() async throws {
            try await RunningHost.run { host in
                let serving = Serving(host: "127.0.0.1", port: host.port, maxConnections: 10)
                let error = await #expect(throws: SyncError.self) {
                    try await serving.run(host.handler, hub: ChangeHub(), clock: SystemClock(), maintain: {})
                }
                #expect(error?.kind == .inputOutput && error?.message.contains("in use") == true)
            }
        }

        @Test func theLogHoldsOneLineForEachRequestAndNoSecret() async throws {
            try await RunningHost.run { host in
                _ = try await host.exchange(
                    text: exchangeHead(fields: "Content-Length: 8", "Connection: close", "X-Secret: secret")
                        + #""secret""#
                )
                _ = try await host.exchange(
                    text: "GET /secret HTTP/1.1\r\nHost: secret\r\nConnection: close\r\n\r\n"
                )
                let lines = host.log.all
                #expect(lines.count == 2)
                for line in lines { #expect(!line.contains("secret") && !line.contains("est_ada")) }
                #expect(lines.first?.contains(#""route":"/v1/exchange","status":200"#) == true)
            }
        }
    }
#endif
