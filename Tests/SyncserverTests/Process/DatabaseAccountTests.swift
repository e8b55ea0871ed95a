#if Server
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

    extension ProcessTests {
        /// Accounts that leave a server whose records are in a PostgreSQL.
        @Suite(.enabled(if: PostgresCluster.programs != nil)) struct DatabaseAccountTests {
            private static let count = 300

            /// Runs a test with an account 'ada' with 300 notes and a deleted one, and an account 'eve' with one note.
            private func run(_ body: (Stage, _ url: String, _ tokens: [String]) async throws -> Void)
                async throws
            {
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                let url = cluster.url(database: database)
                try await Stage.run { stage in
                    let tokens = [try await stage.token(name: "ada"), try await stage.token(name: "eve")]
                    let server = try await stage.server(database: url)
                    let (ada, eve) = (
                        stage.device(name: "ada", token: tokens[0]),
                        stage.device(name: "eve", token: tokens[1])
                    )
                    let lines = (0...Self.count).map { #"{"id":"n\#($0)","title":"secret \#($0)"}"# + "\n" }
                    try stage.write("notes.ndjson", text: lines.joined())
                    try await ada.must(arguments: "import", "note", "notes.ndjson")
                    try await ada.sync(server)
                    try await ada.must(arguments: "delete", "note", "n0")
                    try await ada.sync(server)
                    try await eve.put("note", key: "e", title: "of eve")
                    try await eve.sync(server)
                    try await server.stop()
                    try await body(stage, url, tokens)
                }
                try await cluster.removeDatabase(database)
            }

            @Test func anExportHasTheSameLinesAsADeviceAndNobodyElses() async throws {
                try await run { stage, url, tokens in
                    let ada = stage.device(name: "ada", token: tokens[0])
                    let export = ["account", "export", "ada", "--data", "data"]
                    let plain = try await command(
                        stage,
                        export + ["plain", "--schemas", "Schemas", "--include-deleted"],
                        database: url
                    )
                    #expect(plain.output == "\(Self.count + 1) records were written\n", "\(plain.error)")
                    func text(_ folder: String) throws -> String {
                        try String(contentsOf: stage.url(path: folder + "/note.ndjson"), encoding: .utf8)
                    }
                    #expect(
                        try await text("plain") == ada.must(arguments: "export", "note", "--include-deleted")
                    )
                    let exchange = try await command(stage, export + ["exchange"], database: url)
                    #expect(exchange.exitCode == 0, "\(exchange.error)")
                    let lines = try text("exchange").split(separator: "\n")
                    #expect(lines.count == Self.count + 1)
                    #expect(lines.allSatisfy { $0.contains(#""entity":"note""#) && !$0.contains("of eve") })
                    let about = try Data(contentsOf: stage.url(path: "exchange/account.json"))
                    let account = try JSONSerialization.jsonObject(with: about) as? [String: Any]
                    #expect((account?["devices"] as? [String])?.count == 1)
                    #expect(account?["form"] as? String == "exchange")
                }
            }

            @Test func anErasedAccountLeavesNothingAfterAnyKillAndOthersStay() async throws {
                try await run { stage, url, tokens in
                    let cluster = try await PostgresCluster.shared()
                    let database = try #require(URL(string: url)).lastPathComponent
                    let erase = ["account", "erase", "ada", "--data", "data", "--confirm", "ada"]
                    #expect(try await command(stage, Array(erase.dropLast(2)), database: url).exitCode == 64)
                    // A database that is not the server's erases nobody, and locks nobody out.
                    for (other, exitCode) in [
                        (url.replacingOccurrences(of: database, with: "postgres"), Int32(64)),
                        ("postgres://server:hunter2@127.0.0.1:1/records", 69),
                    ] {
                        let run = try await command(stage, erase, database: other)
                        #expect(run.exitCode == exitCode && !run.error.contains("hunter2"), "\(run.error)")
                    }
                    let before = try await command(
                        stage,
                        ["account", "list", "--data", "data"],
                        database: url
                    )
                    #expect(before.output.contains("\tactive\t*\tada\n"), "\(before.output)")
                    for step in 0..<6 { try await kill(stage, after: step, erase, database: url) }
                    let last = try await command(stage, erase, database: url)
                    #expect([0, 1].contains(last.exitCode), "\(last.error)")
                    #expect(try await command(stage, erase, database: url).exitCode == 1)
                    let list = try await command(stage, ["account", "list", "--data", "data"], database: url)
                    #expect(list.lines.count == 1 && list.output.hasSuffix("\teve\n"), "\(list.output)")
                    let rest = """
                        select (select count(*) from entitysync.state), (select count(*) from public.note),
                          (select count(*) from entitysync.device), (select count(*) from entitysync.space)
                        """
                    #expect(try await cluster.sql(rest, database: database) == "1|1|1|1")
                    let server = try await stage.server(database: url)
                    let ada = stage.device(name: "ada", token: tokens[0])
                    _ = try await ada.syncRefused(server, exitCode: 77)
                    #expect(try await ada.must(arguments: "export", "note").contains("secret 7"))
                    try await stage.device(name: "other", token: tokens[1]).sync(server)
                    #expect(
                        try await stage.device(name: "other", token: tokens[1]).export().contains("of eve")
                    )
                    try await server.stop()
                }
            }

            @Test func anAccountIsErasedWhileAServerRuns() async throws {
                try await run { stage, url, tokens in
                    let cluster = try await PostgresCluster.shared()
                    let database = try #require(URL(string: url)).lastPathComponent
                    let server = try await stage.server(database: url)
                    let ada = stage.device(name: "ada", token: tokens[0])
                    try await ada.sync(server)
                    let erase = ["account", "erase", "ada", "--data", "data", "--confirm", "ada"]
                    let run = try await command(stage, erase, database: url)
                    #expect(run.exitCode == 0 && run.output == "erased\n", "\(run.error)")
                    _ = try await ada.syncRefused(server, exitCode: 77)
                    let rest = """
                        select (select count(*) from entitysync.state), (select count(*) from public.note),
                          (select count(*) from entitysync.device), (select count(*) from entitysync.space)
                        """
                    #expect(try await cluster.sql(rest, database: database) == "1|1|1|1", "those of eve")
                    try await stage.device(name: "eve", token: tokens[1]).sync(server)
                    // Whoever comes back under the name has another account.
                    let again = stage.device(name: "again", token: try await stage.token(name: "ada"))
                    try await again.put("note", key: "n", title: "new")
                    try await again.sync(server)
                    #expect(try await again.export().contains("secret") == false)
                    try await server.stop()
                }
            }

            @Test func aMovedAccountFindsItsRecordsInTheSharedDatabase() async throws {
                try await run { stage, url, tokens in
                    let move = ["account", "move", "ada", "--data", "data", "--to", "there"]
                    #expect(try await command(stage, move, database: url).exitCode == 64)
                    #expect(
                        try await command(stage, move + ["--same-database"], database: nil).exitCode == 64
                    )
                    for (from, to) in [("data", "there"), ("there", "data")] {
                        let move = ["account", "move", "ada", "--data", from, "--to", to, "--same-database"]
                        for step in 0..<4 { try await kill(stage, after: step, move, database: url) }
                        let last = try await command(stage, move, database: url)
                        #expect([0, 1].contains(last.exitCode), "\(last.error)")
                        let list = try await command(stage, ["account", "list", "--data", to], database: url)
                        #expect(list.output.contains("\tada\n"), "\(list.output)")
                    }
                    let server = try await stage.server(database: url)
                    let ada = stage.device(name: "ada", token: tokens[0])
                    #expect(try await ada.sync(server).requests == 1)
                    try await server.stop()
                }
            }

            private func command(_ stage: Stage, _ arguments: [String], database: String?) async throws -> Run
            {
                try await stage.start(program: .syncserver, arguments: arguments, database: database).end()
            }

            /// Starts a command and kills it, in each step later.
            private func kill(_ stage: Stage, after step: Int, _ arguments: [String], database: String)
                async throws
            {
                let child = try stage.start(program: .syncserver, arguments: arguments, database: database)
                usleep(UInt32(step) * 25_000)
                child.signal(SIGKILL)
                _ = try await child.end()
            }
        }
    }
#endif
