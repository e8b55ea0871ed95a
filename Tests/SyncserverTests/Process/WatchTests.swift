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
        @Suite struct WatchTests {
            private func watch(_ stage: Stage, _ device: Device, _ server: RunningServer) throws -> Child {
                try stage.start(
                    .synccheck,
                    ["sync", "--remote", server.url, "--watch", "--store", device.store],
                    token: device.token
                )
            }

            @Test func aWatchBringsEditsBothWaysAndSurvivesARestartOfTheServer() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token("ada")
                    var server = try await stage.server()
                    let (phone, laptop) = (stage.device("phone", token), stage.device("laptop", token))
                    try await phone.put("note", "n1", "one")
                    let watching = try watch(stage, phone, server)
                    try await eventually("the first edit is sent") {
                        try await phone.count("pending", "note") == 0
                    }
                    try await laptop.put("note", "n2", "from the laptop")
                    try await laptop.sync(server)
                    try await eventually("the laptop's edit comes") {
                        try await phone.records().contains("note/n2=from the laptop")
                    }
                    try await phone.put("note", "n3", "from another process")
                    try await eventually("the phone's edit is sent") {
                        try await phone.count("pending", "note") == 0
                    }
                    try await laptop.sync(server)
                    let all = ["note/n1=one", "note/n2=from the laptop", "note/n3=from another process"]
                    try await laptop.expect(all)
                    try await server.stop()
                    try await phone.put("note", "n4", "meanwhile")
                    server = try await stage.server(data: "data", port: server.port)
                    try await laptop.put("note", "n5", "after the restart")
                    try await laptop.sync(server)
                    try await eventually("the phone is back") {
                        let pending = try await phone.count("pending", "note")
                        let records = try await phone.records()
                        return pending == 0 && records.contains("note/n5=after the restart")
                    }
                    #expect(watching.isRunning)
                    watching.signal(SIGINT)
                    #expect(try await watching.end().exitCode == 0, "\(watching.error)")
                    try await laptop.sync(server)
                    let export = try await laptop.export()
                    #expect(try await phone.export() == export)
                    #expect(try await phone.sync(server).requests == 1)
                }
            }

            @Test func aWatchEndsWhenItsTokenDoes() async throws {
                try await Stage.run { stage in
                    let phone = stage.device("phone", try await stage.token("ada"))
                    let server = try await stage.server()
                    let watching = try watch(stage, phone, server)
                    try await phone.put("note", "n1", "one")
                    try await eventually("the first edit is sent") {
                        try await phone.count("pending", "note") == 0
                    }
                    try await stage.run(.syncserver, "account", "remove", "ada", "--data", "data")
                    try await phone.put("note", "n2", "two")
                    #expect(try await watching.end().exitCode == 77, "\(watching.error)")
                    #expect(try await phone.count("pending", "note") == 1)
                }
            }
        }

        @Suite struct ConformanceTests {
            @Test func aLiveServerHoldsEveryGuaranteeAndItsRecordsAreLeftAlone() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token("ada")
                    let server = try await stage.server()
                    let phone = stage.device("phone", token)
                    try await phone.put("note", "n1", "one")
                    try await phone.sync(server)
                    let run = try await stage.run(
                        .synccheck,
                        "conformance",
                        "--remote",
                        server.url,
                        token: token
                    )
                    #expect(run.exitCode == 0, "\(run.output)\(run.error)")
                    #expect(run.lines.last == "44 held, 0 failed, 0 not applicable", "\(run.output)")
                    let idle = try await phone.sync(server)
                    #expect(idle.requests == 1 && idle.total("pulled") == 0)
                    let fresh = stage.device("fresh", token)
                    try await fresh.sync(server)
                    try await fresh.expect(["note/n1=one"])
                    let without = try await stage.run(.synccheck, "conformance", "--remote", server.url)
                    #expect(without.exitCode == 77)
                }
            }

            @Test func aFolderHoldsEveryGuaranteeAndItsRecordsAreLeftAlone() async throws {
                try await Stage.run { stage in
                    try FileManager.default.createDirectory(
                        at: stage.url("shared"),
                        withIntermediateDirectories: true
                    )
                    let phone = stage.device("phone", "")
                    try await phone.put("note", "n1", "one")
                    try await phone.must("sync", "--remote", "shared")
                    let before = try FileManager.default.subpathsOfDirectory(atPath: stage.url("shared").path)
                    let run = try await stage.run(.synccheck, "conformance", "--remote", "shared")
                    #expect(run.exitCode == 0, "\(run.output)\(run.error)")
                    #expect(run.lines.last?.contains(" 0 failed") == true, "\(run.output)")
                    let after = try FileManager.default.subpathsOfDirectory(atPath: stage.url("shared").path)
                    #expect(before.sorted() == after.sorted())
                }
            }
        }
    }
#endif
