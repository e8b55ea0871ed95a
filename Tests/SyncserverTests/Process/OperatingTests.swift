#if Server
    import ChromiumBrowser
    import Foundation
    import PostgresCluster
    import ProgramRuns
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension LongProcessTests {
        /// What an operator does with a running server.
        @Suite struct OperatingTests {
            private static let operatorToken = "operator-0123456789abcdef"

            private func get(_ path: String, port: Int, fields: String = "") async throws -> Wire.Answer {
                try await onOwnThread {
                    let wire = try Wire(port)
                    wire.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)Connection: close\r\n\r\n")
                    return try wire.answer()
                }
            }

            private func token(_ stage: Stage, _ arguments: String...) async throws -> String {
                let run = try await stage.start(
                    program: .syncserver,
                    arguments: ["account", "token"] + arguments + ["--data", "data"]
                ).end()
                #expect(run.exitCode == 0, "\(run.error)")
                return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
            }

            @Test func tokensComeAndGoWithoutCuttingOffTheOthers() async throws {
                try await Stage.run { stage in
                    let first = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let laptop = stage.device(name: "laptop", token: first)
                    let old = try await token(stage, "add", "ada", "--label", "phone", "--expires", "90d")
                    let phone = stage.device(name: "phone", token: old)
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    let new = try await token(stage, "rotate", "ada", "--label", "phone", "--grace", "1h")
                    for token in [old, new] {
                        try await stage.device(name: "phone", token: token).sync(server)
                    }
                    let list = try await token(stage, "list", "ada").split(separator: "\n")
                    #expect(list.count == 3 && list.count { $0.hasSuffix("\tphone") } == 2)
                    _ = try await token(stage, "revoke", "ada", "--label", "phone")
                    for token in [old, new] {
                        let said = try await stage.device(name: "phone", token: token)
                            .syncRefused(server, exitCode: 77)
                        #expect(said.contains("does not accept the token"), "\(said)")
                    }
                    try await laptop.sync(server)
                    try await laptop.expect(["note/n1=one"])
                }
            }

            @Test func aDeviceWithAnExpiredTokenSaysSo() async throws {
                try await Stage.run { stage in
                    _ = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    let short = try await token(stage, "add", "ada", "--label", "visitor", "--expires", "1s")
                    let phone = stage.device(name: "phone", token: short)
                    try await phone.put("note", key: "n1", title: "one")
                    try await eventually(what: "the token ends") {
                        try await token(stage, "list", "ada").contains("\texpired\t")
                    }
                    let said = try await phone.syncRefused(server, exitCode: 77)
                    #expect(said.contains("The token has expired."), "\(said)")
                    #expect(try await phone.count(name: "pending", entity: "note") == 1, "nothing is lost")
                }
            }

            @Test func aServerWithoutPlaceForRecordsIsAliveAndNotReady() async throws {
                try await Stage.run { stage in
                    _ = try await stage.token(name: "ada")
                    let server = try await stage.server()
                    #expect(try await get("/ready", port: server.port).status == 200)
                    try FileManager.default.moveItem(
                        at: stage.url(path: "data/logs"),
                        to: stage.url(path: "away")
                    )
                    try await eventually(what: "the probe notices") {
                        try await get("/ready", port: server.port).status == 503
                    }
                    let ready = try await get("/ready", port: server.port)
                    #expect(ready.body == #"{"status":"storing-fails","reason":"folder-missing"}"#)
                    #expect(try await get("/health", port: server.port).status == 200)
                    try await eventually(what: "the log has the reason") {
                        server.child.error.contains("folder-missing")
                    }
                    try FileManager.default.moveItem(
                        at: stage.url(path: "away"),
                        to: stage.url(path: "data/logs")
                    )
                    try await eventually(what: "it is ready again") {
                        try await get("/ready", port: server.port).status == 200
                    }
                }
            }

            @Test func aServerOnAFullDiskIsNotReady() async throws {
                try await Stage.run { stage in
                    // A limit of file sizes is a full disk as far as a server sees it. The server sets its own handling
                    // of the signal aside, so that writing fails.
                    let server = try await stage.listening(
                        child: stage.startServer(script: "trap '' XFSZ; ulimit -f 600")
                    )
                    let ready = try await get("/ready", port: server.port)
                    #expect(ready.status == 503 && ready.body.contains("disk-full"), "\(ready.body)")
                    #expect(try await get("/health", port: server.port).status == 200)
                }
            }

            @Test func whatAServerOnAFullDiskCannotTakeStaysPendingAndIsSentOnceThereIsPlace() async throws {
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    var server = try await stage.listening(
                        child: stage.startServer(script: "trap '' XFSZ; ulimit -f 600")
                    )
                    try await phone.put("note", key: "small", title: "small")
                    try await phone.sync(server)
                    try await phone.put("note", key: "n0", title: "small, too")
                    for number in 1...7 {
                        let title = String(repeating: "x", count: 100_000)
                        try await phone.put("note", key: "n\(number)", title: title)
                    }
                    let said = try await phone.syncRefused(server, exitCode: 69)
                    #expect(said.contains("The server cannot store anything now: "), "\(said)")
                    #expect(try await phone.count(name: "pending", entity: "note") == 8)
                    #expect(try await phone.count(name: "rejected", entity: "note") == 0)
                    try await server.stop()
                    server = try await stage.server()
                    try await phone.sync(server)
                    #expect(try await phone.count(name: "pending", entity: "note") == 0)
                    try await server.stop()
                }
            }

            @Test(.enabled(if: PostgresCluster.programs != nil))
            func aServerWhoseDatabaseHangsAnswersThatItIsNotReady() async throws {
                let cluster = try await PostgresCluster(durability: .kill)
                defer { cluster.stop() }
                let database = try await cluster.makeDatabase()
                try await Stage.run { stage in
                    let server = try await stage.server(database: cluster.url(database: database))
                    #expect(try await get("/ready", port: server.port).status == 200)
                    cluster.freeze()
                    defer { cluster.thaw() }
                    try await eventually(what: "the probe notices") {
                        try await get("/ready", port: server.port).status == 503
                    }
                    let ready = try await get("/ready", port: server.port)
                    #expect(ready.body == #"{"status":"storing-fails","reason":"database-down"}"#)
                    #expect(try await get("/health", port: server.port).status == 200)
                    cluster.thaw()
                    try await eventually(what: "it is ready again") {
                        try await get("/ready", port: server.port).status == 200
                    }
                }
            }

            @Test func aFileWithTheOperatorsTokenThatIsNotThereIsNamedSo() async throws {
                try await Stage.run { stage in
                    let run = try await stage.start(
                        program: .syncserver,
                        arguments: ["--schemas", "Schemas", "--data", "data", "--port", "0"]
                            + ["--admin-token-file", "nofile"]
                    ).end()
                    #expect(run.exitCode == 65, "\(run.error)")
                    #expect(run.error.hasPrefix("error: There is no file with the operator's token.\nhelp: "))
                }
            }

            @Test(.enabled(if: PostgresCluster.programs != nil))
            func aServerWhoseDatabaseStopsIsAliveAndNotReadyUntilItIsBack() async throws {
                let cluster = try await PostgresCluster(durability: .kill)
                defer { cluster.stop() }
                let database = try await cluster.makeDatabase()
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "ada"))
                    let server = try await stage.server(database: cluster.url(database: database))
                    #expect(try await get("/ready", port: server.port).status == 200)
                    try await phone.put("note", key: "n1", title: "one")
                    cluster.crash()
                    try await eventually(what: "the probe notices") {
                        try await get("/ready", port: server.port).status == 503
                    }
                    let ready = try await get("/ready", port: server.port)
                    #expect(ready.body == #"{"status":"storing-fails","reason":"database-down"}"#)
                    #expect(try await get("/health", port: server.port).status == 200)
                    try await eventually(what: "the log has the reason") {
                        server.child.error.contains("database-down")
                    }
                    try await cluster.restart()
                    try await eventually(what: "it is ready again") {
                        try await get("/ready", port: server.port).status == 200
                    }
                    try await phone.sync(server)
                    try await server.stop()
                }
            }

            @Test func theOperatorSeesThePageAndAsksOnTheSocket() async throws {
                try await Stage.run { stage in
                    let phone = stage.device(name: "phone", token: try await stage.token(name: "<b>ada</b>"))
                    try stage.write("operator", text: Self.operatorToken + "\n")
                    let server = try await stage.server(
                        "--admin-token-file",
                        "operator",
                        "--admin-socket",
                        "admin.sock"
                    )
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    #expect(try await get("/admin", port: server.port).status == 401)
                    let account = try await get(
                        "/admin",
                        port: server.port,
                        fields: "Authorization: Bearer \(phone.token)\r\n"
                    )
                    #expect(account.status == 401, "an account is no operator")
                    let page = try await get(
                        "/admin",
                        port: server.port,
                        fields: "Authorization: Bearer \(Self.operatorToken)\r\n"
                    )
                    #expect(page.status == 200 && page.body.contains("&lt;b&gt;ada"), "\(page.body)")
                    #expect(page.body.contains("Devices, the last sync first"))
                    if ChromiumBrowser.program != nil {
                        let address = "http://operator:\(Self.operatorToken)@127.0.0.1:\(server.port)/admin"
                        let shown = try await ChromiumBrowser.shared().page(address, width: 1000)
                        #expect(try await shown.problems().joined(separator: "\n") == "")
                        let name = "document.querySelector('#accounts tbody th').textContent"
                        #expect(try await shown.text(of: name) == "<b>ada</b>")
                    }
                    try await askOnSocket(of: server, in: stage)
                }
            }

            private func askOnSocket(of server: RunningServer, in stage: Stage) async throws {
                let path = stage.url(path: "admin.sock").path
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
                func ask(_ question: String) async throws -> Run {
                    try await stage.run(
                        program: .syncserver,
                        arguments: "admin",
                        question,
                        "--socket",
                        "admin.sock"
                    )
                }
                let status = try await ask("status")
                #expect(status.exitCode == 0 && status.output.contains(#""status":"ok""#), "\(status.error)")
                #expect(status.output.contains(#""devices":1"#))
                let accounts = try await ask("accounts")
                #expect(
                    accounts.output.contains(#""name":"<b>ada</b>""#)
                        && accounts.output.contains(#""syncs":"#)
                )
                #expect(try await ask("drain").output.contains(#""status":"draining""#))
                #expect(try await get("/ready", port: server.port).status == 503)
                #expect(try await ask("nonsense").exitCode == 64)
                try await server.stop()
                #expect(!stage.exists(path: "admin.sock"))
                let gone = try await ask("status")
                #expect(
                    gone.exitCode == 69 && gone.error.hasPrefix("error: No server answers"),
                    "\(gone.error)"
                )
            }
        }
    }
#endif
