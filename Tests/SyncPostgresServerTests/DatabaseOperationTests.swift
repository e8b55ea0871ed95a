#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncSchema
    import SyncServer
    @testable import SyncPostgresServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// What operators do: install, start several servers, purge.
        @Suite struct Operation {
            @Test func aTransactionOfAnotherDatabaseExpiresNoCursor() async throws {
                try await DatabaseBench.runAlone { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let other = try await bench.cluster.makeDatabase()
                    async let open = bench.cluster.sql(
                        "begin; select pg_current_xact_id(); select pg_sleep(900); commit",
                        database: other
                    )
                    let begun = "select count(*) from pg_stat_activity where backend_xid is not null"
                    while try await bench.sql(begun) == "0" { try await Task.sleep(for: .milliseconds(20)) }
                    let devices = (1...3).map { DatabaseDevice(handler, device: $0) }
                    try await devices[0].push(keys: "a", "b")
                    #expect(try await devices[1].pull() == ["a", "b"])
                    #expect(try await devices[2].pull() == ["a", "b"])
                    try await bench.sql("delete from public.\"scratch-note\" where id = 'a'")
                    #expect(try await devices[1].pull() == ["-a"])
                    #expect(try await handler.purgeTombstones(olderThanDays: 0) == 1)
                    #expect(try await bench.sql(begun) == "1", "the transaction is still open")
                    #expect(try await devices[1].pull() == [], "it has seen the tombstone")
                    let error = await #expect(throws: WireError.self) { try await devices[2].pull() }
                    #expect(error?.code == .cursorExpired)
                    try await bench.sql(
                        "select pg_terminate_backend(pid) from pg_stat_activity where backend_xid is not null"
                    )
                    _ = try? await open
                }
            }

            /// As it was before a refusal named another record.
            @Test func theSQLOfAnEarlierVersionIsReplacedInPlace() async throws {
                let thing = """
                    {"$id":"thing","title":"Thing","description":"A thing.","type":"object","properties":{
                    "id":{"type":"string","description":"Its key."}},"required":["id"],
                    "sync":{"key":"id","strategy":"last-write-wins"}}
                    """
                let schemas = try UserDatabase.schemas(["thing": thing])
                try await UserDatabase.run { database in
                    try await database.apply(schemas)
                    try await database.sql(
                        """
                        drop function entitysync.refusal(text, text, text);
                        create function entitysync.refusal(rule text, reason text) returns text language sql
                        as $$ select '{}'::text $$;
                        alter type entitysync.verdict drop attribute other cascade;
                        """
                    )
                    try await database.apply(schemas)
                    let phone = try database.device(1, entities: "thing")
                    let keys = ["", "a"].map {
                        phone.change(entity: "thing", key: $0, body: #"{"id":"\#($0)"}"#)
                    }
                    #expect(
                        try await phone.send(phone.request(changes: keys)).outcomes == ["key", "accepted"]
                    )
                }
            }

            /// Two devices made the same thing offline, and one of them has merged the two records into one.
            @Test func aRecordThatTakesTheUniqueValueOfADeletedOneIsStoredInOneRequest() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    try await bench.sql(
                        "create unique index one_title on public.\"scratch-note\" (owner_id, title)"
                    )
                    let phone = DatabaseDevice(handler, device: 1)
                    let first = try await phone.push(keys: "a")
                    let clash = try await phone.send(phone.request(changes: [phone.note(key: "b")]))
                    #expect(clash.outcomes == ["unique"])
                    guard case .accepted(let revision, _) = first.results.first else {
                        Issue.record("the first record is not stored")
                        return
                    }
                    let delete =
                        phone.note(key: "a").dropLast()
                        + #","base":"\#(revision.text)","deleted":true}"#
                    let both = try await phone.send(
                        phone.request(changes: [phone.note(key: "b"), phone.note(key: "c"), String(delete)])
                    )
                    #expect(both.outcomes == ["accepted", "unique", "accepted"])
                    let titles = "select string_agg(id || ' ' || title, ', ') from public.\"scratch-note\""
                    #expect(try await bench.sql(titles) == "b title")
                }
            }

            @Test func aSpaceKeepsABoundedNumberOfPurgedTransactions() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler()
                    defer { handler.stop() }
                    let phone = DatabaseDevice(handler, device: 1)
                    try await phone.push(keys: "a")
                    try await bench.sql(
                        """
                        insert into entitysync.purged (space, xid)
                        select s.id, n::text::xid8 from entitysync.space as s, generate_series(1, 10005) as n;
                        delete from public."scratch-note"
                        """
                    )
                    #expect(try await handler.purgeTombstones(olderThanDays: 0) == 1)
                    #expect(try await bench.sql("select count(*) from entitysync.purged") == "10000")
                }
            }

            @Test func accountsArePurgedOneByOneAndInBatches() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler(statementSeconds: 1)
                    defer { handler.stop() }
                    try await bench.sql(
                        """
                        create table public.commits (xid xid8);
                        create function public.count_commits() returns trigger language plpgsql as $$
                        begin insert into public.commits values (pg_current_xact_id()); return null; end $$;
                        create trigger count_commits after delete on entitysync.state
                          execute function public.count_commits();
                        insert into entitysync.state (
                          id, space, entity, key, xid, number, revision, is_deleted, edit, sent, vector, stored_at
                        )
                        select gen_random_uuid(), ('00000000-0000-0000-0000-00000000000' || n % 3)::uuid, 'scratch-note',
                          n::text, '3', n, n::text, true, '1.0000000000000001.1', '1.0000000000000001.1',
                          '0000000000000001:1', now() - interval '1 year'
                        from generate_series(1, 24000) as n
                        """
                    )
                    // Holds the rows of an account until it is ended below, however long the purge takes to come to them.
                    async let locking = try? bench.sql(
                        """
                        begin; select count(*) from (
                          select from entitysync.state where space::text like '%1' for update
                        ) as locked; select pg_sleep(600); commit
                        """
                    )
                    // Other tests hold rows in databases of their own.
                    let holder = """
                        from pg_stat_activity where datname = current_database() and query like 'begin; select%'
                          and wait_event = 'PgSleep'
                        """
                    while try await bench.sql("select count(*) \(holder)") == "0" {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    let error = await #expect(throws: PurgeError.self) { try await handler.purgeTombstones() }
                    #expect(error?.removed == 16_000)
                    #expect(error?.accounts.map(\.account) == ["00000000-0000-0000-0000-000000000001"])
                    #expect(try await bench.sql("select pg_terminate_backend(pid, 60000) \(holder)") == "t")
                    _ = await locking
                    #expect(try await handler.purgeTombstones() == 8000)
                    #expect(try await bench.sql("select count(distinct xid) >= 6 from public.commits") == "t")
                }
            }

            @Test func anOwnerWhoIsNoSuperuserInstallsAndServes() async throws {
                let cluster = try await PostgresCluster(isDurable: false)
                defer { cluster.stop() }
                try await cluster.sql("create role keeper login createrole", database: "postgres")
                try await cluster.sql("create database records owner keeper", database: "postgres")
                let text = "postgres://keeper@127.0.0.1:\(cluster.port)/records"
                let handler = try await PostgresHandler(
                    options: PostgresServerOptions(
                        url: try #require(PostgresURL(text)),
                        schemas: ScratchSchemas.all
                    ),
                    onChange: { _ in },
                    onMissedChanges: {}
                )
                defer { handler.stop() }
                let phone = DatabaseDevice(handler, device: 1)
                #expect(try await phone.push(keys: "a", "b").outcomes == ["accepted", "accepted"])
                #expect(try await DatabaseDevice(handler, device: 2).pull() == ["a", "b"])
                #expect(try await DatabaseDevice(handler, device: 3, account: .eve).pull() == [])
                let service = "set role service_role; delete from public.\"scratch-note\" where id = 'a'"
                try await cluster.sql(service, database: "records")
                #expect(try await phone.pull() == ["-a"])
                #expect(try await handler.purgeTombstones(olderThanDays: 0) == 1)
                let bypassing = "select count(*) from pg_roles where rolbypassrls and not rolsuper"
                #expect(try await cluster.sql(bypassing, database: "records") == "0")
            }

            @Test func anOlderServerDoesNotUndoANewerOne() async throws {
                let cluster = try await PostgresCluster.shared()
                try await cluster.withDatabase(template: "template0") { database in
                    let url = try #require(PostgresURL(cluster.url(database: database)))
                    func install(count: String?, beside: Bool = false) async throws {
                        let schemas = try Self.schemas(count: count, beside: beside)
                        let options = PostgresServerOptions(url: url, schemas: schemas)
                        try await PostgresInstallation(options: options).apply()
                    }
                    try await install(count: nil)
                    try await install(count: "integer", beside: true)
                    let columns = "select count(*) from information_schema.columns where table_name = 'thing'"
                    #expect(try await cluster.sql(columns, database: database) == "3", "count is new")
                    let digest = "select digest from entitysync.installation"
                    let installed = try await cluster.sql(digest, database: database)
                    for (count, beside, name) in [
                        (nil, true, "'thing.count'"), ("string", true, "'thing.count'"),
                        ("integer", false, "'beside'"),
                    ] {
                        let error = await #expect(throws: SyncError.self) {
                            try await install(count: count, beside: beside)
                        }
                        #expect(error?.kind == .invalidInput && error?.message.contains(name) == true)
                    }
                    #expect(try await cluster.sql(digest, database: database) == installed)
                    try await install(count: "integer", beside: true)
                }
            }

            /// Schemas of a thing with a field `count` of a type, or without it.
            private static func schemas(count: String?, beside: Bool) throws -> [Schema] {
                func text(_ title: String, extra: String) -> String {
                    #"{"title":"\#(title)","type":"object","properties":{"id":{"type":"string"}\#(extra)},"#
                        + #""required":["id"],"sync":{"key":"id","strategy":"preserve-local"}}"#
                }
                var sources = [
                    "thing": text("Thing", extra: count.map { #","count":{"type":"\#($0)"}"# } ?? "")
                ]
                if beside { sources["beside"] = text("Beside", extra: "") }
                let report = SchemaLoader.load(
                    sources.map { SchemaSource(path: "\($0.key).schema.json", bytes: Array($0.value.utf8)) }
                )
                try #require(report.diagnostics.allSatisfy { $0.severity != .error })
                return report.schemas
            }

            @Test func changesThatTakeTooLongAreToBeHalved() async throws {
                try await DatabaseBench.run { bench in
                    let handler = try await bench.handler(statementSeconds: 2)
                    defer { handler.stop() }
                    try await bench.sql(
                        """
                        create function public.dawdle() returns trigger language plpgsql as $$
                        begin perform pg_sleep(0.05); return new; end $$;
                        create trigger dawdle before insert on public."scratch-note"
                        for each row execute function public.dawdle()
                        """
                    )
                    let phone = DatabaseDevice(handler, device: 1)
                    let notes = (0..<80).map { phone.note(key: "\($0)") }
                    let error = await #expect(throws: WireError.self) {
                        try await phone.send(phone.request(changes: notes))
                    }
                    #expect(error?.code == .tooLarge && error?.limits != nil)
                    let answer = try await phone.send(phone.request(changes: Array(notes.prefix(10))))
                    #expect(answer.outcomes == Array(repeating: "accepted", count: 10))
                }
            }
        }
    }
#endif
