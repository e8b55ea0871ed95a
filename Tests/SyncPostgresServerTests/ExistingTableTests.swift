#if Server
    import Foundation
    import PostgresCluster
    import SyncCore
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// A table that an app had for years: an owner column, types, policies and rows of its own.
        @Suite struct ExistingTables {
            private static let table = """
                create table public.bookmarks (
                  id uuid primary key default gen_random_uuid(),
                  user_id uuid not null references auth.users (id) on delete cascade,
                  surah_number int not null check (surah_number between 1 and 114),
                  verse_number int not null,
                  surah_name text not null,
                  verse_text text not null,
                  verse_translation text not null,
                  notes text,
                  tags text[] default '{}',
                  created_at timestamp not null default now(),
                  updated_at timestamp not null default now(),
                  -- No fields: names that the generated SQL might use, and a column that the table makes.
                  n text, o text, s text, t text, r text, c text, p_space text, p_key text, change text, row_json text,
                  search tsvector generated always as (to_tsvector('simple', coalesce(notes, ''))) stored
                );
                alter table public.bookmarks enable row level security;
                create policy "See own" on public.bookmarks for select using (auth.uid() = user_id);
                create policy "Add own" on public.bookmarks for insert with check (auth.uid() = user_id);
                create policy "Change own" on public.bookmarks for update using (auth.uid() = user_id);
                create policy "Delete own" on public.bookmarks for delete using (auth.uid() = user_id);
                insert into public.bookmarks (
                  id, user_id, surah_number, verse_number, surah_name, verse_text, verse_translation, notes, tags,
                  created_at, updated_at
                )
                select ('b0000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
                  case when n % 5 = 0 then '\(UserDatabase.eve.id)' else '\(UserDatabase.ada.id)' end::uuid,
                  n % 114 + 1, n, 'name', 'text ' || n, 'translation', case when n % 2 = 0 then 'note "' || n || '"' end,
                  case n % 3 when 0 then '{}'::text[] when 1 then array['a b', 'ü,"{}'] end,
                  timestamp '2025-03-30 02:30:00.123456' + n * interval '1 second', timestamp '2025-03-30 02:30:00'
                from generate_series(1, 500) as n;
                """
            private static let policies = """
                select string_agg(concat_ws(' ', polname, polcmd, polroles::text, pg_get_expr(polqual, polrelid),
                  pg_get_expr(polwithcheck, polrelid)), E'\\n' order by polname)
                from pg_policy where polrelid = 'public.bookmarks'::regclass
                """

            /// Runs a test with the table, to which the SQL was applied once.
            private static func run(_ body: (UserDatabase) async throws -> Void) async throws {
                let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                let file = folder.appendingPathComponent("../SyncPostgresTests/Golden/existing/schema.json")
                let schemas = try UserDatabase.schemas(["bookmark": String(contentsOf: file, encoding: .utf8)]
                )
                try await UserDatabase.run { database in
                    try await database.sql(table)
                    let before = try await database.sql(policies)
                    #expect(before.split(separator: "\n").count == 4)
                    try await database.apply(schemas, isExisting: true)
                    let states =
                        "select md5(string_agg(s::text, ' ' order by s.id)) from entitysync.state as s"
                    let adopted = try await database.sql(states)
                    try await database.apply(schemas, isExisting: true)
                    #expect(try await database.sql(states) == adopted)
                    // As a server does at its start, which does not know that the table was there.
                    try await database.apply(schemas)
                    #expect(try await database.sql(policies) == before)
                    try await body(database)
                }
            }

            private static func key(_ number: Int) -> String {
                "b0000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count)
                    + "\(number)"
            }

            private static func body(
                key: String,
                owner: Account = UserDatabase.ada,
                notes: String = "new"
            ) -> String {
                #"{"id":"\#(key)","user_id":"\#(owner.id)","surah_number":2,"verse_number":255,"surah_name":"n","#
                    + #""verse_text":"t","verse_translation":"u","notes":"\#(notes)","tags":["x","y z"],"#
                    + #""created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00.5Z","more":[1]}"#
            }

            @Test func rowsFromBeforeArePulledByTheirOwners() async throws {
                try await Self.run { database in
                    let changes = try await database.device(1, entities: "bookmark").changes()
                    #expect(changes.count == 400)
                    let first = try #require(changes.first { $0.key.text == Self.key(1) })
                    #expect(
                        String(decoding: first.body, as: UTF8.self)
                            == #"{"id":"\#(Self.key(1))","user_id":"\#(UserDatabase.ada.id)","surah_number":2,"#
                            + #""verse_number":1,"surah_name":"name","verse_text":"text 1","#
                            + #""verse_translation":"translation","tags":["a b","ü,\"{}"],"#
                            + #""created_at":"2025-03-30T02:30:01.123456Z","updated_at":"2025-03-30T02:30:00Z"}"#
                    )
                    let eve = try database.device(2, of: UserDatabase.eve, entities: "bookmark")
                    #expect(try await eve.pull().count == 100)
                }
            }

            @Test func aPushWritesTheRowAndOneOfAnotherOwnerIsRefusedAlone() async throws {
                try await Self.run { database in
                    let (phone, laptop) = (
                        try database.device(1, entities: "bookmark"),
                        try database.device(2, entities: "bookmark")
                    )
                    let known = try await phone.changes()
                    try await laptop.pull()
                    let old = try #require(known.first { $0.key.text == Self.key(1) })
                    let (new, forged) = (Self.key(1001), Self.key(1002))
                    let answer = try await phone.send(
                        phone.request(changes: [
                            phone.change(entity: "bookmark", key: new, body: Self.body(key: new)),
                            phone.change(
                                entity: "bookmark",
                                key: forged,
                                body: Self.body(key: forged, owner: UserDatabase.eve)
                            ),
                            phone.change(
                                entity: "bookmark",
                                key: old.key.text,
                                body: Self.body(key: old.key.text),
                                on: old
                            ),
                        ])
                    )
                    #expect(answer.outcomes == ["accepted", "owner", "accepted"])
                    let rows = try await database.sql(
                        """
                        select user_id, verse_number, notes, tags, updated_at from public.bookmarks
                        where id in ('\(new)', '\(forged)', '\(old.key)') order by id
                        """
                    )
                    let row = #"\#(UserDatabase.ada.id)|255|new|{x,"y z"}|2026-01-01 00:00:00.5"#
                    #expect(rows == "\(row)\n\(row)")
                    let pulled = try await laptop.changes()
                    #expect(pulled.map(\.key.text) == [new, old.key.text])
                    #expect(pulled.map { String(decoding: $0.body, as: UTF8.self) }[0] == Self.body(key: new))
                }
            }

            @Test func anUpsertOfTheOldAppIsPulled() async throws {
                try await Self.run { database in
                    let phone = try database.device(1, entities: "bookmark")
                    try await phone.pull()
                    let upsert = """
                        insert into public.bookmarks (
                          id, user_id, surah_number, verse_number, surah_name, verse_text, verse_translation
                        )
                        select i::uuid, '\(UserDatabase.ada.id)', 3, 7, 'n', 't', 'u'
                        from unnest(array['\(Self.key(1))', '\(Self.key(2000))']) as i
                        on conflict (id) do update set notes = 'upserted', surah_number = excluded.surah_number
                        """
                    try await database.sql(upsert, as: UserDatabase.ada)
                    let changes = try await phone.changes()
                    #expect(changes.map(\.key.text) == [Self.key(1), Self.key(2000)])
                    let body = String(decoding: changes[0].body, as: UTF8.self)
                    #expect(body.contains(#""surah_number":3,"verse_number":1,"#))
                    #expect(body.contains(#""notes":"upserted""#))
                    #expect(!body.contains(#""updated_at":"2025-03-30T02:30:00Z""#), "the trigger set it")
                    try await database.sql(upsert, as: UserDatabase.ada)
                    #expect(try await phone.pull() == [Self.key(2000)], "its notes are new")
                    try await database.sql(upsert, as: UserDatabase.ada)
                    #expect(try await phone.pull().isEmpty, "nothing changed")
                }
            }

            @Test func nothingStaysOfAUserWhoIsErased() async throws {
                try await Self.run { database in
                    let phone = try database.device(1, entities: "bookmark")
                    let eve = try database.device(2, of: UserDatabase.eve, entities: "bookmark")
                    for device in [phone, eve] { try await device.pull() }
                    let new = Self.key(1001)
                    try await phone.send(
                        phone.request(changes: [
                            phone.change(entity: "bookmark", key: new, body: Self.body(key: new))
                        ])
                    )
                    try await database.sql(
                        "delete from public.bookmarks where id in ('\(Self.key(1))', '\(Self.key(5))')"
                    )
                    #expect(try await eve.pull() == ["-\(Self.key(5))"])
                    try await database.sql("select entitysync.purge(now(), '\(UserDatabase.eve.id)')")
                    try await database.sql("delete from auth.users where id = '\(UserDatabase.ada.id)'")
                    let tables = ["space", "device", "state", "purged", "fingerprint"].map { table in
                        let space = table == "space" ? "id" : "space"
                        return
                            "(select count(*) from entitysync.\(table) where \(space) = '\(UserDatabase.ada.id)')"
                    }
                    #expect(try await database.sql("select \(tables.joined(separator: " + "))") == "0")
                    let rows =
                        "select string_agg(distinct user_id::text, ' '), count(*) from public.bookmarks"
                    #expect(try await database.sql(rows) == "\(UserDatabase.eve.id)|99")
                    let again = try database.device(3, of: UserDatabase.eve, entities: "bookmark")
                    #expect(try await again.pull().count == 99)
                }
            }
        }
    }
#endif
