#if Server
    import Foundation
    import SyncChecks
    import SyncCore
    import SyncSchema
    import SyncServer
    import Testing

    extension DatabaseTests {
        /// Writes of other programs reach the devices, by whatever statement they come.
        @Suite struct ForeignLog {
            private static let tables = """
                create table public.shelves (
                  id text, owner_id uuid not null, name text, primary key (owner_id, id)
                );
                create table public.items (
                  id text, owner_id uuid not null, a text, b integer, c jsonb, shelf text, other text,
                  primary key (owner_id, id),
                  foreign key (owner_id, shelf) references public.shelves (owner_id, id)
                    on delete cascade on update cascade
                );
                create table public.parts (
                  id text, owner_id uuid not null, a text, b integer, c jsonb, primary key (owner_id, id)
                ) partition by hash (owner_id);
                create table public.parts_0 partition of public.parts for values with (modulus 2, remainder 0);
                create table public.parts_1 partition of public.parts for values with (modulus 2, remainder 1);
                create function public.count_shelf() returns trigger language plpgsql as $$
                begin
                  update public.items set b = coalesce(b, 0) + 1 where owner_id = new.owner_id and shelf = new.id;
                  return new;
                end
                $$;
                create trigger count_shelf after update of name on public.shelves
                  for each row execute function public.count_shelf();
                """

            private static func schema(title: String, table: String, fields: String) -> String {
                """
                {
                  "title": "\(title)", "type": "object",
                  "properties": { "id": { "type": "string" }, \(fields) },
                  "required": ["id"],
                  "sync": {
                    "key": "id", "strategy": "last-write-wins",
                    "sql": { "table": "\(table)", "owner": "owner_id", "columns": { "b": "integer" } }
                  }
                }
                """
            }

            private static func schemas() throws -> [Schema] {
                let fields = """
                    "a": { "type": "string" }, "b": { "type": "integer" },
                    "c": { "type": "object", "properties": { "d": { "type": "integer" } }, "title": "More" }
                    """
                return try UserDatabase.schemas([
                    "shelf": schema(
                        title: "Shelf",
                        table: "shelves",
                        fields: #""name": { "type": "string" }"#
                    )
                    .replacingOccurrences(of: #", "columns": { "b": "integer" }"#, with: ""),
                    "item": schema(
                        title: "Item",
                        table: "items",
                        fields: fields + #", "shelf": { "type": "string" }"#
                    ),
                    "part": schema(
                        title: "Part",
                        table: "parts",
                        fields: fields.replacingOccurrences(of: "More", with: "Rest")
                    ),
                ])
            }

            private static func run(_ body: (UserDatabase) async throws -> Void) async throws {
                try await UserDatabase.run { database in
                    try await database.sql(tables)
                    try await database.apply(schemas(), isExisting: true)
                    try await body(database)
                }
            }

            /// `pg_restore --disable-triggers` and others do that: triggers for replicas fire for everybody afterwards.
            @Test func aRowIsLoggedOnceAlsoWhereAllTriggersWereDisabledAndEnabled() async throws {
                try await Self.run { database in
                    try await database.sql(
                        """
                        alter table public.items disable trigger user; alter table public.items enable trigger user;
                        insert into public.items (id, owner_id, a) values ('k', '\(UserDatabase.ada.id)', 'v')
                        """
                    )
                    #expect(try await database.sql("select op, keys from entitysync.log") == "i|{k}")
                }
            }

            /// Random statements, as other programs write them.
            private struct Statements {
                var random: Seed
                private var count = 0

                init(seed: UInt64) { random = Seed(seed) }

                private mutating func number(_ bound: Int) -> Int {
                    Int.random(in: 0..<bound, using: &random)
                }
                private mutating func key() -> String { "'k\(number(6))'" }
                private mutating func owner() -> String {
                    "'\(number(3) == 0 ? UserDatabase.eve.id : UserDatabase.ada.id)'"
                }
                private mutating func table() -> String { number(3) == 0 ? "public.parts" : "public.items" }
                private mutating func values() -> String {
                    count += 1
                    return
                        "(\(key()), \(owner())::uuid, 'v\(count)', \(number(5)), '{\"d\": \(number(3))}'::jsonb)"
                }

                mutating func next() -> String {
                    let text = simple()
                    switch number(8) {
                    case 0: return "set session_replication_role = replica; \(text)"
                    case 1: return "do $$ begin \(text); \(simple()); end $$"
                    case 2:
                        return "begin; \(text); savepoint s; \(simple()); rollback to s; \(simple()); commit"
                    case 3: return "begin; \(text); rollback"
                    case 4: return "begin; \(text); \(simple()); \(simple()); commit"
                    default: return text
                    }
                }

                private mutating func simple() -> String {
                    let table = table()
                    switch number(18) {
                    case 0, 1:
                        return """
                            insert into \(table) (id, owner_id, a, b, c) values \(values())
                            on conflict (owner_id, id) do update set a = excluded.a, c = excluded.c
                            """
                    case 2:
                        count += 1
                        let id = number(2) == 0 ? UserDatabase.ada.id : UserDatabase.eve.id
                        return """
                            copy \(table) (id, owner_id, a) from program 'echo "c\(count)|\(id)|copied"; echo "d\(count)|\(id)|x"'
                            with (delimiter '|')
                            """
                    case 3:
                        return """
                            merge into \(table) as t using (values \(values()), \(values())) as v (id, owner_id, a, b, c)
                              on t.id = v.id and t.owner_id = v.owner_id
                            when matched and v.b = 0 then delete
                            when matched then update set a = v.a, b = v.b
                            when not matched then insert (id, owner_id, a, b, c) values (v.id, v.owner_id, v.a, v.b, v.c)
                            """
                    case 4:
                        return number(4) == 0
                            ? "truncate \(table)" : "delete from \(table) where id = \(key())"
                    case 5: return "delete from public.shelves where id = \(key()) and owner_id = \(owner())"
                    case 6:
                        count += 1
                        return
                            "update public.shelves set id = 's\(count)' where id = \(key()) and owner_id = \(owner())"
                    case 7:
                        return """
                            insert into public.shelves (id, owner_id, name) values (\(key()), \(owner()), 'n')
                            on conflict (owner_id, id) do update set name = public.shelves.name || 'm'
                            """
                    case 8:
                        return
                            "update public.items as i set shelf = s.id from public.shelves as s where s.owner_id = i.owner_id"
                    case 9:
                        count += 1
                        return
                            "update \(table) set id = id || '-\(count)' where id = \(key()) or b = \(number(5))"
                    case 10: return "update \(table) set owner_id = \(owner()) where id = \(key())"
                    case 11, 12:
                        let (one, two) = (key(), key())
                        return """
                            update \(table) set a = case when id = \(one) then a || '.' else a end,
                              b = case when id = \(two) then coalesce(b, 0) + 1 else b end,
                              c = case when b > 2 then '{"d": 9}' else c end
                            """
                    case 13:
                        return
                            "update public.parts_\(number(2)) set b = coalesce(b, 0) + 1 where a like '%\(number(10))'"
                    case 14:
                        return
                            "insert into public.parts_\(number(2)) (id, owner_id, a, b, c) values \(values())"
                    case 15: return "delete from public.parts_\(number(2)) where id = \(key())"
                    case 16:
                        return """
                            with moved as (delete from public.items where id = \(key()) returning *)
                            insert into public.parts (id, owner_id, a, b, c)
                            select id, owner_id, a, b, c from moved on conflict (owner_id, id) do nothing
                            """
                    default: return "update public.items set other = 'o' || coalesce(b, 0)"
                    }
                }
            }

            /// What a user's devices shall show: each row as JSON, by entity and key.
            private static func rows(of user: Account, in database: UserDatabase) async throws -> NSDictionary
            {
                let parts = [("item", "items"), ("part", "parts"), ("shelf", "shelves")].map {
                    entity,
                    table in
                    """
                    select '\(entity) ' || id as key, jsonb_strip_nulls(to_jsonb(t) - 'owner_id' - 'other') as row
                    from public.\(table) as t where owner_id = '\(user.id)'
                    """
                }
                let text = try await database.sql(
                    "select coalesce(jsonb_object_agg(key, row), '{}') from (\(parts.joined(separator: " union all "))) as r"
                )
                return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
            }

            private static func pull(_ device: DatabaseDevice, into known: inout [String: NSObject])
                async throws
            {
                for change in try await device.changes() {
                    let key = "\(change.entity) \(change.key.text)"
                    known[key] =
                        change.isDeleted
                        ? nil : try JSONSerialization.jsonObject(with: Data(change.body)) as? NSObject
                }
            }

            @Test(arguments: [1, 2, 3, .random(in: 10...1_000_000)] as [UInt64])
            func afterAnyStatementsADeviceShowsWhatTheTablesSay(seed: UInt64) async throws {
                print("statements of seed \(seed)")
                var statements = Statements(seed: seed)
                try await Self.run { database in
                    let ada = try database.device(1, entities: "item", "part", "shelf")
                    let eve = try database.device(2, of: UserDatabase.eve, entities: "item", "part", "shelf")
                    var known: [String: NSObject] = [:]
                    var ofEve: [String: NSObject] = [:]
                    var failed = 0
                    for round in 1...80 {
                        let statement = statements.next()
                        // Some break a constraint: then nothing of it is there.
                        do { try await database.sql(statement) } catch { failed += 1 }
                        try await Self.pull(ada, into: &known)
                        let rows = try await Self.rows(of: UserDatabase.ada, in: database)
                        try #require(
                            known as NSDictionary == rows,
                            "seed \(seed), round \(round): \(statement)"
                        )
                        if round % 8 == 0 {
                            try await Self.pull(eve, into: &ofEve)
                            let others = try await Self.rows(of: UserDatabase.eve, in: database)
                            try #require(
                                ofEve as NSDictionary == others,
                                "seed \(seed), round \(round) of Eve"
                            )
                        }
                    }
                    #expect(failed < 40)
                    var fresh: [String: NSObject] = [:]
                    try await Self.pull(database.device(3, entities: "item", "part", "shelf"), into: &fresh)
                    let isEqual = fresh as NSDictionary == known as NSDictionary
                    #expect(isEqual)
                }
            }

            @Test func whoInsertsTheKeyOfAMergedRecordHasSeenNothingOfIt() async throws {
                try await Self.run { database in
                    let (phone, laptop) = (
                        try database.device(1, entities: "item"), try database.device(2, entities: "item")
                    )
                    let made = ["s", "k"].map {
                        phone.change(entity: "item", key: $0, body: #"{"id":"\#($0)","a":"x"}"#)
                    }
                    try await phone.send(phone.request(changes: made))
                    let known = try await laptop.changes()
                    let duplicate = try #require(known.first { $0.key.text == "k" })
                    let merge = laptop.change(
                        entity: "item",
                        key: "k",
                        body: #"{"id":"k","a":"x"}"#,
                        on: duplicate,
                        isDeleted: true
                    ).replacingOccurrences(of: #""deleted":true"#, with: #""deleted":true,"merged":"s""#)
                    let merged = try await laptop.send(laptop.request(changes: [merge])).outcomes
                    #expect(merged == ["accepted"])
                    let tombstone = try #require(await phone.changes().first)
                    #expect(tombstone.isDeleted && tombstone.header.mergedInto?.text == "s")
                    let devices = Set(tombstone.metadata?.vector.entries.map(\.device.bits) ?? [])
                    #expect(devices == [1, 2])
                    try await database.sql(
                        "insert into public.items (id, owner_id, a) values ('k', '\(UserDatabase.ada.id)', 'again')"
                    )
                    for device in [phone, laptop, try database.device(3, entities: "item")] {
                        let pulled = try await device.changes()
                        let back = try #require(pulled.last)
                        #expect(back.key.text == "k" && !back.isDeleted && back.header.mergedInto == nil)
                        let body = String(decoding: back.body, as: UTF8.self)
                        #expect(body == #"{"id":"k","a":"again"}"#)
                        let seen = Set(back.metadata?.vector.entries.map(\.device.bits) ?? [])
                        #expect(seen.count == 1 && seen.isDisjoint(with: devices))
                    }
                    let edit = try #require(await database.device(4, entities: "item").changes().last)
                    let next = phone.change(
                        entity: "item",
                        key: "k",
                        body: #"{"id":"k","a":"more"}"#,
                        on: edit
                    )
                    let outcomes = try await phone.send(phone.request(changes: [next])).outcomes
                    #expect(outcomes == ["accepted"])
                }
            }
        }
    }
#endif
