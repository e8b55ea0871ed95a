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
        /// Servers with their records in a PostgreSQL.
        @Suite(.enabled(if: PostgresCluster.programs != nil)) struct DatabaseTests {
            /// Runs a test with an empty database.
            private func run(_ body: (Stage, PostgresCluster, String) async throws -> Void) async throws {
                let cluster = try await PostgresCluster.shared()
                let database = try await cluster.makeDatabase()
                try await Stage.run { stage in try await body(stage, cluster, database) }
                try await cluster.removeDatabase(database)
            }

            @Test func twoServersShareADatabaseAndOneMayCrash() async throws {
                try await run { stage, cluster, database in
                    let url = cluster.url(database: database)
                    let token = try await stage.token(name: "ada")
                    let first = try await stage.server(database: url)
                    let second = try await stage.server(database: url)
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    let watching = try stage.start(
                        program: .synccheck,
                        arguments: ["sync", "--remote", second.url, "--watch", "--store", laptop.store],
                        token: token
                    )
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(first)
                    try await eventually(what: "the other server's stream tells of it") {
                        try await laptop.records().contains("note/n1=one")
                    }
                    watching.signal(SIGINT)
                    #expect(try await watching.end().exitCode == 0, "\(watching.error)")
                    try await first.crash()
                    try await phone.put("bookmark", key: "b1", title: "after the crash")
                    try await phone.sync(second)
                    try await laptop.sync(second)
                    #expect(try await phone.export() == laptop.export())
                    #expect(try await phone.sync(second).requests == 1)
                    try await laptop.must(arguments: "delete", "note", "n1")
                    try await laptop.sync(second)
                    let purge = try await stage.start(
                        program: .syncserver,
                        arguments: ["purge", "--schemas", "Schemas", "--older-than-days", "0"],
                        database: url
                    ).end()
                    #expect(
                        purge.exitCode == 0 && purge.output == "1 tombstone was removed\n",
                        "\(purge.error)"
                    )
                    try await second.stop()
                }
            }

            @Test(arguments: [
                (
                    "alter function public.entitysync_exchange(json) rename to hidden",
                    "alter function public.hidden(json) rename to entitysync_exchange", "PostgreSQL 42883"
                ),
                (
                    #"drop policy "entitysync: read" on public.note"#,
                    #"create policy "entitysync: read" on public.note for select using (owner_id = auth.uid())"#,
                    "a table without a policy"
                ),
            ])
            func aDatabaseThatBreaksUnderAServerLosesNothingAndIsNamedInTheLog(
                fault: String,
                mending: String,
                cause: String
            ) async throws {
                try await run { stage, cluster, database in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server(database: cluster.url(database: database))
                    let (phone, laptop) = (
                        stage.device(name: "phone", token: token), stage.device(name: "laptop", token: token)
                    )
                    try await phone.put("note", key: "n1", title: "one")
                    try await phone.sync(server)
                    try await laptop.put("note", key: "n2", title: "two")
                    try await cluster.sql(fault, database: database)
                    let refused = try await laptop.syncRefused(server, exitCode: 69)
                    #expect(refused.contains("The server cannot answer now (status 503)"), "\(refused)")
                    #expect(refused.contains("asks to wait 300 seconds"), "\(refused)")
                    #expect(server.child.error.contains(cause), "\(server.child.error)")
                    try await cluster.sql(mending, database: database)
                    try await laptop.sync(server)
                    #expect(try await laptop.records().contains("note/n1=one"))
                    try await phone.sync(server)
                    #expect(try await phone.export() == laptop.export())
                    try await server.stop()
                }
            }

            @Test func whatATriggerSaysReachesItsWriterAndNoLog() async throws {
                try await run { stage, cluster, database in
                    let token = try await stage.token(name: "ada")
                    let server = try await stage.server(database: cluster.url(database: database))
                    try await cluster.sql(
                        """
                        create function public.judge() returns trigger language plpgsql as $$
                        begin
                          if new.title like 'loud%' then raise exception 'Too loud: %', new.title; end if;
                          return new;
                        end
                        $$;
                        create trigger judge before insert or update on public.note
                        for each row execute function public.judge()
                        """,
                        database: database
                    )
                    let phone = stage.device(name: "phone", token: token)
                    try await phone.put("note", key: "n1", title: "loud-words")
                    try await phone.put("note", key: "n2", title: "calm-words")
                    _ = try await phone.run(arguments: "sync", "--remote", server.url)
                    let rejected = try await phone.must(arguments: "rejected")
                    #expect(rejected.contains("Too loud: loud-words"), "\(rejected)")
                    #expect(try await cluster.sql("select id from public.note", database: database) == "n2")
                    try await server.stop()
                    let log = server.child.output + server.child.error
                    #expect(!log.contains("loud") && !log.contains("calm-words"), "\(log)")
                    #expect(log.contains("/v1/exchange"), "\(log)")
                }
            }

            @Test func aReadOnlyDatabaseIsServedAndEveryDeviceIsToldWhyItsChangesWait() async throws {
                try await run { stage, cluster, database in
                    func makeReadOnly(_ value: String) async throws {
                        try await cluster.sql(
                            "alter database \(database) set default_transaction_read_only = \(value)",
                            database: "postgres"
                        )
                    }
                    let token = try await stage.token(name: "ada")
                    let url = cluster.url(database: database)
                    try await stage.server(database: url).stop()
                    try await makeReadOnly("on")
                    let server = try await stage.server(database: url)
                    let phone = stage.device(name: "phone", token: token)
                    try await phone.put("note", key: "n1", title: "one")
                    let refused = try await phone.syncRefused(server, exitCode: 69)
                    #expect(refused.contains("its storage accepts no changes"), "\(refused)")
                    let rows =
                        "select (select count(*) from public.note), (select count(*) from entitysync.space)"
                    #expect(try await cluster.sql(rows, database: database) == "0|0")
                    try await server.stop()
                    try await makeReadOnly("off")
                    let writable = try await stage.server(database: url)
                    try await phone.sync(writable)
                    #expect(try await cluster.sql(rows, database: database) == "1|1")
                    try await writable.stop()
                }
            }

            @Test func aDatabaseThatCannotBeUsedIsAnErrorWithHelp() async throws {
                try await run { stage, cluster, database in
                    let newer = """
                        create schema entitysync; create table entitysync.installation (sql_version int, digest text);
                        insert into entitysync.installation values (99, null)
                        """
                    try await cluster.sql(newer, database: database)
                    let role = "poor_\(database)"
                    try await cluster.sql("create role \(role) login", database: "postgres")
                    let poor = "postgres://\(role)@127.0.0.1:\(cluster.port)/postgres"
                    let cases: [(String, Int32)] = [
                        ("postgres://server:hunter2@127.0.0.1:1/records", 69),
                        ("postgres://server:hunter2@[::1/records", 64),
                        (cluster.url(database: database), 65), (poor, 77),
                    ]
                    for (url, exitCode) in cases {
                        for arguments in [["--port", "0", "--data", "data"], ["purge"]] {
                            let run = try await stage.start(
                                program: .syncserver,
                                arguments: arguments + ["--schemas", "Schemas"],
                                database: url
                            ).end()
                            #expect(
                                run.exitCode == exitCode && run.output.isEmpty,
                                "\(arguments): \(run.error)"
                            )
                            let lines = run.error.split(separator: "\n").map { $0.prefix(6) }
                            #expect(lines == ["error:", "help: "], "\(run.error)")
                            #expect(!run.error.contains("hunter2"), "\(run.error)")
                        }
                    }
                    try await cluster.sql("drop role \(role)", database: "postgres")
                }
            }
        }
    }
#endif
