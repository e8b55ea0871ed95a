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
        @Suite struct FailureTests {
            /// Checks that an error is a sentence and a line of advice.
            private func expect(
                _ run: Run,
                exitCode: Int32,
                words: String,
                sourceLocation: SourceLocation = #_sourceLocation
            ) {
                let lines = run.error.split(separator: "\n").suffix(2).map { String($0.prefix(6)) }
                #expect(run.exitCode == exitCode, "\(run.error)", sourceLocation: sourceLocation)
                #expect(lines == ["error:", "help: "], "\(run.error)", sourceLocation: sourceLocation)
                #expect(run.error.contains(words), "\(run.error)", sourceLocation: sourceLocation)
            }

            @Test func aPipeThatIsNamedLikeASchemaIsRefusedAndNotWaitedFor() async throws {
                try await Stage.run { stage in
                    _ = try await stage.token(name: "ada")
                    let pipe = stage.url(path: "Schemas/pipe.schema.json").path
                    try #require(mkfifo(pipe, 0o600) == 0)
                    for command in [["--port", "0"], ["purge"]] {
                        let arguments = command + ["--schemas", "Schemas", "--data", "data"]
                        let child = try stage.start(program: .syncserver, arguments: arguments)
                        let deadline = ContinuousClock.now + .seconds(30)
                        while child.isRunning, ContinuousClock.now < deadline {
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        #expect(!child.isRunning, "it waits for somebody to write")
                        child.signal(SIGKILL)
                        expect(try await child.end(), exitCode: 65, words: "pipe.schema.json")
                    }
                }
            }

            @Test func whatIsSentWhileTheFolderOfRecordsIsGoneStaysPendingAndIsSentOnceItIsBack() async throws
            {
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    var server = try await stage.server()
                    let (logs, away) = (stage.url(path: "data/logs"), stage.url(path: "away"))
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    try FileManager.default.moveItem(at: logs, to: away)
                    try await phone.put("note", key: "n2", title: "two")
                    for _ in 0..<2 {
                        let said = try await phone.syncRefused(server, exitCode: 69)
                        #expect(said.contains("cannot store anything now: its folder is gone"), "\(said)")
                        #expect(try await phone.count(name: "pending", entity: "note") == 1)
                    }
                    try FileManager.default.moveItem(at: away, to: logs)
                    try await phone.sync(server)
                    #expect(try await phone.count(name: "pending", entity: "note") == 0)
                    // This time it does not come back. A new start makes it, and the device sends everything.
                    try FileManager.default.removeItem(at: logs)
                    try await phone.put("note", key: "n3", title: "three")
                    _ = try await phone.syncRefused(server, exitCode: 69)
                    #expect(try await phone.count(name: "pending", entity: "note") == 1)
                    try await server.stop()
                    server = try await stage.server()
                    _ = try await phone.syncRefused(server, exitCode: 65)
                    try await phone.sync(server, more: "--rejoin")
                    #expect(try await phone.count(name: "pending", entity: "note") == 0)
                    let laptop = stage.device(name: "laptop", token: phone.token)
                    try await laptop.sync(server)
                    try await laptop.expect(["note/n1=one", "note/n2=two", "note/n3=three"])
                    try await server.stop()
                }
            }

            @Test func aDamagedFileOfAnAccountIsAWaitAndTheLogNamesAccountAndCause() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let phone = stage.device(name: "phone", token: token)
                    var server = try await stage.server()
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    try await server.stop()
                    let logs = try FileManager.default.contentsOfDirectory(
                        atPath: stage.url(path: "data/logs").path
                    )
                    let file = try #require(logs.first { $0.hasSuffix(".sqlite") })
                    for name in logs {
                        try FileManager.default.removeItem(at: stage.url(path: "data/logs/\(name)"))
                    }
                    try stage.write("data/logs/\(file)", text: "this is no database at all")
                    server = try await stage.server()
                    try await phone.put("note", key: "n2", title: "two")
                    let said = try await phone.syncRefused(server, exitCode: 69)
                    #expect(said.contains("wait 300 seconds"), "\(said)")
                    #expect(try await phone.count(name: "pending", entity: "note") == 1, "nothing is lost")
                    let account = file.dropLast(".sqlite".count)
                    let lines = server.child.error.split(separator: "\n")
                    let line = lines.first { $0.contains(#""status":503"#) } ?? ""
                    #expect(line.contains(account) && line.contains("the file is damaged"), "\(line)")
                    try await server.stop()
                }
            }

            @Test func aTokenComesFromFileOrEnvironmentAndAWrongOneIs77() async throws {
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let phone = stage.device(name: "phone", token: "")
                    try await phone.put("note", key: "n1", title: "one")
                    let sync = ["sync", "--remote", server.url, "--store"]
                    func run(more: String..., environment: String? = nil) async throws -> Run {
                        try await stage.start(program: .synccheck, arguments: sync + more, token: environment)
                            .end()
                    }
                    expect(try await run(more: "new.sqlite"), exitCode: 77, words: "token")
                    #expect(!stage.exists(path: "new.sqlite"))
                    let wrong = String(token.dropLast(4)) + "0000"
                    expect(
                        try await run(more: "phone.sqlite", environment: wrong),
                        exitCode: 77,
                        words: "does not accept the token"
                    )
                    #expect(try await phone.count(name: "pending", entity: "note") == 1)
                    expect(
                        try await run(more: "phone.sqlite", "--token-file", "missing"),
                        exitCode: 77,
                        words: "token"
                    )
                    try stage.write("wrong", text: wrong + "\n")
                    expect(
                        try await run(more: "phone.sqlite", "--token-file", "wrong", environment: token),
                        exitCode: 77,
                        words: "does not accept the token"
                    )
                    try stage.write("token", text: token + "\n")
                    #expect(try await run(more: "phone.sqlite", "--token-file", "token").exitCode == 0)
                    #expect(try await phone.count(name: "pending", entity: "note") == 0)
                    for child in [server.child] {
                        #expect(!child.error.contains("est_") && !child.output.contains("est_"))
                    }
                    _ = try await stage.run(
                        program: .syncserver,
                        arguments: "account",
                        "remove",
                        "ada",
                        "--data",
                        "data"
                    )
                    expect(
                        try await run(more: "phone.sqlite", "--token-file", "token"),
                        exitCode: 77,
                        words: "does not accept the token"
                    )
                }
            }

            @Test func aServerThatIsDownIs69AndNothingIsLost() async throws {
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    let server = try await stage.server()
                    try await phone.put("note", key: "n1", title: "one")
                    try await server.stop()
                    let run = try await phone.run(arguments: "sync", "--remote", server.url)
                    expect(run, exitCode: 69, words: "no connection could be made")
                    try await phone.expect(["note/n1=one"])
                    try await phone.sync(try await stage.server())
                }
            }

            @Test func anAddressWithoutASyncServerIs69WithASentence() async throws {
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    let server = try await stage.server()
                    try await phone.put("note", key: "n1", title: "one")
                    expect(
                        try await phone.run(arguments: "sync", "--remote", server.url + "/elsewhere"),
                        exitCode: 69,
                        words: "no sync server under this URL"
                    )
                    let page = "<html>Sign in to this network</html>"
                    for (head, words) in [
                        ("200 OK\r\nContent-Type: text/html", "did not come from a sync server"),
                        ("200 OK\r\nContent-Type: application/json", "did not come from a sync server"),
                        ("404 Not Found\r\nContent-Type: text/html", "no sync server under this URL"),
                        ("302 Found\r\nLocation: http://127.0.0.1:1/", "leads elsewhere"),
                    ] {
                        let stub = try Stub(
                            "HTTP/1.1 \(head)\r\nContent-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)"
                        )
                        defer { stub.close() }
                        expect(
                            try await phone.run(
                                arguments: "sync",
                                "--remote",
                                "http://127.0.0.1:\(stub.port)"
                            ),
                            exitCode: 69,
                            words: words
                        )
                    }
                    #expect(try await phone.sync(server).total(name: "pushed") == 1)
                }
            }

            @Test func aSyncThatIsInterruptedLeavesAStoreThatWorks() async throws {
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    try await phone.put("note", key: "n1", title: "one")
                    let stub = try Stub(nil)
                    defer { stub.close() }
                    let sync = try stage.start(
                        program: .synccheck,
                        arguments: [
                            "sync", "--remote", "http://127.0.0.1:\(stub.port)", "--store", phone.store,
                        ],
                        token: phone.token
                    )
                    try await eventually(what: "the sync waits for the server") { stub.clients > 0 }
                    try await phone.put("note", key: "n2", title: "two")
                    sync.signal(SIGINT)
                    #expect(try await sync.end().exitCode != 0)
                    try await phone.expect(["note/n1=one", "note/n2=two"])
                    #expect(try await phone.sync(try await stage.server()).total(name: "pushed") == 2)
                }
            }

            @Test func aServerThatCannotStartSaysWhy() async throws {
                try await Stage.run { stage in
                    let server = try await stage.server()
                    func run(schemas: String, data: String, port: Int) async throws -> Run {
                        try await stage.run(
                            program: .syncserver,
                            arguments: "--schemas",
                            schemas,
                            "--data",
                            data,
                            "--port",
                            "\(port)"
                        )
                    }
                    expect(
                        try await run(schemas: "Schemas", data: "other", port: server.port),
                        exitCode: 74,
                        words: "is in use"
                    )
                    expect(
                        try await run(schemas: "Schemas", data: "data", port: 0),
                        exitCode: 74,
                        words: "Another server uses this data folder"
                    )
                    expect(
                        try await run(schemas: "nowhere", data: "other", port: 0),
                        exitCode: 65,
                        words: "no '*.schema.json' file"
                    )
                    try stage.write(
                        "Broken/note.schema.json",
                        text: #"{"type":"object","title":"Note","sync":{"key":"id"}}"#
                    )
                    let broken = try await run(schemas: "Broken", data: "other", port: 0)
                    expect(broken, exitCode: 65, words: "the server was not started")
                    #expect(broken.error.hasPrefix("Broken/note.schema.json:1:"), "\(broken.error)")
                    try await server.stop()
                    try await stage.server().stop()
                }
            }
        }
    }
#endif
