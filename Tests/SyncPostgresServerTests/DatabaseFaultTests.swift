#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    @testable import SyncPostgresServer
    import SyncServer
    import SyncWire
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    extension DatabaseTests {
        /// A database that fails, restarts or is slow.
        @Suite struct Faults {
            @Test func connectionsThatWereEndedAreReplacedUnseen() async throws {
                try await DatabaseBench.run { bench in
                    let missed = Reports()
                    let handler = try await PostgresHandler(
                        options: PostgresServerOptions(url: bench.url, schemas: ScratchSchemas.all),
                        onChange: { _ in },
                        onMissedChanges: { missed.add("missed") }
                    )
                    defer { handler.stop() }
                    let events = ServerRequest(method: "GET", path: "/v1/events")
                    _ = try await handler.answer(events, for: .ada)
                    for round in 1...3 {
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for device in 1...8 as ClosedRange<UInt64> {
                                group.addTask {
                                    let device = DatabaseDevice(handler, device: device * 10 + UInt64(round))
                                    try await device.push(keys: "\(device.device)")
                                }
                            }
                            try await group.waitForAll()
                        }
                        try await bench.sql(
                            """
                            select count(pg_terminate_backend(pid)) from pg_stat_activity
                            where datname = current_database() and pid <> pg_backend_pid()
                            """
                        )
                    }
                    #expect(try await DatabaseDevice(handler, device: 99).pull().count == 24)
                    #expect(try await missed.become { !$0.isEmpty })
                }
            }

            @Test func aStatementThatTakesTooLongIsAReasonToComeBack() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler(statementSeconds: 0.5)
                    defer { handler.stop() }
                    let phone = DatabaseDevice(handler, device: 1)
                    _ = try await phone.pull()
                    async let locking = bench.sql(
                        "begin; lock table public.\"scratch-note\" in exclusive mode; select pg_sleep(3); commit"
                    )
                    let locked =
                        "select count(*) from pg_locks where mode = 'ExclusiveLock' and relation = 'public.\"scratch-note\"'::regclass"
                    while try await bench.sql(locked) == "0" { try await Task.sleep(for: .milliseconds(20)) }
                    let request = phone.request(changes: [phone.note(key: "a"), phone.note(key: "b")])
                    let error = await #expect(throws: WireError.self) { try await phone.send(request) }
                    #expect(error?.code == .unavailable && error?.retryAfterSeconds == 1)
                    #expect(try await phone.insist(request).outcomes == ["accepted", "accepted"])
                    _ = try await locking
                    #expect(try await DatabaseDevice(handler, device: 2).pull() == ["a", "b"])
                }
            }

            @Test func killedProcessesOfTheDatabaseLoseNothingAndDoubleNothing() async throws {
                let cluster = try await PostgresCluster(isDurable: true)
                let url = try #require(PostgresURL(cluster.url(database: "postgres")))
                let handler = try await PostgresHandler(
                    options: PostgresServerOptions(url: url, schemas: ScratchSchemas.all),
                    onChange: { _ in },
                    onMissedChanges: {}
                )
                defer { handler.stop() }
                let isDone = Guarded(false)
                async let killer: Int = {
                    var kills = 0
                    while !isDone.use({ $0 }), kills < 5 {
                        try await Task.sleep(for: .milliseconds(300))
                        let active = """
                            select pid from pg_stat_activity where application_name = 'syncserver' and state = 'active'
                            limit 1
                            """
                        guard let text = try? await cluster.sql(active, database: "postgres"),
                            let process = Int32(text)
                        else { continue }
                        kill(process, SIGKILL)
                        kills += 1
                    }
                    isDone.use { $0 = true }
                    return kills
                }()
                var pushed = 0
                let phone = DatabaseDevice(handler, device: 1)
                while pushed < 20 || (!isDone.use { $0 } && pushed < 2000) {
                    let notes = (0..<20).map { phone.note(key: "\(pushed)-\($0)") }
                    let answer = try await phone.insist(phone.request(changes: notes))
                    #expect(answer.outcomes == notes.map { _ in "accepted" })
                    pushed += 1
                }
                isDone.use { $0 = true }
                #expect(try await killer > 0)
                let keys = try await DatabaseDevice(handler, device: 2).pull()
                #expect(keys.count == pushed * 20 && Set(keys).count == pushed * 20)
                let rows = try await cluster.sql(
                    "select count(*) from public.\"scratch-note\"",
                    database: "postgres"
                )
                #expect(rows == "\(pushed * 20)")
                cluster.stop()
            }

            @Test func noErrorTellsAPasswordOrAValue() async throws {
                try await DatabaseBench.run { bench in
                    var texts: [String] = []
                    for url in [
                        "postgres://server:hunter2@127.0.0.1:1/records",
                        "postgres://server:hunter2@nowhere.invalid/records",
                        "postgres://nobody:hunter2@127.0.0.1:\(bench.cluster.port)/nothing",
                    ] {
                        let url = try #require(PostgresURL(url))
                        #expect(!"\(url)".contains("hunter2"))
                        let options = PostgresServerOptions(url: url, schemas: ScratchSchemas.all)
                        let error = await #expect(throws: SyncError.self) {
                            try await PostgresInstallation(options: options).apply()
                        }
                        #expect(error?.kind == .unreachable)
                        texts.append(error.map { "\($0)" } ?? "")
                    }
                    #expect(PostgresURL("postgres://server:hunter2@[::1/records") == nil)
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    try await bench.sql(
                        """
                        create function public.shout() returns trigger language plpgsql as $$
                        begin raise exception 'no %', new.title using errcode = '22023'; end $$;
                        create trigger shout before insert on public."scratch-note"
                        for each row when (new.id = 'shouted') execute function public.shout()
                        """
                    )
                    let phone = DatabaseDevice(handler, device: 1)
                    let refused = try await phone.send(
                        phone.request(changes: [
                            phone.note(key: "shouted", title: "hunter2"), phone.note(key: "b"),
                        ])
                    )
                    #expect(refused.outcomes == ["sql-22023", "accepted"])
                    texts.append("\(refused.results)")
                    for body in ["{\"hunter2\"", "hunter2", "{\"device\":\"hunter2\"}", "[\"hunter2\"]"] {
                        let error = await #expect(throws: WireError.self) {
                            try await phone.send(Array(body.utf8))
                        }
                        #expect(error?.code == .malformed)
                        texts.append(error.map { "\($0)" } ?? "")
                    }
                    for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
                }
            }

            @Test func aStartThatCannotBeSaysWhyAndWhatToDo() async throws {
                try await DatabaseBench.run { bench in
                    try await bench.sql("update entitysync.installation set sql_version = 99")
                    let options = PostgresServerOptions(url: bench.url, schemas: ScratchSchemas.all)
                    let newer = await #expect(throws: SyncError.self) {
                        try await PostgresInstallation(options: options).apply()
                    }
                    #expect(newer?.kind == .unreadableStore && newer?.message.contains("99") == true)
                    let role = "poor_\(bench.database)"
                    try await bench.sql("create role \(role) login")
                    let text = "postgres://\(role)@127.0.0.1:\(bench.cluster.port)/\(bench.database)"
                    let poor = PostgresServerOptions(
                        url: try #require(PostgresURL(text)),
                        schemas: ScratchSchemas.all
                    )
                    let refused = await #expect(throws: SyncError.self) {
                        try await PostgresInstallation(options: poor).apply()
                    }
                    #expect(refused?.kind == .notPermitted)
                    try await bench.sql("drop role \(role)")
                }
            }
        }
    }
#endif
