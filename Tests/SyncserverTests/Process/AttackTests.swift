#if Server
    import Foundation
    import ProgramRuns
    import Testing

    extension ProcessTests {
        /// Attacks by unauthenticated clients and by single accounts on a server that others use.
        @Suite struct AttackTests {
            @Test func aServerWithFewOpenFilesStaysUpUnderMoreConnectionsThanItMayHold() async throws {
                try await Stage.run { stage in
                    let server = try await stage.server(
                        openFiles: 128,
                        more: ["--max-connections", "2000"]
                    )
                    let crowd = try await onOwnThread { [port = server.port] in
                        (0..<180).compactMap { _ in try? Wire(port) }
                    }
                    try await eventually(what: "a client beside the crowd is answered") {
                        try await status(of: "/health", port: server.port) == 200
                    }
                    let used = try server.processorSeconds()
                    try await pause(seconds: 1)
                    #expect(try server.processorSeconds() - used < 0.25, "the server spins")
                    withExtendedLifetime(crowd) {}
                    #expect(server.child.error.contains(#""event":"limits""#), "\(server.child.error)")
                    try await server.stop()
                }
            }

            @Test func aServerWithoutEnoughOpenFilesSaysSoAndDoesNotStart() async throws {
                try await Stage.run { stage in
                    let child = try stage.startServer(openFiles: 40)
                    let run = try await child.end()
                    #expect(run.exitCode == 74, "\(run.error)")
                    #expect(run.error.contains("error: ") && run.error.contains("ulimit -n"), "\(run.error)")
                }
            }

            @Test func oneAccountThatStallsItsBodiesKeepsNobodyElseOut() async throws {
                try await Stage.run { stage in
                    let (mallory, ada) = (
                        try await stage.token(name: "mallory"), try await stage.token(name: "ada")
                    )
                    let server = try await stage.server()
                    let body = [UInt8](repeating: UInt8(ascii: " "), count: (4 << 20) - 1)
                    let stalled = try await onOwnThread { [port = server.port] in
                        try (0..<16).map { _ in
                            let wire = try Wire(port)
                            wire.send(exchangeHead(field: "Content-Length: 4194304", token: mallory))
                            wire.send(body)
                            return wire
                        }
                    }
                    for count in [100, 100_000, 3_000_000] {
                        let answer = try await exchange(port: server.port, token: ada, spaces: count)
                        #expect(answer.status == 200, "\(count): \(answer.status) \(answer.body)")
                    }
                    withExtendedLifetime(stalled) {}
                }
            }

            @Test func connectionsWithoutATokenYieldToThoseWithOne() async throws {
                try await Stage.run { stage in
                    let ada = try await stage.token(name: "ada")
                    let server = try await stage.server(openFiles: 1024, more: ["--max-connections", "16"])
                    let crowd = try await onOwnThread { [port = server.port] in
                        try (0..<40).map { _ in try Wire(port) }
                    }
                    let began = ContinuousClock.now
                    #expect(try await exchange(port: server.port, token: ada, spaces: 10).status == 200)
                    // An idle connection may stay for a minute, so the crowd did not time out by itself.
                    #expect(ContinuousClock.now - began < .seconds(45))
                    withExtendedLifetime(crowd) {}
                }
            }

            @Test func aReaderOfTheLogThatStallsStopsNobody() async throws {
                try await Stage.run { stage in
                    let child = try stage.startServer(log: "stalled")
                    let server = try await stage.listening(child: child)
                    // More lines than a pipe can hold.
                    let statuses = try await onOwnThread { [port = server.port] in
                        let wire = try Wire(port)
                        return try (0..<1000).map { _ in
                            wire.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                            return try wire.answer().status
                        }
                    }
                    #expect(statuses.allSatisfy { $0 == 200 })
                    try await server.stop()
                }
            }

            @Test func aServerThatCannotStoreSaysSo() async throws {
                try await Stage.run { stage in
                    let server = try await stage.server()
                    try FileManager.default.moveItem(
                        at: stage.url(path: "data/logs"),
                        to: stage.url(path: "gone")
                    )
                    #expect(try await status(of: "/ready", port: server.port) == 503)
                    #expect(
                        try await status(of: "/health", port: server.port) == 200,
                        "it runs, all the same"
                    )
                }
            }

            @Test func aServerThatOthersCanReachSaysSo() async throws {
                try await Stage.run { stage in
                    let child = try stage.startServer(["--host", "0.0.0.0"])
                    try await eventually(what: "the server listens or ends") {
                        !child.isRunning || child.output.contains("\n")
                    }
                    try await eventually(what: "it warns") {
                        child.error.contains(#""level":"warning","event":"open""#)
                    }
                    child.signal(SIGTERM)
                    let run = try await child.end()
                    #expect(run.exitCode == 0 && run.error.contains("plain HTTP"), "\(run.error)")
                }
            }

            private func status(of path: String, port: Int) async throws -> Int? {
                try await onOwnThread {
                    let wire = try Wire(port)
                    wire.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    return try? wire.answer().status
                }
            }

            /// An empty exchange whose body is padded with spaces.
            private func exchange(port: Int, token: String, spaces: Int) async throws
                -> Wire.Answer
            {
                try await onOwnThread {
                    let wire = try Wire(port)
                    let body =
                        #"{"device":"0000000000000001","entities":["note"]}"#
                        + String(repeating: " ", count: spaces)
                    wire.send(exchangeHead(field: "Content-Length: \(body.utf8.count)", token: token) + body)
                    return try wire.answer()
                }
            }
        }
    }

    /// The head of an exchange with an account's token.
    func exchangeHead(field: String, token: String) -> String {
        exchangeHead(fields: field).replacing("est_ada", with: token)
    }
#endif
