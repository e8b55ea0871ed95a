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
            private func watch(_ stage: Stage, device: Device, server: RunningServer) throws -> Child {
                try stage.start(
                    program: .synccheck,
                    arguments: ["sync", "--remote", server.url, "--watch", "--store", device.store],
                    token: device.token
                )
            }

            @Test func aWatchBringsEditsBothWaysAndSurvivesARestartOfTheServer() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    var server = try await stage.server()
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    try await phone.put("note", key: "n1", title: "one")
                    let watching = try watch(stage, device: phone, server: server)
                    try await eventually(what: "the first edit is sent") {
                        try await phone.count(name: "pending", entity: "note") == 0
                    }
                    try await laptop.put("note", key: "n2", title: "from the laptop")
                    try await laptop.sync(server)
                    try await eventually(what: "the laptop's edit comes") {
                        try await phone.records().contains("note/n2=from the laptop")
                    }
                    try await phone.put("note", key: "n3", title: "from another process")
                    try await eventually(what: "the phone's edit is sent") {
                        try await phone.count(name: "pending", entity: "note") == 0
                    }
                    try await laptop.sync(server)
                    let all = ["note/n1=one", "note/n2=from the laptop", "note/n3=from another process"]
                    try await laptop.expect(all)
                    try await server.stop()
                    try await phone.put("note", key: "n4", title: "meanwhile")
                    server = try await stage.server(data: "data", port: server.port)
                    try await laptop.put("note", key: "n5", title: "after the restart")
                    try await laptop.sync(server)
                    try await eventually(what: "the phone is back") {
                        let pending = try await phone.count(name: "pending", entity: "note")
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
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    let server = try await stage.server()
                    let watching = try watch(stage, device: phone, server: server)
                    try await phone.put("note", key: "n1", title: "one")
                    try await eventually(what: "the first edit is sent") {
                        try await phone.count(name: "pending", entity: "note") == 0
                    }
                    try await stage.run(
                        program: .syncserver,
                        arguments: "account",
                        "remove",
                        "ada",
                        "--data",
                        "data"
                    )
                    try await phone.put("note", key: "n2", title: "two")
                    #expect(try await watching.end().exitCode == 77, "\(watching.error)")
                    #expect(try await phone.count(name: "pending", entity: "note") == 1)
                }
            }
        }

        @Suite struct ConformanceTests {
            @Test func aLiveServerHoldsEveryGuaranteeAndItsRecordsAreLeftAlone() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let phone = stage.device(name: "phone", token: token)
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    let run = try await stage.run(
                        program: .synccheck,
                        arguments: "conformance",
                        "--remote",
                        server.url,
                        token: token
                    )
                    #expect(run.exitCode == 0, "\(run.output)\(run.error)")
                    #expect(run.lines.last == "44 held, 0 failed, 0 not applicable", "\(run.output)")
                    let idle = try await phone.sync(server)
                    #expect(idle.requests == 1 && idle.total(name: "pulled") == 0)
                    let fresh = stage.device(name: "fresh", token: token)
                    try await fresh.sync(server)
                    try await fresh.expect(["note/n1=one"])
                    let without = try await stage.run(
                        program: .synccheck,
                        arguments: "conformance",
                        "--remote",
                        server.url
                    )
                    #expect(without.exitCode == 77)
                }
            }

            @Test func aFolderHoldsEveryGuaranteeAndItsRecordsAreLeftAlone() async throws {
                try await Stage.run { stage in
                    try FileManager.default.createDirectory(
                        at: stage.url(path: "shared"),
                        withIntermediateDirectories: true
                    )
                    let phone = stage.device(name: "phone", token: "")
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.must(arguments: "sync", "--remote", "shared")
                    let before = try FileManager.default.subpathsOfDirectory(
                        atPath: stage.url(path: "shared").path
                    )
                    let run = try await stage.run(
                        program: .synccheck,
                        arguments: "conformance",
                        "--remote",
                        "shared"
                    )
                    #expect(run.exitCode == 0, "\(run.output)\(run.error)")
                    #expect(run.lines.last?.contains(" 0 failed") == true, "\(run.output)")
                    let after = try FileManager.default.subpathsOfDirectory(
                        atPath: stage.url(path: "shared").path
                    )
                    #expect(before.sorted() == after.sorted())
                }
            }
        }
    }
#endif
