#if Server
    import Foundation
    import ProgramRuns
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension ProcessTests {
        /// The cost of a watch, and its behaviour with a misbehaving server.
        @Suite struct IdleWatchTests {
            private func watch(_ stage: Stage, device: Device, url: String) throws -> Child {
                try stage.start(
                    program: .synccheck,
                    arguments: ["sync", "--remote", url, "--watch", "--store", device.store],
                    token: device.token
                )
            }

            #if os(Linux)
                /// The processor time of a process in nanoseconds.
                private func used(process: Int32) throws -> Int64 {
                    var clock = clockid_t()
                    var time = timespec()
                    let isKnown =
                        clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &time) == 0
                    try #require(isKnown)
                    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
                }

                @Test func aWatchThatDoesNothingUsesLessThanAHundredthOfACore() async throws {
                    try await Stage.run { stage in
                        let server = try await stage.server()
                        let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                        try await phone.put("note", key: "n1", title: "one")
                        let watching = try watch(stage, device: phone, url: server.url)
                        try await eventually(what: "the first edit is sent") {
                            try await phone.count(name: "pending", entity: "note") == 0
                        }
                        // A connected stream causes a sync, too.
                        try await pause(seconds: 6)
                        let before = try used(process: watching.processID)
                        let start = ContinuousClock.now
                        try await pause(seconds: 20)
                        let passed = (ContinuousClock.now - start) / .nanoseconds(1)
                        let share = Double(try used(process: watching.processID) - before) / passed
                        #expect(watching.isRunning)
                        #expect(share < 0.01)
                        watching.signal(SIGINT)
                        #expect(try await watching.end().exitCode == 0)
                    }
                }
            #endif

            @Test func noProxySeesTheTokenOnItsWayToThisMachine() async throws {
                try await Stage.run { stage in
                    let server = try await stage.server()
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    try await phone.put("note", key: "n1", title: "one")
                    let proxy = try Stub("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n")
                    defer { proxy.close() }
                    let url = "http://127.0.0.1:\(proxy.port)"
                    var environment = ["SYNCCHECK_TOKEN": phone.token]
                    for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { environment[name] = url }
                    let run = try await Child(
                        program: .synccheck,
                        arguments: ["sync", "--remote", server.url, "--store", phone.store],
                        in: stage.folder,
                        environment: environment
                    ).end()
                    #expect(run.exitCode == 0, "\(run.error)")
                    #expect(proxy.clients == 0)
                    #expect(try await phone.count(name: "pending", entity: "note") == 0)
                }
            }

            @Test func aServerThatTellsOfChangesWithoutEndIsNotFollowedAndTheWatchStillEnds() async throws {
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: "est_token")
                    let server = try FloodServer()
                    defer { server.close() }
                    let watching = try watch(stage, device: phone, url: "http://127.0.0.1:\(server.port)")
                    try await eventually(what: "change events are sent") { server.sent > 1000 }
                    let (before, start) = (server.exchanges, ContinuousClock.now)
                    try await pause(seconds: 8)
                    let seconds = (ContinuousClock.now - start) / .seconds(1)
                    // One sync for each longest delay of 5 seconds.
                    #expect(Double(server.exchanges - before) <= seconds / 5 + 2)
                    watching.signal(SIGINT)
                    #expect(try await watching.end().exitCode == 0, "\(watching.error)")
                }
            }
        }
    }
#endif
