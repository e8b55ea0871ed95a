#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncPostgres
    import SyncServer
    import SyncWire
    import Testing

    extension DatabaseTests {
        /// Databases that come from a backup or from another cluster.
        @Suite struct Restore {
            private static let note = """
                {
                  "title": "Note", "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"],
                  "sync": { "key": "id", "strategy": "last-write-wins" }
                }
                """

            private static func push(_ key: String, from device: DatabaseDevice) async throws -> [String] {
                let change = device.change(entity: "note", key: key, body: #"{"id":"\#(key)"}"#)
                return try await device.send(device.request(changes: [change])).outcomes
            }

            @Test func aDatabaseThatWasRolledBackIsNoticedByWhoSawMore() async throws {
                try await UserDatabase.run { database in
                    try await database.apply(UserDatabase.schemas(["note": Self.note]))
                    let (phone, laptop) = (
                        try database.device(1, entities: "note"), try database.device(2, entities: "note")
                    )
                    #expect(try await Self.push("a", from: phone) == ["accepted"])
                    #expect(try await laptop.pull() == ["a"])
                    let backup = try await database.cluster.makeDatabase(template: database.database)
                    #expect(try await Self.push("lost", from: phone) == ["accepted"])
                    let name = database.database
                    try await database.cluster.removeDatabase(name)
                    try await database.cluster.sql(
                        "alter database \(backup) rename to \(name)",
                        database: "postgres"
                    )
                    let error = await #expect(throws: WireError.self) { try await phone.pull() }
                    #expect(error?.code == .historyChanged)
                    #expect(try await laptop.pull().isEmpty, "it had seen no more than the backup has")
                    // It stays so, however often the device asks without a cursor whose history that is.
                    for _ in 0..<6 {
                        _ = try await database.device(1, entities: "note").pull()
                        let again = await #expect(throws: WireError.self) { try await phone.pull() }
                        #expect(again?.code == .historyChanged)
                    }
                }
            }

            /// What a program writes into the restored database is no edit that a device had seen before.
            @Test func aProgramsEditAfterARestoreIsANewOne() async throws {
                try await UserDatabase.run { database in
                    try await database.apply(UserDatabase.schemas(["note": Self.note]))
                    let phone = try database.device(1, entities: "note")
                    let insert = "insert into public.note (id) values ('web')"
                    let backup = try await database.cluster.makeDatabase(template: database.database)
                    try await database.sql(insert, as: UserDatabase.ada)
                    let seen = try #require(try await phone.changes().first?.metadata?.vector)
                    let restored = UserDatabase(cluster: database.cluster, database: backup)
                    try await restored.sql(insert, as: UserDatabase.ada)
                    let laptop = try restored.device(2, entities: "note")
                    let now = try #require(try await laptop.changes().first?.metadata?.vector)
                    #expect(!seen.covers(now))
                    #expect(now.entries.count == 1)
                }
            }

            /// A second edit of a program is new for whoever saw the first one, also if the clock was set back in between.
            @Test func aProgramsEditAfterTheClockWasSetBackIsANewOne() async throws {
                try await UserDatabase.run { database in
                    try await database.apply(UserDatabase.schemas(["note": Self.note]))
                    try await database.sql(
                        "insert into public.note (id) values ('web')",
                        as: UserDatabase.ada
                    )
                    let phone = try database.device(1, entities: "note")
                    let seen = try #require(try await phone.changes().first?.metadata?.vector)
                    try await database.sql(
                        """
                        create or replace function entitysync.edit_number(number bigint) returns bigint
                        language sql volatile
                        return number + (extract(epoch from clock_timestamp() - interval '5 min') * 1000000)::bigint
                        """
                    )
                    try await database.sql("delete from public.note", as: UserDatabase.ada)
                    let now = try #require(try await phone.changes().first?.metadata?.vector)
                    #expect(!seen.covers(now) && now.covers(seen))
                }
            }

            /// Uses up so many numbers of transactions.
            private static func burning(_ count: Int) -> String {
                """
                create table public.burned (n int);
                do $$ begin
                  for n in 1..\(count) loop
                    begin insert into public.burned values (n); exception when others then raise; end;
                  end loop;
                end $$;
                drop table public.burned
                """
            }

            /// Also where a policy of its own rules who sees which rows of the table, and where the other cluster has counted
            /// further than the first one.
            @Test(arguments: [false, true], [false, true])
            func aDumpInAnotherClusterIsNumberedAnew(hasPolicy: Bool, isFurther: Bool) async throws {
                try await UserDatabase.run { database in
                    try await database.sql(Self.burning(5000))
                    try await database.apply(UserDatabase.schemas(["note": Self.note]))
                    if hasPolicy {
                        let policy =
                            "create policy also on public.note for select to authenticated using (true)"
                        try await database.sql(policy)
                    }
                    let phone = try database.device(1, entities: "note")
                    if hasPolicy { #expect(try await phone.pull().isEmpty) }
                    for key in ["a", "b"] { #expect(try await Self.push(key, from: phone) == ["accepted"]) }
                    try await database.sql("delete from public.note where id = 'b'")
                    let text = try await database.cluster.dump(database: database.database)
                    let other = try await PostgresCluster(isDurable: false)
                    defer { other.stop() }
                    let roles = try PostgresGenerator.files(
                        for: [],
                        options: PostgresOptions(isStandAlone: true)
                    )[0]
                    try await other.script(roles.contents, database: "postgres")
                    let name = try await other.makeDatabase()
                    if isFurther {
                        let count = try await database.sql("select pg_snapshot_xmax(pg_current_snapshot())")
                        try await other.sql(Self.burning((Int(count) ?? 0) + 1000), database: name)
                    }
                    try await other.script(text, database: name)
                    let ahead =
                        "select bool_and(xid >= pg_snapshot_xmax(pg_current_snapshot())) from entitysync.state"
                    #expect(try await other.sql(ahead, database: name) == (isFurther ? "f" : "t"))
                    let there = UserDatabase(cluster: other, database: name)
                    let laptop = try there.device(2, entities: "note")
                    #expect(
                        try await laptop.pull().filter { !hasPolicy || $0 != "-b" }
                            == (hasPolicy ? ["a"] : ["a", "-b"])
                    )
                    let moved = try there.device(1, entities: "note")
                    moved.takeOver(phone)
                    let error = await #expect(throws: WireError.self) { try await moved.pull() }
                    #expect(error?.code == .cursorExpired)
                    try await there.sql("insert into public.note (id) values ('web')", as: UserDatabase.ada)
                    #expect(try await laptop.pull() == ["web"])
                }
            }
        }
    }
#endif
