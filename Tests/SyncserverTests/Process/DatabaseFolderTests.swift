#if Server
    import Foundation
    import PostgresCluster
    import ProgramRuns
    import Testing

    extension ProcessTests {
        /// Data folders whose records are in a PostgreSQL, and commands that name another place for them.
        @Suite(.enabled(if: PostgresCluster.programs != nil)) struct DatabaseFolderTests {
            /// Runs a test with an account 'ada' with one note in a database, and its server stopped.
            private func run(_ body: (Stage, _ url: String, _ token: String) async throws -> Void)
                async throws
            {
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                let url = cluster.url(database: database)
                try await Stage.run { stage in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server(database: url)
                    let phone = stage.device(name: "phone", token: token)
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    try await server.stop()
                    try await body(stage, url, token)
                }
                try await cluster.removeDatabase(database)
            }

            /// Runs a command. A server that serves where it should refuse is an error, and not a wait for ever.
            private func command(_ stage: Stage, _ arguments: [String], database: String? = nil) async throws
                -> Run
            {
                let child = try stage.start(program: .syncserver, arguments: arguments, database: database)
                try await eventually(what: "\(arguments) ends") { !child.isRunning }
                return try await child.end()
            }

            private static let folder = ["--data", "data"]
            private static let commands = [
                ["purge", "--schemas", "Schemas"],
                ["account", "erase", "ada", "--confirm", "ada"], ["account", "export", "ada", "out"],
                ["account", "move", "ada", "--to", "there"], ["backup", "other"],
                ["restore", "saved", "--replace"], ["--schemas", "Schemas", "--port", "0"],
            ]

            @Test func withoutItsDatabaseNothingServesOrChangesAFolder() async throws {
                try await run { stage, url, token in
                    let saved = try await command(stage, ["backup", "saved"] + Self.folder, database: url)
                    #expect(saved.exitCode == 0, "\(saved.error)")
                    for arguments in Self.commands {
                        let run = try await command(stage, arguments + Self.folder)
                        #expect(run.exitCode == 64 && run.output.isEmpty, "\(arguments): \(run.error)")
                        #expect(run.error.contains("help: Name it with '--database'"), "\(run.error)")
                    }
                    for name in ["out", "there", "other", "data/before-restore"] {
                        #expect(!stage.exists(path: name), "\(name)")
                    }
                    // A folder that is restored from its backup needs the database, too.
                    let restore = ["restore", "saved", "--data", "elsewhere"]
                    #expect(try await command(stage, restore).exitCode == 64)
                    #expect(try await command(stage, restore, database: url).exitCode == 0)
                    let export = ["account", "export", "ada", "out", "--data", "elsewhere"]
                    #expect(try await command(stage, export).exitCode == 64)
                    let server = try await stage.server(database: url)
                    let laptop = stage.device(name: "laptop", token: token)
                    try await laptop.sync(server)
                    try await laptop.expect(["note/n1=one"])
                    try await server.stop()
                    let mark = try String(
                        contentsOf: stage.url(path: "data/records-in-database"),
                        encoding: .utf8
                    )
                    #expect(!mark.contains("postgres:") && !mark.contains("127.0.0.1"), "\(mark)")
                }
            }

            @Test func aMoveBetweenServersOfOneDatabaseMarksTheOtherFolder() async throws {
                try await run { stage, url, _ in
                    let move = ["account", "move", "ada", "--to", "there", "--same-database"] + Self.folder
                    #expect(try await command(stage, move, database: url).exitCode == 0)
                    let export = ["account", "export", "ada", "out", "--data", "there"]
                    #expect(try await command(stage, export).exitCode == 64)
                    let run = try await command(stage, export, database: url)
                    #expect(run.output == "1 record was written\n", "\(run.error)")
                }
            }

            @Test func aFolderWithoutTheMarkGoesOnAsItWas() async throws {
                try await run { stage, _, _ in
                    let mark = stage.url(path: "data/records-in-database")
                    if stage.exists(path: "data/records-in-database") {
                        try FileManager.default.removeItem(at: mark)
                    }
                    let move = ["account", "move", "ada", "--to", "there"] + Self.folder
                    let moved = try await command(stage, move)
                    #expect(moved.exitCode == 0, "\(moved.error)")
                }
            }

            @Test func recordsInFilesAreNotLeftBehindForADatabase() async throws {
                try await run { stage, url, _ in
                    let token = try await stage.token(name: "eve", data: "files")
                    let server = try await stage.server(data: "files")
                    let phone = stage.device(name: "eve", token: token)
                    try await phone.put("note", key: "e1", title: "of eve")
                    try await phone.sync(server)
                    try await server.stop()
                    let folder = ["--data", "files"]
                    for arguments in [
                        ["--schemas", "Schemas", "--port", "0"],
                        ["account", "erase", "eve", "--confirm", "eve"],
                        ["account", "export", "eve", "out"],
                    ] {
                        let run = try await command(stage, arguments + folder, database: url)
                        #expect(run.exitCode == 64 && run.output.isEmpty, "\(arguments): \(run.error)")
                        #expect(run.error.contains("records in files"), "\(run.error)")
                    }
                    let saved = try await command(stage, ["backup", "saved"] + folder)
                    #expect(saved.exitCode == 0, "\(saved.error)")
                    let restore = ["restore", "saved", "--data", "elsewhere"]
                    let restored = try await command(stage, restore, database: url)
                    #expect(restored.exitCode == 64 && !stage.exists(path: "elsewhere"), "\(restored.error)")
                    let again = try await stage.server(data: "files")
                    let laptop = stage.device(name: "other", token: token)
                    try await laptop.sync(again)
                    try await laptop.expect(["note/e1=of eve"])
                    try await again.stop()
                }
            }
        }
    }
#endif
